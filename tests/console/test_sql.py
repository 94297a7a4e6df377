"""Is any question that only reads answered in SQL, and every other one refused in words that help?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.console.conftest import Console
from tests.console.test_tables import NEW


@pytest.fixture(scope="module")
def asked(server: Any) -> Iterator[tuple[Console, str]]:
    somebody = Console(server)
    yield somebody, f"instances/{somebody.open()}/sql/"
    somebody.http.close()


def test_a_query_is_answered_and_stays_in_the_address(asked: tuple[Console, str]) -> None:
    console, path = asked
    text = console.get(path, q="SELECT status, count(*) AS leads FROM leads GROUP BY status").text
    assert '<th scope="col">leads</th>' in text
    assert "SELECT status, count(*) AS leads FROM leads GROUP BY status</textarea>" in text
    assert "Nothing was asked yet" in console.get(path).text
    part = console.part(path, q="SELECT 1 AS one").text
    assert "<html" not in part
    assert ">one<" in part


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("DELETE FROM leads", "Not allowed: write table leads"),
        ("WITH x AS (SELECT 1) INSERT INTO tags SELECT * FROM x", "Not allowed"),
        ("UPDATE leads SET email = ''", "Here is only read"),
        ("SELECT 1; SELECT 2", "Send one statement at a time"),
        ("ATTACH ':memory:' AS x", "Not allowed: ATTACH"),
        ("PRAGMA journal_mode = DELETE", "Not allowed"),
        ("SELECT load_extension('x')", "load_extension"),
        ("-- nothing", "an empty query"),
        ("SELECT zeroblob(900000000)", "Ask for less of it"),
        ("SELECT statu FROM leads", "no such column: statu"),
        ("SELECT 1 FROM nowhere", "no such table: nowhere"),
        ("BEGIN", "Not allowed: BEGIN"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(asked: tuple[Console, str], query: str, said: str) -> None:
    console, path = asked
    answer = console.get(path, q=query)
    assert answer.status_code == 200
    assert said in answer.text
    assert 'role="alert"' in answer.text
    assert console.get(path, q="SELECT count(*) AS n FROM leads").text.count(">40<") == 1


def test_a_mistake_is_shown_at_its_place(asked: tuple[Console, str]) -> None:
    console, path = asked
    text = console.get(path, q="SELECT 'é',\n  status\nFROMM leads WHERE 1").text
    assert "line 3" in text
    assert "<mark>leads</mark>" in text or "<mark>FROMM</mark>" in text


def test_what_would_not_end_is_stopped_and_nobody_waits_for_it(asked: tuple[Console, str], server: Any) -> None:
    console, path = asked
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    other = Console(server)
    with ThreadPoolExecutor(1) as beside:
        began = time.monotonic()
        asking = beside.submit(other.get, path, q=endless)
        time.sleep(0.5)
        for page in ("../tables/", "../tables/main/leads/"):
            assert console.get(f"{path}{page}").status_code == 200
        console.call(path.split("/")[1], "list_leads")
        assert time.monotonic() - began < 4
        text = asking.result().text
        assert 4 < time.monotonic() - began < 12
    other.http.close()
    assert "Not allowed: run over" in text
    assert "Ask for less" in text
    assert console.get(path, q="SELECT 1 AS still_there").text.count("still_there") > 1


def test_more_rows_than_fit_are_in_the_download(asked: tuple[Console, str]) -> None:
    console, path = asked
    query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i, '=x' AS f FROM n"
    text = console.get(path, q=query).text
    assert "500 rows" in text
    assert "there are more" in text
    lines = console.get(f"{path}query.csv", q=query).text.splitlines()
    assert (len(lines), lines[1]) == (3001, "1,'=x")
    kept = console.get(f"{path}query.json", q=query).json()
    assert kept["columns"] == ["i", "f"]
    assert kept["rows"][-1] == [3000, "=x"]
    assert console.get(f"{path}query.csv", q="DELETE FROM leads").status_code == 422


def test_blobs_nulls_and_long_texts_are_told_apart(asked: tuple[Console, str]) -> None:
    console, path = asked
    text = console.get(path, q="SELECT NULL, '', x'00ff', printf('%.*c', 9000, 'x'), 1.0, randomblob(90000)").text
    for wanted in (">null<", ">empty<", "AP8=", "2 bytes", "9,000 characters", ">1.0<", "90,000 bytes"):
        assert wanted in text, wanted


def test_two_columns_of_one_name_are_two(asked: tuple[Console, str]) -> None:
    console, path = asked
    assert console.get(path, q="SELECT 1 AS a, 2 AS a").text.count('<th scope="col">a</th>') == 2


def test_an_answer_is_of_now(console: Console) -> None:
    id = console.open()
    query = "SELECT count(*) AS n FROM leads WHERE email = 'ada@example.com'"
    assert ">0<" in console.get(f"instances/{id}/sql/", q=query).text
    console.call(id, "create_lead", NEW)
    assert ">1<" in console.get(f"instances/{id}/sql/", q=query).text


def test_a_query_is_sent_with_a_key(page: Any, console: Console) -> None:
    id = console.open()
    page.goto(f"/console/instances/{id}/sql/")
    page.get_by_label("A query in SQLite's SQL").fill("SELECT 41 + 1 AS answer")
    page.keyboard.press("Control+Enter")
    page.get_by_role("cell", name="42").wait_for()
    assert "q=SELECT" in page.url
    page.reload()
    page.get_by_role("cell", name="42").wait_for()
    page.get_by_text("leads", exact=True).click()
    page.get_by_role("link", name="All of it").locator("visible=true").click()
    page.get_by_role("columnheader", name="email", exact=True).wait_for()
