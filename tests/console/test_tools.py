"""Can somebody call a tool without knowing its schema, and see what came of it?"""

from __future__ import annotations

import json
import re
from typing import Any

from console.views.tools import called
from tests.console.conftest import Console
from worlds.engine import installed


def test_a_form_is_filled_in_and_called(console: Console) -> None:
    id = console.open()
    path = f"instances/{id}/tools/create_lead/"
    answer = console.post(
        path, **{"/email": "ada@example.com", "/first_name": "Ada", "/source": '"event"', "/title": ""}
    )
    assert answer.status_code == 200
    assert "Result" in answer.text
    made = console.get(f"instances/{id}/episode.json").json()
    assert '"source": "event"' in json.dumps(made) or '"event"' in answer.text
    assert 'value="ada@example.com"' in answer.text, "what was typed stays"


def test_a_mistake_is_shown_at_its_field_and_nothing_is_called(console: Console) -> None:
    id = console.open()
    path = f"instances/{id}/tools/list_leads/"
    answer = console.post(path, **{"/limit": "ten", "/status": '"new"'})
    assert answer.status_code == 400
    assert "&#x27;ten&#x27; is no number." in answer.text
    assert 'href="#argument/limit"' in answer.text
    assert 'value="ten"' in answer.text
    assert re.search(r'value="&quot;new&quot;" selected', answer.text)
    assert "<dt>Calls</dt><dd>0</dd>" in console.get(path).text


def test_an_address_fills_the_form_in(console: Console) -> None:
    id = console.open()
    path = f"instances/{id}/tools/create_lead/"
    told = '{"email": "ada@example.com", "unheard_of": [1]}'
    form = console.get(path, arguments=told).text
    assert 'value="ada@example.com"' in form
    assert "unheard_of" in form
    raw = console.get(path, arguments=told, raw=1).text
    assert "&quot;email&quot;: &quot;ada@example.com&quot;" in raw
    broken = console.get(path, arguments="{email}")
    assert broken.status_code == 200
    assert "line 1 column 2" in broken.text


def test_what_was_typed_goes_along_to_json_and_back(console: Console) -> None:
    id = console.open()
    path = f"instances/{id}/tools/list_leads/"
    raw = console.post(path, **{"/limit": "3", "/status": '"new"', "show": "raw"})
    assert 'name="arguments"' in raw.text
    assert "&quot;limit&quot;: 3" in raw.text
    back = console.post(path, arguments='{"limit": 4, "odd": {"a": 1}}', show="fields")
    assert 'name="/limit" value="4"' in back.text
    assert "odd" in back.text
    assert "No JSON" in console.post(path, arguments="{", show="fields").text


def test_another_row_is_free_without_a_script(console: Console) -> None:
    id = console.open()
    answer = console.post(f"instances/{id}/tools/set_tags/", **{"/tags/0": "vip", "/record_id": "x", "show": "form"})
    assert 'value="vip"' in answer.text or ">\nvip</textarea>" in answer.text
    assert 'name="/tags/1"' in answer.text
    assert 'value="x"' in answer.text


def test_a_viewer_reads_a_tool_and_does_not_call_it(guarded: Any) -> None:
    operator, viewer = Console(guarded).log_in("op"), Console(guarded).log_in("vi")
    id = operator.open()
    path = f"instances/{id}/tools/create_lead/"
    assert "needs the role operator" in viewer.get(path).text
    assert viewer.post(path, arguments="{}").status_code == 403
    assert "<dt>Calls</dt><dd>0</dd>" in viewer.get(path).text
    operator.http.close()
    viewer.http.close()


def test_the_author_of_a_bug_reads_what_it_is() -> None:
    with installed.get("lab").instance() as inst:
        outcome = called(inst, "fail_after_writing", {"how": "bug"})
        assert outcome["error"]["message"] == "The world has a bug here. ValueError: a secret detail"
        assert (outcome["ordinal"], outcome["changes"]) == (0, [])
        assert "sorted(...)" in called(inst, "fail_after_writing", {"how": "set"})["error"]["message"]
        assert called(inst, "make_box", {"name": "a"})["ordinal"] == 2


def test_htmx_swaps_what_came_of_it_and_the_address_keeps_what_was_typed(page: Any, console: Console) -> None:
    id = console.open()
    page.goto(f"/console/instances/{id}/tools/create_lead/")
    page.get_by_label("first_name", exact=True).fill("Ada")
    page.keyboard.press("Control+Enter")
    page.get_by_text("Not called yet.").wait_for()
    page.get_by_label("email", exact=True).fill("ada@example.com")
    page.keyboard.press("Control+Enter")
    page.locator("#outcome").get_by_text("Result").wait_for()
    assert page.locator("#outcome td.after", has_text="ada@example.com").first.is_visible()
    assert "ada%40example.com" in page.url
    page.reload()
    assert page.get_by_label("first_name", exact=True).input_value() == "Ada"
    page.get_by_role("button", name="Edit as JSON").click()
    assert '"first_name": "Ada"' in page.get_by_label("Arguments, as JSON").input_value()
    page.reload()
    page.get_by_label("Arguments, as JSON").fill('{"email": "bob@example.com"}')
    page.get_by_role("button", name="Use the form").click()
    assert page.get_by_label("email", exact=True).input_value() == "bob@example.com"


def test_rows_come_and_go(page: Any, console: Console) -> None:
    id = console.open()
    page.goto(f"/console/instances/{id}/tools/set_tags/")
    tags = page.get_by_role("group", name="tags")
    boxes = tags.locator("input[type=text], textarea")
    boxes.nth(0).fill("vip")
    boxes.nth(1).fill("cold")
    boxes.nth(2).fill("new")
    assert boxes.count() == 4, "one is free"
    tags.get_by_role("button", name="Remove").nth(1).click()
    page.get_by_role("button", name="Edit as JSON").click()
    told = json.loads(page.get_by_label("Arguments, as JSON").input_value())
    assert told["tags"] == ["vip", "new"]
