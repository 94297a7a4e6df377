import copy
import io
import json
import re

import orjson
import pytest
from django.core.management import CommandError, call_command

from tests.engine.episodes import play
from tests.engine.test_replaying import edited
from tests.engine.workbench import NOW
from worlds.engine import installed
from worlds.engine.verdicts import Question, verdict

lab = installed.get("lab")


def export(*moves, **options):
    with lab.instance(**{"seed": 3, "now": NOW, "episode_id": "e", **options}) as inst:
        for move in moves:
            play(inst, move)
        return inst.export()


MADE: tuple = "call", "make_box", {"name": "alpha"}
DREW: tuple = "call", "draw", {}
BULK = "bulk", "beta"


@pytest.fixture
def write(tmp_path):
    """Puts a document into a file; answers its path as text."""

    def write(document, name="episode.json"):
        file = tmp_path / name
        file.write_bytes(document if isinstance(document, bytes) else orjson.dumps(document))
        return str(file)

    return write


def run(*arguments):
    """What the command prints, and its exit status with what it says about it."""
    out = io.StringIO()
    try:
        call_command("seahaven_replay", *map(str, arguments), stdout=out)
    except CommandError as error:
        return out.getvalue(), error.returncode, str(error)
    return out.getvalue(), 0, ""


# Graders, by their names on the command line.


def rows_inserted(state):
    return sum(record["op"] == "insert" for record in state["state"]["db"]["log"])


def reads_all(state):
    return {"seed": state["seed"], "world": state["world"]["name"], "log": len(state["state"]["db"]["log"])}


def fails(state):
    raise KeyError("reward")


def answers_no_json(state):
    return {1, 2}


def changes_its_document(state):
    state.clear()
    return None


_HERE = f"{__name__}:"


def test_an_episode_that_goes_the_same_way_is_one_line_and_status_0(write):
    file = write(export(MADE, ("advance", 5), DREW))
    assert run(file) == (f"{file}: equal: 3 moves in lab/blank with seed 3\n", 0, "")
    assert run(write(export(seed=None)))[0].endswith(": equal: 0 moves in lab/blank with no seed\n")


def test_the_first_divergence_is_named_and_is_status_1(write):
    file = write(edited(export(MADE, DREW), moves__0__records__0__after__name="alfa", moves__1__result__seq=9))
    said, status, summary = run(file)
    assert re.fullmatch(
        rf'{file}: diverged: call 0 \(make_box\): main.boxes id="box_\w+": name: expected "alfa", got "alpha"\n', said
    )
    assert (status, summary) == (1, "not every episode went the same way again")


def test_all_lists_every_divergence(write):
    file = write(edited(export(MADE, DREW), moves__0__records__0__after__name="alfa", moves__1__result__seq=9))
    said, status, _ = run("--all", file)
    first, *others = said.splitlines()
    assert (first, status) == (f"{file}: diverged in 2 places", 1)
    assert [line[:9] for line in others] == ["  call 0 ", "  call 1 "]


def test_several_episodes_have_a_line_each_and_the_worst_status(write, tmp_path):
    equal, other = write(export(MADE)), write(edited(export(DREW), moves__0__result__seq=9), "other.json")
    assert run(equal, equal)[1] == 0
    said, status, summary = run(equal, other, tmp_path / "nothing.json", tmp_path, equal)
    assert [line.split(": ")[1] for line in said.splitlines()] == [
        "equal", "diverged", "cannot be read", "cannot be read", "equal"
    ]  # fmt: skip
    assert (status, summary) == (2, "not every episode could be replayed")
    assert run(equal, other)[1] == 1


def test_an_episode_comes_from_standard_input_too(monkeypatch):
    data = orjson.dumps(export(MADE))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert run("-") == ("-: equal: 1 moves in lab/blank with seed 3\n", 0, "")
    assert run("-")[:2] == ("-: cannot replay: it is empty; export the episode again\n", 2)


