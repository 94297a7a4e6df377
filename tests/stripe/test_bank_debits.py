"""Do bank debits settle, or come back, some days later?"""

from __future__ import annotations

from typing import Any

import pytest

from tests.stripe.conftest import Api
from tests.stripe.paying import charge_of, conforms, debit, of, types

DEBIT = {"amount": 2000, "currency": "usd", "payment_method_types": ["us_bank_account"], "confirm": True}


@pytest.mark.parametrize("bank", ["pm_usBankAccount_success", "pm_sepaDebit_success_de"])
def test_a_debit_is_processing_until_the_bank_has_answered(bank: str, api: Api) -> None:
    intent = debit(api, bank)
    assert intent["status"] == "processing"
    charge = charge_of(api, intent)
    assert (charge["status"], charge["paid"], charge["balance_transaction"]) == ("pending", False, None)
    assert charge["id"].startswith("py_")
    assert types(api)[-2:] == ["charge.pending", "payment_intent.processing"]
    api.inst.advance(days=3)
    assert of(api, intent)["status"] == "processing"
    api.inst.advance(days=3)
    paid = of(api, intent)
    assert (paid["status"], paid["amount_received"]) == ("succeeded", 2000)
    charge = charge_of(api, paid, "balance_transaction")
    assert (charge["status"], charge["paid"]) == ("succeeded", True)
    assert charge["balance_transaction"]["type"] == "payment"
    assert [type for type in types(api) if "succeeded" in type] == ["charge.succeeded", "payment_intent.succeeded"]


@pytest.mark.parametrize(
    ("bank", "code"),
    [
        ("pm_usBankAccount_insufficientFunds", "insufficient_funds"),
        ("pm_usBankAccount_accountClosed", "account_closed"),
        ("pm_usBankAccount_noAccount", "no_account"),
        ("pm_usBankAccount_debitNotAuthorized", "debit_not_authorized"),
    ],
)
def test_a_debit_that_comes_back_says_why(bank: str, code: str, api: Api) -> None:
    intent = debit(api, bank)
    api.inst.advance(days=5)
    after = of(api, intent)
    assert (after["status"], after["last_payment_error"]["code"]) == ("requires_payment_method", code)
    charge = charge_of(api, intent)
    assert (charge["status"], charge["failure_code"], charge["amount_captured"]) == ("failed", code, 0)
    assert types(api)[-2:] == ["charge.failed", "payment_intent.payment_failed"]
    assert api.get("/v1/balance_transactions")["data"] == []


def test_an_account_that_is_closed_ends_its_mandate(api: Api) -> None:
    intent = debit(api, "pm_usBankAccount_accountClosed")
    mandate = charge_of(api, intent)["payment_method_details"]["us_bank_account"]["mandate"]
    assert api.get(f"/v1/mandates/{mandate}")["status"] == "active"
    api.inst.advance(days=5)
    assert api.get(f"/v1/mandates/{mandate}")["status"] == "inactive"


def test_some_debits_are_never_answered(api: Api) -> None:
    intent = debit(api, "pm_usBankAccount_processing")
    api.inst.advance(days=60)
    assert of(api, intent)["status"] == "processing"
    assert api.post(f"/v1/payment_intents/{intent['id']}/cancel")["status"] == "canceled"


def test_nobody_is_debited_without_a_mandate(api: Api) -> None:
    error = api.refused("POST", "/v1/payment_intents", {**DEBIT, "payment_method": "pm_usBankAccount_success"})
    assert (error["code"], error["param"]) == ("payment_intent_mandate_invalid", "mandate_data")


def test_a_saved_account_is_debited_again_by_its_mandate(api: Api) -> None:
    customer = api.post("/v1/customers")["id"]
    intent = debit(api, customer=customer, setup_future_usage="off_session")
    method = intent["payment_method"]
    again = api.post(
        "/v1/payment_intents", {**DEBIT, "payment_method": method, "customer": customer, "off_session": True}
    )
    assert again["status"] == "processing"


def test_small_amounts_show_whose_account_it_is(api: Api) -> None:
    wanted: dict[str, Any] = {"payment_method_options": {"us_bank_account": {"verification_method": "microdeposits"}}}
    intent = conforms(debit(api, **wanted))
    assert (intent["status"], intent["next_action"]["type"]) == ("requires_action", "verify_with_microdeposits")
    path = f"/v1/payment_intents/{intent['id']}/verify_microdeposits"
    error = api.refused("POST", path, {"amounts": [1, 2]})
    assert error["code"] == "payment_method_microdeposit_verification_amounts_mismatch"
    assert api.post(path, {"amounts": [32, 45]})["status"] == "processing"
    assert api.refused("POST", path, {"amounts": [32, 45]})["code"] == "intent_invalid_state"


def test_amounts_that_never_arrive_end_the_attempt(api: Api) -> None:
    wanted: dict[str, Any] = {"payment_method_options": {"us_bank_account": {"verification_method": "microdeposits"}}}
    intent = debit(api, "pm_usBankAccount_failMicrodeposits", **wanted)
    error = api.refused("POST", f"/v1/payment_intents/{intent['id']}/verify_microdeposits", {"amounts": [32, 45]})
    assert error["payment_intent"]["status"] == "requires_payment_method"
    assert of(api, intent)["status"] == "requires_payment_method"


def test_a_debit_costs_less_than_a_card(api: Api) -> None:
    intent = debit(api, amount=10_000)
    api.inst.advance(days=5)
    assert charge_of(api, intent, "balance_transaction")["balance_transaction"]["fee"] == 80
