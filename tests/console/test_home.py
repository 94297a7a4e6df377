"""Does the first page show what the server has, and what happens on it?"""

from __future__ import annotations

import re
from typing import Any

from tests.console.conftest import Console
from tests.openenv.servers import Server


def test_every_world_is_shown_with_its_tools_fixtures_and_live_instances(console: Console) -> None:
    console.open("crm", "empty")
    text = console.get("").text
    card = text[text.index(">crm</a>") : text.index("</li>", text.index(">crm</a>"))]
    assert "A sales CRM" in card
    assert "32 tools" in card
    assert 'href="/console/fixtures/crm/big_co/"' in card
    found = re.search(r'href="/console/instances/\?world=crm">(\d+) live', card)
    assert found
    assert int(found[1]) >= 1
    assert 'href="/console/instances/open/crm/"' in card
    for world in ("lab", "bank"):
        assert f">{world}</a>" in text


def test_the_numbers_of_the_server_are_told_again_and_again(console: Console) -> None:
    part = console.get("numbers/").text
    for label in ("Live instances", "Calls a second", "Memory"):
        assert label in part
    assert re.search(r"<b>[\d,]+ MB</b>", part)


def test_the_number_of_instances_is_that_of_this_moment(console: Console) -> None:
    def live() -> int:
        found = re.search(r"Live instances.*?<b>([\d,]+)</b>", console.get("").text, re.DOTALL)
        assert found
        return int(found[1].replace(",", ""))

    before = live()
    id = console.open("crm", "empty")
    assert live() == before + 1
    console.post(f"instances/{id}/end/")
    assert live() == before


def test_a_trainer_shows_up_while_the_page_is_looked_at(page: Any, server: Server) -> None:
    live = page.locator("#open-bank")
    before = int(live.inner_text().split()[0])
    with server.socket("/worlds/bank/ws") as trainer:
        trainer.reset(seed=5)
        trainer.step("deposit", amount=3)
        page.locator("#open-bank", has_text=f"{before + 1} live").wait_for()
        page.locator("#latest").get_by_role("row").filter(has_text="bank").first.wait_for()
        page.locator("#numbers polyline").first.wait_for()


def test_worlds_are_walked_through_and_opened_with_keys(page: Any) -> None:
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/console/instances/open/crm/")
    page.get_by_label("Seed").focus()
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/tools/")
