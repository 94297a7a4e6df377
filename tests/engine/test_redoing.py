"""Do change records make the rows again that they tell of?"""

import pytest

from tests.engine.episodes import dump
from tests.engine.town import opened
from tests.engine.workbench import lab
from tests.worlds.lab.models import Box, Item, Tag
from worlds.engine import DbError
from worlds.engine.redoing import NotAsRecorded, redo


def first_steps():
    box = Box.objects.create(id="b1", name="red", facts={"a": [1, None]}, price="3.50")
    Box.objects.create(id="b2", name="blue")
    Item.objects.create(box=box, label="ball", blob=b"\x00\xff", weight=None)
    Tag.objects.create(code="toy").boxes.add(box)


def then():
    """What must be unique changes hands, a row goes, and another comes."""
    Box.objects.filter(id="b1").update(name="-")
    Box.objects.filter(id="b2").update(name="red", is_open=False)
    Box.objects.filter(id="b1").update(name="blue")
    Item.objects.all().delete()
    Tag.objects.create(code="old")


def test_rows_are_made_again_as_they_were_blobs_and_exchanged_names_included():
    with lab() as inst, lab() as again:
        for write in (first_steps, then):
            with inst.bulk(by="ada"):
                write()
            log, known = inst.change_log(), len(again.change_log())
            with again.bulk(by="ada") as ctx:
                redo(ctx.db, log[known:])
            assert again.change_log() == log
        assert dump(again) == dump(inst)


def test_a_row_that_is_not_as_recorded_is_named_and_nothing_is_written():
    with lab() as inst, lab() as again:
        for one in (inst, again):
            with one.bulk():
                first_steps()
        with inst.bulk():
            then()
        log, known = inst.change_log(), len(again.change_log())
        with again.bulk():
            Box.objects.filter(id="b2").update(name="green")
        before = dump(again)
        with again.bulk() as ctx, pytest.raises(NotAsRecorded, match="'b2'.*has name 'green', and it was 'blue'"):
            redo(ctx.db, log[known:])
        with again.bulk() as ctx, pytest.raises(NotAsRecorded, match="is there already"):
            redo(ctx.db, log[:1])
        with again.bulk() as ctx, pytest.raises(NotAsRecorded, match="not there any more"):
            redo(ctx.db, [{"table": "boxes", "op": "delete", "key": {"id": "b9"}, "before": {}, "after": None}])
        with again.bulk() as ctx, pytest.raises(NotAsRecorded, match="no column size any more"):
            redo(
                ctx.db, [{"table": "boxes", "op": "insert", "key": {"id": "b9"}, "before": None, "after": {"size": 1}}]
            )
        with again.bulk() as ctx, pytest.raises(NotAsRecorded, match="no table jars"):
            redo(ctx.db, [{"table": "jars", "op": "insert", "key": {}, "before": None, "after": {}}])
        assert dump(again) == before


def test_what_sqlite_refuses_leaves_nothing():
    record = {"table": "items", "op": "insert", "key": {"id": 1}, "before": None, "after": {"id": 1, "label": None}}
    with lab() as inst, inst.bulk() as ctx:
        with pytest.raises(DbError):
            redo(ctx.db, [record])
        assert Item.objects.count() == 0


def test_a_bulk_block_runs_as_an_embedded_world():
    with opened() as inst:
        with inst.bulk(by="ada", node="north"):
            Box.objects.create(id="b1", name="red")
        assert [(record["world"], record["by"]) for record in inst.change_log()] == [("north", "ada")]
        with inst.inspecting("south"):
            assert not Box.objects.filter(id="b1").exists()
