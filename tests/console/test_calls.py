"""Can somebody see what a run did, move by move, how things were then, and go on from there?"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.console.conftest import Console
from tests.openenv.servers import ROOT, Server


def text(answer: httpx.Response) -> str:
    """A page as somebody reads it, without its marks."""
    body = re.sub(r"(?s)<(script|style)\b.*?</\1>", "", answer.text)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def id_in(answer: httpx.Response) -> str:
    found = re.search(r"/instances/([0-9a-f-]{36})/", str(answer.url))
    assert found, answer.text
    return found[1]


@pytest.fixture
def run(console: Console, server: Server) -> str:
    """An instance with five calls, the third refused, and its clock moved by an hour after the fourth."""
    id = console.open()
    console.call(id, "create_company", '{"name": "Analytical Engines", "domain": "engines.com"}')
    console.call(id, "create_lead", '{"email": "ada@engines.com", "first_name": "<i>Ada</i> Ærø"}')
    console.call(id, "create_lead", '{"email": "ada@engines.com"}')
    console.call(id, "create_lead", '{"email": "grace@engines.com"}')
    console.post(f"instances/{id}/advance/", amount=1, unit="hours")
    console.call(id, "list_leads", '{"limit": 2}')
    return id


def rows_of(page: str) -> list[str]:
    """The moves of a timeline, by the addresses they lead to."""
    return re.findall(r'<td class="said"><a id="\w+" href="/console/instances/[^/]+/([^"]+)"', page)


def test_the_timeline_lists_every_move_the_newest_first(console: Console, run: str) -> None:
    page = console.get(f"instances/{run}/calls/")
    assert rows_of(page.text) == ["calls/4/", "between/0/", "calls/3/", "calls/2/", "calls/1/", "calls/0/"]
    assert "6 moves, 5 of them calls" in text(page)
    assert "the clock moved 1 h" in text(page)
    assert "<i>Ada</i>" not in page.text
    assert "&lt;i&gt;Ada&lt;/i&gt; Ærø" in page.text
    oldest = console.get(f"instances/{run}/calls/", order="oldest")
    assert rows_of(oldest.text)[0] == "calls/0/"


def test_the_timeline_is_filtered_by_its_address(console: Console, run: str) -> None:
    def shown(**query: str) -> list[str]:
        return rows_of(console.get(f"instances/{run}/calls/", **query).text)

    assert shown(only="failed") == ["calls/2/"]
    assert shown(only="changing") == ["calls/3/", "calls/1/", "calls/0/"]
    assert shown(tool="create_company") == ["calls/0/"]
    assert shown(q="ærø create_lead") == ["calls/1/"]
    assert shown(q="no such thing") == []
    assert "None of 6 moves fits" in text(console.get(f"instances/{run}/calls/", q="no such thing"))
    part = console.part(f"instances/{run}/calls/", only="failed")
    assert "<html" not in part.text
    assert rows_of(part.text) == ["calls/2/"]
    assert console.get(f"instances/{run}/calls/", only="odd").status_code == 400
    assert console.get(f"instances/{run}/calls/", at="-1").status_code == 400


def test_a_long_timeline_has_pages_both_ways_and_the_latest_at_once(console: Console, server: Server) -> None:
    id = console.open("bank", "")
    for _ in range(260):
        server.post(f"/api/v1/instances/{id}/calls", {"tool": "deposit", "arguments": {"amount": 1}})
    page = console.get(f"instances/{id}/calls/")
    assert rows_of(page.text)[0] == "calls/259/"
    assert len(rows_of(page.text)) < 100
    older = re.search(r'href="(\?[^"]*)" rel="next"', page.text)
    assert older
    page = console.get(f"instances/{id}/calls/{unescape(older[1])}")
    assert len(rows_of(page.text)) == 100
    assert rel(page.text, "prev") is not None
    page = console.get(f"instances/{id}/calls/", at=0)
    assert rows_of(page.text)[-1] == "calls/0/"
    assert rel(page.text, "next") is None


def rel(page: str, which: str) -> str | None:
    found = re.search(rf'href="(\?[^"]*)" rel="{which}"', page)
    return unescape(found[1]) if found else None


def test_an_instance_without_calls_says_so(console: Console) -> None:
    id = console.open("bank", "")
    assert "Nothing was done yet" in text(console.get(f"instances/{id}/calls/"))
    none = console.get(f"instances/{id}/calls/0/")
    assert none.status_code == 404
    assert "none was made yet" in text(none)
    assert console.get(f"instances/{id}/calls/start/tables/").status_code == 200
    assert "No row differs" in text(console.get(f"instances/{id}/changes/"))


def test_a_call_has_a_link_of_its_own(console: Console, run: str) -> None:
    page = text(console.get(f"instances/{run}/calls/1/"))
    assert "Call 1 create_lead" in page
    assert '"first_name": "<i>Ada</i> Ærø"' in page
    assert "insert main.leads" in page
    refused = text(console.get(f"instances/{run}/calls/2/"))
    assert "Refused" in refused
    assert "No row changed" in refused
    missing = console.get(f"instances/{run}/calls/77/")
    assert missing.status_code == 404
    assert "5 were made, counted from 0, so that the last is call 4" in text(missing)
    moved = text(console.get(f"instances/{run}/between/0/"))
    assert "the clock moved 1 h" in moved
    assert "after call 3" in moved


def test_tables_are_seen_as_they_were_then_and_the_instance_stays(console: Console, run: str) -> None:
    state = console.get(f"instances/{run}/state.json").json()
    for call, there, gone in (("start", [], ["ada@"]), ("1", ["ada@"], ["grace@"]), ("4", ["ada@", "grace@"], [])):
        page = console.get(f"instances/{run}/calls/{call}/tables/main/leads/", sort="-created_at")
        assert page.status_code == 200, page.text
        for words in there:
            assert f"{words}engines.com" in page.text
        for words in gone:
            assert f"{words}engines.com" not in page.text
    marked = re.findall(
        r'<tr class="changed">.*?</tr>',
        console.get(f"instances/{run}/calls/1/tables/main/leads/", sort="-created_at").text,
    )
    assert len(marked) == 1
    assert "ada@engines.com" in marked[0]
    listed = text(console.get(f"instances/{run}/calls/0/tables/"))
    assert "companies" in listed
    assert console.get(f"instances/{run}/calls/1/tables/main/nothing/").status_code == 422
    assert console.get(f"instances/{run}/calls/9/tables/").status_code == 404
    assert console.get(f"instances/{run}/state.json").json() == state


def test_a_point_that_nothing_leads_back_to_says_why_and_keeps_the_slider(console: Console, server: Server) -> None:
    id = console.open("bank", "", clock_mode="wall")
    for _ in range(20):
        server.post(f"/api/v1/instances/{id}/calls", {"tool": "deposit", "arguments": {"amount": 1}})
    page = console.get(f"instances/{id}/calls/1/tables/")
    assert page.status_code == 422
    assert "a wall clock does not replay" in text(page)
    assert 'id="scrub"' in page.text
    assert console.part(f"instances/{id}/calls/1/tables/").status_code == 200
    assert console.get(f"instances/{id}/calls/15/tables/").status_code == 200
    assert "clock_mode tick" in text(console.post(f"instances/{id}/calls/19/replay/"))


def test_what_the_world_holds_is_shown_and_never_run(console: Console, server: Server) -> None:
    id = console.open("lab", "")
    name = "<script>alert(1)</script> \u202e 😀"
    server.post(f"/api/v1/instances/{id}/calls", {"tool": "make_box", "arguments": {"name": name}})
    large = {"name": "large", "facts": {"x": "é" * 100_000}}
    server.post(f"/api/v1/instances/{id}/calls", {"tool": "make_box", "arguments": large})
    for path in ("calls/", "calls/0/", "calls/0/tables/main/boxes/", "changes/"):
        page = console.get(f"instances/{id}/{path}")
        assert "<script>alert" not in page.text
        assert "😀" in page.text
    page = console.get(f"instances/{id}/calls/1/")
    assert "bytes, which are not kept" in text(page)
    assert "the rest stands in the episode" in text(page)
    assert len(page.content) < 200_000


def test_the_slider_leads_to_a_call_and_to_a_table(console: Console, run: str) -> None:
    assert str(console.get(f"instances/{run}/calls/scrub/", n=3).url).endswith("/calls/3/")
    there = console.get(f"instances/{run}/calls/scrub/", n=-1, view="tables", node="main", table="leads")
    assert str(there.url).endswith("/calls/start/tables/main/leads/")
    part = console.part(f"instances/{run}/calls/scrub/", n=3)
    assert part.headers["HX-Replace-Url"] == f"/console/instances/{run}/calls/3/"
    assert "<html" not in part.text
    assert console.get(f"instances/{run}/calls/scrub/", n="x").status_code == 400


def test_a_fork_begins_after_the_call_it_was_made_at(console: Console, run: str) -> None:
    twin = id_in(console.post(f"instances/{run}/calls/1/fork/"))
    assert twin != run
    assert rows_of(console.get(f"instances/{twin}/calls/").text) == ["calls/1/", "calls/0/"]
    console.call(twin, "create_lead", '{"email": "linus@engines.com"}')
    assert len(rows_of(console.get(f"instances/{run}/calls/").text)) == 6


def test_a_rewind_takes_back_what_came_later_for_those_who_look(console: Console, run: str) -> None:
    assert "4 →" in text(console.part(f"instances/{run}/calls/3/steps/"))
    assert console.get(f"instances/{run}/calls/1/rewind/").status_code == 405
    after = console.post(f"instances/{run}/calls/1/rewind/")
    assert rows_of(after.text) == ["calls/1/", "calls/0/"]
    assert "3 calls were taken back" in text(after)
    gone = console.part(f"instances/{run}/calls/3/steps/")
    assert "This call was taken back: 2 remain" in text(gone)
    assert console.get(f"instances/{run}/calls/3/").status_code == 404
    console.call(run, "create_lead", '{"email": "other@engines.com"}')
    now = console.get(f"instances/{run}/calls/2/tables/main/leads/", sort="-created_at").text
    assert "other@engines.com" in now
    assert "grace@engines.com" not in now


def test_a_replay_opens_a_new_instance_and_says_that_it_went_the_same_way(console: Console, run: str) -> None:
    page = console.post(f"instances/{run}/calls/4/replay/")
    assert "/replays/" in str(page.url)
    assert "It went the same way" in text(page)
    again = re.search(r'href="/console/instances/([0-9a-f-]{36})/">Go to the new', page.text)
    assert again
    ours, theirs = (console.get(f"instances/{id}/episode.json").json()["moves"] for id in (run, again[1]))
    assert ours == theirs
    assert console.get(str(page.url).split("/console/")[1]).status_code == 200
    assert console.get("replays/nothing/").status_code == 404


def test_an_ended_instance_is_gone_with_its_calls(console: Console, run: str) -> None:
    assert console.get(f"instances/{run}/calls/1/tables/").status_code == 200
    console.post(f"instances/{run}/end/")
    for path in ("calls/", "calls/1/", "calls/1/tables/", "changes/", "between/0/"):
        assert console.get(f"instances/{run}/{path}").status_code == 410


def test_changes_are_the_net_of_all_moves(console: Console, run: str) -> None:
    page = console.get(f"instances/{run}/changes/")
    assert "3 rows that differ from the start" in text(page)
    assert "+2 inserted" in text(page)
    assert "ada@engines.com" in page.text
    only = console.get(f"instances/{run}/changes/", table="main.companies")
    assert "ada@engines.com" not in only.text
    assert "1 row that fit, of 3" in text(only)
    assert "grace@engines.com" in console.get(f"instances/{run}/changes/", q="grace").text
    console.post(f"instances/{run}/calls/0/rewind/")
    assert "1 row that differs from the start" in text(console.get(f"instances/{run}/changes/"))


def test_who_may_only_look_moves_nothing(guarded: Server) -> None:
    operator, viewer = Console(guarded).log_in("op"), Console(guarded).log_in("vi")
    id = operator.open("bank", "")
    operator.call(id, "deposit", '{"amount": 3}')
    page = viewer.get(f"instances/{id}/calls/0/")
    assert "Rewind to here" not in page.text
    assert "agent-" not in page.text
    assert "agent-" in operator.get(f"instances/{id}/calls/0/").text
    for do in ("fork", "rewind", "replay"):
        assert viewer.post(f"instances/{id}/calls/0/{do}/").status_code == 403
    assert viewer.get(f"instances/{id}/calls/0/tables/").status_code == 200
    operator.http.close()
    viewer.http.close()


# What is copied does what it says.


def snippet(page: str, name: str) -> str:
    found = re.search(rf'(?s)<pre id="copy-{name}"[^>]*>(.*?)</pre>', page)
    assert found
    return unescape(found[1])


def ran(*command: str, folder: Path = ROOT) -> str:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "seahaven_site.settings",
        "SEAHAVEN_WORLDS": "worlds.crm,tests.worlds.lab,tests.worlds.bank",
        "no_proxy": "127.0.0.1",
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_call_is_copied_as_python_curl_and_mcp(console: Console) -> None:
    id = console.open()
    console.call(id, "create_company", '{"name": "O\'Hara & \\"Sons\\"", "domain": "ohara.com"}')
    console.call(id, "create_lead", '{"email": "x@ohara.com"}')
    console.call(id, "create_lead", '{"email": "x@ohara.com"}')
    name = """{"email": "zo\u00eb@ohara.com", "first_name": "Zo\u00eb 'Z' $HOME `ls`"}"""
    console.call(id, "create_lead", name)
    page = console.get(f"instances/{id}/calls/3/").text
    recorded = console.get(f"instances/{id}/episode.json").json()["moves"][3]["result"]
    for language in ("python", "in-process"):
        code = snippet(page, language)
        answer = ran(sys.executable, "-c", code)
        assert recorded["id"] in answer
        assert "Zo\u00eb 'Z' $HOME `ls`" in answer
    # The other two make the call once more, here, where the lead exists by now.
    answer = json.loads(ran("bash", "-c", snippet(page, "curl")))
    assert answer["ordinal"] == 4
    assert answer["error"]["details"]
    assert "zo\u00eb@ohara.com" in ran(sys.executable, "-c", snippet(page, "mcp"))
    assert len(console.get(f"instances/{id}/episode.json").json()["moves"]) == 6


# In a browser.


def test_the_timeline_grows_live_without_losing_place_or_focus(page: Any, server: Server, console: Console) -> None:
    id = console.open("bank", "")
    call = {"tool": "deposit", "arguments": {"amount": 1}}
    for _ in range(60):
        server.post(f"/api/v1/instances/{id}/calls", call)
    page.goto(f"/console/instances/{id}/calls/")
    page.wait_for_load_state("networkidle")  # it asks once more as soon as its line is up
    page.locator("#c20").focus()
    page.locator("#c20").scroll_into_view_if_needed()
    before = page.locator("#c20").bounding_box()["y"]
    server.post(f"/api/v1/instances/{id}/calls", call)
    page.locator("#c60").wait_for()
    assert page.evaluate("document.activeElement.id") == "c20"
    page.wait_for_function(
        "y => Math.abs(document.querySelector('#c20').getBoundingClientRect().top - y) < 2", arg=before
    )


def test_a_run_is_walked_scrubbed_and_copied_by_keys(page: Any, console: Console, run: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"/console/instances/{run}/calls/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/calls/3/")
    page.keyboard.press("h")
    page.get_by_role("heading", name="Call 2").wait_for()
    page.wait_for_url("**/calls/2/")
    page.keyboard.press("l")
    page.get_by_role("heading", name="Call 3").wait_for()
    page.wait_for_function("document.querySelector('#scrub').value === '3'")
    page.locator("#scrub").focus()
    page.keyboard.press("Home")
    page.get_by_role("heading", name="Call 0").wait_for()
    page.wait_for_url("**/calls/0/")
    page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name="Call 1").wait_for()
    page.wait_for_url("**/calls/1/")
    page.get_by_text("Copy as Python").click()
    page.locator("[data-copy=copy-curl]").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()").startswith("curl -s ")
    page.keyboard.press("t")
    page.wait_for_url("**/calls/1/tables/")
    page.get_by_role("link", name="leads", exact=True).click()
    page.locator("tr.changed").get_by_text("ada@engines.com").wait_for()
    page.locator("#scrub").focus()
    page.keyboard.press("End")
    page.wait_for_url("**/calls/4/tables/main/leads/")
    page.keyboard.press("ArrowLeft")
    page.locator("tr.changed").get_by_text("grace@engines.com").wait_for()
    page.reload()
    page.locator("tr.changed").get_by_text("grace@engines.com").wait_for()


def test_who_looks_at_the_latest_call_is_led_on_when_another_is_made(page: Any, console: Console, run: str) -> None:
    page.goto(f"/console/instances/{run}/calls/4/")
    page.get_by_text("the latest").wait_for()
    console.call(run, "list_leads")
    page.get_by_role("link", name="5 →").wait_for()
    page.locator("#scrub[max='5']").wait_for()
    page.keyboard.press("l")
    page.get_by_role("heading", name="Call 5").wait_for()
    console.post(f"instances/{run}/calls/2/rewind/")
    page.get_by_text("This call was taken back: 3 remain").wait_for()


def test_a_rewind_asks_first(page: Any, run: str) -> None:
    page.goto(f"/console/instances/{run}/calls/1/")
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("button", name="Rewind to here").click()
    assert page.url.endswith("/calls/1/")
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Rewind to here").click()
    page.wait_for_url("**/calls/")
    page.get_by_text("3 calls were taken back").wait_for()
