"""How does the account look, and what do its keys open?"""

from __future__ import annotations

import pytest

from tests.stripe.conftest import NOW, Api
from worlds.engine import Instance, World, WorldBug
from worlds.stripe.facts import conforming


def test_the_account_is_of_its_published_shape_and_the_same_under_its_id(api: Api) -> None:
    found = api.get("/v1/account")
    assert not list(conforming.problems("account", found))
    assert found["id"].startswith("acct_1")
    assert found["charges_enabled"]
    assert api.get(f"/v1/accounts/{found['id']}") == found


def test_reading_the_account_writes_nothing(account: Instance, api: Api) -> None:
    api.get("/v1/account")
    assert list(account.diff()) == []


def test_the_same_seed_opens_the_same_account(world: World, api: Api) -> None:
    with world.instance(seed=1, now=NOW) as twin, world.instance(seed=2, now=NOW) as other:
        assert Api(twin).get("/v1/account") == api.get("/v1/account")
        assert Api(other).get("/v1/account")["id"] != api.get("/v1/account")["id"]


def test_an_account_can_be_changed_and_tells_what_changed(api: Api) -> None:
    id = api.get("/v1/account")["id"]
    after = api.post(f"/v1/accounts/{id}", {"business_profile": {"name": "Larkspur", "url": "https://larkspur.app"}})
    assert after["business_profile"]["name"] == "Larkspur"
    assert after["settings"]["dashboard"]["display_name"] == "Larkspur"
    (event,) = api.events("account.updated")
    assert event["object"] == after
    assert event["previous_attributes"]["business_profile"] == {"name": None, "url": None}


def test_an_account_begins_with_the_name_country_and_currency_it_is_given(world: World) -> None:
    given = {"account_name": "Larkspur", "account_country": "gb", "account_currency": "GBP"}
    with world.instance(seed=1, now=NOW, startup=given) as inst:
        found = Api(inst).get("/v1/account")
        assert (found["country"], found["default_currency"]) == ("GB", "gbp")
        assert found["settings"]["payments"]["statement_descriptor"] == "LARKSPUR"
        (known,) = inst.call("list_available_accounts_or_orgs")["accounts"]
        assert known == {"stripe_context": found["id"], "livemode": False, "name": "Larkspur"}


@pytest.mark.parametrize(
    "startup",
    [
        {"account_country": "Britain"},
        {"restricted_keys": {"sk_test_1": ["customer_read"]}},
        {"restricted_keys": {"rk_test_1": "customer_read"}},
        {"inactive_products": ["coffee"]},
        {"mcp_catalogue": "half"},
        {"mcp_confirms_writes": "yes"},
    ],
)
def test_a_start_that_does_not_fit_is_refused_with_its_keyword(world: World, startup: dict[str, object]) -> None:
    (keyword,) = startup
    with pytest.raises(WorldBug, match=keyword):
        world.instance(seed=1, now=NOW, startup=startup)


def test_a_restricted_key_does_what_it_was_given_and_is_told_what_it_lacks(world: World) -> None:
    given = {"restricted_keys": {"rk_test_desk": ["customer_write", "charge_read"]}}
    with world.instance(seed=1, now=NOW, startup=given) as inst:
        desk = Api(inst, "rk_test_desk")
        made = desk.post("/v1/customers", {"name": "Ada"})
        assert desk.get(f"/v1/customers/{made['id']}")["name"] == "Ada"
        assert desk.get("/v1/refunds")["data"] == []
        refusal = desk.refused("POST", "/v1/products", {"name": "Pro"})
        assert refusal["status"] == 403
        assert "'rak_product_write' permission" in refusal["message"]
        assert desk.refused("POST", "/v1/refunds", {"charge": "ch_1"})["status"] == 403
        assert Api(inst, "rk_test_other").post("/v1/products", {"name": "Pro"})["name"] == "Pro"
