"""Do payment methods behave as Stripe's do?"""

from __future__ import annotations

from typing import Any

import pytest

from tests.stripe.conftest import Api
from worlds.engine import World
from worlds.stripe import rails
from worlds.stripe.facts.conforming import problems

VISA = {"number": "4242424242424242", "exp_month": 12, "exp_year": 2034, "cvc": "123"}
NUMBERS: dict[str, dict[str, Any]] = {
    "acss_debit": {"account_number": "000123456789", "institution_number": "000", "transit_number": "11000"},
    "au_becs_debit": {"account_number": "000123456", "bsb_number": "000000"},
    "bacs_debit": {"account_number": "00012345", "sort_code": "108800"},
    "boleto": {"tax_id": "000.000.000-00"},
    "card": VISA,
    "custom": {"type": "cpmt_123"},
    "fpx": {"bank": "affin_bank"},
    "nz_bank_account": {
        "account_number": "0000000", "bank_code": "11", "branch_code": "0000", "suffix": "010",
        "account_holder_name": "Ada",
    },
    "sepa_debit": {"iban": "DE89370400440532013000"},
    "sofort": {"country": "DE"},
    "us_bank_account": {"account_number": "000123456789", "routing_number": "110000000"},
}  # fmt: skip


@pytest.fixture
def customer(api: Api) -> str:
    return str(api.post("/v1/customers", {"name": "Ada"})["id"])


def test_a_card_is_shown_in_full_and_nothing_is_told_of_it(api: Api) -> None:
    method = api.post("/v1/payment_methods", {"type": "card", "card": VISA, "billing_details": {"name": "Ada"}})
    assert problems("payment_method", method) == []
    card = method["card"]
    assert (card["brand"], card["last4"], card["exp_month"], card["exp_year"]) == ("visa", "4242", 12, 2034)
    assert card["checks"]["cvc_check"] == "unchecked"
    assert method["billing_details"]["address"] == dict.fromkeys(
        ["city", "country", "line1", "line2", "postal_code", "state"]
    )
    assert method["customer"] is None
    assert api.events() == []


@pytest.mark.parametrize("type", sorted(set(rails.TYPES) - {"card_present", "interac_present"}))
def test_every_type_can_be_made_and_has_its_published_shape(api: Api, type: str) -> None:
    method = api.post(
        "/v1/payment_methods",
        {"type": type, type: NUMBERS.get(type, {}), "billing_details": {"name": "Ada", "email": "ada@example.com"}},
    )
    assert problems("payment_method", method) == []
    assert type in method
    assert not [other for other in rails.TYPES if other in method and other != type]


@pytest.mark.parametrize(
    ("card", "code", "param"),
    [
        ({"number": "4242424242424241"}, "incorrect_number", "number"),
        ({"exp_month": 13}, "invalid_expiry_month", "exp_month"),
        ({"exp_year": 1995}, "invalid_expiry_year", "exp_year"),
        ({"cvc": "99"}, "invalid_cvc", "cvc"),
    ],
)
def test_a_card_that_cannot_be_is_a_card_error(api: Api, card: dict[str, Any], code: str, param: str) -> None:
    error = api.refused("POST", "/v1/payment_methods", {"type": "card", "card": {**VISA, **card}})
    assert (error["status"], error["type"], error["code"], error["param"]) == (402, "card_error", code, param)


def test_one_without_a_type_or_without_numbers_is_refused(api: Api) -> None:
    assert api.refused("POST", "/v1/payment_methods")["message"] == "Missing required param: type."
    assert api.refused("POST", "/v1/payment_methods", {"type": "card"})["param"] == "card"
    given = {"type": "us_bank_account", "us_bank_account": NUMBERS["us_bank_account"]}
    assert api.refused("POST", "/v1/payment_methods", given)["param"] == "billing_details[name]"


def test_an_iban_and_a_routing_number_must_be_ones(api: Api) -> None:
    details = {"name": "Ada", "email": "ada@example.com"}
    sepa = {"type": "sepa_debit", "sepa_debit": {"iban": "DE00370400440532013000"}, "billing_details": details}
    assert api.refused("POST", "/v1/payment_methods", sepa)["param"] == "sepa_debit[iban]"
    numbers = {**NUMBERS["us_bank_account"], "routing_number": "123456789"}
    bank = {"type": "us_bank_account", "us_bank_account": numbers, "billing_details": details}
    assert api.refused("POST", "/v1/payment_methods", bank)["code"] == "routing_number_invalid"


def test_one_number_has_one_fingerprint_in_an_account_and_another_in_another(api: Api, world: World) -> None:
    first = api.post("/v1/payment_methods", {"type": "card", "card": VISA})
    later = api.post("/v1/payment_methods", {"type": "card", "card": {**VISA, "exp_year": 2030}})
    other = api.post("/v1/payment_methods", {"type": "card", "card": {"token": "tok_mastercard"}})
    assert first["card"]["fingerprint"] == later["card"]["fingerprint"] != other["card"]["fingerprint"]
    with world.instance(seed=2) as elsewhere:
        theirs = Api(elsewhere).post("/v1/payment_methods", {"type": "card", "card": VISA})
    assert theirs["card"]["fingerprint"] != first["card"]["fingerprint"]