@pytest.mark.parametrize(
    ("document", "line"),
    [
        (b"", "it is empty"),
        (b"{", "it is no JSON"),
        (export(MADE)["moves"], "it holds a JSON list"),
        (edited(export(), world__name="lap", composition__main__world="lap"), "world 'lap' is not installed; did you"),
        (edited(export(), fixture={"id": "huge", "nodes": {}}), "world lab has no fixture 'huge'"),
        (export(MADE, clock_mode="running"), "a running clock does not replay; record with clock_mode tick or fixed"),
        (export(MADE, clock_mode="wall", now=None), "a wall clock does not replay; record with clock_mode tick or"),
        (edited(export(), startup={"fail": True}), "world lab does not start with it: ToolError: the shop stays shut"),
    ],
)
def test_what_cannot_be_replayed_is_one_line_and_status_2(write, document, line):
    file = write(document)
    said, status, _ = run(file)
    assert said.startswith(f"{file}: cannot replay: {line}")
    assert (said.count("\n"), status) == (1, 2)


def test_a_bulk_block_is_not_got_past(write):
    file = write(export(MADE, BULK, DREW))
    said, status, _ = run(file)
    assert said.startswith(f"{file}: cannot replay all: move 1 is a bulk() block")
    assert said.endswith("(the 1 moves before it are equal)\n")
    assert status == 2
    assert run("--all", write(edited(export(DREW, BULK), moves__0__result__seq=9)))[1] == 1


def test_another_place_is_told_and_no_divergence_when_it_is_asked_for(write):
    document = edited(export(MADE), world__version="0.9.0", composition__main__world_version="0.9.0")
    file = write(document)
    said, status, _ = run(file)
    assert 'the world\'s version: expected "0.9.0", got "1.0.0" (--against 1.0.0 replays it here all the same)' in said
    assert status == 1
    for against in ("1.0.0", "lab"):
        first, second = run(file, "--against", against)[0].splitlines()
        assert first.endswith(": equal: 1 moves in lab/blank with seed 3")
        assert second.startswith("  elsewhere: the start: main: the world's version")
    said, status, _ = run(file, "--against", "0.9.0")
    assert "is neither an installed world nor the version of lab that is installed, 1.0.0" in said
    assert status == 2
    said, status, _ = run(file, "--against", "bank")
    assert "diverged: call 0 (make_box): the tool" in said
    assert 'elsewhere: the start: world: expected "lab", got "bank"' in said


def test_what_it_was_recorded_with_is_told_beside_a_divergence(write):
    document = edited(export(DREW), moves__0__result__seq=9, made_with__python="2.7.18")
    assert "recorded with python 2.7.18, django" in run(write(document))[0]
    assert "recorded with" not in run(write(edited(export(DREW), made_with__python="2.7.18")))[0]


# Grades


def test_a_grade_is_that_of_the_state_at_the_end(write):
    file = write(export(MADE, DREW, MADE))
    assert run(file, "--grade", _HERE + "rows_inserted")[0].splitlines()[1:] == ["  grade: 1"]
    assert run(file, "--grade", _HERE + "reads_all")[0].endswith('  grade: {"seed":3,"world":"lab","log":1}\n')
    assert run(file, "--grade", _HERE + "changes_its_document")[0].endswith("  grade: null\n")


def test_what_is_stored_is_graded_without_a_replay_wherever_it_was_made(write):
    document = edited(
        export(MADE, BULK, clock_mode="wall", now=None), world__name="gone", composition__main__world="gone"
    )
    file = write(document)
    assert run(file, "--grade", _HERE + "rows_inserted", "--no-replay") == (
        f"{file}: as stored: 2 moves in gone/blank with seed 3\n  grade: 2\n", 0, ""
    )  # fmt: skip
    custom = write(edited(document, start__state_format="lab.summary/1"))
    said, status, _ = run(custom, "--grade", _HERE + "rows_inserted", "--no-replay")
    assert "leave out --no-replay" in said
    assert status == 2


