"""Do setup intents behave as Stripe's do?"""

from __future__ import annotations

from typing import Any

import pytest

from tests.stripe.conftest import Api
from worlds.stripe.facts.conforming import problems

ACCEPTED = {"customer_acceptance": {"type": "online", "online": {"ip_address": "127.0.0.1", "user_agent": "test"}}}


@pytest.fixture
def customer(api: Api) -> str:
    return str(api.post("/v1/customers")["id"])


def answer(api: Api, intent: dict[str, Any], outcome: str) -> None:
    """Answer the bank's question as a shopper does."""
    assert api.send("POST", f"/_authenticate/{intent['client_secret']}", {"outcome": outcome}).status in (200, 303)


def of_event(api: Api, *leading: str) -> list[str]:
    return [event["type"] for event in api.events() if event["type"].startswith(leading)]


def test_one_that_waits_for_a_payment_method(api: Api) -> None:
    intent = api.post("/v1/setup_intents")
    assert problems("setup_intent", intent) == []
    assert (intent["status"], intent["usage"], intent["payment_method_types"]) == (
        "requires_payment_method", "off_session", ["card"],
    )  # fmt: skip
    assert intent["client_secret"].startswith(f"{intent['id']}_secret_")
    error = api.refused("POST", f"/v1/setup_intents/{intent['id']}/confirm")
    assert (error["status"], error["code"]) == (400, "setup_intent_unexpected_state")
    assert error["setup_intent"]["id"] == intent["id"]


def test_a_card_is_set_up_and_then_the_customers(api: Api, customer: str) -> None:
    intent = api.post("/v1/setup_intents", {"customer": customer, "payment_method": "pm_card_visa"})
    assert intent["status"] == "requires_confirmation"
    done = api.post(f"/v1/setup_intents/{intent['id']}/confirm", {"expand": ["payment_method", "latest_attempt"]})
    assert problems("setup_intent", done) == []
    assert (done["status"], done["payment_method"]["customer"], done["mandate"]) == ("succeeded", customer, None)
    assert done["latest_attempt"]["status"] == "succeeded"
    assert problems("setup_attempt", done["latest_attempt"]) == []
    assert of_event(api, "setup_intent", "payment_method") == [
        "setup_intent.created", "payment_method.attached", "setup_intent.succeeded",
    ]  # fmt: skip


def test_a_decline_is_answered_and_stays(api: Api, customer: str) -> None:
    intent = api.post("/v1/setup_intents", {"customer": customer})
    path = f"/v1/setup_intents/{intent['id']}"
    error = api.refused("POST", f"{path}/confirm", {"payment_method": "pm_card_chargeDeclinedExpiredCard"})
    assert (error["status"], error["type"], error["code"], error["param"]) == (
        402, "card_error", "expired_card", "exp_month",
    )  # fmt: skip
    assert error["setup_intent"]["status"] == "requires_payment_method"
    after = api.get(path, {"expand": ["latest_attempt"]})
    assert problems("setup_intent", after) == []
    assert (after["status"], after["payment_method"]) == ("requires_payment_method", None)
    assert after["last_setup_error"]["code"] == "expired_card"
    assert after["last_setup_error"]["payment_method"]["card"]["last4"] == "0069"
    assert after["latest_attempt"]["status"] == "failed"
    assert of_event(api, "setup_intent") == ["setup_intent.created", "setup_intent.setup_failed"]
    assert api.post(f"{path}/confirm", {"payment_method": "pm_card_visa"})["status"] == "succeeded"
    attempts = api.get("/v1/setup_attempts", {"setup_intent": intent["id"]})["data"]
    assert [attempt["status"] for attempt in attempts] == ["succeeded", "failed"]


