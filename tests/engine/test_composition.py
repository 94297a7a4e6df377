"""An instance of several worlds, as a whole: its documents, forks, fixtures and what looks into it."""

import copy
import logging
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.episodes import ENDINGS, calls, dump, moves, play, position, scripted
from tests.engine.town import PATHS, bank, lab, opened, shop, stored, town
from tests.engine.workbench import NOW, fails, perform
from tests.worlds.lab.models import Box
from worlds.engine import DbError, Diff, FixtureError, SeahavenError, WorldBug, curating
from worlds.engine.composing import tree_of

prefixes = st.sampled_from(["", "north_", "south_"])
deposits = st.integers(1, 9).map(lambda amount: ("call", "bank_deposit", {"amount": amount}))
across = st.lists(st.tuples(prefixes, moves), max_size=8) | st.lists(st.tuples(st.just(""), deposits), max_size=3)


def play_across(inst, script):
    for prefix, (kind, *details) in script:
        if kind == "call" and not details[0].startswith("bank_"):
            details[0] = prefix + details[0]
        play(inst, (kind, *details))


@pytest.fixture(autouse=True)
def _quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def whole(inst):
    """Everything of an instance in every store."""
    found = position(inst)
    found["document"]["episode_id"] = ""
    found["dump"] = {node.path: _dump(node) for node in inst._at.nodes}
    return found


def _dump(node):
    names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    raw = node.store.raw
    return {
        name: sorted(map(repr, raw.execute(f'SELECT rowid, * FROM "{name}"')))
        for (name,) in raw.execute(names).fetchall()
    }


# Replays, forks and rewinds


@given(across)
def test_one_seed_plays_one_episode(script):
    with opened() as one, opened() as other:
        play_across(one, script)
        play_across(other, script)
        assert whole(one) == whole(other)


@given(across, across)
def test_a_fork_goes_on_alike(before, after):
    with opened() as inst:
        play_across(inst, before)
        with inst.fork() as twin:
            play_across(inst, after)
            play_across(twin, after)
            assert whole(inst) == whole(twin)


@given(across, across)
def test_a_rewind_is_as_if_it_had_never_been(before, after):
    with opened() as inst:
        play_across(inst, before)
        here, point = whole(inst), inst.checkpoint()
        play_across(inst, after)
        inst.rewind(point)
        assert whole(inst) == here


@pytest.mark.parametrize("kept", [0, 2, 50])
def test_going_back_call_by_call_reaches_every_store(settings, kept):
    settings.SEAHAVEN_CHECKPOINTS_KEPT = kept
    made: list[tuple[str, dict]] = [
        ("make_box", {"name": "a"}),
        ("north_make_box", {"name": "b"}),
        ("bank_deposit", {"amount": 3}),
    ]
    made += [("south_make_box", {"name": "c"}), ("south_drop_box", {"name": "c"}), ("north_draw", {})]
    with opened() as inst:
        seen = [whole(inst)]
        for name, arguments in made:
            inst.call(name, **arguments)
            seen.append(whole(inst))
        for ordinal in reversed(range(-1, len(made) - 1)):
            inst.rewind(call=ordinal)
            assert whole(inst) == seen[ordinal + 1]


def test_events_of_every_world_run_in_the_order_of_time():
    with opened() as inst:
        for prefix, after_s in (("", 9), ("north_", 3), ("south_", 2)):
            inst.call(f"{prefix}make_box", name="box")
            inst.call(f"{prefix}close_later", name="box", after_s=after_s)
        assert inst.advance(seconds=60) == 3
        closed = [change["world"] for change in inst.change_log() if change.get("by") == "event:close_box"]
        assert closed == ["north", "south", "main"]


# One world beside another