@pytest.mark.parametrize("format", ["seahaven.state/1", "seahaven.state+calls/1", "seahaven.state+last_step/1"])
def test_replayed_and_stored_give_one_document(write, format):
    read = []
    document = orjson.dumps(export(MADE, DREW, MADE, state_format=format))
    for as_stored in (False, True):
        verdict("x", document, Question(grader=lambda state: read.append(state), as_stored=as_stored))
    assert read[0] == read[1]
    assert read[0]["format"] == format


def test_what_did_not_come_to_its_end_gets_no_grade(write):
    diverged = write(edited(export(DREW, MADE), moves__0__result__seq=9))
    grade = "--grade", _HERE + "rows_inserted"
    said, status, _ = run(diverged, *grade)
    assert said.endswith("  not graded: it was not replayed to its end; --no-replay grades what is stored\n")
    assert status == 1
    assert run(diverged, "--all", *grade)[0].endswith("  grade: 1\n")
    assert "not graded" in run(write(export(MADE, BULK)), *grade)[0]


@pytest.mark.parametrize(
    ("grader", "line"),
    [
        (_HERE + "fails", "cannot grade: the grader failed: KeyError: 'reward'"),
        (_HERE + "answers_no_json", "cannot grade: the grader returned a set at $; return sorted"),
    ],
)
def test_a_grader_that_fails_is_one_line_and_status_2(write, grader, line):
    file = write(export(MADE))
    said, status, _ = run(file, "--grade", grader)
    assert said.startswith(f"{file}: {line}")
    assert status == 2


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--no-replay"], "--no-replay goes with --grade"),
        (["--no-replay", "--grade", "builtins:len", "--all"], "and without --against and --all"),
        (["--no-replay", "--grade", "builtins:len", "--against", "lab"], "and without --against and --all"),
        (["--grade", "builtins"], "'builtins' names no function; write module:function"),
        (["--grade", "no_such:f"], "module 'no_such' cannot be imported"),
        (["--grade", "builtins:nope"], "module 'builtins' has no 'nope'"),
    ],
)
def test_options_that_do_not_go_together_are_refused(write, arguments, line):
    said, status, summary = run(write(export(MADE)), *arguments)
    assert (said, status) == ("", 2)
    assert line in summary


# For programs


def test_json_is_an_object_a_line(write, tmp_path):
    document = export(MADE, DREW)
    files = [write(document), write(edited(document, moves__0__result__name="x"), "b.json"), tmp_path / "gone"]
    said, status, _ = run("--json", "--grade", _HERE + "rows_inserted", "--all", *files)
    equal, diverged, gone = map(json.loads, said.splitlines())
    assert (status, equal["outcome"], equal["grade"], equal["moves"], equal["made"]) == (2, "equal", 1, 2, 2)
    assert (equal["world"], equal["against"]["version"]) == ({"name": "lab", "version": "1.0.0"}, "1.0.0")
    assert (equal["fixture"], equal["seed"], equal["episode_id"], equal["stopped"]) == (None, 3, "e", None)
    (found,) = diverged["divergences"]
    assert {name: found[name] for name in ("kind", "call", "path", "expected", "got")} == {
        "kind": "result", "call": 0, "path": "$.name", "expected": "x", "got": "alpha"
    }  # fmt: skip
    assert found["text"].startswith("call 0 (make_box): result $.name")
    assert (gone["outcome"], gone["status"]) == ("impossible", 2)
    assert "cannot be read" in gone["reason"]


def test_a_replay_logs_no_call_again(write, caplog):
    caplog.set_level("DEBUG", logger="seahaven")
    document = export(("call", "fail_after_writing", {"how": "bug"}))
    caplog.clear()
    assert run(write(copy.deepcopy(document)))[1] == 0
    assert [record for record in caplog.records if record.name == "seahaven.calls"] == []
