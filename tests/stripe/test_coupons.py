"""Do coupons and promotion codes behave as published?"""

import pytest


def test_a_coupon_takes_off_a_part_or_an_amount_and_never_both(api):
    part = api.post("/v1/coupons", {"percent_off": 25, "name": "Quarter"})
    amount = api.post("/v1/coupons", {"amount_off": 500, "currency": "USD", "duration": "forever", "id": "FIVER"})

    assert (part["percent_off"], part["duration"], part["valid"], len(part["id"])) == (25, "once", True, 8)
    assert (amount["id"], amount["amount_off"], amount["currency"], amount["percent_off"]) == (
        "FIVER",
        500,
        "usd",
        None,
    )
    assert "applies_to" not in part
    both = api.refused("POST", "/v1/coupons", {"percent_off": 5, "amount_off": 5, "currency": "usd"})
    assert both["code"] == "parameters_exclusive"
    assert [event["type"] for event in api.events()] == ["coupon.created", "coupon.created"]


@pytest.mark.parametrize(
    ("params", "param"),
    [
        ({}, "percent_off"),
        ({"percent_off": 0}, "percent_off"),
        ({"percent_off": 101}, "percent_off"),
        ({"amount_off": 100}, "currency"),
        ({"percent_off": 5, "duration": "repeating"}, "duration_in_months"),
        ({"percent_off": 5, "duration_in_months": 3}, "duration_in_months"),
        ({"percent_off": 5, "redeem_by": 1_700_000_000}, "redeem_by"),
        ({"percent_off": 5, "max_redemptions": 0}, "max_redemptions"),
    ],
)
def test_a_coupon_that_makes_no_sense_is_refused(api, params, param):
    assert api.refused("POST", "/v1/coupons", params)["param"] == param


def test_an_id_of_ones_own_is_taken_once(api):
    api.post("/v1/coupons", {"percent_off": 5, "id": "SPRING"})

    refused = api.refused("POST", "/v1/coupons", {"percent_off": 5, "id": "SPRING"})

    assert (refused["code"], refused["message"]) == ("resource_already_exists", "Coupon already exists.")


def test_products_and_currencies_are_shown_when_they_are_asked_for(api):
    given = {
        "amount_off": 500, "currency": "usd", "applies_to": {"products": ["prod_a"]},
        "currency_options": {"eur": {"amount_off": 450}}, "id": "C",
    }  # fmt: skip
    api.post("/v1/coupons", given)

    shown = api.get("/v1/coupons/C", {"expand": ["applies_to", "currency_options"]})

    assert shown["applies_to"] == {"products": ["prod_a"]}
    assert shown["currency_options"] == {"usd": {"amount_off": 500}, "eur": {"amount_off": 450}}


def test_a_coupon_expires_on_the_clock_and_takes_its_codes_with_it(api, account):
    coupon = api.post("/v1/coupons", {"percent_off": 5, "redeem_by": _in_days(account, 2)})
    code = api.post("/v1/promotion_codes", {"promotion": {"type": "coupon", "coupon": coupon["id"]}})
    assert (coupon["valid"], code["active"]) == (True, True)

    account.advance(days=2)

    assert api.get(f"/v1/coupons/{coupon['id']}")["valid"] is False
    assert api.get(f"/v1/promotion_codes/{code['id']}")["active"] is False
    assert [event["type"] for event in api.events()][-1] == "promotion_code.updated"


def _in_days(account, days):
    return int(account.clock.now().timestamp()) + days * 86_400


def test_a_deleted_coupon_is_gone(api):
    api.post("/v1/coupons", {"percent_off": 5, "id": "GONE"})

    assert api.delete("/v1/coupons/GONE") == {"id": "GONE", "object": "coupon", "deleted": True}
    refused = api.refused("GET", "/v1/coupons/GONE")
    assert (refused["status"], refused["message"]) == (404, "No such coupon: 'GONE'")
    assert api.get("/v1/coupons")["data"] == []
    assert api.events()[-1]["type"] == "coupon.deleted"


