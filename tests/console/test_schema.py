"""Is a store's schema drawn so that it can be read: nothing on top of another, every key and every line there?"""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from console.tables.diagram import Diagram, drawn
from tests.console.conftest import Console
from worlds.engine import installed, tables
from worlds.engine.tables import ForeignKey, Table


def table(name: str, *points_to: str, columns: int = 3) -> Table:
    names = ["id", *(f"{to}_id" for to in points_to), *(f"c{n}" for n in range(columns))]
    described = tuple(
        {"name": each, "type": "text", "nullable": True, "key": 1 if each == "id" else None} for each in names
    )
    links = tuple(ForeignKey((f"{to}_id",), to, ("id",)) for to in points_to)
    return Table("main", name, described, links, True)


def overlapping(diagram: Diagram) -> list[tuple[str, str]]:
    found = []
    for index, one in enumerate(diagram.boxes):
        for other in diagram.boxes[index + 1 :]:
            apart = (
                one.x + one.width <= other.x or other.x + other.width <= one.x
                or one.y + one.height <= other.y or other.y + other.height <= one.y
            )  # fmt: skip
            if not apart:
                found.append((one.name, other.name))
    return found


def check(diagram: Diagram, links: int) -> None:
    assert overlapping(diagram) == []
    assert len(diagram.edges) == links
    for box in diagram.boxes:
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width <= diagram.width
        assert box.y + box.height <= diagram.height


NAMES = [f"t{n}" for n in range(9)]


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(NAMES), st.lists(st.sampled_from(NAMES), max_size=4, unique=True)))
def test_any_tables_have_a_place_of_their_own(links: dict[str, list[str]]) -> None:
    known = [table(name, *points_to) for name, points_to in links.items()]
    check(drawn(known), sum(to in links for points_to in links.values() for to in points_to))


def test_a_table_stands_right_of_what_it_points_to() -> None:
    at = {box.name: box.x for box in drawn([table("c", "b"), table("b", "a"), table("a"), table("alone")]).boxes}
    assert at["a"] < at["b"] < at["c"]


def test_crossings_are_taken_out() -> None:
    diagram = drawn([table("a"), table("b"), table("x", "b"), table("y", "a")])
    at = {box.name: box.y for box in diagram.boxes}
    assert (at["a"] < at["b"]) == (at["y"] < at["x"])


def test_a_wide_table_shows_its_keys_and_says_how_many_columns_are_left_out() -> None:
    [_, wide] = drawn([table("a"), table("wide", "a", columns=40)]).boxes
    assert [line.name for line in wide.lines][:2] == ["id", "a_id"]
    assert wide.more + len(wide.lines) == 42


@pytest.mark.parametrize("world", ["crm", "stripe", "company", "lab"])
def test_the_worlds_are_drawn(world: str) -> None:
    with installed.get(world).instance() as inst:
        for node in inst.composition():
            found = tables.all_described(inst.inspect(), node)
            names = {each.name for each in found}
            diagram = drawn(found)
            check(diagram, sum(link.table in names for each in found for link in each.foreign_keys))


def test_the_page_draws_every_table_and_lists_them_too(console: Console) -> None:
    id = console.open()
    text = console.get(f"instances/{id}/schema/").text
    assert "<title>leads.company_id points to companies.id</title>" in text
    for name in ("leads", "deals", "companies"):
        assert f'href="/console/instances/{id}/tables/main/{name}/" id="main.{name}"' in text
    assert re.search(r"<code>company_id</code> points to companies", text)
    assert 'role="group"' in text


def test_a_box_leads_to_its_rows(page: Any, console: Console) -> None:
    id = console.open()
    page.goto(f"/console/instances/{id}/schema/")
    page.locator("a.box", has_text="deals").first.click()
    page.wait_for_url("**/tables/main/deals/")
    page.get_by_role("link", name="Schema", exact=True).last.click()
    page.wait_for_url("**/schema/#main.deals")