def test_authentication_that_is_completed(api: Api, customer: str) -> None:
    given = {"customer": customer, "payment_method": "pm_card_authenticationRequired", "confirm": True}
    intent = api.post("/v1/setup_intents", {**given, "return_url": "https://shop.example/done"})
    assert intent["status"] == "requires_action"
    assert intent["next_action"]["type"] == "redirect_to_url"
    back = api.send("POST", f"/_authenticate/{intent['client_secret']}", {"outcome": "success"})
    assert (back.status, dict(back.headers)["location"].split("?")[0]) == (303, "https://shop.example/done")
    after = api.get(f"/v1/setup_intents/{intent['id']}", {"expand": ["payment_method", "latest_attempt"]})
    assert (after["status"], after["next_action"], after["payment_method"]["customer"]) == ("succeeded", None, customer)
    secure = after["latest_attempt"]["payment_method_details"]["card"]["three_d_secure"]
    assert (secure["result"], secure["authentication_flow"]) == ("authenticated", "challenge")
    assert of_event(api, "setup_intent") == [
        "setup_intent.created", "setup_intent.requires_action", "setup_intent.succeeded",
    ]  # fmt: skip


def test_authentication_that_fails(api: Api, customer: str) -> None:
    given = {"customer": customer, "payment_method": "pm_card_threeDSecure2Required", "confirm": True}
    intent = api.post("/v1/setup_intents", given)
    assert intent["next_action"]["type"] == "use_stripe_sdk"
    answer(api, intent, "fail")
    after = api.get(f"/v1/setup_intents/{intent['id']}")
    assert (after["status"], after["payment_method"]) == ("requires_payment_method", None)
    assert after["last_setup_error"]["code"] == "setup_intent_authentication_failure"
    assert api.get("/v1/payment_methods", {"customer": customer})["data"] == []


def test_a_refusal_after_authentication(api: Api, customer: str) -> None:
    given = {"customer": customer, "payment_method": "pm_card_threeDSecureRequiredChargeDeclined", "confirm": True}
    intent = api.post("/v1/setup_intents", given)
    answer(api, intent, "success")
    after = api.get(f"/v1/setup_intents/{intent['id']}")
    assert (after["status"], after["last_setup_error"]["code"]) == ("requires_payment_method", "card_declined")


def test_authentication_that_is_asked_for(api: Api) -> None:
    def status_of(method: str) -> str:
        asked = {"card": {"request_three_d_secure": "any"}}
        given = {"payment_method": method, "confirm": True, "payment_method_options": asked}
        return str(api.post("/v1/setup_intents", given)["status"])

    assert status_of("pm_card_threeDSecureOptional") == "requires_action"
    assert status_of("pm_card_visa") == "succeeded"


def test_an_answered_question_is_not_asked_again(api: Api) -> None:
    intent = api.post("/v1/setup_intents", {"payment_method": "pm_card_threeDSecure2Required", "confirm": True})
    answer(api, intent, "success")
    assert api.send("POST", f"/_authenticate/{intent['client_secret']}").status == 404


def bank_intent(api: Api, method: str = "pm_usBankAccount_success", **params: Any) -> dict[str, Any]:
    given = {"payment_method_types": ["us_bank_account"], "payment_method": method, "confirm": True}
    return api.post("/v1/setup_intents", {**given, "mandate_data": ACCEPTED, **params})


def test_a_bank_account_is_set_up_once_it_is_verified(api: Api, customer: str) -> None:
    intent = bank_intent(api, customer=customer)
    assert intent["status"] == "requires_action"
    assert problems("setup_intent", intent) == []
    path = f"/v1/setup_intents/{intent['id']}/verify_microdeposits"
    error = api.refused("POST", path, {"amounts": [1, 2]})
    assert error["code"] == "payment_method_microdeposit_verification_amounts_mismatch"
    done = api.post(path, {"amounts": [32, 45], "expand": ["mandate"]})
    assert (done["status"], done["mandate"]["status"]) == ("succeeded", "active")
    assert problems("mandate", done["mandate"]) == []
    assert done["mandate"]["customer_acceptance"]["online"]["ip_address"] == "127.0.0.1"
    assert api.get(f"/v1/mandates/{done['mandate']['id']}") == done["mandate"]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"amounts": [10, 11]}, "payment_method_microdeposit_verification_attempts_exceeded"),
        ({"descriptor_code": "SM44DD"}, "payment_method_microdeposit_verification_timeout"),
    ],
)
def test_a_verification_that_is_over(api: Api, given: dict[str, Any], code: str) -> None:
    intent = bank_intent(api)
    error = api.refused("POST", f"/v1/setup_intents/{intent['id']}/verify_microdeposits", given)
    assert error["code"] == code
    assert api.get(f"/v1/setup_intents/{intent['id']}")["status"] == "requires_payment_method"


