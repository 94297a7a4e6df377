import copy
import json
import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.engine.episodes import moves, play
from tests.engine.workbench import NOW, lab
from worlds.engine import EpisodeError, HttpRequest, episode_documents, installed
from worlds.engine.episode_documents import EpisodeDocument, read
from worlds.engine.verdicts import Question, verdict

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ["seahaven.state/1", "seahaven.state+last_step/1", "seahaven.state+calls/1"]


def episode(**options):
    """A document with a move of every kind in it."""
    with lab(seed=3, episode_id="e", **options) as inst:
        inst.call("make_box", name="alpha")
        inst.http(HttpRequest.of("POST", "/boxes", headers={"a": "b"}, body='{"name": "beta"}'))
        inst.call("change_box", name="alpha", is_open=False)
        inst.advance(seconds=5)
        play(inst, ("call", "drop_box", {"name": "zeta"}))
        play(inst, ("bulk", "gamma"))
        return inst.export()


@pytest.fixture(scope="module")
def document():
    return episode()


@given(st.lists(moves, max_size=10), st.sampled_from(FORMATS), st.sampled_from(["tick", "fixed", "running"]))
@hypothesis_settings(max_examples=50)
def test_what_is_exported_can_be_read_and_holds_the_state_a_grader_reads(script, format, mode):
    with lab(state_format=format, clock_mode=mode) as inst:
        for move in script:
            play(inst, move)
        exported, state = inst.export_json(), inst.state()
    stored = read(exported).state()
    if mode == "running":
        stored["now"] = state["now"]
    assert stored == state
    assert list(stored) == list(state)


@given(st.lists(moves, max_size=8))
@hypothesis_settings(max_examples=30)
def test_a_document_survives_another_reader_and_writer_of_json(script):
    with lab() as inst:
        for move in script:
            play(inst, move)
        exported = inst.export_json()
    assert json.loads(exported) == orjson.loads(exported)
    again = json.dumps(json.loads(exported), indent=1)
    assert read(again.encode()).model_dump() == read(exported).model_dump()


def test_arguments_are_read_back_as_they_were_given():
    world, seen = copy.copy(installed.get("lab")), list[Any]()

    @world.tool
    def swallow(ctx, value: Any) -> None:
        """Take anything."""
        seen.append(value)

    odd: list[Any] = [2**70, b"\xff\x00", "half \ud800", (1, (2,)), {1: {2}}, {"$": "int", "of": "x"}, [True, 1, 1.0]]
    with world.instance(now=NOW) as inst:
        for value in odd:
            inst.call("swallow", value=value)
        inst.call("swallow", value=float("nan"))
        document = read(inst.export_json())
    given = [move.given_arguments["value"] for move in document.moves]  # type: ignore[union-attr]
    assert given[:-1] == odd
    assert list(map(type, given)) == [*map(type, odd), float]
    assert list(map(type, given[-2])) == [bool, int, float]
    assert given[-1] != given[-1]


def test_what_a_later_version_adds_is_passed_over(document):
    later = copy.deepcopy(document)
    for part in (later, later["start"], later["fixture"] or {}, *later["moves"], later["moves"][0]["records"][0]):
        part["added_later"] = [1]
    assert read(orjson.dumps(later)).model_dump() == read(orjson.dumps(document)).model_dump()


def test_a_format_that_a_world_makes_takes_a_replay():
    document = episode()
    document["start"]["state_format"] = "lab.summary/1"
    with pytest.raises(EpisodeError, match=r"state format lab.summary/1 is made of rows.*leave out --no-replay"):
        read(orjson.dumps(document)).state()


# Damage


def changed(**edits):
    """Damage at a path: `moves__0__tool=5` puts 5 there, `...` takes it away."""

    def damage(document):
        for path, value in edits.items():
            *way, last = (int(step) if step.isdigit() else step for step in path.split("__"))
            place = document
            for step in way:
                place = place[step]
            if value is ...:
                del place[last]
            else:
                place[last] = value
        return orjson.dumps(document)

    return damage


