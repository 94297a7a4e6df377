"""Do discounts that customers have behave as published?"""

import pytest

from worlds.stripe import discounting
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.models import Customer


@pytest.fixture
def give(account):
    """Gives a customer a coupon, as subscriptions and checkout do."""

    def run(customer, coupon, code=None):
        with account.bulk() as ctx:
            call = Call.of_clock(ctx)
            found = discounting.promotion_code_of(call, code) if code else None
            row = discounting.coupon_of(call, coupon)
            return discounting.give(call, Customer.objects.get(pk=customer), row, found).id

    return run


def test_a_discount_is_shown_with_its_customer_until_it_is_taken_away(api, give):
    customer = api.post("/v1/customers")["id"]
    api.post("/v1/coupons", {"percent_off": 10, "id": "TEN", "duration": "forever"})
    give(customer, "TEN")

    shown = api.get(f"/v1/customers/{customer}", {"expand": ["discount.source.coupon"]})["discount"]
    assert shown["object"] == "discount"
    assert shown["source"]["coupon"]["times_redeemed"] == 1
    assert api.get(f"/v1/customers/{customer}/discount")["id"] == shown["id"]

    gone = api.delete(f"/v1/customers/{customer}/discount")
    assert (gone["deleted"], gone["source"], gone["customer"]) == (True, {"coupon": "TEN", "type": "coupon"}, customer)
    assert api.get(f"/v1/customers/{customer}")["discount"] is None
    assert api.refused("DELETE", f"/v1/customers/{customer}/discount")["status"] == 404
    types = [event["type"] for event in api.events()]
    assert types[-2:] == ["customer.discount.created", "customer.discount.deleted"]


def test_a_repeating_discount_ends_after_its_months(api, account, give):
    customer = api.post("/v1/customers")["id"]
    api.post("/v1/coupons", {"percent_off": 10, "id": "C", "duration": "repeating", "duration_in_months": 2})
    give(customer, "C")
    end = api.get(f"/v1/customers/{customer}/discount")["end"]

    account.advance(days=60)
    assert api.get(f"/v1/customers/{customer}")["discount"]["end"] == end
    account.advance(days=2)

    assert api.get(f"/v1/customers/{customer}")["discount"] is None
    assert api.events()[-1]["type"] == "customer.discount.deleted"


def test_a_coupon_that_is_used_up_is_no_longer_valid(api, give):
    one, other = (api.post("/v1/customers")["id"] for _ in range(2))
    api.post("/v1/coupons", {"percent_off": 10, "id": "ONCE", "max_redemptions": 1})
    code = api.post("/v1/promotion_codes", {"promotion": {"type": "coupon", "coupon": "ONCE"}})["id"]
    give(one, "ONCE", code)

    assert api.get("/v1/coupons/ONCE")["valid"] is False
    assert api.get(f"/v1/promotion_codes/{code}")["active"] is False
    with pytest.raises(StripeError, match="Coupon ONCE is used up and cannot be applied.") as refused:
        give(other, "ONCE")
    assert refused.value.code == "coupon_expired"


def test_another_discount_takes_the_place_of_the_first(api, give):
    customer = api.post("/v1/customers")["id"]
    for id in ("A", "B"):
        api.post("/v1/coupons", {"percent_off": 10, "id": id})
    first, second = give(customer, "A"), give(customer, "B")

    update = api.events("customer.discount.updated")[0]
    assert (update["object"]["id"], update["previous_attributes"]["id"]) == (second, first)


def test_a_code_for_first_payments_is_refused_to_who_has_paid(api, give):
    customer = api.post("/v1/customers")["id"]
    api.post("/v1/coupons", {"percent_off": 10, "id": "NEW"})
    given = {"promotion": {"type": "coupon", "coupon": "NEW"}, "restrictions": {"first_time_transaction": True}}
    code = api.post("/v1/promotion_codes", given)["id"]
    payment = {
        "amount": 500, "currency": "usd", "customer": customer, "payment_method": "pm_card_visa", "confirm": True,
        "automatic_payment_methods": {"enabled": True, "allow_redirects": "never"},
    }  # fmt: skip
    api.post("/v1/payment_intents", payment)

    with pytest.raises(StripeError, match="the associated customer has prior transactions"):
        give(customer, "NEW", code)
