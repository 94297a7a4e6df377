"""Does a payment intent go from its creation to the money as it does on Stripe?"""

from __future__ import annotations

from typing import Any

import pytest

from tests.stripe.conftest import Api
from tests.stripe.paying import charge_of, conforms, declined, of, pay, types


def test_an_intent_begins_without_a_payment_method(api: Api) -> None:
    intent = conforms(api.post("/v1/payment_intents", {"amount": 2000, "currency": "USD"}))
    assert intent["status"] == "requires_payment_method"
    assert intent["capture_method"] == "automatic_async"
    assert intent["confirmation_method"] == "automatic"
    assert intent["payment_method_types"] == ["card"]
    assert intent["amount_details"] == {"tip": {}}
    assert set(intent["payment_method_options"]["card"]) == {
        "installments", "mandate_options", "network", "request_three_d_secure"
    }  # fmt: skip
    assert intent["client_secret"].startswith(f"{intent['id']}_secret_")
    assert len(intent["client_secret"].rpartition("_")[2]) == 25
    assert types(api) == ["payment_intent.created"]


def test_it_is_created_given_a_card_and_confirmed_step_by_step(api: Api) -> None:
    intent = api.post("/v1/payment_intents", {"amount": 2000, "currency": "usd", "metadata": {"order": "7"}})
    path = f"/v1/payment_intents/{intent['id']}"
    assert api.post(path, {"payment_method": "pm_card_visa"})["status"] == "requires_confirmation"
    paid = conforms(api.post(f"{path}/confirm"))
    assert (paid["status"], paid["amount_received"], paid["amount_capturable"]) == ("succeeded", 2000, 0)
    charge = charge_of(api, paid)
    assert (charge["captured"], charge["paid"], charge["status"]) == (True, True, "succeeded")
    assert charge["metadata"] == {"order": "7"}
    assert charge["payment_method_details"]["card"]["checks"]["cvc_check"] == "pass"
    assert charge["outcome"]["type"] == "authorized"
    assert charge["id"].startswith("ch_3")
    assert types(api) == ["payment_intent.created", "charge.succeeded", "payment_intent.succeeded"]


def test_metadata_goes_to_the_charge_once(api: Api) -> None:
    intent = pay(api, metadata={"a": "1"})
    api.post(f"/v1/payment_intents/{intent['id']}", {"metadata": {"a": "2"}})
    assert charge_of(api, intent)["metadata"] == {"a": "1"}
    assert of(api, intent)["metadata"] == {"a": "2"}


@pytest.mark.parametrize(
    ("amount", "currency", "code"),
    [
        (0, "usd", "parameter_invalid_integer"),
        (-5, "usd", "parameter_invalid_integer"),
        (49, "usd", "amount_too_small"),
        (29, "gbp", "amount_too_small"),
        (49, "jpy", "amount_too_small"),
        (100_000_000, "usd", "amount_too_large"),
        (1001, "kwd", "parameter_invalid_integer"),
    ],
)
def test_amounts_are_bounded_by_their_currency(amount: int, currency: str, code: str, api: Api) -> None:
    error = api.refused("POST", "/v1/payment_intents", {"amount": amount, "currency": currency})
    assert (error["status"], error["code"], error["param"]) == (400, code, "amount")


def test_the_smallest_amounts_are_taken(api: Api) -> None:
    for amount, currency in ((50, "usd"), (30, "gbp"), (50, "jpy"), (1500, "kwd")):
        assert api.post("/v1/payment_intents", {"amount": amount, "currency": currency})["amount"] == amount


def test_a_decline_is_refused_and_remembered(api: Api) -> None:
    error = declined(api, "pm_card_visa_chargeDeclinedInsufficientFunds")
    assert (error["status"], error["type"], error["code"]) == (402, "card_error", "card_declined")
    assert (error["decline_code"], error["message"]) == ("insufficient_funds", "Your card has insufficient funds.")
    assert error["doc_url"] == "https://stripe.com/docs/error-codes/card-declined"
    intent = of(api, error["payment_intent"])
    assert intent["status"] == "requires_payment_method"
    assert intent["payment_method"] is None
    assert intent["latest_charge"] == error["charge"]
    assert intent["last_payment_error"]["payment_method"]["id"] == error["payment_method"]["id"]
    charge = charge_of(api, intent)
    assert (charge["status"], charge["paid"], charge["captured"]) == ("failed", False, False)
    assert (charge["failure_code"], charge["outcome"]["reason"]) == ("card_declined", "insufficient_funds")
    assert charge["balance_transaction"] is None
    assert types(api) == ["payment_intent.created", "charge.failed", "payment_intent.payment_failed"]


