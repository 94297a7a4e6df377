import copy
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.engine import shelf
from tests.engine.episodes import moves, play, repeatable
from tests.engine.replays import said
from tests.engine.test_composition import deposits, play_across, prefixes
from tests.engine.town import PATHS, opened, town
from tests.engine.workbench import NOW
from tests.worlds.lab.models import Box
from worlds.engine import Ctx, EpisodeError, HttpRequest, Start, ToolError, World, installed
from worlds.engine.differing import MISSING
from worlds.engine.episode_documents import read
from worlds.engine.replaying import rebuild, replay, target

ROOT = Path(__file__).resolve().parents[2]
lab = installed.get("lab")
EQUAL: dict[str, Any] = {"divergences": [], "stopped": None}


def begun(**options):
    return lab.instance(**{"seed": 3, "now": NOW, "episode_id": "e", "startup": {"owner": "Zoë"}, **options})


def replayed(document, world=lab, **options):
    data = document if isinstance(document, bytes) else orjson.dumps(document)
    return replay(read(data), world, **options)


def first(document, world=lab, **options):
    """The first divergence as text."""
    (found,) = replayed(document, world, **options).divergences
    return str(found)


# Equal


@given(st.lists(moves, max_size=14), st.sampled_from(["tick", "fixed"]), st.data())
@hypothesis_settings(max_examples=100)
def test_any_exported_episode_replays_equal(script, mode, data):
    inst = begun(clock_mode=mode)
    try:
        for move in script:
            play(inst, move)
            match data.draw(st.sampled_from(["go on", "go on", "rewind", "fork"])):
                case "rewind":
                    inst.rewind(call=data.draw(st.integers(-1, inst.call_count - 1)))
                case "fork":
                    parent, inst = inst, inst.fork()
                    parent.destroy()
        document = inst.export()
        done = replayed(document, with_state=True)
        assert (done.divergences, done.elsewhere, done.made) == ([], [], document["replays"]["moves"])
        assert done.stopped == document["replays"]["then"]
        if done.stopped is None:
            assert done.state == inst.state()
    finally:
        inst.destroy()


asked_somewhere = st.tuples(
    st.just("request"), st.just(("POST", "/boxes", '{"name": "alpha"}')), st.sampled_from(["main", "north", "south"])
)
across = st.lists(st.tuples(prefixes, repeatable | asked_somewhere) | st.tuples(st.just(""), deposits), max_size=10)


def across_town(script):
    with opened(episode_id="e") as inst:
        play_across(inst, script)
        return inst.export_json()


@given(across)
@hypothesis_settings(max_examples=60)
def test_an_episode_across_worlds_replays_equal(script):
    document = across_town(script)
    assert said(document) == EQUAL | {"made": len(orjson.loads(document)["moves"])}