def test_ten_wrong_answers_are_the_end(api: Api) -> None:
    intent = bank_intent(api)
    path = f"/v1/setup_intents/{intent['id']}/verify_microdeposits"
    codes = [api.refused("POST", path, {"descriptor_code": "SM00ZZ"})["code"] for _ in range(10)]
    assert set(codes[:9]) == {"payment_method_microdeposit_verification_descriptor_code_mismatch"}
    assert codes[9] == "payment_method_microdeposit_verification_attempts_exceeded"


def test_the_amounts_can_be_told_on_the_page_the_intent_names(api: Api) -> None:
    intent = bank_intent(api)
    url = intent["next_action"]["verify_with_microdeposits"]["hosted_verification_url"]
    path = "/_microdeposits" + url.partition("/_microdeposits")[2]
    assert b"First amount" in api.send("GET", path).body
    assert api.send("POST", path, {"first": "1", "second": "2"}).status == 400
    assert api.send("POST", path, {"first": "32", "second": "45"}).status == 200
    assert api.get(f"/v1/setup_intents/{intent['id']}")["status"] == "succeeded"
    assert api.send("GET", path).status == 404


def test_an_account_that_gets_no_amounts_cannot_be_verified(api: Api) -> None:
    intent = bank_intent(api, "pm_usBankAccount_failMicrodeposits")
    error = api.refused("POST", f"/v1/setup_intents/{intent['id']}/verify_microdeposits", {"amounts": [32, 45]})
    assert error["code"] == "payment_method_microdeposit_failed"


def test_a_bank_may_refuse_the_mandate(api: Api) -> None:
    given = {"payment_method_types": ["bacs_debit"], "payment_method": "pm_bacsDebit_mandateRefused", "confirm": True}
    done = api.post("/v1/setup_intents", {**given, "mandate_data": ACCEPTED, "expand": ["mandate"]})
    assert done["mandate"]["status"] == "inactive"


def test_there_is_nothing_to_verify_about_a_card(api: Api) -> None:
    intent = api.post("/v1/setup_intents", {"payment_method": "pm_card_visa"})
    error = api.refused("POST", f"/v1/setup_intents/{intent['id']}/verify_microdeposits", {"amounts": [32, 45]})
    assert error["code"] == "intent_invalid_state"


def test_a_debit_needs_the_customers_acceptance(api: Api) -> None:
    given = {"payment_method_types": ["sepa_debit"], "payment_method": "pm_sepaDebit_success_de", "confirm": True}
    assert api.refused("POST", "/v1/setup_intents", given)["code"] == "setup_intent_mandate_invalid"
    done = api.post("/v1/setup_intents", {**given, "mandate_data": ACCEPTED, "expand": ["mandate"]})
    assert done["status"] == "succeeded"
    assert problems("mandate", done["mandate"]) == []


def test_a_type_that_is_not_among_the_intents_is_refused(api: Api) -> None:
    error = api.refused("POST", "/v1/setup_intents", {"payment_method": "pm_sepaDebit_success_de"})
    assert "is not allowed for this SetupIntent" in error["message"]


