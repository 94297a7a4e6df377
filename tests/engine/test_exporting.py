import copy
import hashlib
from contextlib import suppress

import orjson
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.engine.episodes import moves, play
from tests.engine.town import bank, opened, shop
from tests.engine.workbench import NOW, lab
from tests.worlds.lab.models import Box
from worlds.engine import HttpRequest, ToolError, WorldBug, exporting, installed
from worlds.engine.exporting import Reached


def kinds(document):
    return [move["kind"] for move in document["moves"]]


def test_the_document_holds_what_begins_the_episode_again():
    start = {
        "startup": {"owner": "Zoë"},
        "setup_sql": "INSERT INTO tags (code) VALUES ('x')",
        "task": {"id": "t", "n": 1},
    }
    with lab(seed=7, episode_id="e", state_format="seahaven.state+calls/1", **start) as inst:
        inst.call("draw")
        inst.advance(hours=2)
        document, state = inst.export(), inst.state()
    assert next(iter(document)) == "format"
    assert document["format"] == "seahaven.episode/1"
    shared = [name for name in state if name not in ("format", "state")]
    assert {name: document[name] for name in shared} == {name: state[name] for name in shared}
    assert document["start"] == {"now": NOW, "state_format": "seahaven.state+calls/1", "draws_as": "lab"}
    assert document["now"] == "2026-06-01T11:00:01.000Z"
    assert set(document["made_with"]) == {"python", "django", "sqlite"}
    assert document["replays"] == {"moves": 2, "then": None}


def test_the_start_is_the_reading_it_had_when_none_was_given():
    with installed.get("lab").instance() as inst:
        began = inst.clock.iso()
        inst.call("draw")
        with inst.fork() as twin:
            assert twin.export()["start"]["now"] == inst.export()["start"]["now"] == began


def test_a_call_is_kept_with_its_arguments_its_end_and_the_rows_it_changed():
    with lab() as inst:
        inst.call("make_box", name="alpha")
        for tool, arguments in (
            ("drop_box", {"name": "zeta"}),
            ("fail_after_writing", {"how": "bug"}),
            ("make_box", {"name": 5}),
        ):
            with suppress(ToolError, ValueError):
                inst.call(tool, **arguments)
        inst.call("close_later", name="alpha", after_s=0)
        document, log = inst.export(), inst.change_log()
    made, missing, bug, invalid, closed = document["moves"]
    assert made["result"]["name"] == "alpha"
    assert "error" not in made
    assert (made["kind"], made["i"], made["tool"], made["arguments"]) == ("call", 0, "make_box", {"name": "alpha"})
    assert made["now"] == "2026-06-01T09:00:01.000Z"
    assert missing["error"] == {
        "code": "no_such_box", "message": "There is no box named zeta", "details": {"name": "zeta"}
    }  # fmt: skip
    assert bug["error"] == {"code": "internal_error", "message": "internal error", "details": {}}
    assert "secret" not in orjson.dumps(document).decode()
    assert invalid["error"]["code"] == "invalid_arguments"
    assert [record["by"] for record in closed["records"]] == ["event:close_box"]
    assert made["records"] + closed["records"] == log
    assert not missing["records"] + bug["records"] + invalid["records"]


def test_what_is_done_between_calls_stands_where_it_was_done():
    with lab() as inst:
        inst.http(HttpRequest.of("POST", "/boxes", query="a=1", headers={"X-Key": "k"}, body='{"name": "alpha"}'))
        inst.call("close_later", name="alpha", after_s=5)
        inst.advance(seconds=60)
        with inst.bulk(by="curator"):
            Box.objects.create(id="b", name="beta")
        inst.advance(seconds=1)
        with pytest.raises(ValueError, match="secret"):
            inst.http(HttpRequest.of("POST", "/bug"))
        inst.call("draw")
        document = inst.export()
    assert kinds(document) == ["request", "call", "advance", "bulk", "advance", "request", "call"]
    request, _, advance, bulk, nothing_due, broken, _ = document["moves"]
    assert {name: request[name] for name in ("node", "method", "path", "query", "headers", "body")} == {
        "node": "main", "method": "POST", "path": "/boxes", "query": "a=1", "headers": [["x-key", "k"]],
        "body": '{"name": "alpha"}',
    }  # fmt: skip
    assert request["response"] == {
        "status": 201,
        "headers": [["content-type", "application/json"]],
        "body": '{"name":"alpha","made_at":"2026-06-01T09:00:01.000Z"}',
    }
    assert (advance["ms"], advance["events"], nothing_due["events"]) == (60_000, 1, 0)
    assert (bulk["by"], [record["by"] for record in bulk["records"]]) == ("curator", ["curator"])
    assert (broken["error"]["message"], "response" in broken) == ("internal error", False)
    assert [len(move["records"]) for move in document["moves"]] == [1, 0, 1, 1, 0, 0, 0]
    assert [record["seq"] for move in document["moves"] for record in move["records"]] == [0, 1, 2]


def test_what_an_event_broke_in_an_advance_is_its_end():
    with lab() as inst:
        inst.call("break_later", after_s=5)
        with pytest.raises(ValueError, match="broken"):
            inst.advance(seconds=60)
        (_, advance) = inst.export()["moves"]
        assert (advance["events"], advance["error"]["code"]) == (None, "internal_error")


