"""How does a test pay? The shortest words for what payment tests say all the time."""

from __future__ import annotations

from typing import Any

from tests.stripe.conftest import Api
from worlds.stripe.facts import conforming

ACCEPTED = {"customer_acceptance": {"type": "offline"}}


def pay(api: Api, card: str = "pm_card_visa", amount: int = 2000, **more: Any) -> dict[str, Any]:
    """An intent that is confirmed at once."""
    given = {"amount": amount, "currency": "usd", "payment_method": card, "confirm": True, **more}
    return conforms(api.post("/v1/payment_intents", given))


def declined(api: Api, card: str, **more: Any) -> dict[str, Any]:
    """The error of an intent that is confirmed at once, and comes to nothing."""
    given = {"amount": 2000, "currency": "usd", "payment_method": card, "confirm": True, **more}
    return api.refused("POST", "/v1/payment_intents", given)


def debit(api: Api, account: str = "pm_usBankAccount_success", **more: Any) -> dict[str, Any]:
    """An intent that a bank account is to pay."""
    type = "sepa_debit" if "sepa" in account else "us_bank_account"
    currency = "eur" if type == "sepa_debit" else "usd"
    return pay(api, account, payment_method_types=[type], currency=currency, mandate_data=ACCEPTED, **more)


def charge_of(api: Api, intent: dict[str, Any], *expand: str) -> dict[str, Any]:
    """The latest charge of an intent."""
    params = {"expand": list(expand)} if expand else None
    return conforms(api.get(f"/v1/charges/{intent['latest_charge']}", params))


def of(api: Api, intent: dict[str, Any]) -> dict[str, Any]:
    """An intent as it is now."""
    return conforms(api.get(f"/v1/payment_intents/{intent['id']}"))


def types(api: Api) -> list[str]:
    """What happened, by its names."""
    return [event["type"] for event in api.events()]


def conforms(found: dict[str, Any]) -> dict[str, Any]:
    """The same object, which has the shape that is published for it."""
    assert conforming.problems(found["object"], found) == []
    return found
