"""Are fixtures listed with where they come from, looked into, compared row by row, built and frozen?"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.console.conftest import Console, Trouble
from tests.console.shelves import shelf_server
from tests.openenv.servers import Server, failure


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fixtures")


@pytest.fixture(scope="module")
def shelves(var_dir: Path, folder: Path) -> Iterator[Server]:
    with shelf_server(var_dir, folder, open_console=1) as running:
        yield running


@pytest.fixture
def curator(shelves: Server) -> Iterator[Console]:
    somebody = Console(shelves)
    yield somebody
    somebody.http.close()


@pytest.fixture(scope="module")
def fork(shelves: Server) -> str:
    """A fixture that was frozen after a lead was made and another one changed."""
    somebody = Console(shelves)
    id = somebody.open()
    somebody.call(id, "create_lead", '{"email": "ada@engines.com", "first_name": "Ada"}')
    leads = somebody.http.get(f"/api/v1/instances/{id}/tables/leads/rows", params={"limit": 1}).json()["results"]
    somebody.call(id, "update_lead", f'{{"lead_id": "{leads[0]["id"]}", "title": "Countess"}}')
    answer = somebody.post(f"instances/{id}/freeze/", fixture="with_ada", description="Ada has written.\n\nTwice.")
    assert answer.status_code == 200, answer.text
    somebody.http.close()
    return "with_ada"


# What there is.


def test_a_fork_stands_below_its_parent_with_what_is_in_it(curator: Console, fork: str) -> None:
    text = curator.get("fixtures/", world="crm").text
    below = text[text.index(">small_startup</a></h3>") :]
    nested = below[below.index("<ul>") : below.index("</ul>")]
    assert ">with_ada</a></h3>" in nested
    assert "Ada has written." in nested
    assert "Twice." not in nested
    assert "341 rows" in nested
    assert re.search(r'<code title="SHA-256 [0-9a-f]{64}">[0-9a-f]{10}</code>', nested)
    assert "Compare with parent" in nested
    assert "helpdesk" not in text


def test_a_fixture_says_all_about_itself(curator: Console, fork: str) -> None:
    text = curator.get(f"fixtures/crm/{fork}/").text
    for piece in ("Ada has written.", "Twice.", "2026-06-01T09:00:0", "crm 1.0.0", "current schema"):
        assert piece in text, piece
    assert re.search(r"<code>[0-9a-f]{64}</code>", text)
    assert 'href="/console/fixtures/crm/small_startup/"' in text
    assert f'href="/console/instances/open/crm/?fixture={fork}"' in text
    assert f"instance(&quot;{fork}&quot;" in text or f'instance("{fork}"' in text
    parent = curator.get("fixtures/crm/small_startup/").text
    assert f'href="/console/fixtures/crm/{fork}/"' in parent


def test_the_tasks_that_begin_at_a_fixture_are_told(curator: Console) -> None:
    listed = curator.get("fixtures/", world="crm").text
    assert listed.count("respect_an_opt_out") == 1
    text = curator.get("fixtures/crm/small_startup/").text
    assert "Rowena Pike told us on the phone how she wants to be contacted" in text
    assert "respect_an_opt_out" not in curator.get("fixtures/crm/empty/").text


def test_what_is_not_there_is_said_with_what_is(curator: Console) -> None:
    assert curator.get("fixtures/crm/nothing/").status_code == 404
    assert curator.get("fixtures/nowhere/empty/").status_code == 404
    assert curator.get("fixtures/", world="nowhere").status_code == 404
    compared = curator.get("fixtures/crm/compare/", a="empty", b="nothing")
    assert compared.status_code == 404
    assert "small_startup" in compared.text
    table = curator.get("fixtures/crm/empty/tables/main/lead/")
    assert table.status_code == 422
    assert "did you mean" in table.text
    assert "leads" in table.text


def test_the_rows_of_a_table_are_paged_and_sorted(curator: Console) -> None:
    first = curator.get("fixtures/crm/small_startup/tables/main/activities/").text
    assert "1–50 of 166" in first
    last = curator.get("fixtures/crm/small_startup/tables/main/activities/", page=4, sort="-kind").text
    assert "151–166 of 166" in last
    assert 'aria-sort="descending"' in last
    part = curator.part("fixtures/crm/small_startup/tables/main/activities/", page=2)
    assert "<html" not in part.text
    assert 'id="rows"' in part.text


def test_a_damaged_fixture_says_how_to_mend_it_and_hides_no_other(curator: Console, folder: Path) -> None:
    broken = folder / "crm" / "broken"
    shutil.copytree(folder / "crm" / "empty", broken)
    sidecar = broken / "fixture.yaml"
    sidecar.write_text(sidecar.read_text().replace("id: empty", "id: broken"))
    try:
        assert "damaged" not in curator.get("fixtures/crm/broken/").text
        with (broken / "main.jsonl").open("a") as file:
            file.write("\n")
        for path in ("fixtures/?world=crm", "fixtures/crm/broken/"):
            text = curator.get(path).text
            assert "damaged" in text
            assert "restore the file from version control" in text
        assert "small_startup" in curator.get("fixtures/?world=crm").text
        assert 'value="broken"' not in curator.get("instances/open/crm/").text
        sidecar.write_text("id: [")
        assert "cannot be read as YAML" in curator.get("fixtures/crm/broken/").text
    finally:
        shutil.rmtree(broken)


def test_a_recipe_is_listed_and_built_with_its_parent(curator: Console) -> None:
    text = curator.get("fixtures/", world="moved").text
    assert text.count("not built yet") == 3
    built = curator.post("fixtures/moved/two_visitors/build/")
    assert built.status_code == 200, built.text
    assert "image built" in curator.get("fixtures/moved/two_visitors/").text
    after = curator.get("fixtures/", world="moved").text
    assert after.count("not built yet") == 1
    assert after.index(">a_visitor<") < after.index(">two_visitors<")
    assert curator.get("fixtures/moved/two_visitors/build/").status_code == 405


# Compare.


def test_two_fixtures_are_compared_cell_by_cell(curator: Console, fork: str) -> None:
    text = curator.get("fixtures/crm/compare/", a="small_startup", b=fork).text
    assert "1 inserted" in text
    assert "0 deleted" in text
    changed = curator.get("fixtures/crm/compare/", a="small_startup", b=fork, table="leads", op="update").text
    row = changed[changed.index("<tbody>") : changed.index("</tbody>")]
    assert re.search(r'<th scope="row">title</th>.*?<td class="after">Countess</td>', row, re.DOTALL)
    inserted = curator.get("fixtures/crm/compare/", a="small_startup", b=fork, table="leads", op="insert").text
    assert "ada@engines.com" in inserted
    back = curator.get("fixtures/crm/compare/", a=fork, b="small_startup").text
    assert "1 deleted" in back


def test_a_large_difference_comes_in_pages(curator: Console) -> None:
    path = {"a": "empty", "b": "small_startup", "table": "activities", "op": "insert"}
    assert "1–40 of 166" in curator.get("fixtures/crm/compare/", **path).text
    last = curator.get("fixtures/crm/compare/", **path, page=5).text
    assert "161–166 of 166" in last
    assert "Neither was forked off the other" in last
    assert "<html" not in curator.part("fixtures/crm/compare/", **path).text


def test_equal_rows_and_one_fixture_twice_are_said(curator: Console) -> None:
    id = curator.open(fixture="empty")
    curator.post(f"instances/{id}/freeze/", fixture="empty again", description="Nothing happened.")
    same = curator.get("fixtures/crm/compare/", a="empty", b="empty again")
    assert "Every row of the one is in the other" in same.text
    twice = curator.get("fixtures/crm/compare/", a="empty", b="empty")
    assert twice.status_code == 422
    assert "not the same one" in twice.text


# Freeze.


def test_what_cannot_be_frozen_is_said_and_nothing_typed_is_lost(curator: Console, folder: Path) -> None:
    id = curator.open(fixture="empty")
    before = sorted(each.name for each in (folder / "crm").iterdir())
    for fixture, description, says in (
        ("small_startup", "Taken.", "has a fixture small_startup already"),
        ("big_co", "A recipe's.", "has a fixture big_co already"),
        ("Small_Startup", "Alike.", "letter case only"),
        ("a/b", "No name.", "may stand in it"),
        ("fine", "  ", "This field is required"),
    ):
        answer = curator.post(f"instances/{id}/freeze/", fixture=fixture, description=description)
        assert answer.status_code == 422, fixture
        assert says in answer.text, fixture
        assert f'value="{fixture}"' in answer.text
        assert description.strip() in answer.text.replace("&#x27;", "'")
    assert sorted(each.name for each in (folder / "crm").iterdir()) == before


def test_what_was_frozen_is_opened_by_a_trainer_at_once(curator: Console, shelves: Server, fork: str) -> None:
    with shelves.socket("/worlds/crm/ws") as trainer:
        told = trainer.reset(fixture=fork, seed=3)["data"]["metadata"]
        assert told["fixture"] == fork
        assert failure(trainer.step("create_lead", email="ada@engines.com"))["error_type"] == "execution_error"
    assert f'value="{fork}"' in curator.get("instances/open/crm/").text


def test_freezing_and_building_are_for_curators(guarded: Server) -> None:
    operator, viewer = Console(guarded).log_in("op"), Console(guarded).log_in("vi")
    id = operator.open()
    assert "/freeze/" not in operator.get(f"instances/{id}/tools/").text
    for somebody, path in (
        (operator, f"instances/{id}/freeze/"),
        (operator, "fixtures/crm/huge_co/build/"),
        (viewer, "fixtures/crm/small_startup/build/"),
    ):
        answer = somebody.post(path, fixture="mine", description="Mine.")
        assert answer.status_code == 403, path
    assert viewer.get("fixtures/").status_code == 200
    assert viewer.get("fixtures/crm/compare/", a="empty", b="small_startup").status_code == 200
    for somebody in (operator, viewer):
        somebody.http.close()


def test_a_draft_is_started_from_a_fixture(guarded: Server) -> None:
    curator, operator = Console(guarded).log_in("cu"), Console(guarded).log_in("op")
    to = re.search(r'href="(/admin/[^"]+)"[^>]*>Start a draft', curator.get("fixtures/crm/small_startup/").text)
    assert to
    assert re.search(r'<option value="crm/small_startup" selected', curator.http.get(to[1]).text)
    assert "Start a draft" not in operator.get("fixtures/crm/small_startup/").text
    for somebody in (curator, operator):
        somebody.http.close()


# In a browser.


def test_an_instance_is_frozen_and_compared_with_where_it_began(
    chromium: Any, shelves: Server, curator: Console
) -> None:
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, base_url=shelves.url)
    page = context.new_page()
    page.set_default_timeout(10_000)
    trouble = Trouble()
    trouble.listen(page, shelves.address)
    id = curator.open(fixture="empty")
    curator.call(id, "create_lead", '{"email": "grace@navy.mil"}')
    page.goto(f"/console/instances/{id}/tools/")
    page.get_by_role("link", name="Freeze").click()
    page.get_by_label("Id").fill("with_grace")
    page.get_by_label("Description").fill("Grace is in there.")
    page.get_by_role("button", name="Freeze").click()
    page.get_by_text("Frozen from").wait_for()
    page.get_by_role("link", name="Compare with parent").click()
    page.get_by_role("link", name="leads").click()
    page.wait_for_url("**table=leads**")
    page.reload()
    page.get_by_role("cell", name="grace@navy.mil").wait_for()
    page.get_by_label("Before").select_option("small_startup")
    page.get_by_text("Neither was forked off the other").wait_for()
    page.wait_for_url("**a=small_startup**")
    context.close()
    assert trouble == []
