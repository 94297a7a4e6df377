"""What becomes of money that is held for a payment?"""

from __future__ import annotations

from typing import Any

from tests.stripe.conftest import Api
from tests.stripe.paying import charge_of, conforms, of, pay, types


def hold(api: Api, **more: Any) -> dict[str, Any]:
    return pay(api, capture_method="manual", **more)


def card_options(*wanted: str) -> dict[str, Any]:
    return {"payment_method_options": {"card": {f"request_{name}": "if_available" for name in wanted}}}


def test_money_is_held_until_it_is_captured(api: Api) -> None:
    intent = hold(api)
    assert (intent["status"], intent["amount_capturable"], intent["amount_received"]) == ("requires_capture", 2000, 0)
    charge = charge_of(api, intent)
    assert (charge["captured"], charge["amount_captured"], charge["balance_transaction"]) == (False, 0, None)
    assert charge["payment_method_details"]["card"]["capture_before"] == charge["created"] + 7 * 86400
    assert types(api)[-2:] == ["charge.succeeded", "payment_intent.amount_capturable_updated"]
    taken = conforms(api.post(f"/v1/payment_intents/{intent['id']}/capture"))
    assert (taken["status"], taken["amount_received"], taken["amount_capturable"]) == ("succeeded", 2000, 0)
    assert types(api)[-2:] == ["charge.captured", "payment_intent.succeeded"]


def test_a_part_is_captured_and_the_rest_released(api: Api) -> None:
    intent = hold(api)
    taken = api.post(f"/v1/payment_intents/{intent['id']}/capture", {"amount_to_capture": 700})
    assert (taken["status"], taken["amount"], taken["amount_received"]) == ("succeeded", 2000, 700)
    charge = charge_of(api, taken, "balance_transaction")
    assert (charge["amount"], charge["amount_captured"]) == (2000, 700)
    assert (charge["balance_transaction"]["amount"], charge["balance_transaction"]["fee"]) == (700, 50)
    error = api.refused("POST", f"/v1/payment_intents/{intent['id']}/capture")
    assert "has already been captured" in error["message"]


def test_no_more_is_captured_than_was_held(api: Api) -> None:
    path = f"/v1/payment_intents/{hold(api)['id']}/capture"
    assert api.refused("POST", path, {"amount_to_capture": 2001})["code"] == "amount_too_large"
    for amount in (0, -1):
        error = api.refused("POST", path, {"amount_to_capture": amount})
        assert (error["code"], error["param"]) == ("parameter_invalid_integer", "amount_to_capture")


def test_several_captures_are_for_those_who_asked(api: Api) -> None:
    path = f"/v1/payment_intents/{hold(api)['id']}/capture"
    error = api.refused("POST", path, {"amount_to_capture": 500, "final_capture": False})
    assert error["param"] == "final_capture"

    intent = hold(api, **card_options("multicapture"))
    path = f"/v1/payment_intents/{intent['id']}/capture"
    first = api.post(path, {"amount_to_capture": 500, "final_capture": False})
    assert (first["status"], first["amount_capturable"], first["amount_received"]) == ("requires_capture", 1500, 500)
    last = api.post(path, {"amount_to_capture": 600})
    assert (last["status"], last["amount_received"]) == ("succeeded", 1100)
    assert charge_of(api, intent)["amount_captured"] == 1100


def test_an_authorization_grows_where_that_was_asked_for(api: Api) -> None:
    error = api.refused("POST", f"/v1/payment_intents/{hold(api)['id']}/increment_authorization", {"amount": 3000})
    assert error["code"] == "payment_intent_invalid_parameter"
    intent = hold(api, **card_options("incremental_authorization"))
    more = api.post(f"/v1/payment_intents/{intent['id']}/increment_authorization", {"amount": 3000})
    assert (more["amount"], more["amount_capturable"]) == (3000, 3000)
    assert charge_of(api, more)["payment_method_details"]["card"]["amount_authorized"] == 3000
    assert api.post(f"/v1/payment_intents/{intent['id']}/capture")["amount_received"] == 3000


def test_canceling_releases_what_was_held(api: Api) -> None:
    intent = hold(api)
    gone = api.post(f"/v1/payment_intents/{intent['id']}/cancel")
    assert (gone["status"], gone["amount_capturable"]) == ("canceled", 0)
    charge = charge_of(api, intent, "refunds")
    assert (charge["refunded"], charge["captured"]) == (True, False)
    assert charge["refunds"]["data"][0]["balance_transaction"] is None
    assert types(api)[-2:] == ["charge.refunded", "payment_intent.canceled"]
    assert api.get("/v1/balance_transactions")["data"] == []


def test_an_authorization_expires_after_seven_days(api: Api) -> None:
    intent = hold(api)
    api.inst.advance(days=6)
    assert of(api, intent)["status"] == "requires_capture"
    api.inst.advance(days=1, seconds=1)
    gone = of(api, intent)
    assert (gone["status"], gone["cancellation_reason"], gone["amount_capturable"]) == ("canceled", "automatic", 0)
    assert types(api)[-2:] == ["charge.expired", "payment_intent.canceled"]
    assert api.refused("POST", f"/v1/payment_intents/{intent['id']}/capture")["payment_intent"]["status"] == "canceled"


def test_what_was_captured_in_time_does_not_expire(api: Api) -> None:
    intent = hold(api)
    api.post(f"/v1/payment_intents/{intent['id']}/capture")
    api.inst.advance(days=8)
    assert of(api, intent)["status"] == "succeeded"
    assert "charge.expired" not in types(api)
