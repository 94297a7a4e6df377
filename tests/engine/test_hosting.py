"""Does the register of hosted instances know who is there, who was, and who may come?"""

import asyncio
import time

import pytest
from django.test import override_settings

from tests.engine.town import bank
from worlds.engine import InstanceClosed, WorldBug, hosting
from worlds.engine.hosting import HOSTS, Hosted, HostFull


@pytest.fixture
async def hosted():
    made = await Hosted(bank, door="test").begin()
    yield made
    made.end("the test is over")


async def test_a_token_is_good_until_its_instance_ends(hosted):
    agent, owner = hosted.agent_token, hosted.owner_token
    assert HOSTS.of_token(agent) == (hosted, False)
    assert HOSTS.of_token(owner) == (hosted, True)
    for wrong in (
        owner[:-1],
        agent.replace("agent", "owner"),
        f"owner-{hosted.id}.",
        "owner-",
        "",
        "x",
        "owner-é\ud800",
    ):
        assert HOSTS.of_token(wrong) is None
        assert HOSTS.end_of_token(wrong) is None
    hosted.end("it was enough")
    assert HOSTS.of_token(owner) is None
    assert HOSTS.end_of_token(owner) == HOSTS.end_of(hosted.id) == "it was enough"
    assert HOSTS.end_of_token(owner[:-1]) is None
    assert HOSTS.end_of("nobody") is None


async def test_only_so_many_ends_are_remembered(monkeypatch):
    monkeypatch.setattr(hosting, "ENDS_KEPT", 2)
    made = [await Hosted(bank, door="test").begin() for _ in range(3)]
    for each in made:
        each.end("enough")
    assert [HOSTS.end_of(each.id) for each in made] == [None, "enough", "enough"]


async def test_a_place_is_kept_for_one_that_is_being_made():
    with override_settings(SEAHAVEN_MAX_INSTANCES=len(HOSTS) + 1), HOSTS.place():
        with pytest.raises(HostFull, match="raise SEAHAVEN_MAX_INSTANCES"), HOSTS.place():
            pass
        with pytest.raises(HostFull):
            HOSTS.require_place()
    with override_settings(SEAHAVEN_MAX_INSTANCES=len(HOSTS) + 1), pytest.raises(WorldBug, match="no"), HOSTS.place():
        raise WorldBug("no")
    with override_settings(SEAHAVEN_MAX_INSTANCES=len(HOSTS) + 1):
        HOSTS.require_place()


async def test_idle_ones_end_by_themselves_and_busy_ones_do_not(monkeypatch):
    monkeypatch.setattr(hosting, "SWEEP_EVERY_S", 0.05)
    idle = await Hosted(bank, door="test", idle_s=0.2).begin()
    busy = await Hosted(bank, door="test", idle_s=0.2).begin()
    kept = await Hosted(bank, door="test").begin()
    await busy.run(time.sleep, 0.6)
    assert (idle.over_because, busy.over_because, kept.over_because) == ("nobody used it for 0.2 s", None, None)
    await asyncio.sleep(0.5)
    assert busy.over_because == "nobody used it for 0.2 s"
    with pytest.raises(InstanceClosed, match="nobody used it"):
        await busy.dispatch("nothing", {})
    kept.end("the test is over")


async def test_whoever_watches_is_told_of_moves(hosted):
    told = []
    HOSTS.watchers.append(lambda who, what: told.append((who, what)))
    try:
        await hosted.move(hosted.instance.advance)
    except WorldBug:
        pass
    else:
        raise AssertionError("advance wants to know how far")
    finally:
        watcher = HOSTS.watchers.pop()
    assert told == [(hosted, "moved")]
    assert watcher is not None


async def test_an_instance_that_is_made_already_is_served_like_any(hosted):
    twin = Hosted(bank, door="test").adopt(await hosted.run(hosted.instance.fork))
    assert HOSTS.get(twin.id) is twin
    assert await twin.dispatch("deposit", {"amount": 3}) == b"3"
    assert await hosted.dispatch("read_balance", {}) == b'{"balance":0}'
    twin.end("the test is over")


async def test_an_instance_that_pauses_gives_back_its_connections_and_goes_on_as_if_it_had_not(hosted, monkeypatch):
    monkeypatch.setattr(hosting, "RESTS_AFTER_S", 0.05)
    monkeypatch.setattr(hosting, "SWEEP_EVERY_S", 0.02)
    HOSTS.keep_sweeping()
    assert await hosted.dispatch("deposit", {"amount": 5}) == b"5"
    store = hosted.instance._at.root.store
    for _ in range(200):
        if store._opened is None:
            break
        await asyncio.sleep(0.02)
    assert (store._opened, hosted.is_resting) == (None, True)
    assert await hosted.dispatch("deposit", {"amount": 1}) == b"6"
    assert not hosted.is_resting
    assert len(hosted.instance.change_log()) == 2
    hosted.instance.rewind(call=0)
    assert await hosted.dispatch("read_balance", {}) == b'{"balance":5}'


async def test_one_in_the_middle_of_a_call_does_not_rest(hosted, monkeypatch):
    monkeypatch.setattr(hosting, "RESTS_AFTER_S", 0.0)
    slow = asyncio.create_task(hosted.dispatch("slow", {"s": 0.2}))
    await asyncio.sleep(0.05)
    HOSTS.settle()
    assert not hosted.is_resting
    await slow