@given(st.lists(moves, max_size=8))
def test_a_sibling_changes_no_document(script):
    lonely = copy.copy(lab)
    lonely.name = "town"
    lonely.embed(lab, name="north", tool_prefix="north_")
    with opened(lonely) as few, opened() as many:
        for prefix in ("", "north_"):
            play_across(few, [(prefix, move) for move in script])
            play_across(many, [(prefix, move) for move in script])
        one, other = few.state() | {"episode_id": ""}, many.state() | {"episode_id": ""}
        shared = one.pop("composition"), other.pop("composition")
        assert one == other
        assert {path: shared[1][path] for path in shared[0]} == shared[0]


#: Calls of which none waits for a time that calls in another region bring nearer.
prompt = calls.filter(lambda move: not move[1].endswith("_later"))


@given(st.lists(st.tuples(st.sampled_from(["north_", "south_"]), prompt), max_size=12))
def test_two_regions_never_mix(script):
    with opened(clock_mode="fixed") as both:
        play_across(both, script)
        for region in ("north", "south"):
            with opened(clock_mode="fixed") as alone:
                play_across(alone, [(prefix, move) for prefix, move in script if prefix == f"{region}_"])
                assert _dump(both._at.by_path[region]) == _dump(alone._at.by_path[region])


def test_streams_of_one_region_are_not_the_others():
    with opened() as inst:
        drawn = [inst.call(f"{prefix}draw")["uuid"] for prefix in ("", "north_", "south_")]
        assert len(set(drawn)) == 3


# The document


def test_the_document_names_the_node_of_every_record_and_describes_the_composition():
    with opened() as inst:
        inst.call("north_make_box", name="n")
        inst.call("bank_deposit", amount=1)
        document = inst.state()
        assert list(document["composition"]) == PATHS
        assert document["composition"]["north"] == {
            "world": "lab", "world_version": "1.0.0", "scope": None, "aliases": [],
            "schema_hash": document["composition"]["main"]["schema_hash"], "frozen_world_version": None,
        }  # fmt: skip
        assert [(r["i"], r["world"]) for r in document["state"]["db"]["log"]] == [(0, "north"), (1, "bank")]
        diff = Diff.of(document)
        assert [c.after and c.after["balance"] for c in diff.of_table("accounts", world="bank")] == [1]
        assert {change.world for change in diff.typed()} == {"north", "bank"}


def test_records_of_one_call_are_in_the_order_of_their_nodes():
    def act(ctx):
        ctx.worlds.south.call("make_box", name="s")
        ctx.worlds.bank.call("deposit", amount=1)
        Box.objects.create(id="m", name="m")

    with opened() as inst:
        perform(inst, act)
        assert [record["world"] for record in inst.change_log()] == ["bank", "main", "south"]


def test_a_bulk_block_writes_in_every_store_or_in_none():
    with opened() as inst:
        with inst.bulk() as ctx:
            Box.objects.create(id="m", name="m")
            ctx.worlds.north.call("make_box", name="n")
        assert {c["by"] for c in inst.change_log()} == {"setup"}
        with suppress(KeyError), inst.bulk() as ctx:
            ctx.worlds.south.call("make_box", name="s")
            raise KeyError
        assert stored(inst) == {"main": {"m"}, "north": {"n"}, "south": set(), "bank": set()}


# Starting


def test_start_up_keywords_reach_every_world_and_hosts_can_fix_them():
    host = shop("host", free=lab)
    host.embed(lab, name="fixed", tool_prefix="fixed_", startup={"owner": "Zoë"})
    assert tree_of(host).startup_keywords() == (["fail", "owner"], False)
    with opened(host, startup={"owner": "Ada"}) as inst:
        names = {path: inst.inspect().one(f"SELECT name FROM {path}.boxes")["name"] for path in ("free", "fixed")}
        assert names == {"free": "Ada's box", "fixed": "Zoë's box"}
        assert inst.state()["startup"] == {"owner": "Ada"}
    with pytest.raises(WorldBug, match="startup keyword 'ownr' is unknown to world host; did you mean 'owner'?"):
        host.instance(startup={"ownr": "x"})


