"""Do connected accounts come to life, and does money pass between them and the platform?"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from tests.stripe.conftest import Api
from tests.stripe.paying import charge_of, conforms, pay
from worlds.engine import HttpRequest, HttpResponse

ASKED = {"card_payments": {"requested": True}, "transfers": {"requested": True}}
BANK = {"object": "bank_account", "country": "US", "currency": "usd", "routing_number": "110000000",
        "account_number": "000123456789"}  # fmt: skip
PERSON = {
    "first_name": "Jenny", "last_name": "Rosen", "email": "jenny@example.com", "phone": "+15551234567",
    "dob": {"day": 1, "month": 1, "year": 1990}, "ssn_last_4": "0000",
    "address": {"line1": "1 Main", "city": "Springfield", "state": "OR", "postal_code": "97477"},
}  # fmt: skip
COMPLETE = {
    "type": "custom", "country": "US", "business_type": "individual", "capabilities": ASKED, "individual": PERSON,
    "business_profile": {"mcc": "5734", "url": "https://shop.example.com"}, "external_account": BANK,
    "tos_acceptance": {"date": 1_780_000_000, "ip": "127.0.0.1"},
}  # fmt: skip
FORM = {"content-type": "application/x-www-form-urlencoded"}


def connect(api: Api, **more: Any) -> dict[str, Any]:
    return conforms(api.post("/v1/accounts", {**COMPLETE, **more}))


@pytest.fixture
def seller(api: Api) -> str:
    """An account that may be sent money."""
    return str(connect(api)["id"])


def visit(api: Api, path: str, form: dict[str, str] | None = None) -> HttpResponse:
    path = path.removeprefix("https://hooks.stripe.com")
    if form is None:
        path, _, query = path.partition("?")
        return api.inst.http(HttpRequest.of("GET", path, query=query))
    return api.inst.http(HttpRequest.of("POST", path, body=urlencode(form), headers=FORM))


def balance(api: Api, account: str = "") -> dict[str, int]:
    headers = {"stripe_account": account} if account else {}
    found = conforms(api.get("/v1/balance", **headers))
    return {part: sum(each["amount"] for each in found[part]) for part in ("available", "pending")}


def types_of(api: Api, account: str) -> list[str]:
    """What happened in an account, newest first."""
    return [event["type"] for event in api.get("/v1/events", {"limit": 100}, stripe_account=account)["data"]]


def test_an_account_that_has_told_everything_may_be_paid(api: Api) -> None:
    account = connect(api)
    assert account["id"].startswith("acct_1")
    assert account["capabilities"] == {"card_payments": "active", "transfers": "active"}
    assert (account["charges_enabled"], account["payouts_enabled"], account["details_submitted"]) == (True, True, True)
    assert account["requirements"]["currently_due"] == []
    assert account["individual"]["first_name"] == "Jenny"
    assert account["external_accounts"]["data"][0]["last4"] == "6789"
    assert account["controller"]["stripe_dashboard"] == {"type": "none"}
    assert conforms(api.get(f"/v1/accounts/{account['id']}")) == account
    assert [each["id"] for each in api.get("/v1/accounts")["data"]] == [account["id"]]


def test_what_is_missing_is_asked_for_until_it_is_told(api: Api) -> None:
    account = connect(api, individual={"first_name": "Jenny"})
    due = account["requirements"]["currently_due"]
    assert "individual.last_name" in due
    assert "individual.first_name" not in due
    assert account["requirements"]["disabled_reason"] == "requirements.past_due"
    assert account["capabilities"] == {"card_payments": "inactive", "transfers": "inactive"}
    after = conforms(api.post(f"/v1/accounts/{account['id']}", {"individual": PERSON, "metadata": {"a": "1"}}))
    assert (after["charges_enabled"], after["metadata"]) == (True, {"a": "1"})
    happened = types_of(api, account["id"])
    assert happened[:4] == ["account.updated", "capability.updated", "capability.updated", "person.updated"]
    (event, *_) = api.get("/v1/events", {"type": "account.updated"}, stripe_account=account["id"])["data"]
    assert event["account"] == account["id"]
    assert event["data"]["previous_attributes"]["charges_enabled"] is False


def test_a_company_is_stood_for_by_a_person(api: Api) -> None:
    company = {"name": "Tea Ltd", "phone": "+15551234567", "tax_id": "000000000", "address": PERSON["address"]}
    account = connect(api, business_type="company", company=company, individual={"email": "x@example.com"})
    assert account["company"]["tax_id_provided"] is True
    assert "tax_id" not in account["company"]
    assert "representative.first_name" in account["requirements"]["currently_due"]
    path = f"/v1/accounts/{account['id']}"
    person = conforms(api.post(f"{path}/persons", {**PERSON, "relationship": {"representative": True, "title": "CEO"}}))
    assert person["ssn_last_4_provided"] is True
    assert api.get(path)["charges_enabled"] is True
    found = api.get(f"{path}/persons", {"relationship": {"representative": True}})["data"]
    assert [each["id"] for each in found] == [person["id"]]
    changed = conforms(api.post(f"{path}/persons/{person['id']}", {"last_name": "Ray"}))
    assert changed["last_name"] == "Ray"
    assert api.delete(f"{path}/persons/{person['id']}")["deleted"] is True
    assert api.get(path)["charges_enabled"] is False
    assert {"person.created", "person.updated", "person.deleted"} < set(types_of(api, account["id"]))


def test_an_owner_is_led_through_onboarding(api: Api) -> None:
    account = conforms(api.post("/v1/accounts", {"type": "express", "email": "owner@example.com"}))
    assert account["charges_enabled"] is False
    link = conforms(api.post("/v1/account_links", {
        "account": account["id"], "type": "account_onboarding", "refresh_url": "https://p.example.com/again",
        "return_url": "https://p.example.com/done"}))  # fmt: skip
    assert link["expires_at"] == link["created"] + 300
    page = visit(api, link["url"])
    assert b'name="individual.first_name"' in page.body
    assert visit(api, link["url"], {"individual.first_name": "Ada"}).header("location") == "https://p.example.com/done"
    after = conforms(api.get(f"/v1/accounts/{account['id']}"))
    assert (after["charges_enabled"], after["payouts_enabled"], after["details_submitted"]) == (True, True, True)
    assert after["individual"]["first_name"] == "Ada"
    assert visit(api, link["url"]).header("location") == "https://p.example.com/again"
    assert "account.updated" in types_of(api, account["id"])
    login = conforms(api.post(f"/v1/accounts/{account['id']}/login_links"))
    assert b"can be paid out" in visit(api, login["url"]).body


def test_a_company_is_led_through_onboarding_too(api: Api) -> None:
    account = api.post("/v1/accounts", {"type": "standard", "country": "DE", "business_type": "company"})["id"]
    session = conforms(api.post("/v1/account_sessions", {
        "account": account, "components": {"account_onboarding": {"enabled": True}}}))  # fmt: skip
    assert visit(api, f"/_connect/{session['client_secret']}", {}).status == 200
    after = conforms(api.get(f"/v1/accounts/{account}"))
    assert (after["charges_enabled"], after["default_currency"]) == (True, "eur")


def test_a_link_is_over_after_five_minutes(api: Api) -> None:
    account = api.post("/v1/accounts", {"type": "express"})["id"]
    link = api.post("/v1/account_links", {"account": account, "type": "account_onboarding",
                    "refresh_url": "https://p.example.com/again", "return_url": "https://p.example.com/"})  # fmt: skip
    api.inst.advance(minutes=6)
    assert visit(api, link["url"], {}).header("location") == "https://p.example.com/again"
    assert api.get(f"/v1/accounts/{account}")["details_submitted"] is False
    assert visit(api, "/_connect/nothing").status == 404


def test_capabilities_are_asked_for_one_by_one(api: Api, seller: str) -> None:
    path = f"/v1/accounts/{seller}/capabilities"
    one = conforms(api.get(f"{path}/klarna_payments"))
    assert (one["id"], one["status"], one["requested"]) == ("klarna_payments", "unrequested", False)
    asked = conforms(api.post(f"{path}/klarna_payments", {"requested": True}))
    assert (asked["status"], asked["account"]) == ("active", seller)
    assert {each["id"] for each in api.get(path)["data"]} == {"card_payments", "transfers", "klarna_payments"}
    assert api.post(f"{path}/klarna_payments", {"requested": False})["status"] == "unrequested"
    assert api.refused("GET", f"{path}/nothing")["status"] == 404


def test_payouts_go_to_the_default_account(api: Api, seller: str) -> None:
    path = f"/v1/accounts/{seller}/external_accounts"
    first = api.get(path)["data"][0]
    assert first["default_for_currency"] is True
    second = conforms(api.post(path, {"external_account": "btok_us_verified_noAccount", "default_for_currency": True}))
    assert conforms(api.get(f"{path}/{first['id']}"))["default_for_currency"] is False
    assert api.refused("DELETE", f"{path}/{second['id']}")["status"] == 400
    assert conforms(api.post(f"{path}/{first['id']}", {"metadata": {"a": "1"}}))["metadata"] == {"a": "1"}
    assert api.post(f"{path}/{first['id']}", {"default_for_currency": True})["default_for_currency"] is True
    assert api.delete(f"{path}/{second['id']}")["deleted"] is True
    assert "account.external_account.deleted" in types_of(api, seller)


def test_an_account_is_rejected(api: Api, seller: str) -> None:
    after = conforms(api.post(f"/v1/accounts/{seller}/reject", {"reason": "fraud"}))
    assert (after["charges_enabled"], after["payouts_enabled"]) == (False, False)
    assert after["requirements"]["disabled_reason"] == "rejected.fraud"
    assert api.refused("POST", "/v1/transfers", {"amount": 1, "currency": "usd", "destination": seller})["code"] == (
        "insufficient_capabilities_for_transfer"
    )
    assert api.refused("POST", f"/v1/accounts/{seller}/reject", {"reason": "mood"})["param"] == "reason"


def test_an_account_goes_when_nothing_is_left(api: Api, seller: str) -> None:
    pay(api, transfer_data={"destination": seller})
    assert "balance is not zero" in api.refused("DELETE", f"/v1/accounts/{seller}")["message"]
    other = connect(api)["id"]
    assert api.delete(f"/v1/accounts/{other}")["deleted"] is True
    assert api.refused("GET", f"/v1/accounts/{other}")["status"] == 403


def test_a_destination_charge_is_shared(api: Api, seller: str) -> None:
    intent = pay(api, amount=10000, transfer_data={"destination": seller}, application_fee_amount=1200)
    charge = charge_of(api, intent, "transfer.destination_payment", "application_fee")
    transfer = charge["transfer"]
    assert (transfer["amount"], transfer["destination"], transfer["transfer_group"]) == (
        10000, seller, f"group_{intent['id']}")  # fmt: skip
    assert transfer["source_transaction"] == charge["id"]
    assert charge["application_fee"]["amount"] == 1200
    fee = conforms(charge["application_fee"])
    payment = conforms(transfer["destination_payment"])
    assert (fee["account"], fee["charge"], fee["originating_transaction"]) == (seller, payment["id"], charge["id"])
    assert payment["source_transfer"] == transfer["id"]
    assert balance(api) == {"available": 0, "pending": 10000 - 320 - 10000 + 1200}
    assert balance(api, seller) == {"available": 0, "pending": 8800}
    (row,) = api.get("/v1/balance_transactions", stripe_account=seller)["data"]
    assert (row["type"], row["net"], row["fee_details"][0]["type"]) == ("payment", 8800, "application_fee")
    api.inst.advance(days=3)
    assert balance(api, seller) == {"available": 8800, "pending": 0}


def test_a_part_is_passed_on(api: Api, seller: str) -> None:
    intent = pay(api, amount=10000, transfer_data={"destination": seller, "amount": 7000})
    assert charge_of(api, intent, "transfer")["transfer"]["amount"] == 7000
    assert balance(api, seller)["pending"] == 7000


def test_a_refund_brings_back_what_was_passed_on(api: Api, seller: str) -> None:
    intent = pay(api, amount=10000, transfer_data={"destination": seller}, application_fee_amount=1000)
    part = {"payment_intent": intent["id"], "amount": 4000, "reverse_transfer": True, "refund_application_fee": True}
    refund = conforms(api.post("/v1/refunds", {**part, "expand": ["transfer_reversal"]}))
    assert refund["transfer_reversal"]["amount"] == 4000
    assert balance(api, seller)["pending"] + balance(api, seller)["available"] == 9000 - 4000 + 400
    fee = charge_of(api, intent, "application_fee")["application_fee"]
    assert (fee["amount_refunded"], fee["refunded"]) == (400, False)
    api.post("/v1/refunds", {"payment_intent": intent["id"], "reverse_transfer": True, "refund_application_fee": True})
    assert sum(balance(api, seller).values()) == 0
    assert sum(balance(api).values()) == -320
    charge = charge_of(api, intent, "transfer", "application_fee")
    assert (charge["transfer"]["reversed"], charge["application_fee"]["refunded"]) == (True, True)


def test_a_refund_alone_leaves_the_account_its_money(api: Api, seller: str) -> None:
    intent = pay(api, amount=10000, transfer_data={"destination": seller})
    api.post("/v1/refunds", {"payment_intent": intent["id"]})
    assert sum(balance(api, seller).values()) == 10000
    assert sum(balance(api).values()) == -320 - 10000


@pytest.mark.parametrize("param", ["reverse_transfer", "refund_application_fee"])
def test_what_was_not_shared_is_not_brought_back(param: str, api: Api) -> None:
    error = api.refused("POST", "/v1/refunds", {"payment_intent": pay(api)["id"], param: True})
    assert error["param"] == param
    assert api.get("/v1/refunds")["data"] == []


def test_a_direct_charge_leaves_a_fee(api: Api, seller: str) -> None:
    given = {"amount": 10000, "currency": "usd", "payment_method": "pm_card_visa", "confirm": True,
             "application_fee_amount": 500}  # fmt: skip
    intent = api.post("/v1/payment_intents", given, stripe_account=seller)
    assert api.refused("GET", f"/v1/payment_intents/{intent['id']}")["status"] == 404
    assert balance(api, seller)["pending"] == 10000 - 320 - 500
    assert balance(api)["pending"] == 500
    (fee,) = api.get("/v1/application_fees")["data"]
    conforms(fee)
    assert (fee["charge"], fee["account"], fee["amount"]) == (intent["latest_charge"], seller, 500)
    charge = conforms(api.get(f"/v1/charges/{intent['latest_charge']}", stripe_account=seller))
    assert charge["application_fee"] == fee["id"]
    back = conforms(api.post(f"/v1/application_fees/{fee['id']}/refunds", {"amount": 200}))
    assert back["fee"] == fee["id"]
    assert conforms(api.post(f"/v1/application_fees/{fee['id']}/refund"))["refunded"] is True
    assert [each["amount"] for each in api.get(f"/v1/application_fees/{fee['id']}/refunds")["data"]] == [300, 200]
    assert api.refused("POST", f"/v1/application_fees/{fee['id']}/refunds")["code"] == "charge_already_refunded"
    assert sum(balance(api).values()) == 0


def test_a_session_is_shared_too(api: Api, seller: str) -> None:
    line = {"price_data": {"currency": "usd", "unit_amount": 5000, "product_data": {"name": "Tea"}}, "quantity": 1}
    given: dict[str, Any] = {"mode": "payment", "success_url": "https://p.example.com/", "line_items": [line]}
    shared = {"transfer_data": {"destination": seller}, "application_fee_amount": 500}
    session = api.post("/v1/checkout/sessions", {**given, "payment_intent_data": shared})["id"]
    card = {"number": "4242424242424242", "exp_month": 12, "exp_year": 2034}
    body = json.dumps({"email": "ada@example.com", "card": card})
    assert api.inst.http(HttpRequest.of("POST", f"/_checkout/{session}/pay", body=body)).status == 200
    assert balance(api, seller)["pending"] == 4500
    direct = api.post(
        "/v1/checkout/sessions",
        {**given, "payment_intent_data": {"application_fee_amount": 100}},
        stripe_account=seller,
    )["id"]
    assert api.inst.http(HttpRequest.of("POST", f"/_checkout/{direct}/pay", body=body)).status == 200
    assert balance(api, seller)["pending"] == 4500 + 5000 - 175 - 100
    assert "checkout.session.completed" in types_of(api, seller)
    error = api.refused("POST", "/v1/checkout/sessions", {
        **given, "payment_intent_data": {"transfer_data": {"destination": "acct_x"}}})  # fmt: skip
    assert error["message"] == "No such destination: 'acct_x'"


def test_charges_and_transfers_apart(api: Api, seller: str) -> None:
    given = {"amount": 3000, "currency": "usd", "destination": seller}
    assert api.refused("POST", "/v1/transfers", given)["code"] == "balance_insufficient"
    charge = pay(api, amount=10000, transfer_group="ORDER1")["latest_charge"]
    transfer = conforms(api.post("/v1/transfers", {**given, "source_transaction": charge}))
    assert transfer["transfer_group"] == "ORDER1"
    error = api.refused("POST", "/v1/transfers", {**given, "amount": 8000, "source_transaction": charge})
    assert "cannot exceed" in error["message"]
    api.inst.advance(days=3)
    conforms(api.post("/v1/transfers", {**given, "transfer_group": "ORDER1", "metadata": {"a": "1"}}))
    assert balance(api, seller)["available"] == 6000
    assert len(api.get("/v1/transfers", {"transfer_group": "ORDER1"})["data"]) == 2
    assert conforms(api.post("/v1/transfers", {**given, "amount": 10}))["transfer_group"] is None
    path = f"/v1/transfers/{transfer['id']}"
    back = conforms(api.post(f"{path}/reversals", {"amount": 1000}))
    assert conforms(api.get(f"{path}/reversals/{back['id']}")) == back
    assert conforms(api.get(path))["amount_reversed"] == 1000
    assert api.refused("POST", f"{path}/reversals", {"amount": 2001})["param"] == "amount"
    api.post(f"{path}/reversals")
    assert api.get(path)["reversed"] is True
    assert balance(api, seller)["available"] == 3010
    assert len(api.events("transfer.created")) == 3


def test_each_account_is_paid_out_for_itself(api: Api, seller: str) -> None:
    pay(api, "pm_card_bypassPending", amount=5000, transfer_data={"destination": seller})
    assert balance(api, seller)["available"] == 5000
    payout = conforms(api.post("/v1/payouts", {"amount": 5000, "currency": "usd"}, stripe_account=seller))
    assert payout["destination"] == api.get(f"/v1/accounts/{seller}/external_accounts")["data"][0]["id"]
    api.inst.advance(days=3)
    paid = api.get(f"/v1/payouts/{payout['id']}", {"expand": ["destination"]}, stripe_account=seller)
    assert (paid["status"], paid["destination"]["last4"]) == ("paid", "6789")
    assert balance(api, seller)["available"] == 0
    assert "payout.paid" in types_of(api, seller)
    assert api.get("/v1/payouts")["data"] == []


def test_a_payout_goes_where_it_is_sent(api: Api, seller: str) -> None:
    pay(api, "pm_card_bypassPending", amount=5000, transfer_data={"destination": seller})
    path = f"/v1/accounts/{seller}/external_accounts"
    other = api.post(path, {"external_account": "btok_us_verified_accountClosed"})["id"]
    given = {"amount": 1000, "currency": "usd"}
    payout = api.post("/v1/payouts", {**given, "destination": other}, stripe_account=seller)["id"]
    api.inst.advance(days=3)
    failed = api.get(f"/v1/payouts/{payout}", stripe_account=seller)
    assert (failed["status"], failed["failure_code"], failed["destination"]) == ("failed", "account_closed", other)
    error = api.refused("POST", "/v1/payouts", {**given, "destination": "ba_x"}, stripe_account=seller)
    assert error["param"] == "destination"
    waiting = api.post("/v1/accounts", {"type": "express"})["id"]
    assert api.refused("POST", "/v1/payouts", given, stripe_account=waiting)["code"] == "payouts_not_allowed"


@pytest.mark.parametrize(
    ("params", "param", "message"),
    [
        ({"application_fee_amount": 100}, "application_fee_amount", "Can only apply an application_fee_amount"),
        ({"transfer_data": {"destination": "acct_x"}}, "transfer_data[destination]", "No such destination: 'acct_x'"),
        ({"on_behalf_of": "acct_x"}, "on_behalf_of", "No such account: 'acct_x'"),
    ],
)
def test_what_cannot_be_shared_is_refused(params: dict[str, Any], param: str, message: str, api: Api) -> None:
    error = api.refused("POST", "/v1/payment_intents", {"amount": 2000, "currency": "usd", **params})
    assert (error["status"], error["param"]) == (400, param)
    assert message in error["message"]


def test_the_platform_adds_to_its_balance(api: Api) -> None:
    topup = conforms(api.post("/v1/topups", {"amount": 2000, "currency": "usd", "description": "More"}))
    assert topup["status"] == "pending"
    gone = conforms(api.post("/v1/topups", {"amount": 700, "currency": "usd"}))["id"]
    assert api.post(f"/v1/topups/{gone}/cancel")["status"] == "canceled"
    api.inst.advance(days=4)
    assert conforms(api.get(f"/v1/topups/{topup['id']}"))["status"] == "succeeded"
    assert balance(api)["available"] == 2000
    assert api.refused("POST", f"/v1/topups/{topup['id']}/cancel")["status"] == 400
    assert [each["id"] for each in api.get("/v1/topups", {"amount": {"gt": 1000}})["data"]] == [topup["id"]]


def test_a_platform_acts_for_whoever_lets_it(api: Api) -> None:
    fee_app = _application(api)
    asked = urlencode({"response_type": "code", "client_id": fee_app, "scope": "read_write", "state": "s1",
                       "redirect_uri": "https://p.example.com/back"})  # fmt: skip
    page = visit(api, f"/oauth/authorize?{asked}")
    assert b"asks to act for you" in page.body
    form = {"redirect_uri": "https://p.example.com/back", "scope": "read_write", "state": "s1"}
    refused = visit(api, "/oauth/authorize", {**form, "answer": "no"})
    assert "error=access_denied" in str(refused.header("location"))
    back = urlsplit(str(visit(api, "/oauth/authorize", {**form, "answer": "yes"}).header("location")))
    told = {name: values[0] for name, values in parse_qs(back.query).items()}
    assert told["state"] == "s1"
    wanted = {"grant_type": "authorization_code", "code": told["code"]}
    granted = api.post("/oauth/token", wanted)
    own = Api(api.inst, granted["access_token"])
    assert own.get("/v1/account")["id"] == granted["stripe_user_id"]
    made = own.post("/v1/customers", {"name": "Ada"})["id"]
    assert api.get("/v1/customers", stripe_account=granted["stripe_user_id"])["data"][0]["id"] == made
    again = json.loads(api.send("POST", "/oauth/token", wanted).body)
    assert again["error"] == "invalid_grant"
    gone = {"client_id": fee_app, "stripe_user_id": granted["stripe_user_id"]}
    assert api.post("/oauth/deauthorize", gone) == {"stripe_user_id": granted["stripe_user_id"]}
    assert api.refused("GET", "/v1/customers", stripe_account=granted["stripe_user_id"])["status"] == 403


def _application(api: Api) -> str:
    """The id under which the platform is known, as its fees tell it."""
    seller = connect(api)["id"]
    pay(api, transfer_data={"destination": seller}, application_fee_amount=1)
    return str(api.get("/v1/application_fees")["data"][0]["application"])
