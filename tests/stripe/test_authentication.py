"""Is a shopper's bank asked when it must be, and does the payment go on afterwards?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.stripe.conftest import Api
from tests.stripe.paying import charge_of, declined, of, pay, types
from worlds.engine import HttpRequest, HttpResponse

BACK = "https://shop.example.com/done?cart=1"


def answer(api: Api, intent: dict[str, Any], outcome: str) -> HttpResponse:
    """Answer the bank's question on its page."""
    path = f"/_authenticate/{intent['client_secret']}"
    form = {"content-type": "application/x-www-form-urlencoded"}
    return api.inst.http(HttpRequest.of("POST", path, body=f"outcome={outcome}", headers=form))


def test_the_shopper_authenticates_and_the_payment_succeeds(api: Api) -> None:
    intent = pay(api, "pm_card_threeDSecure2Required", return_url=BACK)
    assert intent["status"] == "requires_action"
    assert intent["next_action"]["type"] == "redirect_to_url"
    assert intent["next_action"]["redirect_to_url"]["return_url"] == BACK
    assert types(api)[-1] == "payment_intent.requires_action"
    page = api.inst.http(HttpRequest.of("GET", f"/_authenticate/{intent['client_secret']}"))
    assert page.status == 200
    assert b"$20.00" in page.body
    after = answer(api, intent, "success")
    assert after.status == 303
    assert (after.header("location") or "").startswith(f"{BACK}&payment_intent={intent['id']}")
    paid = of(api, intent)
    assert (paid["status"], paid["next_action"]) == ("succeeded", None)
    assert charge_of(api, paid)["payment_method_details"]["card"]["three_d_secure"]["result"] == "authenticated"
    assert types(api)[-2:] == ["charge.succeeded", "payment_intent.succeeded"]


def test_a_shopper_who_fails_is_asked_for_another_payment_method(api: Api) -> None:
    intent = pay(api, "pm_card_threeDSecure2Required")
    assert intent["next_action"]["type"] == "use_stripe_sdk"
    answer(api, intent, "fail")
    after = of(api, intent)
    assert (after["status"], after["payment_method"]) == ("requires_payment_method", None)
    assert after["last_payment_error"]["code"] == "payment_intent_authentication_failure"
    assert types(api)[-1] == "payment_intent.payment_failed"
    assert api.get("/v1/charges")["data"] == []


def test_a_question_is_answered_once(api: Api) -> None:
    intent = pay(api, "pm_card_threeDSecure2Required")
    assert answer(api, intent, "success").status == 200
    assert answer(api, intent, "success").status == 404
    assert len(api.get("/v1/charges")["data"]) == 1


def test_an_unknown_secret_is_no_page(api: Api) -> None:
    assert api.inst.http(HttpRequest.of("GET", "/_authenticate/pi_x_secret_y")).status == 404
    assert api.inst.http(HttpRequest.of("GET", "/_nothing/here")).status != 200


def test_authentication_does_not_help_a_card_without_funds(api: Api) -> None:
    intent = pay(api, "pm_card_authenticationRequiredChargeDeclinedInsufficientFunds")
    assert intent["status"] == "requires_action"
    answer(api, intent, "success")
    after = of(api, intent)
    assert after["status"] == "requires_payment_method"
    assert after["last_payment_error"]["decline_code"] == "insufficient_funds"
    assert charge_of(api, after)["status"] == "failed"


def test_nobody_is_asked_who_is_not_there(api: Api) -> None:
    customer = api.post("/v1/customers")["id"]
    method = api.post("/v1/payment_methods/pm_card_authenticationRequired/attach", {"customer": customer})["id"]
    error = declined(api, method, customer=customer, off_session=True)
    assert (error["status"], error["code"], error["decline_code"]) == (
        402, "authentication_required", "authentication_required",
    )  # fmt: skip
    assert "charge" not in error
    assert of(api, error["payment_intent"])["status"] == "requires_payment_method"
    assert api.get("/v1/charges")["data"] == []


def test_an_action_can_be_refused_beforehand(api: Api) -> None:
    error = declined(api, "pm_card_threeDSecure2Required", error_on_requires_action=True)
    assert (error["status"], error["code"]) == (402, "authentication_required")


@pytest.mark.parametrize("is_set_up", [False, True])
def test_a_card_that_was_set_up_pays_without_its_shopper(is_set_up: bool, api: Api) -> None:
    customer = api.post("/v1/customers")["id"]
    if is_set_up:
        given = {"customer": customer, "payment_method": "pm_card_authenticationRequiredOnSetup", "confirm": True}
        setup = api.post("/v1/setup_intents", given)
        answer(api, setup, "success")
        method = api.get(f"/v1/setup_intents/{setup['id']}")["payment_method"]
        assert pay(api, method, customer=customer, off_session=True)["status"] == "succeeded"
    else:
        path = "/v1/payment_methods/pm_card_authenticationRequiredOnSetup/attach"
        method = api.post(path, {"customer": customer})["id"]
        assert declined(api, method, customer=customer, off_session=True)["code"] == "authentication_required"


def test_authentication_can_be_asked_for(api: Api) -> None:
    wanted: dict[str, Any] = {"payment_method_options": {"card": {"request_three_d_secure": "any"}}}
    assert pay(api, "pm_card_threeDSecureOptional")["status"] == "succeeded"
    assert pay(api, "pm_card_threeDSecureOptional", **wanted)["status"] == "requires_action"
    assert pay(api, "pm_card_amex", **wanted)["status"] == "succeeded"


def test_a_manual_confirmation_is_confirmed_again_after_the_shopper(api: Api) -> None:
    intent = pay(api, "pm_card_threeDSecure2Required", confirmation_method="manual", return_url=BACK)
    answer(api, intent, "success")
    assert of(api, intent)["status"] == "requires_confirmation"
    assert api.post(f"/v1/payment_intents/{intent['id']}/confirm")["status"] == "succeeded"


def test_an_authenticated_payment_can_be_held(api: Api) -> None:
    intent = pay(api, "pm_card_threeDSecure2Required", capture_method="manual")
    answer(api, intent, "success")
    assert of(api, intent)["status"] == "requires_capture"


def test_a_bank_of_ones_own_is_visited(api: Api) -> None:
    intent = api.post("/v1/payment_intents", {
        "amount": 2000, "currency": "eur", "payment_method_types": ["ideal"], "confirm": True, "return_url": BACK,
        "payment_method_data": {"type": "ideal", "ideal": {"bank": "ing"}}, "mandate_data":
        {"customer_acceptance": {"type": "offline"}}})  # fmt: skip
    assert intent["status"] == "requires_action"
    answer(api, intent, "success")
    assert of(api, intent)["status"] == "succeeded"
    assert of(api, intent)["latest_charge"].startswith("py_")


def test_the_page_reaches_the_server_that_was_asked(api: Api) -> None:
    body = "amount=2000&currency=usd&payment_method=pm_card_threeDSecure2Required&confirm=true&return_url=https://x.com"
    found = api.inst.http(HttpRequest.of("POST", "/v1/payment_intents", body=body, headers={
        "authorization": "Bearer sk_test_1", "content-type": "application/x-www-form-urlencoded",
        "host": "127.0.0.1:8000", "x-forwarded-prefix": "/stripe/shop"}))  # fmt: skip
    intent = json.loads(found.body)
    url = intent["next_action"]["redirect_to_url"]["url"]
    assert url == f"http://127.0.0.1:8000/stripe/shop/_authenticate/{intent['client_secret']}"
