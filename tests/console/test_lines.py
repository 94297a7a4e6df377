"""Is every kind of move told in words that a reader understands?"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.template.loader import render_to_string

from console.runs.lines import brief, grouped_by_table, span, whole
from console.views.moments import Made
from tests.engine.town import opened
from tests.engine.workbench import lab
from tests.worlds.lab.models import Box
from worlds.engine import HttpRequest, Instance, timeline
from worlds.engine.differing import Divergence
from worlds.engine.timeline import Wanted


def lines_of(inst: Instance) -> list[dict[str, Any]]:
    return [brief(line) for line in timeline.piece(inst, Wanted(), 0, 100).lines]


def test_a_request_to_a_products_api_is_told_without_its_secret() -> None:
    with lab() as inst:
        with suppress(Exception):
            inst.http(HttpRequest.of("post", "/boxes", headers={"Authorization": "Bearer secret"}, body='{"a": 1}'))
        (line,) = lines_of(inst)
        assert line["kind"] == "request"
        assert line["title"] == "POST /boxes"
        found = timeline.between(inst, 0)
        assert found is not None
        page = whole(inst, found, 0)
        assert "secret" not in str(page)
        assert "authorization: …" in page["arguments"]
        assert page["after"] == -1


def test_rows_written_in_bulk_and_a_clock_that_moved_are_told() -> None:
    with opened() as inst:
        with inst.bulk("setup"):
            Box.objects.create(id="b", name="Bulk", price=0)
        inst.advance(days=1, hours=2)
        bulk, moved = lines_of(inst)
        assert (bulk["title"], bulk["rows"]) == ("rows written by setup", 1)
        assert (moved["title"], moved["rows"]) == ("the clock moved 1 d 2 h", 0)
        found = timeline.between(inst, 0)
        assert found is not None
        (change,) = whole(inst, found, 0)["changes"]
        assert change["by"] == "setup"


def test_changed_rows_come_in_pages() -> None:
    with opened() as inst:
        with inst.bulk("setup"):
            for number in range(120):
                Box.objects.create(id=f"b{number:03}", name=f"Box {number}", price=0)
        found = timeline.between(inst, 0)
        assert found is not None
        pages = [whole(inst, found, at) for at in (0, 50, 100, 500)]
        assert [len(page["changes"]) for page in pages] == [50, 50, 20, 0]
        assert [(page["older"], page["newer"]) for page in pages[:3]] == [(None, 50), (0, 100), (50, None)]


def test_net_changes_stand_together_by_table() -> None:
    with opened() as inst:
        inst.call("make_box", name="a")
        inst.call("make_box", name="b")
        inst.call("bank_deposit", amount=3)
        bank, main = grouped_by_table(inst.diff().changes)
        assert (bank["name"], main["name"]) == ("bank.accounts", "main.boxes")
        assert len(main["inserts"]["rows"]) == 2
        assert main["inserts"]["columns"][:2] == ["id", "name"]


def test_a_stretch_of_time_is_told_in_its_largest_units() -> None:
    assert [span(ms) for ms in (0, 1, 1000, 90_000, 172_800_000)] == ["0 ms", "1 ms", "1 s", "1 min 30 s", "2 d"]


def test_a_replay_that_went_another_way_names_the_place_first() -> None:
    found = Divergence("cell", 'call 1 (change_box): main.boxes id="b": price', "1.50", "<b>7</b>", {"call": 1})
    made = Made("source", "made", 2, 3, 3, [], [found], None)
    context = {"made": made, "first": found, "divergences": [found], "is_there": True, "has_source": True}
    page = render_to_string("console/calls/replayed.html", context)
    assert "It went another way" in page
    assert "call 1 (change_box): main.boxes id=&quot;b&quot;: price" in page
    assert "&lt;b&gt;7&lt;/b&gt;" in page
