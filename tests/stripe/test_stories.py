"""Can an application be built on the account with the official client alone? Whole stories, over the real server."""

from __future__ import annotations

import http.client
import io
import json
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

import pytest

from tests.openenv.servers import Server
from tests.stripe.conftest import client_of

stripe = pytest.importorskip("stripe")


def test_somebody_signs_up_saves_a_card_and_is_charged_while_away(sdk: Any) -> None:
    product = sdk.v1.products.create(
        {
            "name": "Pro",
            "default_price_data": {"currency": "usd", "unit_amount": 4900, "recurring": {"interval": "month"}},
        }
    )
    customer = sdk.v1.customers.create(
        {"name": "Ada Lovelace", "email": "ada@example.com", "metadata": {"plan": "pro"}}
    )
    setup = sdk.v1.setup_intents.create(
        {"customer": customer.id, "payment_method": "pm_card_visa", "confirm": True, "payment_method_types": ["card"]}
    )
    assert setup.status == "succeeded"
    sdk.v1.customers.update(customer.id, {"invoice_settings": {"default_payment_method": setup.payment_method}})
    (saved,) = sdk.v1.customers.payment_methods.list(customer.id).data
    assert (saved.id, saved.card.brand, saved.card.last4) == (setup.payment_method, "visa", "4242")

    price = sdk.v1.prices.retrieve(product.default_price, {"expand": ["product"]})
    assert price.product.name == "Pro"
    paid = sdk.v1.payment_intents.create(
        {
            "amount": price.unit_amount, "currency": price.currency, "customer": customer.id,
            "payment_method": saved.id, "off_session": True, "confirm": True,
        },
        {"idempotency_key": "march"},
    )  # fmt: skip
    assert (paid.status, paid.amount_received) == ("succeeded", 4900)
    (charge,) = sdk.v1.charges.list({"customer": customer.id}).data
    assert (charge.id, charge.paid) == (paid.latest_charge, True)
    pending = sdk.v1.balance.retrieve().pending
    assert sum(part.amount for part in pending) == 4900 - (142 + 30)


def test_a_decline_is_read_told_and_mended_with_another_card(sdk: Any) -> None:
    intent = sdk.v1.payment_intents.create({"amount": 1999, "currency": "usd", "payment_method_types": ["card"]})
    assert intent.status == "requires_payment_method"
    with pytest.raises(stripe.CardError) as caught:
        sdk.v1.payment_intents.confirm(intent.id, {"payment_method": "pm_card_visa_chargeDeclinedInsufficientFunds"})
    error = caught.value
    assert (error.http_status, error.code, error.error.decline_code) == (402, "card_declined", "insufficient_funds")
    assert error.user_message == "Your card has insufficient funds."
    after = sdk.v1.payment_intents.retrieve(intent.id)
    assert (after.status, after.last_payment_error.decline_code) == ("requires_payment_method", "insufficient_funds")
    assert sdk.v1.payment_intents.confirm(intent.id, {"payment_method": "pm_card_mastercard"}).status == "succeeded"
    statuses = [charge.status for charge in sdk.v1.charges.list({"payment_intent": intent.id}).data]
    assert statuses == ["succeeded", "failed"]


@pytest.mark.parametrize(
    ("outcome", "status", "redirected"),
    [("success", "succeeded", "succeeded"), ("fail", "requires_payment_method", "failed")],
)
def test_a_shopper_authenticates_or_does_not(sdk: Any, outcome: str, status: str, redirected: str) -> None:
    intent = sdk.v1.payment_intents.create(
        {
            "amount": 5000, "currency": "eur", "confirm": True, "payment_method": "pm_card_authenticationRequired",
            "payment_method_types": ["card"], "return_url": "https://shop.example.com/done",
        }
    )  # fmt: skip
    assert intent.status == "requires_action"
    url = intent.next_action.redirect_to_url.url
    with urlopen(url) as page:
        assert b"50.00" in page.read()
    assert parse_qs(urlsplit(_answer(url, outcome)).query)["redirect_status"] == [redirected]
    assert sdk.v1.payment_intents.retrieve(intent.id).status == status