def test_a_wallet_is_authorized_on_its_own_page(api: Api, customer: str) -> None:
    given = {
        "payment_method_types": ["paypal"], "payment_method_data": {"type": "paypal"}, "confirm": True,
        "customer": customer, "mandate_data": ACCEPTED,
    }  # fmt: skip
    assert api.refused("POST", "/v1/setup_intents", given)["param"] == "return_url"
    intent = api.post("/v1/setup_intents", {**given, "return_url": "https://shop.example"})
    assert intent["status"] == "requires_action"
    answer(api, intent, "success")
    after = api.get(f"/v1/setup_intents/{intent['id']}")
    assert after["status"] == "succeeded"
    assert after["mandate"]


@pytest.mark.parametrize("type", ["bancontact", "ideal", "sofort"])
def test_what_is_used_once_leaves_an_account_to_debit(api: Api, customer: str, type: str) -> None:
    rail = {"sofort": {"country": "DE"}} if type == "sofort" else {}
    data = {"type": type, "billing_details": {"name": "Ada"}, **rail}
    intent = api.post(
        "/v1/setup_intents",
        {
            "payment_method_types": [type], "payment_method_data": data, "customer": customer, "confirm": True,
            "return_url": "https://shop.example", "mandate_data": ACCEPTED,
        },
    )  # fmt: skip
    answer(api, intent, "success")
    after = api.get(f"/v1/setup_intents/{intent['id']}", {"expand": ["latest_attempt"]})
    assert problems("setup_attempt", after["latest_attempt"]) == []
    (kept,) = api.get("/v1/payment_methods", {"customer": customer})["data"]
    made = after["latest_attempt"]["payment_method_details"][type]["generated_sepa_debit"]
    assert (kept["id"], kept["type"]) == (made, "sepa_debit")
    assert kept["sepa_debit"]["generated_from"]["setup_attempt"] == after["latest_attempt"]["id"]


def test_a_type_that_is_nothing_to_keep_is_refused(api: Api) -> None:
    for type in ("alipay", "nothing"):
        error = api.refused("POST", "/v1/setup_intents", {"payment_method_types": [type]})
        assert error["param"] == "payment_method_types[0]"


def test_one_of_another_customer_is_refused(api: Api, customer: str) -> None:
    theirs = api.post("/v1/payment_methods/pm_card_visa/attach", {"customer": api.post("/v1/customers")["id"]})["id"]
    error = api.refused("POST", "/v1/setup_intents", {"customer": customer, "payment_method": theirs})
    assert error["param"] == "payment_method"
    assert api.refused("POST", "/v1/setup_intents", {"payment_method": theirs})["param"] == "customer"


def test_canceling_ends_it(api: Api) -> None:
    intent = api.post("/v1/setup_intents", {"payment_method": "pm_card_threeDSecure2Required", "confirm": True})
    path = f"/v1/setup_intents/{intent['id']}"
    done = api.post(f"{path}/cancel", {"cancellation_reason": "abandoned"})
    assert (done["status"], done["cancellation_reason"], done["next_action"]) == ("canceled", "abandoned", None)
    (attempt,) = api.get("/v1/setup_attempts", {"setup_intent": intent["id"]})["data"]
    assert attempt["status"] == "abandoned"
    assert of_event(api, "setup_intent")[-1] == "setup_intent.canceled"
    for action in ("cancel", "confirm"):
        assert api.refused("POST", f"{path}/{action}")["code"] == "setup_intent_unexpected_state"


def test_updating_changes_what_is_open(api: Api, customer: str) -> None:
    intent = api.post("/v1/setup_intents", {"metadata": {"a": 1}})
    path = f"/v1/setup_intents/{intent['id']}"
    changed = api.post(path, {"customer": customer, "metadata": {"b": 2}, "payment_method": "pm_card_visa"})
    assert (changed["customer"], changed["metadata"]) == (customer, {"a": "1", "b": "2"})
    assert changed["status"] == "requires_confirmation"
    api.post(f"{path}/confirm")
    assert api.post(path, {"description": "done"})["description"] == "done"
    assert api.refused("POST", path, {"payment_method": "pm_card_visa"})["code"] == "setup_intent_unexpected_state"