def test_only_the_name_and_the_metadata_of_a_coupon_change(api):
    api.post("/v1/coupons", {"percent_off": 5, "id": "C"})

    assert api.post("/v1/coupons/C", {"name": "New", "metadata": {"a": "1"}})["name"] == "New"
    assert api.events("coupon.updated")[0]["previous_attributes"] == {"metadata": {"a": None}, "name": None}
    assert api.refused("POST", "/v1/coupons/C", {"percent_off": 10})["code"] == "parameter_unknown"


# Promotion codes.


@pytest.fixture
def coupon(api):
    return api.post("/v1/coupons", {"percent_off": 20, "id": "TWENTY"})


def _code(**more):
    return {"promotion": {"type": "coupon", "coupon": "TWENTY"}, **more}


def test_a_code_is_made_up_when_none_is_given(api, coupon):
    made = api.post("/v1/promotion_codes", _code())

    assert len(made["code"]) == 8
    assert made["code"].upper() == made["code"]
    assert made["promotion"] == {"coupon": "TWENTY", "type": "coupon"}
    assert made["restrictions"]["first_time_transaction"] is False


def test_active_codes_are_unlike_each_other_whatever_their_case(api, coupon):
    first = api.post("/v1/promotion_codes", _code(code="Save20"))

    refused = api.refused("POST", "/v1/promotion_codes", _code(code="SAVE20"))
    assert refused["message"] == "An active promotion code with `code: SAVE20` already exists."

    api.post(f"/v1/promotion_codes/{first['id']}", {"active": False})
    api.post("/v1/promotion_codes", _code(code="SAVE20"))
    assert api.refused("POST", f"/v1/promotion_codes/{first['id']}", {"active": True})["status"] == 400
    assert [row["active"] for row in api.get("/v1/promotion_codes", {"code": "save20"})["data"]] == [True, False]


def test_two_customers_may_have_the_same_code(api, coupon):
    ada, bob = (api.post("/v1/customers", {"name": name})["id"] for name in ("Ada", "Bob"))

    api.post("/v1/promotion_codes", _code(code="MINE", customer=ada))
    api.post("/v1/promotion_codes", _code(code="MINE", customer=bob))

    assert api.refused("POST", "/v1/promotion_codes", _code(code="MINE", customer=ada))["status"] == 400
    assert api.refused("POST", "/v1/promotion_codes", _code(code="MINE"))["status"] == 400
    assert [row["customer"] for row in api.get("/v1/promotion_codes", {"customer": ada})["data"]] == [ada]


@pytest.mark.parametrize(
    ("params", "param"),
    [
        ({"code": "not this"}, "code"),
        ({"expires_at": 1_700_000_000}, "expires_at"),
        ({"expires_at": 1_980_000_000}, "expires_at"),
        ({"restrictions": {"minimum_amount": 100}}, "restrictions[minimum_amount_currency]"),
        ({"customer": "cus_none"}, "customer"),
    ],
)
def test_a_code_that_makes_no_sense_is_refused(api, coupon, params, param):
    assert api.refused("POST", "/v1/promotion_codes", _code(**params))["param"] == param


def test_a_code_expires_on_the_clock(api, account, coupon):
    code = api.post("/v1/promotion_codes", _code(expires_at=_in_days(account, 1)))

    account.advance(days=1)

    assert api.get(f"/v1/promotion_codes/{code['id']}")["active"] is False
    assert api.events("promotion_code.updated")[0]["previous_attributes"] == {"active": True}
    assert api.get("/v1/coupons/TWENTY")["valid"] is True


def test_the_coupon_of_a_code_is_expanded(api, coupon):
    code = api.post("/v1/promotion_codes", _code(expand=["promotion.coupon"]))

    assert code["promotion"]["coupon"]["percent_off"] == 20