def _answer(url: str, outcome: str) -> str:
    """Press a button of the bank's page; answers where it leads."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc)
    connection.request("POST", parts.path, urlencode({"outcome": outcome}),
                       {"Content-Type": "application/x-www-form-urlencoded"})  # fmt: skip
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status == 303
    return answer.headers["Location"]


def test_a_payment_is_given_back_in_two_parts_and_no_more(sdk: Any) -> None:
    paid = sdk.v1.payment_intents.create(
        {"amount": 3000, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True,
         "payment_method_types": ["card"]}
    )  # fmt: skip
    first = sdk.v1.refunds.create({"payment_intent": paid.id, "amount": 1000, "reason": "requested_by_customer"})
    sdk.v1.refunds.create({"charge": paid.latest_charge})
    charge = sdk.v1.charges.retrieve(paid.latest_charge, {"expand": ["refunds"]})
    assert (charge.refunded, charge.amount_refunded, len(charge.refunds.data)) == (True, 3000, 2)
    with pytest.raises(stripe.InvalidRequestError) as caught:
        sdk.v1.refunds.create({"payment_intent": paid.id})
    assert caught.value.code == "charge_already_refunded"
    assert sdk.v1.refunds.retrieve(first.id).reason == "requested_by_customer"


def test_250_customers_are_paged_through_in_both_directions(sdk: Any) -> None:
    made = [sdk.v1.customers.create({"email": f"buyer{number}@example.com"}).id for number in range(250)]
    forwards = [customer.id for customer in sdk.v1.customers.list({"limit": 100}).auto_paging_iter()]
    assert forwards == made[::-1]
    first = sdk.v1.customers.list({"limit": 70})
    assert (len(first.data), first.has_more) == (70, True)
    second = first.next_page()
    back = sdk.v1.customers.list({"limit": 70, "ending_before": second.data[0].id})
    assert [each.id for each in back.data] == [each.id for each in first.data]
    backwards = [each.id for each in sdk.v1.customers.list({"limit": 90, "ending_before": made[0]}).auto_paging_iter()]
    assert backwards == made[1:]
    last = sdk.v1.customers.list({"starting_after": made[5]})
    assert ([each.id for each in last.data], last.has_more) == (made[4::-1], False)


def test_customers_and_payments_are_searched(sdk: Any) -> None:
    for name, plan in (("Ada Lovelace", "pro"), ("Grace Hopper", "pro"), ("Alan Turing", "basic")):
        sdk.v1.customers.create({"name": name, "metadata": {"plan": plan}})
    found = sdk.v1.customers.search({"query": "metadata['plan']:'pro' AND name~'lovel'"})
    assert [customer.name for customer in found.data] == ["Ada Lovelace"]
    pro = sdk.v1.customers.search({"query": "metadata['plan']:'pro'", "limit": 1})
    assert (len(pro.data), pro.has_more) == (1, True)
    assert {each.name for each in pro.auto_paging_iter()} == {"Ada Lovelace", "Grace Hopper"}
    with pytest.raises(stripe.InvalidRequestError):
        sdk.v1.customers.search({"query": "colour:'red'"})


def test_a_repeated_request_is_carried_out_once(sdk: Any) -> None:
    once = {"idempotency_key": "order-7"}
    given = {"amount": 700, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True,
             "payment_method_types": ["card"]}  # fmt: skip
    first = sdk.v1.payment_intents.create(given, once)
    again = sdk.v1.payment_intents.create(given, once)
    assert first.id == again.id
    assert again.last_response.headers["idempotent-replayed"] == "true"
    assert again.last_response.headers["original-request"] == first.last_response.request_id
    with pytest.raises(stripe.IdempotencyError, match="order-7"):
        sdk.v1.payment_intents.create({**given, "amount": 800}, once)
    assert len(sdk.v1.payment_intents.list().data) == 1


def test_a_file_is_uploaded_as_evidence_for_a_dispute(sdk: Any) -> None:
    receipt = io.BytesIO(b"%PDF-1.4 a receipt")
    receipt.name = "receipt.pdf"
    file = sdk.v1.files.create({"purpose": "dispute_evidence", "file": receipt})
    assert (file.purpose, file.size, file.filename) == ("dispute_evidence", 18, "receipt.pdf")
    paid = sdk.v1.payment_intents.create(
        {"amount": 4000, "currency": "usd", "payment_method": "pm_card_createDispute", "confirm": True,
         "payment_method_types": ["card"]}
    )  # fmt: skip
    (dispute,) = sdk.v1.disputes.list({"payment_intent": paid.id}).data
    assert (dispute.status, dispute.amount) == ("needs_response", 4000)
    after = sdk.v1.disputes.update(
        dispute.id, {"evidence": {"receipt": file.id, "uncategorized_text": "winning_evidence"}, "submit": True}
    )
    assert after.evidence.receipt == file.id
    assert sdk.v1.disputes.retrieve(dispute.id).status == "won"


def test_metadata_is_merged_key_by_key_and_cleared_as_a_whole(sdk: Any) -> None:
    customer = sdk.v1.customers.create({"metadata": {"order": "1", "seats": "3"}})
    after = sdk.v1.customers.update(customer.id, {"metadata": {"seats": "", "plan": "pro"}})
    assert after.metadata.to_dict() == {"order": "1", "plan": "pro"}
    assert sdk.v1.customers.update(customer.id, {"metadata": ""}).metadata.to_dict() == {}
    changed = sdk.v1.events.list({"type": "customer.updated"}).data
    assert changed[0].data.previous_attributes.to_dict() == {"metadata": {"order": "1", "plan": "pro"}}


def test_ids_become_objects_where_that_is_asked_for(sdk: Any) -> None:
    customer = sdk.v1.customers.create({"name": "Ada"})
    sdk.v1.payment_intents.create(
        {"amount": 900, "currency": "usd", "customer": customer.id, "payment_method": "pm_card_visa", "confirm": True,
         "payment_method_types": ["card"]}
    )  # fmt: skip
    (found,) = sdk.v1.payment_intents.list({"expand": ["data.customer", "data.latest_charge.balance_transaction"]}).data
    assert found.customer.name == "Ada"
    assert found.latest_charge.balance_transaction.net == 900 - 56
    with pytest.raises(stripe.InvalidRequestError, match="cannot be expanded"):
        sdk.v1.payment_intents.retrieve(found.id, {"expand": ["colour"]})


def test_every_class_of_error_is_raised_for_what_it_is_for(server: Server, sdk: Any) -> None:
    with pytest.raises(stripe.InvalidRequestError) as missing:
        sdk.v1.customers.retrieve("cus_nobody")
    assert (missing.value.http_status, missing.value.code, missing.value.param) == (404, "resource_missing", "id")
    with pytest.raises(stripe.InvalidRequestError) as wrong:
        sdk.v1.prices.create({"currency": "usd", "unit_amount": "many", "product": "prod_1"})
    assert (wrong.value.http_status, wrong.value.code) == (400, "parameter_invalid_integer")
    assert wrong.value.request_id.startswith("req_")
    base = sdk._requestor._options.base_addresses
    with pytest.raises(stripe.AuthenticationError):
        stripe.StripeClient("nonsense", base_addresses=base).v1.customers.list()
    with pytest.raises(stripe.PermissionError):
        stripe.StripeClient("pk_test_1", base_addresses=base).v1.customers.list()
    name = "guarded"
    start = {"startup": {"restricted_keys": {"rk_test_desk": ["customer_read"]}}}
    with urlopen(Request(f"{server.url}/stripe/{name}", method="PUT", data=_json(start))):
        pass
    other = client_of(server, name)
    desk = stripe.StripeClient("rk_test_desk", base_addresses=other._requestor._options.base_addresses)
    assert desk.v1.customers.list().data == []
    with pytest.raises(stripe.PermissionError, match="rak_product_read"):
        desk.v1.products.list()


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def test_accounts_are_opened_dropped_and_kept_apart(server: Server) -> None:
    with urlopen(
        Request(f"{server.url}/stripe/larkspur", method="PUT", data=_json({"fixture": "small_startup"}))
    ) as told:
        assert told.status == 201
    larkspur, other = client_of(server, "larkspur"), client_of(server, "elsewhere")
    assert len(list(larkspur.v1.customers.list({"limit": 100}).auto_paging_iter())) == 41
    assert other.v1.customers.list().data == []
    with urlopen(Request(f"{server.url}/stripe/larkspur", method="DELETE")) as told:
        assert told.status == 204
    assert larkspur.v1.customers.list().data == []


async def test_an_application_and_an_agent_share_one_account(server: Server) -> None:
    mcp = pytest.importorskip("mcp")
    _, opened, _ = server.post("/api/v1/instances", {"world": "stripe", "fixture": "small_startup", "seed": 1})
    client = client_of(server, opened["id"])
    (denise,) = client.v1.customers.list({"email": "denise@whitlowchiro.com"}).data
    latest = client.v1.charges.list({"customer": denise.id, "limit": 1}).data[0]
    async with mcp.Client(f"{server.url}/mcp/stripe?instance={opened['agent_token']}") as agent:
        accounts = (await agent.call_tool("list_available_accounts_or_orgs", {})).structured_content
        context = {key: accounts["accounts"][0][key] for key in ("stripe_context", "livemode")}
        given = {"stripe_api_operation_id": "PostRefunds", "parameters": {"charge": latest.id}, **context}
        done = await agent.call_tool("stripe_api_write", given)
        again = await agent.call_tool("stripe_api_write", given)
    assert (done.structured_content["object"], done.structured_content["amount"]) == ("refund", 7900)
    assert again.is_error
    assert again.content[0].text.startswith("Stripe API error: ")
    assert client.v1.charges.retrieve(latest.id).refunded
