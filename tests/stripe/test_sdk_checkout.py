"""Does a shopper pay what the official client opened, by following forms and redirects alone?"""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from tests.openenv.servers import Server

stripe = pytest.importorskip("stripe")


class Form(HTMLParser):
    """The fields of a page's form, the labelled ones and the buttons, with what they hold."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self.buttons: list[tuple[str, str]] = []
        self.labels = 0
        self.text = text
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        assert tag not in ("script", "link", "img")
        self.labels += tag == "label"
        if tag in ("input", "select"):
            self.fields[told["name"]] = told.get("value", "")
        if tag == "button":
            self.buttons.append((told["name"], told["value"]))


def browse(url: str, form: dict[str, str] | None = None) -> tuple[int, str, str]:
    """Go to an address, or send a form there; answers status, address at the end, text."""
    try:
        with urlopen(Request(url, data=None if form is None else urlencode(form).encode())) as page:
            return page.status, page.url, page.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.url or url, error.read().decode()


def open_session(sdk: Any, server: Server, **more: Any) -> Any:
    product = sdk.v1.products.create({"name": "Tea", "default_price_data": {"currency": "usd", "unit_amount": 2000}})
    return sdk.v1.checkout.sessions.create(
        {
            "mode": "payment",
            "line_items": [{"price": product.default_price, "quantity": 1}],
            "success_url": f"{server.url}/health?session={{CHECKOUT_SESSION_ID}}",
            **more,
        }
    )


def pay(url: str, number: str) -> tuple[int, str, str]:
    """Fill in the form of a page and press its button."""
    status, _, text = browse(url)
    assert status == 200
    form = Form(text)
    assert form.labels == len(form.fields)
    known = {"email": "ada@example.com", "card_number": number, "card_expiry": "12 / 34", "card_cvc": "123"}
    assert set(known) < set(form.fields)
    return browse(url, {**form.fields, **known, **dict([form.buttons[-1]])})


def test_a_shopper_pays_a_hosted_session(sdk: Any, server: Server) -> None:
    session = open_session(sdk, server)
    assert session.url.startswith(f"{server.url}/stripe/shop")
    status, _, text = pay(session.url, "4000000000000002")
    assert status == 402
    assert "Your card was declined." in text
    assert sdk.v1.checkout.sessions.retrieve(session.id).status == "open"
    status, url, _ = pay(session.url, "4242424242424242")
    assert (status, url) == (200, f"{server.url}/health?session={session.id}")
    paid = sdk.v1.checkout.sessions.retrieve(session.id, {"expand": ["line_items", "payment_intent"]})
    assert (paid.status, paid.payment_status, paid.payment_intent.status) == ("complete", "paid", "succeeded")
    assert paid.line_items.data[0].price.unit_amount == 2000
    assert [event.type for event in sdk.v1.events.list({"limit": 1}).data] == ["checkout.session.completed"]


def test_a_shopper_goes_through_their_bank(sdk: Any, server: Server) -> None:
    session = open_session(sdk, server)
    status, bank, text = pay(session.url, "4000000000003220")
    assert status == 200
    assert Form(text).buttons == [("outcome", "success"), ("outcome", "fail")]
    _, back, text = browse(bank, {"outcome": "fail"})
    assert "failed authentication" in text
    _, bank, _ = pay(session.url, "4000000000003220")
    _, end, _ = browse(bank, {"outcome": "success"})
    assert end == f"{server.url}/health?session={session.id}"
    assert sdk.v1.checkout.sessions.retrieve(session.id).payment_status == "paid"


def test_a_link_leads_back_through_the_host_of_the_key(server: Server) -> None:
    client = stripe.StripeClient("sk_test_bykey", base_addresses={"api": server.url}, max_network_retries=0)
    session = open_session(client, server)
    assert pay(session.url, "4242424242424242")[1] == f"{server.url}/health?session={session.id}"
    assert client.v1.checkout.sessions.retrieve(session.id).status == "complete"


def test_a_session_expires(sdk: Any, server: Server) -> None:
    session = open_session(sdk, server)
    assert sdk.v1.checkout.sessions.expire(session.id).status == "expired"
    assert browse(session.url)[0] == 410
    with pytest.raises(stripe.InvalidRequestError, match="status of expired"):
        sdk.v1.checkout.sessions.expire(session.id)
