"""Can somebody say how an instance begins, and is told what does not fit and how far long work is?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.console.conftest import Console, Trouble, picture
from tests.console.shelves import multitude, shelf_server
from tests.openenv.servers import Server


@pytest.fixture(scope="module")
def shelves(var_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with fixtures whose images take a while."""
    folder = tmp_path_factory.mktemp("fixtures")
    with shelf_server(var_dir, folder, open_console=1) as running:
        somebody = Console(running)
        assert somebody.post("fixtures/moved/a_visitor/build/").status_code == 200
        somebody.http.close()
        multitude(folder, "a_multitude", 60_000)
        multitude(folder, "another_multitude", 60_001)
        yield running


@pytest.fixture
def patient(shelves: Server) -> Iterator[Console]:
    somebody = Console(shelves)
    yield somebody
    somebody.http.close()


# The form.


def test_the_form_shows_what_there_is_to_choose_from(console: Console) -> None:
    text = console.get("instances/open/crm/").text
    assert re.search(r'type="radio" name="fixture" value="small_startup" checked', text)
    assert "340 rows" in text
    assert "Loose ends" in text
    assert "Let the agent act as one user, by id or email" in text
    assert 'name="startup.acting_user"' in text
    assert "huge_co" in text
    assert 'value="huge_co"' not in text


def test_a_link_fills_the_form_in(console: Console) -> None:
    text = console.get("instances/open/crm/", fixture="empty", seed=42, now="2026-07-01T00:00:00Z").text
    assert re.search(r'value="empty" checked', text)
    assert 'name="seed" value="42"' in text
    assert 'value="2026-07-01T00:00:00Z"' in text
    named = console.get("instances/open/crm/", **{"startup.acting_user": "ada@example.com"}).text
    assert 'value="ada@example.com"' in named


def test_startup_keywords_have_fields_of_their_kind(console: Console) -> None:
    text = console.get("instances/open/lab/").text
    assert re.search(r'<select name="startup.fail"', text)
    assert re.search(r'<input type="text" name="startup.owner"', text)
    id = console.open("lab", "", **{"startup.owner": "Ada", "startup.fail": "false"})
    assert "Ada's box" in console.get(f"instances/{id}/state.json").text or "Ada" in console.call(id, "list_boxes").text
    refused = console.post("instances/open/lab/", fixture="", **{"startup.fail": "true", "startup.owner": "Ada"})
    assert refused.status_code == 422
    assert "the shop stays shut" in refused.text.lower()
    assert 'value="Ada"' in refused.text


def test_keywords_can_be_json_and_none_is_given_twice(console: Console) -> None:
    id = console.open("lab", "", startup='{"owner": "Grace"}')
    assert "Grace" in console.call(id, "list_boxes").text
    twice = console.post("instances/open/lab/", startup='{"owner": "Grace"}', **{"startup.owner": "Ada"})
    assert twice.status_code == 422
    assert "given twice" in twice.text
    unknown = console.post("instances/open/lab/", startup='{"ownr": "Grace"}')
    assert "did you mean &#x27;owner&#x27;" in unknown.text
    assert "ownr" in unknown.text
    assert "no JSON" in console.post("instances/open/lab/", startup="{owner}").text


def test_setup_sql_runs_and_a_mistake_in_it_is_shown_beside_it(console: Console) -> None:
    id = console.open("crm", "empty", setup_sql="UPDATE users SET name = 'Ada Lovelace'")
    assert "Ada Lovelace" in console.call(id, "list_users").text
    wrong = console.post("instances/open/crm/", fixture="empty", setup_sql="UPDATE nowhere SET x = 1", seed=9)
    assert wrong.status_code == 422
    assert "no such table: nowhere" in wrong.text
    assert "UPDATE nowhere SET x = 1" in wrong.text
    assert 'value="9"' in wrong.text


def test_what_does_not_fit_is_said_at_its_field(console: Console) -> None:
    for given, says in (
        ({"now": "yesterday"}, "yesterday"),
        ({"seed": "one"}, "Enter a whole number"),
        ({"fixture": "smal"}, "There is no fixture smal to open; there are:"),
        ({"clock_mode": "sundial"}, "sundial"),
        ({"now": "2020-01-01T00:00:00Z", "fixture": "empty"}, "before fixture"),
    ):
        answer = console.post("instances/open/crm/", **given)
        assert answer.status_code == 422, given
        assert says in answer.text, given
        assert "Traceback" not in answer.text


# Long work.


def test_a_large_image_is_built_on_a_page_that_shows_how_far_it_is(chromium: Any, shelves: Server) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, base_url=shelves.url)
    page = context.new_page()
    page.set_default_timeout(30_000)
    trouble = Trouble()
    trouble.listen(page, shelves.address)
    page.goto("/console/instances/open/moved/?fixture=a_multitude")
    page.get_by_role("button", name="Open", exact=True).click()
    page.wait_for_url("**/console/jobs/**")
    assert page.get_by_role("heading", level=1).inner_text() == "Open moved/a_multitude"
    page.get_by_text(re.compile(r"of 60,0\d\d rows")).wait_for()
    page.get_by_role("progressbar").first.wait_for()
    picture(page, "job-light")
    page.reload()  # nothing is lost by it, and it leads on if the work is done meanwhile
    page.wait_for_url("**/tools/")
    page.get_by_role("heading", name="moved").wait_for()
    context.close()
    assert trouble == []


def test_work_that_fails_leads_back_to_all_that_was_typed(patient: Console) -> None:
    sent = patient.post(
        "instances/open/moved/", fixture="another_multitude", seed=77, setup_sql="UPDATE nowhere SET x = 1"
    )
    assert "/console/jobs/" in str(sent.url)
    path = str(sent.url).partition("/console/")[2]
    for _ in range(200):
        page = patient.part(path)
        if "Back, to try again" in page.text:
            break
    assert "no such table: nowhere" in page.text
    assert "hx-trigger" not in page.text
    again = re.search(r'href="/console/(instances/open/moved/\?again=[0-9a-f-]+)"', page.text)
    assert again, page.text
    form = patient.get(again[1])
    assert "no such table: nowhere" in form.text
    assert 'value="77"' in form.text
    assert re.search(r'value="another_multitude" checked', form.text)


def test_a_job_that_is_not_known_is_said_to_be_over_or_lost(console: Console) -> None:
    answer = console.get("jobs/nothing/")
    assert answer.status_code == 404
    assert "begun again" in answer.text
