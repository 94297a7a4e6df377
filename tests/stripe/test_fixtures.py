"""Do the fixtures hold what their descriptions say?"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.stripe.conftest import Api
from worlds.engine import Instance, World


@pytest.fixture
def larkspur(world: World) -> Iterator[Instance]:
    with world.instance("small_startup", seed=1) as inst:
        yield inst


@pytest.mark.parametrize("fixture", ["empty", "small_startup"])
def test_a_fixtures_account_is_the_same_whatever_the_seed(world: World, fixture: str) -> None:
    with world.instance(fixture, seed=1) as one, world.instance(fixture, seed=2) as other:
        assert Api(one).get("/v1/account") == Api(other).get("/v1/account")


def test_an_empty_account_has_nothing_in_it(world: World) -> None:
    with world.instance("empty", seed=1) as inst:
        api = Api(inst)
        assert api.get("/v1/customers")["data"] == api.get("/v1/products")["data"] == []
        assert api.get("/v1/account")["business_profile"]["name"] == "First Day"


def test_larkspur_has_customers_prices_and_payments(larkspur: Instance) -> None:
    count = larkspur.inspect().one(
        "SELECT (SELECT count(*) FROM customers) AS customers, (SELECT count(*) FROM products) AS products, "
        "(SELECT count(*) FROM charges WHERE status = 'succeeded') AS paid"
    )
    assert count is not None
    assert (count["customers"], count["products"]) == (41, 6)
    assert count["paid"] > 100


def test_every_loose_end_is_there(larkspur: Instance) -> None:
    api = Api(larkspur)

    def one(email: str) -> str:
        return str(api.get("/v1/customers", {"email": email})["data"][-1]["id"])

    denise = api.get("/v1/charges", {"customer": one("denise@whitlowchiro.com")})["data"][0]
    assert (denise["amount"], denise["refunded"]) == (7900, False)
    (dispute,) = [each for each in api.get("/v1/disputes")["data"] if each["status"] == "needs_response"]
    assert dispute["evidence_details"]["due_by"] > larkspur.clock.now().timestamp()
    held = api.get("/v1/payment_intents", {"customer": one("bridget@lakesideballet.com")})["data"]
    assert held[0]["status"] == "requires_capture"
    waiting = api.get("/v1/payment_intents", {"customer": one("anton@clinicavasile.ro")})["data"]
    assert waiting[0]["status"] == "requires_action"
    assert {refund["status"] for refund in api.get("/v1/refunds")["data"]} == {"pending", "succeeded", "failed"}
    assert api.get("/v1/payouts")["data"][0]["status"] == "pending"
    declined = api.get("/v1/charges", {"customer": one("m.oduya@stonegatefitness.com")})["data"]
    assert [charge["failure_code"] for charge in declined] == ["card_declined"] * 4
    cards = api.get(f"/v1/customers/{one('oksana@stillwaterpilates.ca')}/payment_methods")["data"]
    assert (cards[0]["card"]["exp_month"], cards[0]["card"]["exp_year"]) == (5, 2026)
    assert len(api.get("/v1/customers", {"email": "nadine@okoroskin.com"})["data"]) == 2
    (july,) = api.get("/v1/prices", {"lookup_keys": ["booking_monthly_july"]})["data"]
    assert (july["unit_amount"], july["active"]) == (5500, False)


def test_what_is_under_way_goes_on_with_the_clock(larkspur: Instance) -> None:
    larkspur.advance(days=10)
    api = Api(larkspur)
    assert api.get("/v1/payouts")["data"][0]["status"] == "paid"
    assert not [refund for refund in api.get("/v1/refunds")["data"] if refund["status"] == "pending"]
    assert not [intent for intent in api.get("/v1/payment_intents")["data"] if intent["status"] == "requires_capture"]