@pytest.mark.parametrize(
    ("card", "code", "message"),
    [
        ("pm_card_visa_chargeDeclined", "card_declined", "Your card was declined."),
        ("pm_card_visa_chargeDeclinedLostCard", "card_declined", "Your card was declined."),
        ("pm_card_chargeDeclinedExpiredCard", "expired_card", "Your card has expired."),
        ("pm_card_chargeDeclinedIncorrectCvc", "incorrect_cvc", "Your card's security code is incorrect."),
        ("pm_card_chargeDeclinedProcessingError", "processing_error", "An error occurred while processing your card. "
         "Try again in a little bit."),
    ],
)  # fmt: skip
def test_every_decline_has_its_words(card: str, code: str, message: str, api: Api) -> None:
    error = declined(api, card)
    assert (error["code"], error["message"]) == (code, message)


def test_a_fraudulent_card_is_blocked_before_it_reaches_the_network(api: Api) -> None:
    error = declined(api, "pm_card_radarBlock")
    outcome = charge_of(api, error["payment_intent"])["outcome"]
    assert (outcome["type"], outcome["risk_level"], outcome["network_status"]) == (
        "blocked", "highest", "not_sent_to_network",
    )  # fmt: skip


def test_another_card_pays_after_a_decline(api: Api) -> None:
    intent = declined(api, "pm_card_visa_chargeDeclined")["payment_intent"]
    paid = api.post(f"/v1/payment_intents/{intent['id']}/confirm", {"payment_method": "pm_card_visa"})
    assert (paid["status"], paid["last_payment_error"]) == ("succeeded", None)
    assert [charge["status"] for charge in api.get("/v1/charges", {"payment_intent": intent["id"]})["data"]] == [
        "succeeded", "failed",
    ]  # fmt: skip


def test_confirming_without_a_payment_method_is_refused_and_shows_the_intent(api: Api) -> None:
    intent = api.post("/v1/payment_intents", {"amount": 2000, "currency": "usd"})
    error = api.refused("POST", f"/v1/payment_intents/{intent['id']}/confirm")
    assert (error["status"], error["code"]) == (400, "payment_intent_unexpected_state")
    assert "missing a payment method" in error["message"]
    assert error["payment_intent"]["id"] == intent["id"]


def test_the_customers_default_pays_where_nothing_else_is_named(api: Api) -> None:
    customer = api.post("/v1/customers")
    method = api.post("/v1/payment_methods/pm_card_visa/attach", {"customer": customer["id"]})
    api.post(f"/v1/customers/{customer['id']}", {"invoice_settings": {"default_payment_method": method["id"]}})
    intent = api.post("/v1/payment_intents", {"amount": 500, "currency": "usd", "customer": customer["id"]})
    paid = api.post(f"/v1/payment_intents/{intent['id']}/confirm")
    assert (paid["status"], paid["payment_method"]) == ("succeeded", method["id"])


def test_a_payment_method_of_a_customer_needs_its_customer(api: Api) -> None:
    ada, bea = (api.post("/v1/customers")["id"] for _ in range(2))
    method = api.post("/v1/payment_methods/pm_card_visa/attach", {"customer": ada})["id"]
    error = declined(api, method)
    assert (error["status"], error["code"], error["param"]) == (400, "parameter_missing", "source")
    error = declined(api, method, customer=bea)
    assert (error["status"], error["code"], error["param"]) == (400, "resource_missing", "payment_method")
    assert pay(api, method, customer=ada)["status"] == "succeeded"


