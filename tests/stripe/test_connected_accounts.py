"""Are the accounts of one platform kept apart?"""

from __future__ import annotations

import pytest

from tests.stripe.conftest import Api

_SOMEBODY = {"type": "custom", "country": "DE", "email": "shop@example.com"}


@pytest.fixture
def connected(api: Api) -> str:
    return str(api.post("/v1/accounts", _SOMEBODY)["id"])


def test_an_account_that_is_not_connected_is_refused(api: Api) -> None:
    error = api.refused("GET", "/v1/customers", stripe_account="acct_1Nobody")
    assert (error["status"], error["code"], error["type"]) == (403, "account_invalid", "invalid_request_error")
    assert "does not have access to account 'acct_1Nobody' (or that account does not exist)" in error["message"]


def test_the_platform_may_name_itself(api: Api) -> None:
    own = api.get("/v1/account")["id"]
    made = api.post("/v1/customers", {"name": "Ada"}, stripe_account=own)["id"]
    assert api.get(f"/v1/customers/{made}")["name"] == "Ada"


def test_a_connected_account_is_shown_to_itself(api: Api, connected: str) -> None:
    shown = api.get("/v1/account", stripe_account=connected)
    assert (shown["id"], shown["country"], shown["email"]) == (connected, "DE", "shop@example.com")
    assert api.get("/v1/account")["id"] != connected


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("/v1/customers", {"name": "Ada"}),
        ("/v1/products", {"name": "Pro"}),
        ("/v1/radar/value_lists", {"name": "Bad", "alias": "bad"}),
        ("/v1/billing/meters", {"event_name": "calls", "display_name": "Calls", "default_aggregation": {
            "formula": "sum"}}),
    ],
)  # fmt: skip
def test_neither_sees_what_the_other_has(api: Api, connected: str, path: str, params: dict[str, object]) -> None:
    ours = api.post(path, params)["id"]
    theirs = api.post(path, params, stripe_account=connected)["id"]
    assert [each["id"] for each in api.get(path)["data"]] == [ours]
    assert [each["id"] for each in api.get(path, stripe_account=connected)["data"]] == [theirs]
    assert api.refused("GET", f"{path}/{theirs}")["status"] == 404
    assert api.refused("GET", f"{path}/{ours}", stripe_account=connected)["status"] == 404


def test_a_deleted_account_is_acted_for_no_more(api: Api, connected: str) -> None:
    assert api.delete(f"/v1/accounts/{connected}") == {"id": connected, "object": "account", "deleted": True}
    assert api.refused("GET", "/v1/customers", stripe_account=connected)["status"] == 403
