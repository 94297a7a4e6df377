"""Does the second form of the API, v2, answer as its SDK expects?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.stripe.conftest import Api
from worlds.engine import HttpRequest, Instance


class Second:
    """A caller that sends JSON."""

    def __init__(self, inst: Instance) -> None:
        self.inst = inst

    def send(self, method: str, path: str, body: Any = None, query: str = "") -> tuple[int, dict[str, Any]]:
        headers = {"authorization": "Bearer sk_test_1", "content-type": "application/json"}
        text = "" if body is None else json.dumps(body)
        answer = self.inst.http(HttpRequest.of(method, path, query=query, body=text, headers=headers))
        return answer.status, json.loads(answer.body)

    def ok(self, method: str, path: str, body: Any = None, query: str = "") -> dict[str, Any]:
        status, found = self.send(method, path, body, query)
        assert status == 200, found
        return found


@pytest.fixture
def v2(account: Instance) -> Second:
    return Second(account)


_SHOP = {"display_name": "Shop", "identity": {"country": "us"}, "metadata": {"a": "1", "b": "2"}}


def test_times_are_text_and_parts_are_shown_when_included(v2: Second) -> None:
    made = v2.ok("POST", "/v2/core/accounts", _SHOP)
    assert made["object"] == "v2.core.account"
    assert made["created"].startswith("2026-06-01T09:00:")
    assert made["created"].endswith("Z")
    assert made["identity"] is None
    shown = v2.ok("GET", f"/v2/core/accounts/{made['id']}", query="include[0]=identity")
    assert shown["identity"] == {"country": "us"}


def test_null_clears_and_takes_keys_away(v2: Second) -> None:
    id = v2.ok("POST", "/v2/core/accounts", _SHOP)["id"]
    changed = v2.ok("POST", f"/v2/core/accounts/{id}", {"display_name": None, "metadata": {"a": None}})
    assert (changed["display_name"], changed["metadata"]) == (None, {"b": "2"})


def test_pages_name_the_address_of_the_next(v2: Second) -> None:
    ids = [v2.ok("POST", "/v2/core/accounts", {"display_name": f"S{n}"})["id"] for n in range(5)]
    found: list[str] = []
    path, query = "/v2/core/accounts", "limit=2"
    for _ in range(3):
        page = v2.ok("GET", path, query=query)
        found += [each["id"] for each in page["data"]]
        if page["next_page_url"] is None:
            break
        path, _, query = page["next_page_url"].partition("?")
    assert found == ids[::-1]


def test_actions_and_deletion(v2: Second) -> None:
    made = v2.ok("POST", "/v2/core/event_destinations", {
        "name": "mine", "type": "webhook_endpoint", "event_payload": "thin", "enabled_events": ["v2.core.event"],
        "webhook_endpoint": {"url": "https://example.com"}})  # fmt: skip
    path = f"/v2/core/event_destinations/{made['id']}"
    assert v2.ok("POST", f"{path}/disable", {})["status"] == "disabled"
    assert v2.send("POST", f"{path}/disable", {})[0] == 400
    assert v2.ok("DELETE", path) == {"id": made["id"], "object": "v2.core.event_destination"}
    assert v2.send("GET", path)[0] == 404


def test_refusals_are_in_the_same_envelope(v2: Second) -> None:
    status, body = v2.send("POST", "/v2/core/accounts", {"nope": 1})
    assert (status, body["error"]["code"]) == (400, "parameter_unknown")
    assert v2.send("GET", "/v2/core/accounts/acct_none")[0] == 404
    assert v2.send("POST", "/v2/core/accounts", [1])[0] == 400


def test_an_account_of_v2_can_be_acted_for(v2: Second, api: Api) -> None:
    id = v2.ok("POST", "/v2/core/accounts", _SHOP)["id"]
    made = api.post("/v1/customers", {"name": "Ada"}, stripe_account=id)["id"]
    assert api.refused("GET", f"/v1/customers/{made}")["status"] == 404