def test_nobodys_payment_method_pays_once(api: Api) -> None:
    method = api.post("/v1/payment_methods", {"type": "card", "card": {"token": "tok_visa"}})["id"]
    pay(api, method)
    error = declined(api, method)
    assert error["status"] == 400
    assert "may not be used again" in error["message"]


def test_setting_up_for_later_attaches_the_payment_method(api: Api) -> None:
    customer = api.post("/v1/customers")["id"]
    intent = pay(api, customer=customer, setup_future_usage="off_session")
    kept = api.get("/v1/payment_methods", {"customer": customer})["data"]
    assert [method["id"] for method in kept] == [intent["payment_method"]]
    assert pay(api, intent["payment_method"], customer=customer, off_session=True)["status"] == "succeeded"
    assert "payment_method.attached" in types(api)


def test_a_type_that_the_intent_does_not_take_is_refused(api: Api) -> None:
    error = declined(api, "pm_usBankAccount_success")
    assert (error["status"], error["code"]) == (400, "payment_intent_incompatible_payment_method")


def test_payment_methods_that_may_redirect_need_a_way_back(api: Api) -> None:
    automatic: dict[str, Any] = {"automatic_payment_methods": {"enabled": True}}
    error = declined(api, "pm_card_visa", **automatic)
    assert (error["status"], error["param"]) == (400, "return_url")
    assert pay(api, **automatic, return_url="https://example.com")["status"] == "succeeded"
    never: dict[str, Any] = {"automatic_payment_methods": {"enabled": True, "allow_redirects": "never"}}
    intent = pay(api, **never)
    assert intent["automatic_payment_methods"] == {"allow_redirects": "never", "enabled": True}


def test_a_confirmation_token_says_all_there_is_to_say(api: Api) -> None:
    token = api.post("/v1/test_helpers/confirmation_tokens", {"payment_method": "pm_card_visa"})["id"]
    intent = api.post("/v1/payment_intents", {"amount": 500, "currency": "usd"})
    path = f"/v1/payment_intents/{intent['id']}/confirm"
    assert api.post(path, {"confirmation_token": token})["status"] == "succeeded"
    error = declined(api, "pm_card_visa", confirmation_token=token)
    assert error["code"] == "parameters_exclusive"


def test_a_card_can_be_described_in_the_confirmation(api: Api) -> None:
    intent = api.post(
        "/v1/payment_intents",
        {
            "amount": 500, "currency": "usd", "confirm": True,
            "payment_method_data": {"type": "card", "card": {"token": "tok_mastercard"}},
        },
    )  # fmt: skip
    assert charge_of(api, intent)["payment_method_details"]["card"]["brand"] == "mastercard"


def test_the_clients_side_needs_the_secret_and_sees_less(api: Api) -> None:
    intent = api.post("/v1/payment_intents", {"amount": 500, "currency": "usd", "metadata": {"a": "1"}})
    shop, path = Api(api.inst, "pk_test_1"), f"/v1/payment_intents/{intent['id']}"
    seen = shop.get(path, {"client_secret": intent["client_secret"]})
    assert seen["status"] == "requires_payment_method"
    assert "metadata" not in seen
    assert shop.refused("GET", path)["param"] == "client_secret"
    assert shop.refused("GET", path, {"client_secret": "pi_x_secret_y"})["param"] == "client_secret"
    given = {"client_secret": intent["client_secret"], "payment_method": "pm_card_visa"}
    assert shop.post(f"{path}/confirm", given)["status"] == "succeeded"


def test_what_is_paid_can_be_confirmed_no_more(api: Api) -> None:
    intent = pay(api)
    for action, words in (
        ("confirm", "already succeeded"), ("cancel", "has a status of succeeded"),
        ("capture", "has a status of succeeded"), ("increment_authorization", "has a status of succeeded"),
    ):  # fmt: skip
        params = {"amount": 3000} if action == "increment_authorization" else None
        error = api.refused("POST", f"/v1/payment_intents/{intent['id']}/{action}", params)
        assert (error["status"], error["code"]) == (400, "payment_intent_unexpected_state")
        assert words in error["message"]
        assert error["payment_intent"]["status"] == "succeeded"


