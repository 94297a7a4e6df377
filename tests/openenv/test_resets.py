"""Which keys may a reset have, and which are a slip of the pen?"""

import pytest

from openenv_api import resets
from openenv_api.errors import InvalidFrame


def test_every_key_reaches_the_start():
    given = {
        "fixture": "rich",
        "seed": 7,
        "now": "2026-06-01T09:00:00Z",
        "clock_mode": "fixed",
        "state_format": "seahaven.state/1",
        "task": {"id": "t"},
        "startup": {"owner": "Ada"},
        "setup_sql": "SELECT 1",
        "episode_id": "ep",
    }
    start = resets.read(given).start(None)
    assert {key: getattr(start, key) for key in given} == given


def test_the_default_fixture_is_for_those_that_name_none():
    assert resets.read({}).start("rich").fixture == "rich"
    assert resets.read({"fixture": None}).start("rich").fixture is None
    assert resets.read({"fixture": "poor"}).start("rich").fixture == "poor"


def test_none_is_not_given():
    start = resets.read(dict.fromkeys(resets.ResetArguments.model_fields)).start(None)
    assert (start.fixture, start.seed, start.startup, start.episode_id) == (None, None, {}, None)


@pytest.mark.parametrize(
    "key",
    ["prompt", "word", "words", "need", "speed", "know", "won", "request", "state", "split", "index", "unknown_kw", "x",
     "control_tools", "environment", "instruction", "worlds_visited", "task_id"],
)  # fmt: skip
def test_other_keys_are_let_pass(key):
    assert resets.read({key: 1}).model_extra == {key: 1}


@pytest.mark.parametrize(
    ("key", "meant"),
    [("fixtur", "fixture"), ("fixtures", "fixture"), ("Fixture", "fixture"), ("fixture_id", "fixture"),
     ("fxiture", "fixture"), ("seeds", "seed"), ("SEED", "seed"), ("episodeid", "episode_id"),
     ("episode-id", "episode_id"), ("clockmode", "clock_mode"), ("clock_mod", "clock_mode"), ("setupsql", "setup_sql"),
     ("start_up", "startup"), ("state_fromat", "state_format"), ("worlds", "world"), ("tasks", "task")],
)  # fmt: skip
def test_a_slip_is_refused_with_what_was_meant(key, meant):
    with pytest.raises(InvalidFrame, match=f"reset has no key '{key}'; did you mean '{meant}'") as caught:
        resets.read({key: 1})
    assert caught.value.extra["errors"][0]["loc"] == [key]


def test_every_violation_is_told_and_nothing_large_is_echoed():
    with pytest.raises(InvalidFrame) as caught:
        resets.read({"seed": "x" * 10_000, "startup": [], "clock_mode": "sundial", "episode_id": "e" * 256})
    errors = caught.value.extra["errors"]
    assert sorted(each["loc"][0] for each in errors) == ["clock_mode", "episode_id", "seed", "startup"]
    assert len(str(errors)) < 2_000
