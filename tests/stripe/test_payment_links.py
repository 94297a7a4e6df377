"""Does a link sell to everybody who follows it, as long as it may?"""

from __future__ import annotations

from typing import Any

import pytest

from tests.stripe.conftest import Api
from tests.stripe.paying import conforms, types
from tests.stripe.test_checkout import entered, line, visit


def price(api: Api, amount: int = 2000, **more: Any) -> str:
    given = {"currency": "usd", "unit_amount": amount, "product_data": {"name": "Tea"}, **more}
    return str(api.post("/v1/prices", given)["id"])


def make(api: Api, **more: Any) -> dict[str, Any]:
    given = {"line_items": [{"price": price(api), "quantity": 2}], **more}
    return conforms(api.post("/v1/payment_links", given))


def follow(api: Api, link: dict[str, Any], query: str = "") -> dict[str, Any]:
    """Visit a link; answers the session that it leads to."""
    at = link["url"] if not query else f"{link['url']}?{query}"
    answer = visit(api, at)
    assert answer.status == 303, answer.body
    id = str(answer.header("location")).rpartition("/")[2]
    return conforms(api.get(f"/v1/checkout/sessions/{id}"))


def test_every_visit_opens_a_session(api: Api) -> None:
    link = make(api, metadata={"a": "1"})
    assert (link["active"], link["currency"], link["after_completion"]["type"]) == (True, "usd", "hosted_confirmation")
    first, second = follow(api, link), follow(api, link)
    assert first["id"] != second["id"]
    assert (first["amount_total"], first["payment_link"], first["metadata"]) == (4000, link["id"], {"a": "1"})
    thanks = visit(api, first["url"], entered())
    assert b"Thank you" in thanks.body
    assert types(api)[-1] == "checkout.session.completed"
    found = api.get("/v1/checkout/sessions", {"payment_link": link["id"], "status": "complete"})["data"]
    assert [each["id"] for each in found] == [first["id"]]


def test_the_shop_may_have_the_last_word(api: Api) -> None:
    link = make(
        api, after_completion={"type": "redirect", "redirect": {"url": "https://s.example.com/{CHECKOUT_SESSION_ID}"}}
    )
    session = follow(api, link)
    assert visit(api, session["url"], entered()).header("location") == f"https://s.example.com/{session['id']}"
    told = {"type": "hosted_confirmation", "hosted_confirmation": {"custom_message": "See you <soon>"}}
    api.post(f"/v1/payment_links/{link['id']}", {"after_completion": told})
    assert b"See you &lt;soon&gt;" in visit(api, follow(api, link)["url"], entered()).body


def test_a_link_says_who_comes(api: Api) -> None:
    session = follow(api, make(api), "client_reference_id=cart7&prefilled_email=ada%40example.com")
    assert (session["client_reference_id"], session["customer_email"]) == ("cart7", "ada@example.com")


def test_a_closed_link_leads_nowhere(api: Api) -> None:
    link = make(api, inactive_message="Sold out")
    after = conforms(api.post(f"/v1/payment_links/{link['id']}", {"active": False}))
    assert after["active"] is False
    closed = visit(api, link["url"])
    assert closed.status == 410
    assert b"Sold out" in closed.body
    assert visit(api, "/_plink/test_x").status == 404
    assert types(api)[-1] == "payment_link.updated"


def test_a_link_closes_when_enough_have_paid(api: Api) -> None:
    link = make(api, restrictions={"completed_sessions": {"limit": 1}})
    assert link["restrictions"]["completed_sessions"] == {"count": 0, "limit": 1}
    visit(api, follow(api, link)["url"], entered())
    after = conforms(api.get(f"/v1/payment_links/{link['id']}"))
    assert (after["active"], after["restrictions"]["completed_sessions"]["count"]) == (False, 1)
    assert visit(api, link["url"]).status == 410


def test_what_a_link_sells_is_listed_and_changed(api: Api) -> None:
    link = make(api, expand=["line_items"])
    (item,) = link["line_items"]["data"]
    assert (item["quantity"], item["amount_total"], item["price"]["unit_amount"]) == (2, 4000, 2000)
    path = f"/v1/payment_links/{link['id']}"
    api.post(path, {"line_items": [{"id": item["id"], "quantity": 3}]})
    assert api.get(f"{path}/line_items")["data"][0]["quantity"] == 3
    assert follow(api, link)["amount_total"] == 6000
    error = api.refused("POST", path, {"line_items": [{"id": "li_x", "quantity": 1}]})
    assert (error["status"], error["param"]) == (400, "line_items[0][id]")


def test_a_link_asks_what_the_shop_wants_to_know(api: Api) -> None:
    link = make(
        api,
        custom_fields=[{"key": "size", "label": {"type": "custom", "custom": "Size"}, "type": "text"}],
        phone_number_collection={"enabled": True},
        payment_intent_data={"description": "By link", "metadata": {"b": "2"}},
        allow_promotion_codes=True,
    )
    session = follow(api, link)
    assert session["allow_promotion_codes"] is True
    assert visit(api, session["url"], entered(phone="+1555")).status == 400
    visit(api, session["url"], entered(phone="+1555", field_size="L"))
    paid = conforms(api.get(f"/v1/checkout/sessions/{session['id']}", {"expand": ["payment_intent"]}))
    assert paid["custom_fields"][0]["text"]["value"] == "L"
    assert (paid["payment_intent"]["description"], paid["payment_intent"]["metadata"]) == ("By link", {"b": "2"})


def test_a_link_sells_what_is_paid_every_month(api: Api) -> None:
    link = make(api, line_items=[{"price": price(api, recurring={"interval": "month"}), "quantity": 1}])
    session = follow(api, link)
    assert session["mode"] == "subscription"
    visit(api, session["url"], entered())
    assert conforms(api.get(f"/v1/checkout/sessions/{session['id']}"))["subscription"].startswith("sub_")


def test_links_are_found(api: Api) -> None:
    first, second = make(api), make(api, line_items=[line()])
    api.post(f"/v1/payment_links/{first['id']}", {"active": False})
    assert [each["id"] for each in api.get("/v1/payment_links")["data"]] == [second["id"], first["id"]]
    assert [each["id"] for each in api.get("/v1/payment_links", {"active": True})["data"]] == [second["id"]]


@pytest.mark.parametrize(
    ("params", "param"),
    [
        ({"line_items": [{"price": "price_x", "quantity": 1}]}, "line_items[0][price]"),
        ({"after_completion": {"type": "redirect"}}, "after_completion[redirect][url]"),
        ({"after_completion": {"type": "redirect", "redirect": {"url": "shop"}}}, "after_completion[redirect][url]"),
        ({"application_fee_amount": 100}, "application_fee_amount"),
        ({"subscription_data": {"trial_period_days": 7}}, "subscription_data"),
    ],
)
def test_what_cannot_be_sold_is_refused(params: dict[str, Any], param: str, api: Api) -> None:
    error = api.refused("POST", "/v1/payment_links", {"line_items": [line()], **params})
    assert (error["status"], error["param"]) == (400, param)
    assert api.get("/v1/payment_links")["data"] == []