def test_attaching_checks_the_card_and_tells_of_it(api: Api, customer: str) -> None:
    address = {"line1": "1 Street", "postal_code": "12345"}
    given = {"type": "card", "card": VISA, "billing_details": {"address": address}}
    method = api.post("/v1/payment_methods", given)
    attached = api.post(f"/v1/payment_methods/{method['id']}/attach", {"customer": customer})
    assert attached["customer"] == customer
    assert attached["card"]["checks"] == {
        "address_line1_check": "pass",
        "address_postal_code_check": "pass",
        "cvc_check": "pass",
    }
    (event,) = api.events("payment_method.attached")
    assert event["object"] == attached


def test_attaching_again_changes_nothing_and_to_another_is_refused(api: Api, customer: str) -> None:
    method = api.post("/v1/payment_methods/pm_card_visa/attach", {"customer": customer})
    again = api.post(f"/v1/payment_methods/{method['id']}/attach", {"customer": customer})
    assert again == method
    assert len(api.events("payment_method.attached")) == 1
    other = api.post("/v1/customers")["id"]
    error = api.refused("POST", f"/v1/payment_methods/{method['id']}/attach", {"customer": other})
    assert error["message"] == "The payment method you provided has already been attached to a customer."


def test_every_use_of_a_published_id_makes_one_of_the_accounts_own(api: Api, customer: str) -> None:
    first = api.post("/v1/payment_methods/pm_card_visa/attach", {"customer": customer})
    second = api.post("/v1/payment_methods/pm_card_visa/attach", {"customer": customer})
    assert first["id"] != second["id"]
    assert (first["card"]["exp_month"], first["card"]["exp_year"]) == (6, 2027)


def test_a_published_id_can_be_looked_at(api: Api) -> None:
    assert api.get("/v1/payment_methods/pm_card_amex")["card"]["display_brand"] == "american_express"
    assert api.get("/v1/payment_methods/pm_usBankAccount_success")["us_bank_account"]["last4"] == "6789"


def test_an_issuer_refuses_at_attaching_and_nothing_stays(api: Api, customer: str) -> None:
    path = "/v1/payment_methods/pm_card_visa_chargeDeclinedInsufficientFunds/attach"
    error = api.refused("POST", path, {"customer": customer})
    assert (error["status"], error["code"], error["decline_code"]) == (402, "card_declined", "insufficient_funds")
    assert error["message"] == "Your card has insufficient funds."
    assert api.get("/v1/payment_methods", {"customer": customer})["data"] == []
    assert api.events("payment_method.attached") == []


def test_the_card_that_declines_later_can_be_attached(api: Api, customer: str) -> None:
    method = api.post("/v1/payment_methods/pm_card_chargeCustomerFail/attach", {"customer": customer})
    assert method["card"]["last4"] == "0341"


def test_a_failing_check_stays_with_the_card(api: Api, customer: str) -> None:
    method = api.post("/v1/payment_methods/pm_card_cvcCheckFail/attach", {"customer": customer})
    assert method["card"]["checks"]["cvc_check"] == "fail"


def test_a_detached_one_is_gone_for_good(api: Api, customer: str) -> None:
    method = api.post("/v1/payment_methods/pm_card_visa/attach", {"customer": customer})["id"]
    api.post(f"/v1/customers/{customer}", {"invoice_settings": {"default_payment_method": method}})
    detached = api.post(f"/v1/payment_methods/{method}/detach")
    assert detached["customer"] is None
    (event,) = api.events("payment_method.detached")
    assert event["previous_attributes"] == {"customer": customer}
    assert api.get(f"/v1/customers/{customer}")["invoice_settings"]["default_payment_method"] is None
    assert "not attached" in api.refused("POST", f"/v1/payment_methods/{method}/detach")["message"]
    error = api.refused("POST", f"/v1/payment_methods/{method}/attach", {"customer": customer})
    assert "may not be used again" in error["message"]


def test_what_is_used_once_cannot_be_attached(api: Api, customer: str) -> None:
    method = api.post("/v1/payment_methods", {"type": "alipay"})["id"]
    assert api.refused("POST", f"/v1/payment_methods/{method}/attach", {"customer": customer})["status"] == 400


def test_updating_needs_a_customer_and_says_what_changed(api: Api, customer: str) -> None:
    method = api.post("/v1/payment_methods", {"type": "card", "card": VISA})["id"]
    error = api.refused("POST", f"/v1/payment_methods/{method}", {"metadata": {"a": 1}})
    assert error["message"] == "You must save this PaymentMethod to a customer before you can update it."
    api.post(f"/v1/payment_methods/{method}/attach", {"customer": customer})
    changed = api.post(
        f"/v1/payment_methods/{method}",
        {"card": {"exp_year": 2040}, "billing_details": {"address": {"city": "Paris"}}, "metadata": {"a": 1}},
    )
    assert changed["card"]["exp_year"] == 2040
    assert changed["card"]["exp_month"] == 12
    assert changed["billing_details"]["address"]["city"] == "Paris"
    (event,) = api.events("payment_method.updated")
    assert event["previous_attributes"]["metadata"] == {"a": None}
    assert event["previous_attributes"]["card"] == {"exp_year": 2034}


