"""Can a run be kept, taken back, moved on and frozen?"""

import pytest

from tests.openenv.servers import Server
from tests.rest.api import Api


def test_checkpoints_are_numbered_named_listed_and_come_back_to(api):
    instance = api.opened()
    instance.result("deposit", amount=1)
    first = instance.post("/checkpoints")
    assert (first.status, first.json["name"], first.json["call_count"]) == (201, "1", 1)
    instance.result("deposit", amount=10)
    assert instance.post("/checkpoints", {"name": "before the end"}).json["change_count"] == 2
    assert instance.post("/checkpoints").json["name"] == "2"
    instance.result("deposit", amount=100)
    assert [each["name"] for each in instance.get("/checkpoints").json["results"]] == ["1", "before the end", "2"]
    back = instance.post("/rewind", {"checkpoint": "1"})
    assert (back.status, back.json["call_count"]) == (200, 1)
    assert instance.result("read_balance") == {"balance": 1}
    # And forward again: a checkpoint is a whole point.
    instance.post("/rewind", {"checkpoint": "before the end"})
    assert instance.result("read_balance") == {"balance": 11}
    assert instance.get("/changes").json["count"] == 2


def test_checkpoints_that_are_taken_or_missing_are_refused(api):
    instance = api.opened()
    instance.post("/checkpoints", {"name": "start"})
    assert instance.post("/checkpoints", {"name": "start"}).is_refusal == (409, "name_taken")
    missing = instance.post("/rewind", {"checkpoint": "strat"})
    assert missing.is_refusal == (422, "unknown_checkpoint")
    assert "did you mean 'start'?" in missing.error["message"]
    assert instance.delete("/checkpoints/strat").is_refusal == (404, "unknown_checkpoint")
    assert instance.delete("/checkpoints/start").status == 204
    assert instance.get("/checkpoints").json["count"] == 0
    for _ in range(100):
        assert instance.post("/checkpoints").status == 201
    assert instance.post("/checkpoints").is_refusal == (409, "too_many")


def test_a_run_goes_back_to_just_after_a_call(api):
    instance = api.opened()
    for amount in (1, 10, 100):
        instance.result("deposit", amount=amount)
    assert instance.post("/rewind", {"call": 1}).json["call_count"] == 2
    assert instance.result("read_balance") == {"balance": 11}
    assert instance.post("/rewind", {"call": -1}).json["call_count"] == 0
    assert instance.result("read_balance") == {"balance": 0}
    far = instance.post("/rewind", {"call": 99})
    assert far.is_refusal == (422, "cannot_rewind")
    assert "1 calls were made" in far.error["message"]
    for body in ({}, {"call": 0, "checkpoint": "x"}, {"call": "0"}, {"call": -2}):
        assert instance.post("/rewind", body).is_refusal == (422, "invalid")


def test_the_clock_moves_and_what_is_due_runs(api):
    instance = api.opened("lab", now="2026-06-01T09:00:00Z")
    instance.result("make_box", name="a")
    instance.result("close_later", name="a", after_s=60)
    moved = instance.post("/advance", {"minutes": 1, "seconds": 30})
    assert moved.json == {"events": 1, "now": "2026-06-01T09:01:32.000Z"}
    assert instance.get("/tables/boxes/rows").json["results"][0]["is_open"] == 0
    assert instance.post("/advance", {"to": "2026-06-02T00:00:00Z"}).json["now"] == "2026-06-02T00:00:00.000Z"
    for unfit in ({"to": "2026-01-01T00:00:00Z"}, {"days": -1}, {"weeks": 1e300}, {"to": "soon"}):
        assert instance.post("/advance", unfit).is_refusal == (422, "cannot_advance"), unfit
    for unread in ({}, {"to": "2026-06-03T00:00:00Z", "days": 1}, {"days": "1"}, {"years": 1}):
        assert instance.post("/advance", unread).is_refusal == (422, "invalid"), unread
    assert api.opened(clock_mode="wall").post("/advance", {"days": 1}).is_refusal == (422, "cannot_advance")


def test_an_event_that_breaks_is_a_bug_with_a_number(api):
    instance = api.opened("lab")
    instance.result("break_later", after_s=5)
    answer = instance.post("/advance", {"seconds": 60})
    assert answer.is_refusal == (500, "internal_error")
    assert answer.error["incident"]
    assert b"broken" not in answer.body


def test_a_state_becomes_a_fixture_that_instances_begin_with(tmp_path):
    with Server(fixtures_dir=tmp_path) as server:
        api = Api(server)
        instance = api.opened(now="2026-06-01T09:00:00Z")
        instance.result("deposit", amount=42)
        answer = instance.post("/freeze", {"fixture": "answered", "description": "42 in the account."})
        assert answer.status == 201
        assert (answer.json["id"], answer.json["lineage"]) == ("answered", [])
        assert api.get("/worlds/bank/fixtures/answered").json == answer.json
        assert (tmp_path / "bank" / "answered" / "fixture.yaml").is_file()
        assert api.opened(fixture="answered").result("read_balance") == {"balance": 42}
        again = instance.post("/freeze", {"fixture": "answered", "description": "x"})
        assert again.is_refusal == (409, "name_taken")
        for fixture in ("../x", "a/b", ".hidden", "con"):
            refused = instance.post("/freeze", {"fixture": fixture, "description": "x"})
            assert refused.is_refusal == (422, "cannot_freeze"), fixture
        assert instance.post("/freeze", {"fixture": "x", "description": " "}).is_refusal == (422, "cannot_freeze")
        assert sorted(path.name for path in tmp_path.rglob("*")) == ["answered", "bank", "fixture.yaml", "main.jsonl"]


@pytest.mark.parametrize("path", ["/fork", "/checkpoints", "/rewind", "/advance", "/freeze"])
def test_every_move_refuses_what_it_does_not_know(api, path):
    answer = api.opened().post(path, {"surprise": 1})
    assert answer.is_refusal == (422, "invalid")
    assert "surprise" in {each["path"] for each in answer.error["details"]["violations"]}
