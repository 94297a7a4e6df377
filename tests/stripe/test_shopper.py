"""Can an agent pay at the account's pages with one tool?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.stripe.conftest import NOW
from tests.stripe.test_toolkit import composed
from worlds.engine import HttpRequest, Instance, ToolError, World

KEY = {"authorization": "Bearer sk_test_1"}


@pytest.fixture(scope="module")
def world() -> World:
    return composed("stripe_shopper")


@pytest.fixture
def inst(world: World) -> Iterator[Instance]:
    with world.instance(seed=1, now=NOW) as inst:
        yield inst


def ask(inst: Instance, method: str, path: str, **body: Any) -> dict[str, Any]:
    headers = {**KEY, "content-type": "application/json"}
    answer = inst.http(HttpRequest.of(method, path, headers=headers, body=json.dumps(body) if body else ""), "stripe")
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json()
    return found


def line(amount: int = 1500) -> list[dict[str, Any]]:
    return [{"quantity": 1, "price_data": {"currency": "usd", "unit_amount": amount, "product_data": {"name": "Pass"}}}]


@pytest.fixture
def session(inst: Instance) -> dict[str, Any]:
    return ask(
        inst, "POST", "/v1/checkout/sessions", mode="payment", line_items=line(), success_url="https://shop.test/thanks"
    )


def pay(inst: Instance, page: dict[str, Any], **told: Any) -> dict[str, Any]:
    found: dict[str, Any] = inst.call("pay_as_shopper", url=page["url"], **{"email": "ada@example.com", **told})
    return found


def test_the_agent_has_stripes_tools_and_one_more(inst: Instance) -> None:
    assert len(inst.tools()) == 11


def test_a_session_is_paid(inst: Instance, session: dict[str, Any]) -> None:
    assert pay(inst, session) == {
        "session": session["id"], "status": "complete", "payment_status": "paid", "amount_total": 1500,
        "currency": "usd", "refusal": None, "redirected_to": "https://shop.test/thanks",
    }  # fmt: skip
    kept = ask(inst, "GET", f"/v1/checkout/sessions/{session['id']}")
    assert kept["customer_details"]["email"] == "ada@example.com"
    with pytest.raises(ToolError, match="already been completed"):
        pay(inst, session)


def test_a_decline_stays_and_another_card_may_follow(inst: Instance, session: dict[str, Any]) -> None:
    declined = pay(inst, session, payment_method="pm_card_chargeDeclined")
    assert (declined["status"], declined["payment_status"]) == ("open", "unpaid")
    assert "declined" in declined["refusal"]
    charges = ask(inst, "GET", "/v1/charges")["data"]
    assert [charge["status"] for charge in charges] == ["failed"]
    card = {"number": "4242424242424242", "exp_month": 12, "exp_year": 2034, "cvc": "123"}
    assert pay(inst, session, details={"card": card})["status"] == "complete"


@pytest.mark.parametrize(("outcome", "status"), [("success", "complete"), ("fail", "open")])
def test_the_bank_is_answered(inst: Instance, session: dict[str, Any], outcome: str, status: str) -> None:
    found = pay(inst, session, payment_method="pm_card_threeDSecure2Required", authentication=outcome)
    assert found["status"] == status
    assert (found["refusal"] is None) == (status == "complete")
    assert (found["redirected_to"] == "https://shop.test/thanks") == (status == "complete")


def test_every_visit_to_a_payment_link_pays_a_session_of_its_own(inst: Instance) -> None:
    price = ask(inst, "POST", "/v1/prices", currency="usd", unit_amount=700, product_data={"name": "Tea"})
    link = ask(inst, "POST", "/v1/payment_links", line_items=[{"price": price["id"], "quantity": 1}])
    first, second = pay(inst, link), pay(inst, link, email="bob@example.com")
    assert first["session"] != second["session"]
    assert (first["payment_status"], second["amount_total"]) == ("paid", 700)
    ask(inst, "POST", f"/v1/payment_links/{link['id']}", active=False)
    with pytest.raises(ToolError, match="leads to no page"):
        pay(inst, link)


def test_the_page_of_an_intents_next_action_is_answered(inst: Instance) -> None:
    intent = ask(
        inst, "POST", "/v1/payment_intents", amount=900, currency="usd", confirm=True,
        payment_method="pm_card_threeDSecure2Required", return_url="https://shop.test/back",
        automatic_payment_methods={"enabled": True},
    )  # fmt: skip
    found = inst.call("pay_as_shopper", url=intent["next_action"]["redirect_to_url"]["url"])
    assert found["redirected_to"].startswith("https://shop.test/back?payment_intent=pi_")
    assert ask(inst, "GET", f"/v1/payment_intents/{intent['id']}")["status"] == "succeeded"


@pytest.mark.parametrize("url", ["https://shop.test/", "https://checkout/_checkout/cs_test_nothing", "/_checkout/", ""])
def test_what_is_no_page_is_refused(inst: Instance, url: str) -> None:
    with pytest.raises(ToolError, match="leads to no page; give the url of"):
        inst.call("pay_as_shopper", url=url, email="ada@example.com")


def test_what_the_page_misses_is_told(inst: Instance, session: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match="Enter an email address"):
        inst.call("pay_as_shopper", url=session["url"])
    with pytest.raises(ToolError, match="unknown parameter: colour"):
        pay(inst, session, details={"colour": "red"})
    assert inst.change_log()[-1]["table"] != "charges"