def test_lists_are_of_a_customer(api: Api, customer: str) -> None:
    api.post("/v1/payment_methods", {"type": "card", "card": VISA})
    method = api.post("/v1/payment_methods/pm_card_visa/attach", {"customer": customer})
    assert api.get("/v1/payment_methods")["data"] == []
    assert api.get("/v1/payment_methods", {"customer": customer, "type": "card"})["data"] == [method]
    assert api.get("/v1/payment_methods", {"customer": customer, "type": "sepa_debit"})["data"] == []
    assert api.get(f"/v1/customers/{customer}/payment_methods")["data"] == [method]
    assert api.get(f"/v1/customers/{customer}/payment_methods/{method['id']}") == method
    error = api.refused("GET", "/v1/payment_methods", {"customer": "cus_none"})
    assert (error["status"], error["param"]) == (400, "customer")


def test_one_of_another_customer_is_no_payment_method_of_this_one(api: Api, customer: str) -> None:
    other = api.post("/v1/customers", {"payment_method": "pm_card_visa"})["id"]
    (theirs,) = api.get("/v1/payment_methods", {"customer": other})["data"]
    error = api.refused("GET", f"/v1/customers/{customer}/payment_methods/{theirs['id']}")
    assert (error["status"], error["message"], error["param"]) == (404, "Invalid request", "customer")


def test_an_unknown_one_is_missing_in_its_own_words(api: Api) -> None:
    error = api.refused("GET", "/v1/payment_methods/pm_none")
    assert (error["status"], error["code"], error["param"]) == (404, "resource_missing", "payment_method")
    assert error["message"] == "No such PaymentMethod: 'pm_none'"


def test_a_customer_can_begin_with_a_payment_method_as_default(api: Api) -> None:
    customer = api.post(
        "/v1/customers",
        {"payment_method": "pm_card_visa", "invoice_settings": {"default_payment_method": "pm_card_visa"}},
    )
    (method,) = api.get("/v1/payment_methods", {"customer": customer["id"]})["data"]
    assert customer["invoice_settings"]["default_payment_method"] == method["id"]
    assert [event["type"] for event in api.events()] == ["customer.created", "payment_method.attached"]


def test_a_customer_does_not_begin_with_a_card_that_is_refused(api: Api) -> None:
    error = api.refused("POST", "/v1/customers", {"payment_method": "pm_card_visa_chargeDeclined"})
    assert error["code"] == "card_declined"
    assert api.get("/v1/customers")["data"] == []


def test_a_default_payment_method_must_be_attached(api: Api, customer: str) -> None:
    loose = api.post("/v1/payment_methods", {"type": "card", "card": VISA})["id"]
    error = api.refused("POST", f"/v1/customers/{customer}", {"invoice_settings": {"default_payment_method": loose}})
    assert (error["code"], error["param"]) == ("resource_missing", "invoice_settings[default_payment_method]")


def test_deleting_a_customer_detaches_what_they_had(api: Api) -> None:
    customer = api.post("/v1/customers", {"payment_method": "pm_card_visa"})["id"]
    (method,) = api.get("/v1/payment_methods", {"customer": customer})["data"]
    api.delete(f"/v1/customers/{customer}")
    assert api.get(f"/v1/payment_methods/{method['id']}")["customer"] is None


def test_the_default_payment_method_can_be_expanded(api: Api) -> None:
    customer = api.post(
        "/v1/customers",
        {
            "payment_method": "pm_card_visa",
            "invoice_settings": {"default_payment_method": "pm_card_visa"},
            "expand": ["invoice_settings.default_payment_method"],
        },
    )
    assert customer["invoice_settings"]["default_payment_method"]["card"]["last4"] == "4242"


def test_a_platform_gives_a_copy_to_an_account_of_its_own(api: Api) -> None:
    account = api.post("/v1/accounts", {"type": "custom", "country": "US"})["id"]
    customer = api.post("/v1/customers", {"payment_method": "pm_card_visa"})["id"]
    (method,) = api.get("/v1/payment_methods", {"customer": customer})["data"]
    given = {"payment_method": method["id"]}
    error = api.refused("POST", "/v1/payment_methods", given, stripe_account=account)
    assert error["param"] == "customer"
    copy = api.post("/v1/payment_methods", {**given, "customer": customer}, stripe_account=account)
    assert (copy["card"]["last4"], copy["customer"]) == ("4242", None)
    assert api.refused("GET", f"/v1/payment_methods/{copy['id']}")["status"] == 404
    assert api.get(f"/v1/payment_methods/{copy['id']}", stripe_account=account) == copy
