"""Can somebody see what an agent did, and make a starting state of it, with nothing but a keyboard?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.console.conftest import Trouble
from tests.console.shelves import shelf_server
from tests.openenv.servers import Server, result


@pytest.fixture(scope="module")
def shelf(var_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose fixtures stand in a folder of their own."""
    with shelf_server(var_dir, tmp_path_factory.mktemp("shelf"), open_console=1) as running:
        yield running


class Hands:
    """Somebody without a mouse."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)

    def go(self, *keys: str, to: str) -> None:
        """Press keys that lead to another page."""
        with self.page.expect_navigation(url=re.compile(to)):
            self.press(*keys)

    def leave(self) -> None:
        """Leave the field, so that keys mean the page again."""
        self.press("Escape")

    def tab_to(self, name: str) -> None:
        """Walk on to the field or button of that name."""
        for _ in range(120):
            self.page.keyboard.press("Tab")
            at = self.page.evaluate("""() => {
                const at = document.activeElement;
                const label = at.labels?.[0]?.innerText ?? "";
                return (at.getAttribute("aria-label") || label || at.innerText || "").trim();
            }""")
            if re.match(name, at):
                return
        raise AssertionError(f"no Tab leads to {name!r} on {self.page.url}")

    def sees(self, text: str | re.Pattern[str]) -> None:
        self.page.get_by_text(text).first.wait_for()

    def call(self, tool: str, **arguments: str) -> None:
        """From any page of an instance: choose a tool, fill in its form, and send it."""
        self.leave()
        self.go("1", to="/tools/")
        self.press("/")
        self.type(tool)
        self.go("Enter", to=f"/tools/{tool}/")
        for name, value in arguments.items():
            self.tab_to(rf"{name}\b")
            self.type(value)
        self.press("Control+Enter")
        self.page.locator("#outcome").get_by_role("heading", name=re.compile("Result|Refused")).wait_for()


@pytest.fixture
def hands(chromium: Any, shelf: Server) -> Iterator[Hands]:
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, base_url=shelf.url)
    page = context.new_page()
    page.set_default_timeout(10_000)
    trouble = Trouble()
    trouble.listen(page, shelf.address)
    page.goto("/console/")
    yield Hands(page)
    context.close()
    assert trouble == []


def test_from_opening_to_a_frozen_fixture_without_a_mouse(hands: Hands, shelf: Server) -> None:
    page = hands.page
    # Open an instance.
    hands.go("n", to="/instances/open/$")
    page.get_by_role("link", name="crm").first.wait_for()
    hands.go("j", "Enter", to="/instances/open/crm/")
    hands.tab_to("Seed")
    hands.press("Control+a")
    hands.type("7")
    hands.go("Control+Enter", to="/tools/")
    first = page.url
    hands.sees("seed 7")
    # Call tools, and see what changed.
    hands.call("create_company", name="Analytical Engines")
    hands.call("create_lead", email="ada@engines.com", first_name="Ada")
    outcome = page.locator("#outcome")
    assert outcome.locator("table.insert caption").inner_text().startswith("insert main.leads")
    assert "ada@engines.com" in outcome.locator("table.insert .after").all_inner_texts()
    hands.call("create_lead", email="ada@engines.com")
    assert "Refused" in outcome.inner_text()
    # The timeline, a call of it, and the tables as they were then.
    hands.leave()
    hands.go("2", to="/calls/")
    assert [text.split()[0] for text in page.locator("[data-walk] a").all_inner_texts()][::-1][:2] == [
        "create_company",
        "create_lead",
    ]
    hands.press("j")
    hands.go("j", "Enter", to=r"/calls/1/")
    assert "ada@engines.com" in page.inner_text("main")
    hands.go("t", to="/calls/1/tables/")
    hands.go("u", to="/calls/1/$")
    hands.press("h")
    hands.sees(re.compile("Call 0"))
    page.wait_for_url(re.compile("/calls/0/"))
    page.wait_for_load_state("networkidle")
    slider = page.get_by_role("slider")
    slider.focus()
    hands.press("ArrowRight")
    page.wait_for_url(re.compile("/calls/1/"))
    hands.sees(re.compile("Call 1"))
    # Fork from there, and go another way.
    page.wait_for_load_state("networkidle")
    hands.tab_to("Fork from here")
    hands.press("Enter")
    page.wait_for_url(lambda url: "/instances/" in url and url.split("/")[5] != first.split("/")[5])
    twin = page.url
    hands.call("create_lead", email="grace@engines.com")
    # Compare the two.
    hands.leave()
    hands.go("2", to="/calls/")
    hands.tab_to("Compare with")
    hands.go("Enter", to="/compare/")
    options = page.locator("select[name=b] option").all_inner_texts()
    mine = next(option for option in options if first.split("/")[5][:8] in option)
    hands.tab_to("Second run")
    hands.type(mine[:8])
    hands.press("Control+Enter")
    hands.sees("They first differ at")
    assert "call 2" in page.inner_text("main")
    # Freeze the fork, and have OpenEnv serve it.
    page.goto(twin)
    hands.tab_to("Freeze")
    hands.go("Enter", to="/freeze/")
    hands.tab_to("(Id|id)")
    hands.type("engines_won")
    hands.tab_to("Description")
    hands.type("Ada and Grace are leads of the Analytical Engines.")
    hands.go("Control+Enter", to="/fixtures/crm/engines_won/")
    hands.sees("Ada and Grace are leads")
    with shelf.socket("/worlds/crm/ws") as trainer:
        trainer.reset(fixture="engines_won", seed=1)
        found = result(trainer.step("list_leads", limit=2))
        assert {lead["email"] for lead in found["leads"]} == {"ada@engines.com", "grace@engines.com"}


def test_every_control_of_a_page_shows_that_it_has_the_focus(hands: Hands) -> None:
    page = hands.page
    for path in ("", "instances/open/crm/", "fixtures/"):
        page.goto(f"/console/{path}")
        for _ in range(25):
            hands.press("Tab")
            unseen = page.evaluate("""() => {
                const at = document.activeElement, style = getComputedStyle(at);
                const shows = style.outlineStyle !== "none" || style.boxShadow !== "none";
                return shows || at === document.body ? "" : at.outerHTML;
            }""")
            assert unseen == ""
