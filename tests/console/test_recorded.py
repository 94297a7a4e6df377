"""Can people find a recorded episode in the browser, read it and replay it, and make a key there?"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.console.conftest import WORLDS, Trouble, picture
from tests.openenv.servers import Server


@pytest.fixture(scope="module")
def recording(var_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that has recorded three episodes."""
    folder = shutil.copytree(var_dir, tmp_path_factory.mktemp("recording") / "var")
    with Server(worlds=WORLDS, var_dir=folder, log_level="WARNING", record_episodes=1) as running:
        for seed in (1, 2, 3):
            with running.socket() as client:
                client.reset(world="crm", fixture="small_startup", seed=seed, task={"goal": "Qualify what is new."})
                client.step("create_lead", email="ada@example.com", first_name="Ada")
                client.step("update_lead", lead_id="nobody", status="working")
        end = time.monotonic() + 10
        while len(list((folder / "episodes").glob("*/*.gz"))) < 3:
            assert time.monotonic() < end, "they are recorded"
            time.sleep(0.05)
        time.sleep(0.5)  # until their rows are written, too
        yield running


@pytest.fixture(params=[1280, 390])
def visit(request: pytest.FixtureRequest, chromium: Any, recording: Server) -> Iterator[Any]:
    """Opens the admin for somebody, on a laptop and on a telephone; in the end there must have been no trouble."""
    contexts, trouble = [], Trouble()

    def log_in(name: str) -> Any:
        context = chromium.new_context(viewport={"width": request.param, "height": 800}, base_url=recording.url)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        trouble.listen(page, recording.address)
        page.goto("/admin/")
        page.fill("#id_username", name)
        page.fill("#id_password", "sea")
        page.press("#id_password", "Enter")
        page.wait_for_selector("#roles")
        return page

    yield log_in
    for context in contexts:
        context.close()
    assert trouble == []


def keep(page: Any, name: str) -> None:
    picture(page, f"{name}-{'light' if page.viewport_size['width'] > 400 else 'narrow'}")


def require_accessible(page: Any) -> None:
    found = pytest.importorskip("axe_playwright_python.sync_playwright").Axe().run(page).response["violations"]
    assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_an_episode_is_found_read_and_replayed(visit: Any) -> None:
    page = visit("cu")
    page.goto("/admin/openenv_api/recordedepisode/")
    require_accessible(page)
    keep(page, "recorded-episodes")
    page.get_by_label("Search", exact=True).fill("update_lead small_startup")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=update_lead*")
    page.locator("#result_list tbody th a").first.click()
    page.wait_for_selector("text=What was done")
    page.locator("details.changes summary").first.click()
    page.get_by_role("cell", name="ada@example.com").wait_for()
    require_accessible(page)
    keep(page, "recorded-episode")
    page.get_by_label("Refused only").check()
    page.get_by_role("button", name="Show").click()
    page.get_by_text("1 of 2 moves").wait_for()
    page.reload()
    assert page.get_by_label("Refused only").is_checked()
    with page.expect_download() as downloaded:
        page.get_by_role("link", name="Download the episode").click()
    assert re.fullmatch(r"episode-[0-9a-f-]{36}\.json", downloaded.value.suggested_filename)
    page.get_by_role("button", name="Replay into a new instance").click()
    page.wait_for_url("**/console/instances/**")
    page.get_by_text("It went the same way: 2 moves are equal.").wait_for()


def test_a_key_is_made_and_revoked(visit: Any) -> None:
    page = visit("root")
    require_accessible(page)
    keep(page, "admin")
    name = f"trainer {page.viewport_size['width']}"
    page.goto("/admin/openenv_api/apikey/add/")
    page.get_by_label("Name:").fill(name)
    page.get_by_label("Scope:").select_option("evaluator")
    page.get_by_role("button", name="Save", exact=True).click()
    key = page.get_by_label("The key", exact=True).inner_text()
    assert key.startswith("seahaven_evaluator_")
    require_accessible(page)
    page.get_by_role("link", name="I have copied it").click()
    page.get_by_role("link", name=name).click()
    assert key not in page.content()
    page.get_by_role("link", name="Revoke").click()
    page.get_by_text("was never used").wait_for()
    require_accessible(page)
    page.get_by_role("button", name="Revoke it").click()
    page.get_by_text(f"The key {name} is good for nothing from now on.").wait_for()