def text(change):
    return lambda document: change(orjson.dumps(document))


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (text(lambda data: b""), "it is empty; export the episode again"),
        (text(lambda data: b" \n"), "it is empty"),
        (text(lambda data: data[:-200]), "it is no JSON: .*line 1 column"),
        (text(lambda data: data[:900] + b"\xff" + data[900:]), "it is no JSON: .*line 1 column"),
        (text(lambda data: data.replace(b'"seed":3', b'"seed":NaN')), "it is no JSON"),
        (text(lambda data: data + b"{}"), "it is no JSON"),
        (text(lambda data: b"\x1f\x8b" + data), "it is no JSON"),
        (text(lambda data: b"[" * 5000), "it is no JSON: .*; export the episode again"),
        (text(lambda data: b"[" + data + b"]"), "it holds a JSON list, and an episode document is an object"),
        (text(lambda data: b"null"), "it holds a JSON NoneType"),
        (changed(format=...), "its format is None, and an episode document says 'seahaven.episode/1'"),
        (
            changed(format="seahaven.episode/2"),
            "its format is .* this version reads seahaven.episode/1; use the version that wrote it",
        ),
        (changed(format="seahaven.state/1", state={}), "it is a state document .* export the episode instead"),
        (changed(moves=...), "moves: Field required"),
        (changed(moves={}), "moves: Input should be a valid list"),
        (changed(seed="3"), "seed: Input should be a valid integer"),
        (changed(seed=-1), "seed: Input should be greater than or equal to 0"),
        (changed(clock_mode="slow"), "clock_mode: Input should be 'fixed', 'tick', 'running' or 'wall'"),
        (changed(start__now="noon"), "start.now: 'noon' is no instant such as 2026-06-01T09:00:00.000Z"),
        (changed(world__name="bank"), "composition.main is not the world bank 1.0.0"),
        (changed(composition={}), "composition.main is not the world lab 1.0.0"),
        (changed(fixture={"id": "x", "nodes": {"main": {"file_sha256": "??"}}}), "fixture.nodes.main.file_sha256: "),
        (changed(call_count=4), "call_count is 4, and moves has 3 calls"),
        (changed(moves__0=...), r"moves.0.records holds the record i=None seq=1, and i=None seq=0 comes next"),
        (changed(moves__4=...), r"call_count is 3, and moves has 2 calls"),
        (changed(moves__2__i=2), "moves.2 is call 2, and call 1 comes next"),
        (changed(moves__0__kind="cal"), "moves.0: .*does not match any of the expected tags"),
        (changed(moves__0__kind=...), "moves.0: Unable to extract tag"),
        (changed(moves__0__tool=5), "moves.0.tool: Input should be a valid string"),
        (changed(moves__0__tool=5, moves__2__i="x"), r"moves.0.tool: Input should be a valid string \(and 1 more\)"),
        (changed(moves__0__arguments=[]), "moves.0.arguments: Input should be a valid dictionary"),
        (changed(moves__0__given={"name": {"$": "pickle", "of": "x"}}), "moves.0.given: .* nothing that was spelled"),
        (changed(moves__0__given=[1]), "moves.0: given is no spelled object of arguments"),
        (changed(moves__0__result=...), "moves.0: a call has one of result, result_digest and error"),
        (changed(moves__4__result=1), "moves.4: a call has one of result, result_digest and error"),
        (changed(moves__4__error={"code": "x"}), "moves.4.error.message: Field required"),
        (changed(moves__0__now="2026-06-01"), "moves.0.now: '2026-06-01' is no instant"),
        (changed(moves__0__records__0=...), "moves.1.records holds the record i=None seq=1, and i=None seq=0"),
        (changed(moves__0__records__0__op="upsert"), "moves.0.records.0.op: Input should be 'insert', 'update' or"),
        (changed(moves__0__records__0__after__name=[]), r"moves.0.records.0.after.name: \[\] is no cell"),
        (changed(moves__0__records__0__after__name=True), "moves.0.records.0.after.name: True is no cell"),
        (changed(moves__1__headers=[["a"]]), "moves.1: headers is a list of pairs"),
        (changed(moves__1__path=5), "moves.1: method, path, query and headers are text"),
        (changed(moves__1__body={"$": "bytes", "of": "?"}), "moves.1.body: .* nothing that was spelled"),
        (changed(moves__1__body=None), "moves.1: .*the body is text or spelled bytes"),
        (changed(moves__1__response=...), "moves.1: a request has one of response and error"),
        (changed(moves__3__ms=-5), "moves.3.ms: Input should be greater than or equal to 0"),
        (changed(moves__5__by=...), "moves.5.by: Field required"),
    ],
)
def test_damage_is_one_line_that_says_what_and_where(document, damage, line):
    with pytest.raises(EpisodeError) as refused:
        read(damage(copy.deepcopy(document)))
    assert re.match(line, str(refused.value))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("place", ["given", "arguments", "result"])
def test_nesting_without_reason_is_refused_or_read(document, place):
    nested = copy.deepcopy(document)
    nested["moves"][0][place] = {"x": "here"}
    data = orjson.dumps(nested).replace(b'"here"', b"[" * 900 + b"]" * 900)
    if place == "given":
        with pytest.raises(EpisodeError, match="nested too deeply"):
            read(data)
    else:
        read(data)


# Documentation


def fields(model: type[BaseModel]):
    for name, field in model.model_fields.items():
        yield name
        for part in _parts(field.annotation):
            yield from fields(part)


def _parts(annotation):
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in getattr(annotation, "__args__", ()):
        yield from _parts(argument)


PAGE = (ROOT / "docs" / "episodes.md").read_text()


def test_what_the_page_shows_works():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    document = names["document"]
    other = document.replace(b'"after":{"status":"working"', b'"after":{"status":"unqualified"')
    assert f"{verdict('episode.json', document, Question())}\n" in PAGE
    assert f"{verdict('other.json', other, Question())}\n" in PAGE


def test_every_field_is_documented(document):
    shown = set(re.findall(r"`(\w+)`", PAGE))
    assert set(fields(EpisodeDocument)) | set(document) <= shown
    assert set(episode_documents.KINDS) <= shown