def test_of_a_result_or_an_answer_too_large_to_keep_its_digest_is_kept(settings):
    settings.SEAHAVEN_RESULT_KEPT_KIB = 1
    with lab() as inst:
        inst.call("make_box", name="x" * 2000)
        answer = inst.http(HttpRequest.of("POST", "/echo", body="é" * 2000))
        small = inst.http(HttpRequest.of("POST", "/echo", body=b"\xff" * 3))
        call, large, little = inst.export()["moves"]
        result = inst.dispatch("list_boxes", {}).json[1:-1]  # the one box, as it was answered
    assert call["result_digest"] == {"sha256": hashlib.sha256(result).hexdigest(), "bytes": len(result)}
    assert "result" not in call
    assert large["response"]["body_digest"] == {"sha256": hashlib.sha256(answer.body).hexdigest(), "bytes": 4000}
    assert "body" not in large["response"]
    assert large["body"] == "é" * 2000
    assert (small.body, little["response"]["body"]) == (b"\xff" * 3, {"$": "bytes", "of": "////"})


def test_arguments_that_json_cannot_carry_are_written_twice():
    world = copy.copy(installed.get("lab"))
    world.tool(_swallow)
    with world.instance(now=NOW) as inst:
        inst.call("swallow", x=b"\xff", y=[2**70, float("nan")], z="\ud800")
        (call,) = inst.export()["moves"]
    assert call["arguments"] == {"x": "b'\\xff'", "y": f"[{2**70}, nan]", "z": "\\ud800"}
    assert call["given"] == {
        "x": {"$": "bytes", "of": "/w=="},
        "y": [{"$": "int", "of": hex(2**70)}, {"$": "float", "of": "nan"}],
        "z": {"$": "text", "of": "\\ud800"},
    }


def _swallow(ctx, x: bytes, y: list, z: str) -> int:
    """Take anything."""
    return len(y)


_swallow.__name__ = "swallow"


@given(st.lists(moves, max_size=10), st.data())
@hypothesis_settings(max_examples=60)
@pytest.mark.parametrize("kept", [64, 0])
def test_what_was_taken_back_is_in_no_document(kept, script, data):
    """Whatever rewinds, checkpoints and forks came before, the document is that of the moves that stand."""
    from django.conf import settings

    before, settings.SEAHAVEN_CHECKPOINTS_KEPT = settings.SEAHAVEN_CHECKPOINTS_KEPT, kept
    inst, history = lab(episode_id="e"), []
    try:
        for move in script:
            play(inst, move)
            history.append((move, inst.call_count))
            point, past = inst.checkpoint(), list(history)
            match data.draw(st.sampled_from(["go on", "return", "rewind", "fork"])):
                case "return":
                    play(inst, ("call", "draw", {}))
                    inst.rewind(point)
                    history = past
                case "rewind":
                    call = data.draw(st.integers(-1, inst.call_count - 1))
                    with suppress(WorldBug):  # a bulk in the way of a replay
                        inst.rewind(call=call)
                        history = _just_after(history, call)
                case "fork":
                    parent, inst = inst, inst.fork()
                    parent.destroy()
        with lab(episode_id="e") as straight:
            for move, _ in history:
                play(straight, move)
            assert straight.export() == inst.export()
    finally:
        settings.SEAHAVEN_CHECKPOINTS_KEPT = before
        inst.destroy()


def _just_after(history, call):
    if call == -1:
        return []
    return history[: next(at for at, (_, count) in enumerate(history) if count == call + 1) + 1]


@given(st.lists(moves, max_size=10), st.integers(0, 10))
@hypothesis_settings(max_examples=40)
def test_the_moves_since_a_point_are_the_last_of_all_moves(script, number):
    with lab() as inst:
        points = [Reached()]
        for move in script:
            play(inst, move)
            at = inst._at
            points.append(Reached(len(at.calls), len(at.between), len(at.log.records)))
        since = points[min(number, len(script))]
        with inst.reading() as at:
            found = [orjson.loads(move) for move in exporting.moves(at, since)]
        assert found == inst.export()["moves"][since.calls + since.between :]


@pytest.mark.parametrize("mode", ["running", "wall"])
def test_an_episode_on_a_clock_that_does_not_replay_says_so(mode):
    with lab(clock_mode=mode, now=None) as inst:
        inst.call("draw")
        assert inst.export()["replays"] == {
            "moves": 0, "then": f"a {mode} clock does not replay; record with clock_mode tick or fixed"
        }  # fmt: skip


def test_a_bulk_block_says_up_to_where_the_episode_replays():
    with lab() as inst:
        inst.call("draw")
        inst.advance(seconds=1)
        with suppress(KeyError), inst.bulk():
            raise KeyError
        inst.call("draw")
        replays = inst.export()["replays"]
    assert replays["moves"] == 2
    assert "move 2 is a bulk() block" in replays["then"]
    assert "freeze() the instance after such a block" in replays["then"]


def test_an_instance_begun_with_fixtures_of_several_worlds_has_no_document(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR, settings.SEAHAVEN_VAR_DIR = tmp_path / "fixtures", tmp_path / "var"
    with bank.instance(now=NOW) as inst:
        inst.call("deposit", amount=50)
        inst.freeze("rich", "Fifty in the account.")
    host, seen = shop("host", till=bank), []

    def start(inst):
        """A shop with money."""
        with pytest.raises(WorldBug, match="began with fixtures of the worlds it embeds.*freeze"):
            inst.export()
        seen.append(inst)

    host.recipe(start, embedded={"till": "rich"})
    host.build_fixture("start")
    assert seen
    with host.instance("start") as inst:
        assert inst.export()["fixture"]["id"] == "start"


def test_reading_inside_a_look_at_the_rows_is_fine_and_moves_nothing():
    with opened() as inst:
        inst.call("north_make_box", name="n")
        with inst.inspecting():
            assert inst.export() == inst.export()
        assert kinds(inst.export()) == ["call"]
