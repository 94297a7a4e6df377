"""Does a session take a shopper from the shop to the till and back?"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.stripe.conftest import Api
from tests.stripe.paying import conforms, of, types
from worlds.engine import HttpRequest, HttpResponse

BACK = "https://shop.example.com/done?session={CHECKOUT_SESSION_ID}"
FORM = {"content-type": "application/x-www-form-urlencoded"}
GOOD, POOR, SECURE = "4242424242424242", "4000000000009995", "4000000000003220"


def line(amount: int = 2000, name: str = "Tea", quantity: int = 1, **more: Any) -> dict[str, Any]:
    price = {"currency": "usd", "unit_amount": amount, "product_data": {"name": name}, **more.pop("price_data", {})}
    return {"price_data": price, "quantity": quantity, **more}


def open_session(api: Api, mode: str = "payment", **more: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"mode": mode, "success_url": BACK, **more}
    if mode != "setup":
        given.setdefault("line_items", [line()])
    return conforms(api.post("/v1/checkout/sessions", given))


def entered(number: str = GOOD, **more: str) -> dict[str, str]:
    return {"email": "ada@example.com", "name": "Ada", "card_number": number, "card_expiry": "12 / 34",
            "card_cvc": "123", "action": "pay", **more}  # fmt: skip


def visit(api: Api, path: str, form: dict[str, str] | None = None) -> HttpResponse:
    path = path.removeprefix("https://hooks.stripe.com")
    if form is None:
        path, _, query = path.partition("?")
        return api.inst.http(HttpRequest.of("GET", path, query=query))
    return api.inst.http(HttpRequest.of("POST", path, body=urlencode(form), headers=FORM))


def program(api: Api, session: dict[str, Any], **told: Any) -> tuple[int, dict[str, Any]]:
    card = {"number": GOOD, "exp_month": 12, "exp_year": 2034, "cvc": "123"}
    body = {"email": "ada@example.com", **({} if "payment_method" in told else {"card": card}), **told}
    path = f"/_checkout/{session['id']}/pay"
    answer = api.inst.http(HttpRequest.of("POST", path, body=json.dumps(body)))
    return answer.status, json.loads(answer.body)


def now(api: Api, session: dict[str, Any], *expand: str) -> dict[str, Any]:
    params = {"expand": list(expand)} if expand else None
    return conforms(api.get(f"/v1/checkout/sessions/{session['id']}", params))


def test_a_session_waits_for_its_shopper(api: Api) -> None:
    session = open_session(api, line_items=[line(2000, quantity=2), line(500, "Cup")])
    assert session["id"].startswith("cs_test_")
    assert len(session["id"]) == len("cs_test_") + 58
    assert (session["status"], session["payment_status"], session["amount_total"]) == ("open", "unpaid", 4500)
    assert (session["currency"], session["payment_intent"], session["ui_mode"]) == ("usd", None, "hosted_page")
    assert session["expires_at"] == session["created"] + 24 * 3600
    assert "line_items" not in session
    assert "checkout.session" not in str(types(api))


def test_a_shopper_pays_on_the_page_and_returns_to_the_shop(api: Api) -> None:
    session = open_session(api, client_reference_id="cart-7", payment_intent_data={"metadata": {"order": "7"}})
    page = visit(api, session["url"])
    assert page.status == 200
    assert b"$20.00" in page.body
    assert b"Tea" in page.body
    after = visit(api, session["url"], entered())
    assert (after.status, after.header("location")) == (303, BACK.format(CHECKOUT_SESSION_ID=session["id"]))
    paid = now(api, session, "payment_intent.latest_charge")
    assert (paid["status"], paid["payment_status"], paid["url"]) == ("complete", "paid", None)
    assert paid["customer_details"]["email"] == "ada@example.com"
    intent = paid["payment_intent"]
    assert (intent["amount"], intent["metadata"]) == (2000, {"order": "7"})
    assert intent["latest_charge"]["billing_details"]["name"] == "Ada"
    assert types(api)[-2:] == ["payment_intent.succeeded", "checkout.session.completed"]
    assert visit(api, session["url"]).header("location") == after.header("location")


def test_a_declined_card_is_shown_and_another_one_pays(api: Api) -> None:
    session = open_session(api)
    refused = visit(api, session["url"], entered(POOR))
    assert refused.status == 402
    assert b"insufficient funds" in refused.body
    assert POOR.encode() not in refused.body
    waiting = now(api, session)
    assert waiting["status"] == "open"
    assert of(api, {"id": waiting["payment_intent"]})["status"] == "requires_payment_method"
    visit(api, session["url"], entered())
    paid = now(api, session)
    assert (paid["status"], paid["payment_intent"]) == ("complete", waiting["payment_intent"])
    assert types(api).count("checkout.session.completed") == 1


@pytest.mark.parametrize("outcome", ["success", "fail"])
def test_a_shopper_is_led_through_their_bank_and_back(outcome: str, api: Api) -> None:
    session = open_session(api)
    to_bank = visit(api, session["url"], entered(SECURE))
    assert to_bank.status == 303
    back = visit(api, str(to_bank.header("location")), {"outcome": outcome})
    assert back.status == 303
    end = visit(api, str(back.header("location")).partition("?")[0])
    if outcome == "success":
        assert end.header("location") == BACK.format(CHECKOUT_SESSION_ID=session["id"])
        assert now(api, session)["payment_status"] == "paid"
    else:
        assert b"failed authentication" in end.body
        assert now(api, session)["status"] == "open"


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"email": ""}, b"Enter an email address."),
        ({"card_number": ""}, b"Enter a card."),
        ({"card_number": "4242424242424241"}, b"card number"),
        ({"card_expiry": "13/34"}, b"expiration month"),
        ({"card_expiry": "x"}, b"expiration month"),
    ],
)
def test_what_is_wrong_with_a_form_is_said_on_it(form: dict[str, str], message: bytes, api: Api) -> None:
    session = open_session(api)
    answer = visit(api, session["url"], {**entered(), **form})
    assert answer.status >= 400
    assert message in answer.body
    assert now(api, session)["payment_intent"] is None


def test_an_unknown_session_is_no_page(api: Api) -> None:
    assert visit(api, "/_checkout/cs_test_x").status == 404
    assert program(api, {"id": "cs_test_x"})[1]["error"]["code"] == "resource_missing"


def test_a_program_pays_as_a_shopper_does(api: Api) -> None:
    session = open_session(api)
    status, answer = program(api, session, payment_method="pm_card_visa_chargeDeclined")
    assert (status, answer["error"]["decline_code"]) == (402, "generic_decline")
    assert program(api, session, nonsense=1)[1]["error"]["code"] == "parameter_unknown"
    status, answer = program(api, session)
    assert status == 200
    assert (answer["session"]["payment_status"], answer["redirect"]) == (
        "paid", BACK.format(CHECKOUT_SESSION_ID=session["id"]))  # fmt: skip
    assert program(api, session)[0] == 400


def test_a_session_ends_by_itself_after_a_day(api: Api) -> None:
    session = open_session(api)
    visit(api, session["url"], entered(POOR))
    api.inst.advance(hours=23)
    assert now(api, session)["status"] == "open"
    api.inst.advance(hours=2)
    over = now(api, session)
    assert (over["status"], over["url"]) == ("expired", None)
    assert types(api)[-2:] == ["payment_intent.canceled", "checkout.session.expired"]
    assert visit(api, session["url"]).status == 410
    assert visit(api, session["url"], entered()).status == 410


def test_a_shop_ends_a_session(api: Api) -> None:
    session = open_session(api)
    assert api.post(f"/v1/checkout/sessions/{session['id']}/expire")["status"] == "expired"
    error = api.refused("POST", f"/v1/checkout/sessions/{session['id']}/expire")
    assert "status of expired" in error["message"]
    assert len(api.events("checkout.session.expired")) == 1


def test_a_bank_debit_completes_first_and_is_paid_later(api: Api) -> None:
    session = open_session(api, payment_method_types=["card", "us_bank_account"])
    program(api, session, payment_method="pm_usBankAccount_success")
    assert (now(api, session)["status"], now(api, session)["payment_status"]) == ("complete", "unpaid")
    api.inst.advance(days=5)
    assert now(api, session)["payment_status"] == "paid"
    assert types(api)[-2:] == ["payment_intent.succeeded", "checkout.session.async_payment_succeeded"]


def test_a_bank_debit_fails_later(api: Api) -> None:
    session = open_session(api, payment_method_types=["us_bank_account"])
    program(api, session, payment_method="pm_usBankAccount_insufficientFunds")
    api.inst.advance(days=5)
    assert now(api, session)["payment_status"] == "unpaid"
    assert types(api)[-1] == "checkout.session.async_payment_failed"


def test_a_bank_account_is_entered_on_the_page(api: Api) -> None:
    session = open_session(api, payment_method_types=["card", "us_bank_account"])
    page = visit(api, session["url"]).body
    assert b'name="type"' in page
    assert b'name="routing_number"' in page
    form = {"action": "pay", "email": "ada@example.com", "name": "Ada", "type": "us_bank_account"}
    assert visit(api, session["url"], form).status == 400
    numbers = {"routing_number": "110000000", "account_number": "000123456789"}
    assert visit(api, session["url"], {**form, **numbers}).status == 303
    assert now(api, session)["payment_status"] == "unpaid"


def test_a_provider_of_its_own_is_visited(api: Api) -> None:
    price = {"currency": "eur"}
    session = open_session(api, payment_method_types=["ideal"], line_items=[line(price_data=price)])
    form = {"action": "pay", "email": "ada@example.com", "name": "Ada", "type": "ideal"}
    provider = visit(api, session["url"], form).header("location")
    back = visit(api, str(provider), {"outcome": "success"}).header("location")
    assert visit(api, str(back)).header("location") == BACK.format(CHECKOUT_SESSION_ID=session["id"])
    assert now(api, session)["payment_status"] == "paid"


def test_money_can_be_held_only(api: Api) -> None:
    session = open_session(api, payment_intent_data={"capture_method": "manual"})
    program(api, session)
    held = now(api, session)
    assert (held["status"], held["payment_status"]) == ("complete", "unpaid")
    api.post(f"/v1/payment_intents/{held['payment_intent']}/capture")
    assert now(api, session)["payment_status"] == "paid"
    assert "checkout.session.async_payment_succeeded" not in types(api)


def test_a_customer_is_known_and_their_card_is_kept(api: Api) -> None:
    customer = api.post("/v1/customers", {"email": "bea@example.com"})["id"]
    session = open_session(api, customer=customer, payment_intent_data={"setup_future_usage": "off_session"})
    assert session["customer_details"]["email"] == "bea@example.com"
    program(api, session, email=None)
    (method,) = api.get(f"/v1/customers/{customer}/payment_methods")["data"]
    assert of(api, {"id": now(api, session)["payment_intent"]})["payment_method"] == method["id"]


@pytest.mark.parametrize(("creation", "is_made"), [("always", True), ("if_required", False)])
def test_a_customer_is_made_where_the_shop_wants_one(creation: str, is_made: bool, api: Api) -> None:
    session = open_session(api, customer_creation=creation)
    assert session["customer"] is None
    program(api, session, name="Ada")
    paid = now(api, session, "customer")
    assert (paid["customer"] is not None) == is_made
    if is_made:
        assert (paid["customer"]["email"], paid["customer"]["name"]) == ("ada@example.com", "Ada")


def test_a_card_is_set_up_for_later(api: Api) -> None:
    customer = api.post("/v1/customers")["id"]
    session = open_session(api, "setup", customer=customer, currency="usd", setup_intent_data={"metadata": {"a": "1"}})
    assert (session["amount_total"], session["payment_status"]) == (None, "no_payment_required")
    assert b"Save card" in visit(api, session["url"]).body
    assert visit(api, session["url"], entered()).status == 303
    after = now(api, session, "setup_intent")
    assert (after["status"], after["setup_intent"]["status"]) == ("complete", "succeeded")
    assert after["setup_intent"]["metadata"] == {"a": "1"}
    assert len(api.get(f"/v1/customers/{customer}/payment_methods")["data"]) == 1


def test_a_shopper_subscribes(api: Api) -> None:
    monthly = line(1500, "Plan", price_data={"recurring": {"interval": "month"}})
    session = open_session(api, "subscription", line_items=[monthly])
    assert b"per month" in visit(api, session["url"]).body
    assert program(api, session)[0] == 200
    after = now(api, session, "customer")
    assert after["status"] == "complete"
    assert after["subscription"].startswith("sub_")
    assert after["customer"]["email"] == "ada@example.com"
    assert len(api.get(f"/v1/customers/{after['customer']['id']}/payment_methods")["data"]) == 1


def test_coupons_taxes_and_shipping_are_reckoned(api: Api) -> None:
    coupon = api.post("/v1/coupons", {"percent_off": 25, "duration": "once"})["id"]
    rate = api.post("/v1/tax_rates", {"display_name": "VAT", "percentage": 10, "inclusive": False})["id"]
    way = {"display_name": "Post", "fixed_amount": {"amount": 300, "currency": "usd"}, "type": "fixed_amount"}
    session = open_session(
        api, line_items=[line(1000, tax_rates=[rate]), line(2001, "Cup")], discounts=[{"coupon": coupon}],
        shipping_options=[{"shipping_rate_data": way}], expand=["line_items"],
    )  # fmt: skip
    assert session["total_details"] == {"amount_discount": 750, "amount_shipping": 300, "amount_tax": 75}
    first, second = session["line_items"]["data"]
    assert (first["amount_discount"], first["amount_tax"], first["amount_total"]) == (249, 75, 826)
    assert (second["amount_discount"], second["amount_total"]) == (501, 1500)
    assert (session["amount_subtotal"], session["amount_total"]) == (3001, 826 + 1500 + 300)
    program(api, session)
    paid = now(api, session, "total_details.breakdown", "line_items.data.taxes", "line_items.data.discounts")
    breakdown = paid["total_details"]["breakdown"]
    assert (breakdown["taxes"][0]["amount"], breakdown["discounts"][0]["amount"]) == (75, 750)
    assert paid["line_items"]["data"][0]["taxes"][0]["rate"]["id"] == rate
    assert api.get(f"/v1/coupons/{coupon}")["times_redeemed"] == 1


def test_a_code_is_entered_on_the_page(api: Api) -> None:
    coupon = api.post("/v1/coupons", {"amount_off": 500, "currency": "usd", "duration": "once"})["id"]
    api.post("/v1/promotion_codes", {"promotion": {"type": "coupon", "coupon": coupon}, "code": "SPRING"})
    session = open_session(api, allow_promotion_codes=True)
    wrong = visit(api, session["url"], {"action": "update", "promotion_code": "AUTUMN"})
    assert b"This code is invalid." in wrong.body
    page = visit(api, session["url"], {"action": "update", "promotion_code": "spring"})
    assert b"$15.00" in page.body
    assert now(api, session)["amount_total"] == 1500
    visit(api, session["url"], entered())
    assert of(api, {"id": now(api, session)["payment_intent"]})["amount"] == 1500
    assert visit(api, open_session(api)["url"], entered(promotion_code="SPRING")).status == 400


def test_nothing_to_pay_needs_no_card(api: Api) -> None:
    coupon = api.post("/v1/coupons", {"percent_off": 100, "duration": "once"})["id"]
    session = open_session(api, discounts=[{"coupon": coupon}])
    assert session["payment_status"] == "no_payment_required"
    assert b"card_number" not in visit(api, session["url"]).body
    visit(api, session["url"], {"action": "pay", "email": "ada@example.com"})
    after = now(api, session)
    assert (after["status"], after["payment_status"], after["payment_intent"]) == (
        "complete", "no_payment_required", None)  # fmt: skip


def test_the_shop_asks_what_it_wants_to_know(api: Api) -> None:
    session = open_session(
        api,
        phone_number_collection={"enabled": True},
        consent_collection={"terms_of_service": "required", "promotions": "auto"},
        shipping_address_collection={"allowed_countries": ["US", "DE"]},
        custom_fields=[
            {"key": "size", "label": {"type": "custom", "custom": "Size"}, "type": "dropdown",
             "dropdown": {"options": [{"label": "Small", "value": "s"}, {"label": "Large", "value": "l"}]}},
            {"key": "note", "label": {"type": "custom", "custom": "Note"}, "type": "text", "optional": True},
        ],
    )  # fmt: skip
    page = visit(api, session["url"]).body
    for wanted in (b'name="phone"', b'name="field_size"', b'name="accepts_terms"', b'name="shipping_line1"'):
        assert wanted in page
    told = {"phone": "+4930123", "accepts_terms": "yes", "shipping_name": "Ada", "shipping_line1": "Weg 1",
            "shipping_country": "DE", "field_size": "l"}  # fmt: skip
    for missing in ("phone", "accepts_terms", "shipping_line1", "field_size"):
        form = {name: value for name, value in told.items() if name != missing}
        assert visit(api, session["url"], entered(**form)).status == 400
    assert visit(api, session["url"], entered(**{**told, "shipping_country": "FR"})).status == 400
    assert visit(api, session["url"], entered(**told)).status == 303
    after = now(api, session)
    assert after["custom_fields"][0]["dropdown"]["value"] == "l"
    assert after["collected_information"]["shipping_details"]["address"]["country"] == "DE"
    assert after["consent"] == {"promotions": "opt_out", "terms_of_service": "accepted"}
    assert after["customer_details"]["phone"] == "+4930123"
    assert of(api, {"id": after["payment_intent"]})["shipping"]["name"] == "Ada"


def test_a_shopper_changes_how_many(api: Api) -> None:
    session = open_session(api, line_items=[line(adjustable_quantity={"enabled": True, "minimum": 1, "maximum": 5})])
    (item,) = api.get(f"/v1/checkout/sessions/{session['id']}/line_items")["data"]
    assert program(api, session, quantities={item["id"]: 6})[0] == 400
    program(api, session, quantities={item["id"]: 3})
    assert now(api, session)["amount_total"] == 6000


def test_what_is_bought_is_listed_in_its_order(api: Api) -> None:
    session = open_session(api, line_items=[line(name="Tea"), line(name="Cup")])
    found = api.get(f"/v1/checkout/sessions/{session['id']}/line_items", {"limit": 1})
    assert (found["data"][0]["description"], found["has_more"]) == ("Tea", True)
    assert found["data"][0]["price"]["unit_amount"] == 2000
    expanded = now(api, session, "line_items.data.price.product")["line_items"]["data"]
    assert [each["price"]["product"]["name"] for each in expanded] == ["Tea", "Cup"]


def test_an_embedded_session_has_a_secret_and_no_address(api: Api) -> None:
    given = {"mode": "payment", "line_items": [line()], "return_url": "https://shop.example.com/r"}
    session = conforms(api.post("/v1/checkout/sessions", {**given, "ui_mode": "embedded"}))
    assert (session["ui_mode"], session["url"], session["redirect_on_completion"]) == ("embedded_page", None, "always")
    assert session["client_secret"].startswith(f"{session['id']}_secret_")
    assert visit(api, f"/_checkout/{session['id']}", entered()).header("location") == "https://shop.example.com/r"


def test_a_session_is_changed_while_it_is_open(api: Api) -> None:
    session = open_session(api, metadata={"a": "1"})
    (item,) = api.get(f"/v1/checkout/sessions/{session['id']}/line_items")["data"]
    path = f"/v1/checkout/sessions/{session['id']}"
    given = {"metadata": {"b": "2"}, "line_items": [{"id": item["id"], "quantity": 2}, line(100, "Spoon")]}
    after = conforms(api.post(path, given))
    assert (after["metadata"], after["amount_total"]) == ({"a": "1", "b": "2"}, 4100)
    program(api, session)
    assert api.refused("POST", path, {"line_items": [line()]})["status"] == 400
    assert api.post(path, {"metadata": {"c": "3"}})["metadata"]["c"] == "3"


def test_sessions_are_found(api: Api) -> None:
    first, second = open_session(api), open_session(api)
    program(api, second, email="bea@example.com")
    assert [each["id"] for each in api.get("/v1/checkout/sessions")["data"]] == [second["id"], first["id"]]
    for params in (
        {"status": "complete"},
        {"customer_details": {"email": "bea@example.com"}},
        {"payment_intent": now(api, second)["payment_intent"]},
    ):
        assert [each["id"] for each in api.get("/v1/checkout/sessions", params)["data"]] == [second["id"]]


MONTHLY = {"price_data": {"currency": "usd", "unit_amount": 5, "product_data": {"name": "P"},
                          "recurring": {"interval": "month"}}, "quantity": 1}  # fmt: skip


@pytest.mark.parametrize(
    ("params", "param", "message"),
    [
        ({"mode": None}, "mode", "Missing required param: mode."),
        ({"success_url": None}, "success_url", "Missing required param: success_url."),
        ({"success_url": "shop"}, "success_url", "Not a valid URL"),
        ({"line_items": None}, "line_items", "Missing required param: line_items."),
        ({"line_items": [MONTHLY]}, "line_items", "You specified `payment` mode but passed a recurring price."),
        ({"mode": "subscription"}, "line_items", "at least one recurring price in `subscription` mode"),
        ({"mode": "setup"}, "line_items", "You can not pass `line_items` in `setup` mode."),
        ({"line_items": [line(10)]}, None, "total amount must be at least $0.50"),
        ({"line_items": [line(), line(price_data={"currency": "eur"})]}, "line_items[1][price]", "only supports `eur`"),
        ({"line_items": [{"price": "price_x", "quantity": 1}]}, "line_items[0][price]", "No such price: 'price_x'"),
        ({"customer": "cus_x"}, "customer", "No such customer: 'cus_x'"),
        ({"expires_at": 1_780_304_401}, "expires_at", "at least 30 minutes"),
        ({"expires_at": 1_790_304_401}, "expires_at", "less than 24 hours"),
        ({"allow_promotion_codes": True, "discounts": [{"coupon": "x"}]}, "allow_promotion_codes", "only specify one"),
        ({"discounts": [{"coupon": "x"}]}, "discounts[0][coupon]", "No such coupon: 'x'"),
        ({"ui_mode": "embedded_page"}, "success_url", "You can not pass `success_url`"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(
    params: dict[str, Any], param: str | None, message: str, api: Api
) -> None:
    given: dict[str, Any] = {"mode": "payment", "success_url": BACK, "line_items": [line()], **params}
    error = api.refused("POST", "/v1/checkout/sessions", {name: v for name, v in given.items() if v is not None})
    assert (error["status"], error.get("param")) == (400, param)
    assert message in error["message"]
    assert api.get("/v1/checkout/sessions")["data"] == []


def test_an_unknown_session_is_refused(api: Api) -> None:
    error = api.refused("GET", "/v1/checkout/sessions/cs_test_x")
    assert (error["status"], error["message"]) == (404, "No such checkout.session: 'cs_test_x'")
