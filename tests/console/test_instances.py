"""Can somebody open an instance, see what it does, move it and end it?"""

from __future__ import annotations

import re
from typing import Any

from tests.console.conftest import Console
from tests.openenv.servers import Server, result


def test_an_instance_is_opened_as_asked_and_ended(console: Console) -> None:
    id = console.open("crm", "small_startup", now="2026-07-01T00:00:00Z", clock_mode="fixed")
    text = console.get(f"instances/{id}/tools/").text
    assert "2026-07-01T00:00:00.000Z" in text
    assert "opened by console" in text
    console.call(id, "create_lead", '{"email": "ada@example.com"}')
    ended = console.post(f"instances/{id}/end/")
    assert ended.status_code == 200
    over = console.get(f"instances/{id}/tools/")
    assert over.status_code == 410
    assert "somebody ended it in the console" in over.text


def test_what_does_not_fit_is_said_and_nothing_typed_is_lost(console: Console) -> None:
    wrong = console.post("instances/open/crm/", fixture="small_startup", now="2020-01-01T00:00:00Z", startup='{"a": 1}')
    assert wrong.status_code == 422
    assert "Startup keyword" in wrong.text or "before fixture" in wrong.text
    assert 'value="2020-01-01T00:00:00Z"' in wrong.text
    assert "Write an object of keywords" in console.post("instances/open/crm/", startup="[1]").text
    text = console.post("instances/open/crm/", now="yesterday").text
    assert 'value="yesterday"' in text
    assert "which is no instant; write 2026-06-01" in text


def test_a_call_shows_its_result_and_the_cells_that_changed(console: Console) -> None:
    id = console.open()
    text = console.call(id, "create_lead", '{"email": "ada@example.com"}').text
    assert "Result" in text
    assert re.search(r"<b>insert</b>\s*main.leads", text)
    assert "ada@example.com" in text
    refused = console.call(id, "create_lead", '{"email": "ada@example.com"}').text
    assert "Refused" in refused
    assert "No row changed" in refused


def test_arguments_that_are_no_json_are_refused_with_the_place(console: Console) -> None:
    id = console.open()
    answer = console.post(f"instances/{id}/tools/create_lead/", arguments="{email}")
    assert answer.status_code == 400
    assert "No JSON" in answer.text


def test_an_instance_is_forked_and_its_clock_moved(console: Console) -> None:
    id = console.open()
    twin = re.search(r"instances/([0-9a-f-]{36})/", str(console.post(f"instances/{id}/fork/").url))
    assert twin
    assert twin[1] != id
    advanced = console.post(f"instances/{twin[1]}/advance/", amount=2, unit="days")
    assert "2026-06-03T" in advanced.text
    assert str(advanced.url).endswith(f"{twin[1]}/calls/")  # where what was done is seen, though it was no call
    assert str(console.get(f"instances/{id}/").url).endswith(f"{id}/tools/")
    assert "2026-06-03T" not in console.get(f"instances/{id}/tools/").text


def test_a_trainers_instance_is_listed_and_seen(console: Console, server: Server) -> None:
    with server.socket("/worlds/bank/ws") as trainer:
        told = trainer.reset(seed=5)["data"]["metadata"]
        assert result(trainer.step("deposit", amount=3)) == 3
        listed = console.get("instances/", world="bank").text
        assert "openenv" in listed
        assert told["world"] == "bank"


def test_documents_are_downloaded(console: Console) -> None:
    id = console.open()
    console.call(id, "create_lead", '{"email": "ada@example.com"}')
    assert console.get(f"instances/{id}/state.json").json()["format"] == "seahaven.state/1"
    assert console.get(f"instances/{id}/episode.json").json()["format"] == "seahaven.episode/1"


def test_a_link_that_is_followed_changes_nothing(console: Console) -> None:
    id = console.open()
    assert console.get(f"instances/{id}/end/").status_code == 405
    assert console.get(f"instances/{id}/tools/").status_code == 200


def test_the_page_follows_a_trainer_live(page: Any, server: Server) -> None:
    page.goto("/console/instances/?world=bank")
    with server.socket("/worlds/bank/ws") as trainer:
        trainer.reset(seed=5)
        trainer.step("deposit", amount=3)
        page.get_by_role("row").filter(has_text="openenv").first.wait_for()
        page.get_by_role("row").filter(has_text="openenv").first.get_by_role("link").click()
        page.locator("#standing").get_by_text("1", exact=True).wait_for()
        trainer.step("deposit", amount=4)
        page.locator("#standing").get_by_text("2", exact=True).wait_for()