def test_setup_sql_writes_across_stores_and_agents_do_not():
    setup = """
        INSERT INTO tags (code) VALUES ('here');
        INSERT INTO north.tags (code) SELECT code || '!' FROM tags;
        INSERT INTO bank.accounts (id, balance) VALUES ('main', 40);
    """
    with opened(setup_sql=setup) as inst:
        assert inst.change_log() == []
        assert inst.inspect().rows("SELECT code FROM north.tags") == [{"code": "here!"}]
        assert inst.call("bank_read_balance") == {"balance": 40}
        for query in ("SELECT * FROM north.boxes", "SELECT * FROM accounts", "ATTACH 'x' AS y"):
            with pytest.raises(DbError):
                inst.call("run_sql", query=query)
    with pytest.raises(WorldBug, match="setup_sql statement 1 of 1: table sqlite_master may not be modified"):
        opened(setup_sql="DELETE FROM north.sqlite_schema").__enter__()


def test_inspection_joins_across_stores_and_changes_nothing():
    with opened() as inst:
        inst.call("make_box", name="shared")
        inst.call("north_make_box", name="shared")
        join = "SELECT a.name FROM boxes a JOIN north.boxes b USING (name)"
        assert inst.inspect().rows(join) == [{"name": "shared"}]
        inst.call("north_drop_box", name="shared")
        assert inst.inspect().rows(join) == []
        for sql in ("DELETE FROM north.boxes", "ATTACH 'x' AS y", "DETACH north"):
            fails(DbError, inst.inspecting(), lambda sql=sql: inst.inspect().rows(sql))


def test_a_world_embedded_after_the_instance_was_made_is_not_in_it():
    host = shop("host", till=bank)
    with opened(host) as inst:
        inst.call("till_deposit", amount=1)
        host.embed(lab, name="late", tool_prefix="late_")
        with pytest.raises(WorldBug, match="composed otherwise since this instance was made; make a new one"):
            inst.call("till_deposit", amount=1)


# Fixtures


