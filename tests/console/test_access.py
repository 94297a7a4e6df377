"""Who gets in, and what may each role do?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.console.conftest import Console
from tests.openenv.servers import Server


@pytest.fixture
def somebody(guarded: Server) -> Iterator[Callable[[str], Console]]:
    opened: list[Console] = []

    def log_in(name: str) -> Console:
        opened.append(Console(guarded))
        return opened[-1].log_in(name) if name else opened[-1]

    yield log_in
    for each in opened:
        each.http.close()


def test_strangers_are_asked_to_log_in_and_led_back(somebody: Callable[[str], Console]) -> None:
    answer = somebody("").get("instances/", world="crm")
    assert "Log in" in answer.text
    assert "next=%2Fconsole%2Finstances%2F%3Fworld%3Dcrm" in str(answer.url)
    part = somebody("").part("instances/")
    assert part.headers["HX-Redirect"].startswith("/console/login/")


def test_a_viewer_sees_and_moves_nothing(somebody: Callable[[str], Console]) -> None:
    id = somebody("op").open()
    viewer = somebody("vi")
    text = viewer.get(f"instances/{id}/tools/create_lead/").text
    assert "create_lead" in text
    assert "<textarea" not in text
    for path, data in (
        ("instances/open/crm/", {"fixture": "empty"}),
        (f"instances/{id}/tools/create_lead/", {"arguments": "{}"}),
        (f"instances/{id}/fork/", {}),
        (f"instances/{id}/end/", {}),
        (f"instances/{id}/advance/", {"amount": 1, "unit": "days"}),
    ):
        answer = viewer.post(path, **data)
        assert answer.status_code == 403, path
        assert "operator" in answer.text
    assert somebody("op").get(f"instances/{id}/tools/").status_code == 200


def test_a_user_without_a_role_is_told_whom_to_ask(somebody: Callable[[str], Console]) -> None:
    answer = somebody("nobody").get("")
    assert answer.status_code == 403
    assert "ask whoever runs this server" in answer.text


def test_an_operator_and_a_superuser_open_and_call(somebody: Callable[[str], Console]) -> None:
    for name in ("op", "cu", "root"):
        user = somebody(name)
        id = user.open()
        assert "ada@example.com" in user.call(id, "create_lead", '{"email": "ada@example.com"}').text
        assert name in user.get("").text


def test_what_came_through_a_proxy_is_not_from_this_machine(console: Console) -> None:
    assert console.http.get("/console/", headers={"X-Forwarded-For": "127.0.0.1"}).url.path == "/console/login/"


def test_a_form_of_another_page_is_refused(console: Console) -> None:
    id = console.open()
    console.http.cookies.clear()
    assert console.http.post(f"/console/instances/{id}/end/").status_code == 403
    assert console.get(f"instances/{id}/tools/").status_code == 200