def test_lists_can_be_filtered(api: Api, customer: str) -> None:
    first = api.post("/v1/setup_intents", {"customer": customer})
    second = api.post("/v1/setup_intents")
    assert api.get("/v1/setup_intents")["data"] == [second, first]
    assert api.get("/v1/setup_intents", {"customer": customer})["data"] == [first]


def test_a_shopper_shows_the_client_secret(api: Api) -> None:
    intent = api.post("/v1/setup_intents")
    path, secret = f"/v1/setup_intents/{intent['id']}", intent["client_secret"]
    shopper = Api(api.inst, "pk_test_1")
    assert shopper.refused("GET", path)["param"] == "client_secret"
    assert shopper.refused("GET", path, {"client_secret": "wrong"})["param"] == "client_secret"
    assert shopper.get(path, {"client_secret": secret})["id"] == intent["id"]
    given = {"client_secret": secret, "payment_method_data": {"type": "card", "card": {"token": "tok_visa"}}}
    assert shopper.post(f"{path}/confirm", given)["status"] == "succeeded"


def test_an_unknown_one_is_missing_in_its_own_words(api: Api) -> None:
    error = api.refused("GET", "/v1/setup_intents/seti_none")
    assert (error["message"], error["param"], error["status"]) == ("No such setupintent: 'seti_none'", "intent", 404)


def test_a_confirmation_token_is_good_for_one_intent(api: Api, customer: str) -> None:
    token = api.post("/v1/test_helpers/confirmation_tokens", {"payment_method": "pm_card_visa"})
    assert problems("confirmation_token", token) == []
    assert token["payment_method_preview"]["card"]["last4"] == "4242"
    given = {"customer": customer, "confirm": True, "confirmation_token": token["id"]}
    intent = api.post("/v1/setup_intents", given)
    assert intent["status"] == "succeeded"
    assert api.get(f"/v1/confirmation_tokens/{token['id']}")["setup_intent"] == intent["id"]
    assert api.refused("POST", "/v1/setup_intents", given)["param"] == "confirmation_token"


def test_the_way_back_can_come_with_the_confirmation_token(api: Api) -> None:
    token = api.post(
        "/v1/test_helpers/confirmation_tokens",
        {"payment_method": "pm_card_threeDSecure2Required", "return_url": "https://shop.example/back"},
    )
    intent = api.post("/v1/setup_intents", {"confirm": True, "confirmation_token": token["id"]})
    assert intent["next_action"]["redirect_to_url"]["return_url"] == "https://shop.example/back"


def test_automatic_payment_methods_want_a_way_back(api: Api) -> None:
    given = {"automatic_payment_methods": {"enabled": True}, "payment_method": "pm_card_visa", "confirm": True}
    assert api.refused("POST", "/v1/setup_intents", given)["param"] == "return_url"
    never = {"automatic_payment_methods": {"enabled": True, "allow_redirects": "never"}}
    assert api.post("/v1/setup_intents", {**given, **never})["status"] == "succeeded"


def test_a_card_that_was_set_up_needs_no_shopper_off_session(api: Api, customer: str) -> None:
    given = {"customer": customer, "payment_method": "pm_card_authenticationRequiredOnSetup", "confirm": True}
    intent = api.post("/v1/setup_intents", given)
    answer(api, intent, "success")
    method = api.get(f"/v1/setup_intents/{intent['id']}")["payment_method"]
    payment = {"amount": 2000, "currency": "usd", "customer": customer, "confirm": True}
    done = api.post("/v1/payment_intents", {**payment, "payment_method": method, "off_session": True})
    assert done["status"] == "succeeded"


def test_the_banks_page_asks_plainly(api: Api) -> None:
    intent = api.post("/v1/setup_intents", {"payment_method": "pm_card_threeDSecure2Required", "confirm": True})
    page = api.send("GET", f"/_authenticate/{intent['client_secret']}")
    assert page.status == 200
    assert b"Complete authentication" in page.body
    assert b"Fail authentication" in page.body