def test_what_is_paid_keeps_its_amount_and_takes_a_description(api: Api) -> None:
    intent = pay(api)
    path = f"/v1/payment_intents/{intent['id']}"
    error = api.refused("POST", path, {"amount": 500})
    assert (error["code"], error["param"]) == ("payment_intent_unexpected_state", "amount")
    assert api.post(path, {"description": "Order 7"})["description"] == "Order 7"


@pytest.mark.parametrize("card", ["", "pm_card_visa"])
def test_it_is_canceled_before_the_money_moves(card: str, api: Api) -> None:
    intent = api.post(
        "/v1/payment_intents", {"amount": 500, "currency": "usd", **({"payment_method": card} if card else {})}
    )
    gone = conforms(
        api.post(f"/v1/payment_intents/{intent['id']}/cancel", {"cancellation_reason": "requested_by_customer"})
    )
    assert (gone["status"], gone["cancellation_reason"]) == ("canceled", "requested_by_customer")
    assert gone["canceled_at"] is not None
    assert types(api)[-1] == "payment_intent.canceled"
    error = api.refused("POST", f"/v1/payment_intents/{intent['id']}/confirm", {"payment_method": "pm_card_visa"})
    assert "has a status of canceled" in error["message"]


def test_an_unknown_intent_is_missed_in_its_own_words(api: Api) -> None:
    error = api.refused("GET", "/v1/payment_intents/pi_x")
    assert (error["status"], error["code"], error["param"]) == (404, "resource_missing", "intent")
    assert error["message"] == "No such payment_intent: 'pi_x'"


def test_intents_are_listed_by_customer(api: Api) -> None:
    customer = api.post("/v1/customers")["id"]
    mine = api.post("/v1/payment_intents", {"amount": 500, "currency": "usd", "customer": customer})["id"]
    api.post("/v1/payment_intents", {"amount": 500, "currency": "usd"})
    assert [row["id"] for row in api.get("/v1/payment_intents", {"customer": customer})["data"]] == [mine]
    assert len(api.get("/v1/payment_intents")["data"]) == 2


def test_what_an_amount_is_made_of_is_listed_in_its_order(api: Api) -> None:
    lines = [{"product_name": name, "quantity": 1, "unit_cost": 250} for name in ("Tea", "Milk")]
    intent = api.post(
        "/v1/payment_intents", {"amount": 500, "currency": "usd", "amount_details": {"line_items": lines}}
    )
    found = api.get(f"/v1/payment_intents/{intent['id']}/amount_details_line_items")
    assert [line["product_name"] for line in found["data"]] == ["Tea", "Milk"]
    for line in found["data"]:
        conforms(line)


def test_confirming_again_under_one_key_pays_once(api: Api) -> None:
    given = {"amount": 500, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True}
    first, second = (api.post("/v1/payment_intents", given, idempotency_key="k1") for _ in range(2))
    assert first["id"] == second["id"]
    assert len(api.get("/v1/charges")["data"]) == 1


def test_a_decline_under_a_key_is_answered_again(api: Api) -> None:
    given = {"amount": 500, "currency": "usd", "payment_method": "pm_card_visa_chargeDeclined", "confirm": True}
    first, second = (api.refused("POST", "/v1/payment_intents", given, idempotency_key="k1") for _ in range(2))
    assert first["charge"] == second["charge"]
    assert len(api.get("/v1/charges")["data"]) == 1


def test_a_currency_is_one_that_is_known(api: Api) -> None:
    error = api.refused("POST", "/v1/payment_intents", {"amount": 500, "currency": "abc"})
    assert (error["status"], error["param"]) == (400, "currency")
    assert error["message"].startswith("Invalid currency: abc. Stripe currently supports these currencies: usd, aed")


def test_the_amount_to_confirm_is_the_amount(api: Api) -> None:
    intent = api.post("/v1/payment_intents", {"amount": 500, "currency": "usd", "payment_method": "pm_card_visa"})
    path = f"/v1/payment_intents/{intent['id']}/confirm"
    assert api.refused("POST", path, {"amount_to_confirm": 499})["param"] == "amount_to_confirm"
    assert api.post(path, {"amount_to_confirm": 500})["status"] == "succeeded"
