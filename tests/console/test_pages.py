"""Can everybody use every page: in light and dark, on a laptop and a telephone, with a keyboard and a screen reader?

With SEAHAVEN_SCREENSHOTS=1 what the pages look like is kept in docs/console/.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.console.conftest import Console, Trouble, picture
from tests.openenv.servers import Server

#: By the name of its picture; {id} is an instance that did something, {twin} another one.
PAGES = {
    "home": "",
    "instances": "instances/",
    "choose": "instances/open/",
    "open": "instances/open/crm/",
    "tools": "instances/{id}/tools/",
    "tool": "instances/{id}/tools/create_deal/",
    "timeline": "instances/{id}/calls/",
    "call": "instances/{id}/calls/1/",
    "then": "instances/{id}/calls/1/tables/main/leads/",
    "tables": "instances/{id}/tables/",
    "table": "instances/{id}/tables/main/leads/",
    "row": "instances/{id}/tables/main/leads/row/?id=lead_37FMChPdANpTky",
    "login": "login/",
    "sql": "instances/{id}/sql/?q=SELECT+status,+count(*)+AS+leads+FROM+leads+GROUP+BY+status",
    "schema": "instances/{id}/schema/",
    "changes": "instances/{id}/changes/",
    "compare": "compare/?a={id}&b={twin}",
    "fixtures": "fixtures/",
    "fixture": "fixtures/crm/small_startup/",
    "fixture-rows": "fixtures/crm/small_startup/tables/main/leads/",
    "freeze": "instances/{id}/freeze/",
    "fixtures-compared": "fixtures/crm/compare/?a=empty&b=small_startup",
    "keys": "help/",
}
LOOKS = {
    "light": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "narrow": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}


@pytest.fixture(scope="module")
def places(server: Server) -> dict[str, str]:
    """Two instances that began alike and went different ways."""
    somebody = Console(server)
    found = {}
    for name, city in (("id", "Oslo"), ("twin", "Bergen")):
        found[name] = somebody.open()
        somebody.call(found[name], "create_company", '{"name": "Analytical Engines", "domain": "engines.com"}')
        somebody.call(found[name], "create_lead", '{"email": "ada@engines.com", "first_name": "Ada"}')
        somebody.call(found[name], "create_lead", '{"email": "ada@engines.com"}')
        somebody.call(found[name], "create_lead", f'{{"email": "{city.lower()}@engines.com"}}')
        somebody.call(found[name], "list_leads", '{"limit": 3}')
    somebody.http.close()
    return found


@pytest.fixture(scope="module", params=LOOKS)
def look(request: pytest.FixtureRequest, chromium: Any, server: Server) -> Iterator[tuple[str, Any, Trouble]]:
    """A window of some size, in light or dark."""
    context = chromium.new_context(base_url=server.url, **LOOKS[request.param])
    page = context.new_page()
    page.set_default_timeout(15_000)
    trouble = Trouble()
    trouble.listen(page, server.address)
    yield request.param, page, trouble
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_accessible_and_fits(name: str, look: tuple[str, Any, Trouble], places: dict[str, str]) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    how, page, trouble = look
    trouble.clear()
    answer = page.goto(f"/console/{PAGES[name].format(**places)}")
    page.wait_for_load_state("networkidle") if name != "home" else page.wait_for_timeout(200)
    assert answer.status == 200, page.inner_text("main")
    assert page.inner_text("h1")
    faults = [
        (fault["id"], fault["nodes"][0]["html"][:200], fault["nodes"][0].get("failureSummary", "")[:300])
        for fault in axe.run(page).response["violations"]
        if fault["impact"] in ("serious", "critical")
    ]
    assert faults == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert trouble == []
    picture(page, f"{name}-{how}")
