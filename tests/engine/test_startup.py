import copy

import pytest

from tests.engine.episodes import dump
from tests.worlds.lab.models import Box, Item
from worlds.engine import Ctx, DbError, ToolError, WorldBug, installed

lab = installed.get("lab")
NOW = "2026-06-01T09:00:00.000Z"
BOX = (
    "INSERT INTO boxes (id, name, price, is_open, facts, made_at, changed_at) "
    f"VALUES ('{{0}}', '{{0}}', 1.0, 1, '{{{{}}}}', '{NOW}', '{NOW}')"
)


@pytest.fixture
def world():
    """The lab, to register more with."""
    return copy.copy(lab)


def names(inst):
    return [row["name"] for row in inst.inspect().rows("SELECT name FROM boxes ORDER BY name")]


# Hooks


def test_hooks_run_once_in_order_before_the_first_call_and_after_the_setup_sql(world):
    order: list[object] = []

    @world.instance_startup
    def first(ctx: Ctx) -> None:
        assert ctx.call is None
        assert ctx.clock.iso() == NOW
        order.append(("first", [box.name for box in Box.objects.all()]))

    @world.instance_startup
    def second(ctx: Ctx) -> None:
        order.append("second")

    with world.instance(now=NOW, setup_sql=BOX.format("x")) as inst:
        assert order == [("first", ["x"]), "second"]
        inst.call("draw")
        inst.fork().destroy()
        assert len(order) == 2


def test_each_hook_gets_the_keywords_it_names_and_the_document_repeats_them_all(world):
    got: dict[str, object] = {}

    @world.instance_startup
    def wants(ctx: Ctx, *, level: int, mood: str = "calm") -> None:
        got.update(level=level, mood=mood)

    with world.instance(startup={"owner": "Ada", "level": 3}) as inst:
        assert got == {"level": 3, "mood": "calm"}
        assert inst.state()["startup"] == {"owner": "Ada", "level": 3}
        assert names(inst) == ["Ada's box"]


def test_a_keyword_that_a_hook_needs_is_asked_for_before_anything_is_made(world):
    ran = []
    world.instance_startup(lambda ctx: ran.append(1))

    @world.instance_startup
    def wants(ctx: Ctx, *, level: int) -> None: ...

    with pytest.raises(WorldBug, match=r"startup hook wants of world lab needs 'level'; pass startup=\{'level': …\}"):
        world.instance()
    assert ran == []


def test_a_hook_that_takes_anything_turns_the_check_of_keywords_off(world):
    got: dict[str, object] = {}

    @world.instance_startup
    def anything(ctx: Ctx, **keywords: object) -> None:
        got.update(keywords)

    with world.instance(startup={"owner": "Ada", "colour": "red"}):
        assert got == {"owner": "Ada", "colour": "red"}


def test_unknown_keywords_are_named_with_those_there_are():
    with pytest.raises(WorldBug, match="startup keyword 'colour' is unknown to world lab; it takes: fail, owner"):
        lab.instance(startup={"colour": "red"})


def test_rows_memory_and_events_of_the_start_are_starting_state(world):
    @world.instance_startup
    def plan(ctx: Ctx) -> None:
        ctx.schedule("2026-06-01T10:00:00Z", "close_box", {"name": "Ada's box"})

    with world.instance(now=NOW, startup={"owner": "Ada"}) as inst:
        assert (inst.change_log(), inst.call_count, names(inst)) == ([], 0, ["Ada's box"])
        assert inst._at.root.state == {"owner": "Ada"}
        start = dump(inst)
        inst.call("drop_box", name="Ada's box")
        assert inst.change_log()[0]["before"]["name"] == "Ada's box"
        inst.rewind(call=-1)
        assert dump(inst) == start
        assert inst.advance(hours=2) == 1


def test_a_hook_that_fails_says_why_in_its_own_words():
    with pytest.raises(ToolError, match="the shop stays shut"):
        lab.instance(startup={"owner": "Ada", "fail": True})


def test_a_type_error_inside_a_hook_is_not_taken_for_a_missing_keyword(world):
    @world.instance_startup
    def broken(ctx: Ctx) -> None:
        def needs(*, level): ...

        needs()  # type: ignore[call-arg]

    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'level'"):
        world.instance()


def test_a_row_of_a_hook_whose_reference_points_nowhere_is_refused(world):
    @world.instance_startup
    def dangling(ctx: Ctx) -> None:
        Item.objects.create(box_id="nobody", label="x")

    with pytest.raises(Exception, match="FOREIGN KEY"):
        world.instance()


def test_runs_of_one_seed_draw_the_same_in_their_hooks():
    rows = []
    for _ in range(2):
        with lab.instance(seed=4, now=NOW, startup={"owner": "Ada"}) as inst:
            rows.append(dump(inst))
    assert rows[0] == rows[1]


# Setup SQL


def test_setup_sql_is_recorded_to_the_letter_and_its_rows_are_not_logged():
    sql = BOX.format("a") + ";\n\n  " + BOX.format("b")
    with lab.instance(setup_sql=sql) as inst:
        assert names(inst) == ["a", "b"]
        assert (inst.state()["setup_sql"], inst.change_log()) == (sql, [])


def test_setup_sql_draws_from_a_stream_of_its_own():
    drawn = []
    for sql in (None, "UPDATE boxes SET luck = random()", BOX.format("a") + ";" + BOX.format("b")):
        with lab.instance(seed=2, now=NOW, setup_sql=sql) as inst:
            drawn.append(inst.call("draw"))
    assert drawn[1:] == drawn[:1] * 2


def test_setup_sql_replays():
    rows = []
    for seed in (1, 1, 2):
        with lab.instance(seed=seed, now=NOW, setup_sql=BOX.format("a")) as inst:
            rows.append(inst.inspect().one("SELECT luck, db_made_at FROM boxes"))
    assert rows[0] == rows[1]
    assert rows[0]["db_made_at"] == NOW
    assert rows[2]["luck"] != rows[0]["luck"]


def test_setup_sql_that_fails_half_way_makes_no_instance_and_runs_no_hook(world):
    ran = []
    world.instance_startup(lambda ctx: ran.append(1))
    with pytest.raises((WorldBug, DbError)):
        world.instance(setup_sql=BOX.format("a") + "; INSERT INTO nowhere VALUES (1)")
    assert ran == []


def test_setup_sql_whose_references_point_nowhere_is_refused_at_its_end():
    with pytest.raises(Exception, match="FOREIGN KEY"):
        lab.instance(setup_sql="INSERT INTO items (box_id, label, blob) VALUES ('nobody', 'x', x'')")
