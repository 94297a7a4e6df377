import threading

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from tests.engine.episodes import position
from tests.engine.town import opened
from tests.worlds.lab.models import Box, Item
from worlds.engine import DbError, InstanceClosed, WorldBug, installed
from worlds.engine.agent_sql import tables_described_by

lab = installed.get("lab")
NOW = "2026-06-01T09:00:00.000Z"


@pytest.fixture
def inst():
    with lab.instance(now=NOW, seed=1, episode_id="e") as inst:
        inst.call("make_box", name="a")
        inst.call("put_item", box="a", label="pen")
        yield inst


def test_rows_are_dictionaries_with_blobs_as_text(inst):
    rows = inst.inspect().rows(
        "SELECT name, is_open, blob FROM boxes JOIN items ON box_id = boxes.id WHERE name = ?", "a"
    )
    assert rows[0].keys() == {"name", "is_open", "blob"}
    assert (rows[0]["name"], rows[0]["is_open"], len(rows[0]["blob"])) == ("a", 1, 8)
    assert inst.inspect().one("SELECT 1 AS x WHERE 0") is None
    assert inst.inspect().one("SELECT 1 AS x") == {"x": 1}


@pytest.mark.parametrize(
    "sql",
    ["INSERT INTO tags VALUES ('x')", "UPDATE boxes SET name = 'b'", "DELETE FROM boxes", "DROP TABLE boxes"],
)
def test_a_statement_that_writes_is_refused(inst, sql):
    before = position(inst)
    with pytest.raises(DbError):
        inst.inspect().rows(sql)
    assert position(inst) == before


def test_looking_disturbs_nothing_not_even_chance(inst):
    with inst.fork() as twin:
        for _ in range(3):
            inst.inspect().rows("SELECT random(), randomblob(4), * FROM boxes")
            with inst.inspecting():
                list(Box.objects.order_by("?"))
        assert position(inst) == position(twin)
        assert inst.call("draw") == twin.call("draw")


def test_the_clock_of_the_instance_is_read(inst):
    reading = inst.clock.iso()
    assert inst.inspect().one("SELECT CURRENT_TIMESTAMP AS t") == {"t": reading}
    with inst.inspecting():
        assert timezone.now() == inst.clock.now()
    inst.advance(hours=1)
    assert inst.inspect().one("SELECT CURRENT_TIMESTAMP AS t") == {"t": inst.clock.iso()}


def test_what_was_asked_for_stays_as_it_was_and_asking_again_shows_the_present(inst):
    before = inst.inspect()
    inst.call("make_box", name="b")
    assert before.one("SELECT count(*) AS n FROM boxes") == {"n": 1}
    after = inst.inspect()
    assert after.one("SELECT count(*) AS n FROM boxes") == {"n": 2}
    assert before.one("SELECT count(*) AS n FROM boxes") == {"n": 1}
    assert inst.inspect() is after


def test_a_rewind_shows_too(inst):
    inst.inspect()
    inst.rewind(call=-1)
    assert inst.inspect().rows("SELECT * FROM boxes") == []


def test_the_orm_reads_inside_inspecting_and_writes_nothing(inst):
    with inst.inspecting():
        assert Item.objects.get().box.name == "a"
        for write in (
            lambda: Box.objects.create(id="x", name="x"),
            lambda: Box.objects.update(name="y"),
            lambda: Box.objects.all().delete(),
        ):
            with pytest.raises(DatabaseError, match="readonly"), transaction.atomic():
                write()
        assert Box.objects.get().name == "a"
    with pytest.raises(WorldBug, match="no instance is running here"):
        Box.objects.count()


def test_the_instance_cannot_move_under_an_inspecting_block(inst):
    moves = (
        lambda: inst.call("draw"),
        lambda: inst.advance(seconds=1),
        lambda: inst.rewind(call=0),
        lambda: inst.bulk().__enter__(),
        lab.instance,
    )
    for move in moves:
        with inst.inspecting(), pytest.raises(WorldBug, match="inside a tool call"):
            move()


def test_instances_may_be_read_further_inside_an_inspecting_block(inst):
    with inst.fork() as twin:
        twin.call("make_box", name="b")
        with inst.inspecting():
            assert len(inst.state()["state"]["db"]["log"]) == len(inst.diff()) == 2
            with twin.inspecting():
                assert Box.objects.count() == 2
            assert Box.objects.count() == 1


def test_a_call_on_another_thread_does_not_show_inside_an_inspecting_block(inst):
    with inst.inspecting():
        worker = threading.Thread(target=lambda: (inst.call("make_box", name="b"), inst.inspect().rows("SELECT 1")))
        worker.start()
        worker.join()
        assert Box.objects.count() == 1
    with inst.inspecting():
        assert Box.objects.count() == 2


def test_what_is_kept_after_the_end_of_the_instance_is_closed():
    inst = lab.instance()
    inspector = inst.inspect()
    inst.destroy()
    with pytest.raises(InstanceClosed, match="destroyed"):
        inspector.rows("SELECT 1")


def test_one_inspector_serves_many_threads(inst):
    inspector = inst.inspect()
    answers: list[int] = []

    def ask():
        answers.extend(inspector.one("SELECT count(*) AS n FROM boxes")["n"] for _ in range(50))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [1] * 400


def test_tables_are_described_as_the_tool_does_it_and_no_call_is_made(inst):
    told = inst.call("describe_schema")["tables"]
    tool = lab.surface["describe_schema"]
    assert tables_described_by(tool) == ("boxes", "items")
    assert tables_described_by(lab.surface["make_box"]) == ()
    calls = inst.call_count
    assert inst.inspect().describe(tables_described_by(tool)) == told
    assert inst.call_count == calls


def test_the_tables_of_an_embedded_world_are_described_by_its_path():
    with opened() as inst:
        (table,) = inst.inspect().describe(["accounts"], "bank")
        assert [column["name"] for column in table["columns"]] == ["id", "balance"]
        (north,) = inst.inspect().describe(["items"], "north")
        assert north == inst.inspect().describe(["items"])[0]
        assert north["foreign_keys"]
    with pytest.raises(InstanceClosed):
        inst.inspect().describe(["items"])