@pytest.fixture
def fixtures_dir(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"


def lived_in(inst):
    for prefix in ("", "north_", "south_"):
        inst.call(f"{prefix}make_box", name=f"{prefix}box")
        inst.call(f"{prefix}close_later", name=f"{prefix}box", after_s=500)
    inst.call("bank_deposit", amount=12)


@pytest.mark.usefixtures("fixtures_dir")
def test_a_composite_fixture_freezes_loads_and_verifies_as_one():
    with opened() as inst:
        lived_in(inst)
        frozen = inst.freeze("full", "Something everywhere.")
        tables = {path: _dump(node) for path, node in inst._at.by_path.items()}
    assert sorted(file.name for file in frozen.folder.iterdir()) == [
        "bank.jsonl", "fixture.yaml", "main.jsonl", "north.jsonl", "south.jsonl",
    ]  # fmt: skip
    with town.instance("full", seed=1) as again:
        assert {path: _dump(node) for path, node in again._at.by_path.items()} == tables
        assert again.composition()["north"]["frozen_world_version"] == "1.0.0"
        assert list(again.state()["fixture"]["nodes"]) == PATHS
        assert again.advance(seconds=1000) == 3
        with again.fork() as twin:
            assert whole(twin) == whole(again)
    assert curating.verify(town, "full") == []


@pytest.mark.usefixtures("fixtures_dir")
def test_a_call_opens_the_stores_it_uses_and_no_event_of_another_is_missed():
    with opened() as inst:
        inst.call("make_box", name="box")
        inst.call("north_make_box", name="box")
        inst.call("north_close_later", name="box", after_s=30)
        inst.freeze("waiting", "Something is due in the north.")
    with town.instance("waiting", seed=1) as inst:
        inst.call("list_boxes")
        assert [node.path for node in inst._at.nodes if node.store._opened is not None] == ["main"]
        here = inst.checkpoint()
        with inst.fork() as twin:
            for each in (inst, twin):
                each.advance(seconds=40)
                assert [box["is_open"] for box in each.call("north_list_boxes")] == [False]
        inst.rewind(here)
        inst.call("list_boxes")
        assert [node.path for node in inst._at.nodes if node.store._opened is not None] == ["main"]
        inst.advance(seconds=40)
        assert [box["is_open"] for box in inst.call("north_list_boxes")] == [False]


@pytest.mark.usefixtures("fixtures_dir")
def test_a_fixture_of_another_composition_is_refused_and_can_be_migrated():
    smaller = shop("host", till=bank)
    with opened(smaller) as inst:
        inst.call("till_deposit", amount=5)
        inst.freeze("small", "A balance of five.")
    larger = shop("host", till=bank, lab=lab)
    with pytest.raises(FixtureError, match="has no nodes.lab, and world host embeds lab there; run `manage.py"):
        larger.instance("small")
    assert not larger.is_current(larger.fixtures()[0])
    assert larger.migrate_fixture("small")
    with larger.instance("small") as inst:
        assert inst.call("till_read_balance") == {"balance": 5}
        assert inst.call("lab_list_boxes") == []
    with pytest.raises(FixtureError, match="holds rows of nodes.lab, which world host does not embed; embed it again"):
        smaller.instance("small")
    other = shop("host", till=lab, lab=lab)
    with pytest.raises(FixtureError, match=r"nodes.till.world is 'bank', not 'lab'; freeze it again"):
        other.instance("small")


@pytest.mark.usefixtures("fixtures_dir")
def test_a_fixture_knows_scopes_and_aliases():
    def host(scope):
        made = World_("host")
        for name in ("one", "two"):
            arm = World_(name)
            arm.embed(bank, name="till", tool_prefix="t_", scope=scope if name == "two" else None)
            made.embed(arm, name=name, tool_prefix=f"{name}_")
        return made

    shared = host(None)
    with opened(shared) as inst:
        inst.call("one_t_deposit", amount=1)
        assert inst.call("two_t_read_balance") == {"balance": 1}
        assert inst.freeze("small", "One.").sidecar.nodes["one/till"].aliases == ["two/till"]
    with shared.instance("small") as inst:
        assert inst.call("two_t_read_balance") == {"balance": 1}
    with pytest.raises(FixtureError, match=r"nodes.one/till has scope None and aliases \['two/till'\], the world has"):
        host("apart").instance("small")


def World_(name):  # noqa: N802 - a world under construction
    return shop(name)


@pytest.mark.usefixtures("fixtures_dir")
def test_a_recipe_can_begin_with_fixtures_of_embedded_worlds():
    with bank.instance(now="2026-05-01T09:00:00.000Z") as inst:
        inst.call("deposit", amount=50)
        inst.freeze("rich", "Fifty in the account.")
    host = shop("host", till=bank, lab=lab)

    def start(inst):
        """A shop with money."""
        inst.call("till_deposit", amount=1)

    host.recipe(start, embedded={"till": "rich"})
    fixture = host.build_fixture("start")
    assert fixture.now == "2026-05-01T09:00:02.000Z"
    with host.instance("start") as inst:
        assert inst.call("till_read_balance") == {"balance": 51}
    host.recipe(start, id="wrong", embedded={"tll": "rich"})
    with pytest.raises(FixtureError, match="world host embeds no world at 'tll'; did you mean 'till'"):
        host.build_fixture("wrong")
    with pytest.raises(WorldBug, match="recipe odd has a parent, which says how embedded worlds begin"):
        host.recipe(start, id="odd", parent="start", embedded={"till": "rich"})


def test_episodes_across_worlds_end_in_known_ways():
    with opened() as inst:
        for seed in range(3):
            for move in scripted(seed, length=15):
                try:
                    play(inst, move)
                except (SeahavenError, *ENDINGS) as error:  # pragma: no cover
                    pytest.fail(f"{move} escaped with {error!r}")
        assert dump(inst)
        assert inst.clock.iso() > NOW
