"""Can somebody see where two runs went different ways, and what came of it?"""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest

from tests.console.conftest import Console
from tests.console.test_calls import text
from tests.openenv.servers import Server


def played(console: Console, *emails: str, **start: Any) -> str:
    id = console.open(**start)
    console.call(id, "create_company", '{"name": "Analytical Engines"}')
    for email in emails:
        console.call(id, "create_lead", json.dumps({"email": email}))
    return id


def compared(console: Console, a: str, b: str, **query: str) -> httpx.Response:
    return console.get("compare/", a=a, b=b, **query)


def upload(console: Console, files: dict[str, tuple[str, bytes]], **data: str) -> httpx.Response:
    console.get("")
    token = str(console.http.cookies.get("csrftoken"))
    return console.http.post("/console/compare/", files=files, data=data, headers={"X-CSRFToken": token})


def marks(page: httpx.Response) -> list[str]:
    """Of each pair of moves what is said of it."""
    return [text(httpx.Response(200, text=each)) for each in re.findall(r'(?s)<p class="verdict">.*?</p>', page.text)]


def test_two_runs_that_are_the_same_are_said_to_be(console: Console) -> None:
    a, b = (played(console, "ada@x.com") for _ in range(2))
    page = compared(console, a, b)
    assert "The two runs are the same" in text(page)
    assert "The same outcome" in text(page)
    assert marks(page) == ["same", "same"]


def test_the_first_difference_is_named_and_marked(console: Console) -> None:
    a, b = played(console, "ada@x.com", "oslo@x.com"), played(console, "ada@x.com", "bergen@x.com")
    page = compared(console, a, b)
    assert "They first differ at call 2, create_lead" in text(page)
    assert "1 of 3 moves differs" in text(page)
    assert len(re.findall(r'class="pair first"', page.text)) == 1
    (mark,) = marks(page)[2:]
    assert "arguments" in mark
    assert "rows" in mark
    assert "result" in mark
    assert "arguments $.email" in text(page)
    assert "oslo@x.com" in page.text
    assert "bergen@x.com" in page.text
    only = compared(console, a, b, show="differing")
    assert len(marks(only)) == 1


def test_a_call_that_only_one_run_has_does_not_shift_the_rest(console: Console) -> None:
    a, b = played(console, "ada@x.com"), played(console, "ada@x.com")
    console.call(b, "list_leads", '{"limit": 1}')
    for id in (a, b):
        console.call(id, "list_companies", '{"limit": 1}')
    found = marks(compared(console, a, b))
    assert found[:3] == ["same", "same", "only in the second"]
    assert len(found) == 4


def test_how_they_began_is_told(console: Console) -> None:
    a, b = played(console), played(console, clock_mode="fixed")
    page = text(compared(console, a, b))
    assert "fixed" in page
    assert "Seed" in page


def test_nothing_chosen_or_ended_is_no_dead_end(console: Console) -> None:
    assert "Choose two runs" in text(console.get("compare/"))
    a, b = played(console), played(console)
    assert f'<option value="{a}" selected>' in console.get("compare/", a=a).text
    console.post(f"instances/{b}/end/")
    over = compared(console, a, b)
    assert over.status_code == 410
    assert "The instance of the second run is over: somebody ended it in the console" in text(over)
    assert f'<option value="{a}" selected>' in over.text
    assert compared(console, a, "nothing").status_code == 404


def test_uploaded_documents_are_compared_under_a_link_that_lasts(console: Console) -> None:
    a, b = played(console, "ada@x.com"), played(console, "grace@x.com")
    episodes = [console.get(f"instances/{id}/episode.json").content for id in (a, b)]
    page = upload(console, {"file_a": ("one.json", episodes[0]), "file_b": ("<b>two.json", episodes[1])})
    assert "a=file-" in str(page.url)
    assert "They first differ at call 1" in text(page)
    assert "&lt;b&gt;two.json" in page.text
    console.post(f"instances/{a}/end/")
    again = console.http.get(str(page.url))
    assert "They first differ at call 1" in text(again)
    with_live = upload(console, {"file_a": ("two.json", episodes[1])}, b=b)
    assert "The two runs are the same" in text(with_live)


def test_a_file_that_is_no_episode_is_refused_and_nothing_is_lost(console: Console) -> None:
    a = played(console)
    good = console.get(f"instances/{a}/episode.json").content
    page = upload(console, {"file_a": ("good.json", good), "file_b": ("bad.json", b"{}")})
    assert page.status_code == 422
    assert "bad.json: its format is None" in text(page).replace("Its", "its")
    assert "good.json" in page.text
    assert re.search(r'<option value="file-[^"]+" selected>good.json', page.text)
    state = console.get(f"instances/{a}/state.json").content
    assert "export the episode instead" in text(upload(console, {"file_a": ("s.json", state)}))
    assert "Choose at least one file" in text(upload(console, {}, a=a))


def test_a_file_that_is_too_large_is_refused_with_the_limit(console: Console) -> None:
    page = upload(console, {"file_a": ("large.json", b" " * (17 * 2**20))})
    assert page.status_code == 413
    assert "large.json is 17.0 MiB, and up to 16 MiB are read" in text(page)


def test_runs_of_different_worlds_are_compared_all_the_same(console: Console) -> None:
    bank = console.open("bank", "")
    console.call(bank, "deposit", '{"amount": 3}')
    page = compared(console, bank, played(console))
    assert page.status_code == 200
    assert "another move" in text(page)


def test_runs_are_chosen_and_compared_in_a_browser(page: Any, console: Console, server: Server) -> None:
    a, b = played(console, "oslo@x.com"), played(console, "bergen@x.com")
    page.goto(f"/console/instances/{a}/calls/")
    page.get_by_role("link", name="Compare with…").click()
    page.get_by_role("combobox", name="Second run").select_option(b)
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_text("The first difference").wait_for()
    page.get_by_role("link", name="call 1, create_lead").click()
    assert page.url.endswith("#pair-1")


@pytest.mark.parametrize("query", [{"a": "file-gone", "b": ""}, {"at": "x"}, {"show": "odd"}])
def test_an_address_that_says_nothing_sensible_is_answered(console: Console, query: dict[str, str]) -> None:
    assert console.get("compare/", **query).status_code in (400, 404)
