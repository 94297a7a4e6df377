"""What is kept of a session's streams, and what does a client that comes back get of it?"""

import mcp_types as types

from openenv_api.mcp.events import KEPT_EVENTS, KEPT_KIB, Events


def response(id, text=""):
    return types.JSONRPCResponse(jsonrpc="2.0", id=id, result={"text": text})


async def replayed(events, after):
    sent = []

    async def send(event):
        sent.append((event.event_id, event.message.id))

    return await events.replay_events_after(after, send), sent


async def test_the_rest_of_a_stream_is_sent_again_and_nothing_of_another():
    events = Events()
    opening = await events.store_event("7", None)
    await events.store_event("8", response(8))
    last = await events.store_event("7", response(7))
    assert await replayed(events, opening) == ("7", [(last, 7)])
    assert await replayed(events, last) == ("7", [])


async def test_an_event_that_is_not_kept_has_no_rest():
    events = Events()
    for unknown in ("1", "0", "-1", "x", "", "９", "9" * 5000):
        assert await replayed(events, unknown) == (None, [])


async def test_as_much_is_kept_as_there_is_room_for_and_always_the_latest():
    events = Events()
    for number in range(KEPT_EVENTS + 10):
        await events.store_event("s", response(number))
    assert await replayed(events, "10") == (None, [])
    assert len((await replayed(events, "11"))[1]) == KEPT_EVENTS - 1
    opening = await events.store_event("s", None)
    large = response(1, "x" * KEPT_KIB * 2048)
    last = await events.store_event("s", large)
    assert await replayed(events, opening) == (None, []), "it had to make room"
    assert await replayed(events, last) == ("s", [])
    await events.store_event("s", response(2))
    assert len(events._kept) == 1