@pytest.fixture(scope="module")
def elsewhere():
    """Another process that replays, whose sets have other orders."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.engine.replays"],
        env={**os.environ, "PYTHONHASHSEED": "4711"},
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        questions, answers = process.stdin, process.stdout
        assert questions
        assert answers

        def ask(document):
            questions.write(document + b"\n")
            questions.flush()
            return orjson.loads(answers.readline())

        yield ask
        questions.close()


@given(script=across)
@hypothesis_settings(max_examples=40)
def test_an_episode_replays_equal_in_another_process(elsewhere, script):
    document = across_town(script)
    assert elsewhere(document) == EQUAL | {"made": len(orjson.loads(document)["moves"])}


@given(script=st.lists(repeatable, max_size=12))
@hypothesis_settings(max_examples=40)
def test_so_does_one_of_a_single_world(elsewhere, script):
    with begun() as inst:
        for move in script:
            play(inst, move)
        document = inst.export_json()
    assert elsewhere(document) == EQUAL | {"made": len(orjson.loads(document)["moves"])}


def test_setup_sql_a_fixture_and_odd_arguments_are_begun_and_given_again(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR, settings.SEAHAVEN_VAR_DIR = tmp_path / "fixtures", tmp_path / "var"
    shelf.freeze()
    world = copy.copy(lab)

    @world.tool
    def keep(ctx: Ctx, raw: bytes, pair: tuple[int, int], number: Any) -> str:
        """Keep what Python alone can pass."""
        assert isinstance(pair, tuple)
        Box.objects.create(id=ctx.ids.token(4), name=f"{raw!r} {pair} {number}")
        return repr(number)

    start = {"setup_sql": "UPDATE boxes SET price = 3", "startup": {"owner": "Zoë"}, "seed": None}
    with world.instance("small", **start) as inst:
        for number in (2**70, float("nan"), {1: {2}}, b"\xff"):
            inst.call("keep", raw=b"\xff\x00", pair=(1, 2), number=number)
        with suppress(UnicodeEncodeError):
            inst.call("make_box", name="half \ud800")
        inst.call("run_sql", query="SELECT price FROM boxes WHERE name = 'plain'")
        document = inst.export()
    assert document["moves"][-1]["result"]["rows"] == [[3]]
    assert replayed(document, world).divergences == []


def test_what_a_call_was_given_that_no_document_holds_is_said_when_it_diverges():
    world = copy.copy(lab)

    class Point:
        def __str__(self) -> str:
            return "(1, 2)"

    @world.tool
    def place(ctx: Ctx, where: Any) -> str:
        """Place something."""
        return type(where).__name__

    with world.instance(now=NOW) as inst:
        inst.call("place", where=Point())
        document = inst.export()
    assert first(document, world) == (
        'call 0 (place): result $: expected "Point", got "str" (it was given objects of '
        f"{__name__}.{Point.__qualname__}, of which the document holds what they show)"
    )


@pytest.mark.usefixtures("shelf_apart")
def test_an_episode_across_worlds_begins_on_a_fixture_of_them_all():
    with opened() as inst:
        inst.call("north_make_box", name="n")
        inst.call("north_close_later", name="n", after_s=30)
        inst.freeze("full", "A box in the north.")
    with town.instance("full", seed=5) as inst:
        inst.call("bank_deposit", amount=3)
        inst.advance(seconds=60)
        document = inst.export()
    assert list(document["fixture"]["nodes"]) == PATHS
    assert [record["world"] for record in document["moves"][1]["records"]] == ["north"]
    done = replayed(document, town)
    assert (done.divergences, done.elsewhere, done.made) == ([], [], 2)


def test_a_refusal_of_no_words_and_one_of_odd_ones_are_refusals():
    world = copy.copy(lab)

    @world.tool
    def refuse(ctx: Ctx, odd: bool) -> None:
        """Refuse."""
        raise ToolError(404, "\ud800", at={1, 2}, nan=float("nan")) if odd else ToolError("no", None)  # type: ignore[arg-type]

    with world.instance(now=NOW) as inst:
        for odd in (True, False):
            with suppress(ToolError):
                inst.call("refuse", odd=odd)
        document = inst.export()
    assert [move["error"] for move in document["moves"]] == [
        {"code": 404, "message": "\\ud800", "details": {"at": [1, 2], "nan": None}},
        {"code": "no", "message": None, "details": {}},
    ]
    assert replayed(document, world).divergences == []


# A changed document


def episode():
    with begun() as inst:
        inst.call("make_box", name="alpha", facts={"a": [1, {"b": None}]})
        inst.http(HttpRequest.of("POST", "/boxes", body='{"name": "beta"}'))
        inst.call("change_box", name="alpha", is_open=False)
        inst.call("close_later", name="alpha", after_s=4)
        inst.advance(seconds=5)
        with suppress(ToolError):
            inst.call("drop_box", name="zeta")
        inst.call("drop_box", name="alpha")
        return inst.export()


def edited(document, **edits):
    """A copy with a value put in at each path: `moves__0__tool="x"`; `...` takes the value away."""
    document = copy.deepcopy(document)
    for path, value in edits.items():
        *way, last = (int(step) if step.isdigit() else step for step in path.split("__"))
        place = document
        for step in way:
            place = place[step]
        if value is ...:
            del place[last]
        else:
            place[last] = value
    return document


@pytest.fixture(scope="module")
def document():
    return episode()


@pytest.mark.parametrize(
    ("edits", "line"),
    [
        ({}, None),
        (
            {"moves__0__tool": "make_bx"},
            "call 0 (make_bx): the tool: expected \"make_bx\", got nothing (Unknown tool: 'make_bx'. Did you mean "
            "'make_box'?)",
        ),
        (
            {"moves__2__arguments__is_open": True},
            "call 1 (change_box): main.boxes id=ID: is_open before it: expected 1, got nothing",
        ),
        (
            {"moves__2__records__0__after__is_open": 1},
            "call 1 (change_box): main.boxes id=ID: is_open: expected 1, got 0",
        ),
        (
            {"moves__2__records__0__before__is_open": None},
            "call 1 (change_box): main.boxes id=ID: is_open before it: expected null, got 1",
        ),
        (
            {"moves__2__records__0__before__is_open": ..., "moves__2__records__0__after__is_open": ...},
            "call 1 (change_box): main.boxes id=ID: is_open before it: expected nothing, got 1",
        ),
        (
            {"moves__2__records__0__key__id": "box_other"},
            'call 1 (change_box): main.boxes id="box_other": id: expected "box_other", got ID',
        ),
        (
            {"moves__0__records__0__after__luck": 0.5, "moves__0__result__name": "x"},
            "call 0 (make_box): main.boxes id=ID: luck: expected 0.5, got LUCK",
        ),
        ({"moves__0__result__facts__a__1__b": 1}, "call 0 (make_box): result $.facts.a[1].b: expected 1, got null"),
        ({"moves__0__result__name": ...}, 'call 0 (make_box): result $.name: expected nothing, got "alpha"'),
        (
            {"moves__5__error__message": "There is no box named Zeta"},
            'call 3 (drop_box): error $.message: expected "There is no box named Zeta", got "There is no box '
            'named zeta"',
        ),
        ({"moves__5__error__details__name": 5}, 'call 3 (drop_box): error $.details.name: expected 5, got "zeta"'),
        (
            {"moves__3__now": "2026-06-01T09:00:03.000Z"},
            'call 2 (close_later): the clock after it: expected "2026-06-01T09:00:03.000Z", got '
            '"2026-06-01T09:00:04.000Z"',
        ),
        (
            {"moves__1__response__status": 200},
            "request POST /boxes after call 0: status: expected 200, got 201",
        ),
        (
            {"moves__1__records__0__after__name": "gamma"},
            'request POST /boxes after call 0: main.boxes id=BETA by http: name: expected "gamma", got "beta"',
        ),
        (
            {"moves__4__records__0__after__is_open": 1},
            "advance by 5 s after call 2: main.boxes id=ID by event:close_box: is_open: expected 1, got nothing",
        ),
        ({"moves__4__events": 2}, "advance by 5 s after call 2: events that came due: expected 2, got 1"),
        (
            {"world__version": "0.9.0", "composition__main__world_version": "0.9.0"},
            'the start: main: the world\'s version: expected "0.9.0", got "1.0.0" (--against 1.0.0 replays it here all '
            "the same)",
        ),
        (
            {"composition__north": {"world": "lab", "world_version": "1.0.0", "schema_hash": "x"}},
            'the start: north: the world there: expected "lab", got nothing (--against 1.0.0 replays it here all the '
            "same)",
        ),
    ],
)
def test_a_change_is_found_and_named(document, edits, line):
    changed = edited(document, **edits)
    found = replayed(changed).divergences
    if line is None:
        assert found == []
        return
    box, beta = document["moves"][0]["result"]["id"], document["moves"][1]["records"][0]["key"]["id"]
    luck = document["moves"][0]["records"][0]["after"]["luck"]
    for name, value in (("ID", box), ("BETA", beta), ("LUCK", luck)):
        line = line.replace(name, orjson.dumps(value).decode())
    assert list(map(str, found)) == [line]


def cells(document):
    for number, move in enumerate(document["moves"]):
        for place, record in enumerate(move["records"]):
            for side in ("before", "after"):
                for column in record[side] or ():
                    yield number, place, side, column


@given(st.data())
@hypothesis_settings(max_examples=60)
def test_whichever_cell_is_changed_is_the_first_divergence(document, data):
    number, place, side, column = data.draw(st.sampled_from(list(cells(document))))
    changed = copy.deepcopy(document)
    record = changed["moves"][number]["records"][place]
    was = record[side][column]
    record[side][column] = data.draw(st.sampled_from([None, 0, 0.5, "", "other"]).filter(lambda value: value != was))
    (found,) = replayed(changed).divergences
    assert (found.kind, found.at["move"], found.at["column"], found.at["side"]) == ("cell", number, column, side)
    assert (found.at["node"], found.at["table"], found.at["key"]) == ("main", record["table"], record["key"])
    assert (found.expected, found.got) == (record[side][column], was)


@given(st.data())
@hypothesis_settings(max_examples=40)
def test_whichever_result_or_reading_is_changed_is_the_first_divergence(document, data):
    number = data.draw(st.integers(0, len(document["moves"]) - 1))
    move, changed = document["moves"][number], copy.deepcopy(document)
    what = data.draw(st.sampled_from(["now", *({"result", "error"} & move.keys())]))
    if what == "now":
        changed["moves"][number]["now"] = f"2026-06-01T10:00:0{data.draw(st.integers(0, 9))}.000Z"
        kind = "clock"
    else:
        name = data.draw(st.sampled_from(sorted(move[what])))
        changed["moves"][number][what][name] = {"code": "x", "message": "x", "details": {"x": 1}}.get(name, [1])
        kind = what
    (found,) = replayed(changed).divergences
    assert (found.kind, found.at["move"]) == (kind, number)
    assert what == "now" or found.at["path"].startswith(f"$.{name}")


@pytest.mark.parametrize("what", ["call", "record"])
def test_what_is_missing_or_too_much_is_found(document, what):
    def without(number, record=None):
        fewer = copy.deepcopy(document)
        if record is None:
            del fewer["moves"][number]
        else:
            del fewer["moves"][number]["records"][record]
        calls = seq = 0
        for move in fewer["moves"]:
            for each in move["records"]:
                each["seq"], seq = seq, seq + 1
                each["i"] = calls if move["kind"] == "call" else None
            if move["kind"] == "call":
                move["i"], calls = calls, calls + 1
        return fewer | {"call_count": calls}

    if what == "record":
        assert "main.boxes id=" in first(without(2, 0))
        assert "expected nothing, got {" in first(without(2, 0))
    else:
        # The ids that call drew are drawn by what comes after it.
        assert first(without(0)).startswith("request POST /boxes before call 0: the clock after it")
        assert first(without(2)).startswith("call 1 (close_later): the clock after it")


def test_another_seed_shows_in_the_first_id_and_another_start_where_it_is_read():
    document = episode()
    assert "main.boxes id=" in first(document | {"seed": 4})
    assert first(document | {"startup": {}}).startswith("call 0 (make_box): main.boxes id=")
    setup = """INSERT INTO boxes (id, name, price, is_open, facts, made_at, changed_at, luck)
               VALUES ('b', 'alpha', 1, 1, '{}', '', '', 0)"""
    assert first(document | {"setup_sql": setup}).startswith("call 0 (make_box): its end: expected {")


def test_a_thorough_replay_lists_what_follows_from_the_first(document):
    changed = edited(document, moves__0__arguments__name="alfa")
    found = replayed(changed, thorough=True)
    assert [each.at["move"] for each in found.divergences] == sorted(each.at["move"] for each in found.divergences)
    assert {each.kind for each in found.divergences} == {"cell", "result", "ending", "row"}
    assert found.made == len(document["moves"])
    assert (len(replayed(changed).divergences), replayed(changed).made) == (1, 1)


# A changed world


def changed_lab(change, name="lab", version="1.0.0"):
    """The lab with another `change_box`, or without one."""
    world = copy.copy(lab)
    world.name, world.version = name, version
    tools = dict(lab.tools)
    del tools["change_box"]
    world._tools = tools
    if change is not None:
        world.tool(change)
    return world


def _box(name):
    return Box.objects.get(name=name)


def _otherwise(kind):
    def change_box(ctx: Ctx, name: str, price: str | None = None, is_open: bool | None = None) -> dict:
        """Change a box, otherwise than it was."""
        box = _box(name)
        if kind == "row":
            box.price = 9
        if kind == "draw":
            ctx.ids.token(4)
        if kind == "refusal":
            raise ToolError("locked", "The box is locked.")
        if kind == "bug":
            raise KeyError("the reason")
        box.is_open = bool(is_open)
        box.save()
        price_shown = "1.50"
        shown = {"id": box.id, "name": box.name, "price": price_shown, "is_open": box.is_open, "facts": box.facts}
        return shown if kind != "keys" else dict(reversed(shown.items()))

    return change_box


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("nothing", None),
        ("row", "call 1 (change_box): main.boxes id=ID: price before it: expected nothing, got 1.5"),
        (
            "keys",
            'call 1 (change_box): result $ (order of keys): expected ["id","name","price","is_open","facts"], got ',
        ),
        ("refusal", 'got {"error":{"code":"locked","message":"The box is locked.","details":{}}}'),
        ("bug", '"internal error","details":{}}} (KeyError: \'the reason\')'),
    ],
)
def test_what_a_changed_tool_does_otherwise_is_named(document, kind, line):
    found = replayed(document, changed_lab(_otherwise(kind))).divergences
    if line is None:
        assert found == []
    else:
        box = document["moves"][0]["result"]["id"]
        assert line.replace("ID", f'"{box}"') in str(found[0])
        assert found[0].at["call"] == 1


def test_a_draw_too_many_shows_in_the_next_id():
    with begun() as inst:
        for name in ("alpha", "beta"):
            inst.call("make_box", name=name)
            inst.call("change_box", name="alpha", is_open=False)
        document = inst.export()
    assert first(document, changed_lab(_otherwise("draw"))).startswith("call 2 (make_box): main.boxes id=")


def test_against_another_world_the_same_ids_are_drawn_and_only_what_differs_is_told(document):
    fork = changed_lab(_otherwise("nothing"), "lab_fork", "2.0.0")
    done = replayed(document, fork, anywhere=True)
    assert done.divergences == []
    assert [(each.kind, each.expected, each.got) for each in done.elsewhere] == [
        ("world", "lab", "lab_fork"),
        ("version", "1.0.0", "2.0.0"),
    ]
    assert "world: expected" in first(document, fork)
    locked = changed_lab(_otherwise("refusal"), "lab_fork")
    assert first(document, locked, anywhere=True).startswith("call 1 (change_box): its end")
    gone = changed_lab(None, "lab_fork")
    assert first(document, gone, anywhere=True).startswith('call 1 (change_box): the tool: expected "change_box"')


def test_what_a_replay_elsewhere_exports_replays_in_turn(document):
    fork = changed_lab(_otherwise("nothing"), "lab_fork")
    start = Start(seed=3, now=NOW, startup={"owner": "Zoë"}, drawing_as="lab")
    with fork.start(start) as inst:
        made = inst.call("make_box", name="alpha", facts={"a": [1, {"b": None}]})
        again = inst.export()
    assert made == document["moves"][0]["result"]
    assert (again["world"]["name"], again["start"]["draws_as"]) == ("lab_fork", "lab")
    assert replayed(again, fork).divergences == []


def test_a_world_that_is_composed_otherwise_refuses_what_it_has_not():
    with opened() as inst:
        inst.http(HttpRequest.of("GET", "/boxes"), "north")
        inst.call("north_make_box", name="n")
        document = inst.export()
    small = copy.copy(lab)
    small.name = "town"
    done = replayed(document, small, anywhere=True, thorough=True)
    assert [(each.kind, each.at["node"]) for each in done.elsewhere] == [("composition", path) for path in PATHS[1:]]
    request, tool = done.divergences
    assert (request.kind, request.got) == ("refused", MISSING)
    assert "this instance has no world at 'north'" in str(request)
    assert (tool.kind, tool.at["tool"]) == ("tool", "north_make_box")
    assert replayed(document, town).divergences == []


@pytest.mark.usefixtures("shelf_apart")
def test_a_fixture_that_changed_is_named_and_one_that_is_gone_is_refused():
    fixture = shelf.freeze()
    with lab.instance("small", seed=1) as inst:
        inst.call("list_boxes")
        document = inst.export()
    assert replayed(document).divergences == []
    shelf.edit_rows(fixture, _cheaper)
    found = replayed(document).divergences[0]
    assert (found.kind, found.at) == ("fixture", {"node": "main"})
    assert "the start: main: the rows of fixture small: expected" in str(found)
    assert first(document, anywhere=True).startswith("call 0 (list_boxes): result $[1].price")
    shutil.rmtree(fixture.folder)
    with pytest.raises(EpisodeError, match="world lab has no fixture 'small'"):
        replayed(document)


def _cheaper(rows):
    for row in rows:
        if row["fields"].get("price") == "12345.67":
            row["fields"]["price"] = "1.00"
    return rows


@pytest.fixture
def shelf_apart(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR, settings.SEAHAVEN_VAR_DIR = tmp_path / "fixtures", tmp_path / "var"


# What cannot be replayed


def test_a_bulk_block_stops_a_replay_that_was_equal_until_then():
    with begun() as inst:
        inst.call("draw")
        play(inst, ("bulk", "beta"))
        inst.call("draw")
        document = inst.export()
    done = replayed(document)
    assert (done.divergences, done.made) == ([], 1)
    assert done.stopped
    assert done.stopped.startswith("move 1 is a bulk() block")
    assert replayed(edited(document, moves__0__result__seq=9)).stopped is None


@pytest.mark.parametrize("mode", ["wall", "running"])
def test_a_clock_that_does_not_replay_is_refused(mode):
    with begun(clock_mode=mode, now=None) as inst:
        inst.call("draw")
        document = inst.export()
    with pytest.raises(EpisodeError, match=f"a {mode} clock does not replay; record with clock_mode tick or fixed"):
        replayed(document)


@pytest.mark.parametrize(
    ("edits", "line"),
    [
        ({"startup": {"ownr": "x"}}, "startup keyword 'ownr' is unknown to world lab; did you mean 'owner'"),
        ({"startup": {"fail": True}}, "world lab does not start with it: ToolError: the shop stays shut"),
        ({"setup_sql": "DROP TABLE boxes"}, "setup_sql statement 1 of 1"),
        ({"start__state_format": "lab.x/1"}, "lab.x/1"),
        ({"fixture": {"id": "nope", "nodes": {}}}, "world lab has no fixture 'nope'"),
        ({"fixture": {"id": "../x", "nodes": {}}}, "'../x' is not a fixture id"),
    ],
)
def test_an_episode_that_cannot_begin_is_one_line(document, edits, line):
    with pytest.raises(EpisodeError) as refused:
        replayed(edited(document, **edits))
    assert line in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_target_is_the_episodes_world_another_or_the_installed_version(document):
    parsed = read(orjson.dumps(document))
    assert target(parsed, None) is target(parsed, "lab") is target(parsed, "1.0.0") is lab
    assert target(parsed, "bank") is installed.get("bank")
    with pytest.raises(EpisodeError, match="--against '2.0' is neither .* the version of lab that is installed, 1.0.0"):
        target(parsed, "2.0")
    gone = read(orjson.dumps(edited(document, world__name="lap", composition__main__world="lap")))
    with pytest.raises(EpisodeError, match="world 'lap' is not installed; did you mean 'lab'"):
        target(gone, None)
    with pytest.raises(EpisodeError, match="--against '1.0.0' names no installed world either"):
        target(gone, "1.0.0")
    assert target(gone, "lab") is lab
    assert isinstance(target(gone, "lab"), World)


# Made again to be kept


def test_an_instance_is_made_again_past_a_divergence_and_kept():
    with begun() as inst:
        inst.call("make_box", name="alpha")
        inst.call("make_box", name="beta")
        inst.advance(hours=1)
        document = inst.export()
        state = inst.state()
    made: list[int] = []
    again, done = rebuild(read(orjson.dumps(document)), lab, made.append)
    with again:
        assert (done.divergences, done.stopped, made) == ([], None, [1, 2, 3])
        assert again.state() == state
    document["moves"][0]["result"]["price"] = "7.00"
    other, done = rebuild(read(orjson.dumps(document)), lab)
    with other:
        assert [each.at["call"] for each in done.divergences] == [0]
        assert other.call_count == 2


def test_what_cannot_be_made_again_is_refused_with_the_fix():
    with begun(clock_mode="wall") as inst:
        document = inst.export_json()
    with pytest.raises(EpisodeError, match="clock_mode tick"):
        rebuild(read(document), lab)
