"""Is the balance what its movements add up to?"""

from __future__ import annotations

import pytest

from tests.stripe.conftest import Api
from tests.stripe.paying import charge_of, conforms, pay, types
from worlds.stripe import currencies, ledger


def test_an_account_begins_with_nothing(api: Api) -> None:
    balance = conforms(api.get("/v1/balance"))
    assert balance["available"] == balance["pending"] == [
        {"amount": 0, "currency": "usd", "source_types": {"card": 0}}
    ]  # fmt: skip


@pytest.mark.parametrize(("amount", "fee"), [(50, 31), (1000, 59), (1017, 59), (1018, 60), (2000, 88)])
def test_a_cards_fee_is_rounded_half_up(amount: int, fee: int) -> None:
    assert ledger.fee_of(amount, "usd", "card") == fee


def test_a_payment_is_available_on_the_second_day_after(api: Api) -> None:
    moved = conforms(charge_of(api, pay(api), "balance_transaction"))["balance_transaction"]
    assert (moved["amount"], moved["fee"], moved["net"]) == (2000, 88, 1912)
    assert (moved["status"], moved["type"], moved["reporting_category"]) == ("pending", "charge", "charge")
    assert moved["available_on"] % 86_400 == 0
    assert 1 < (moved["available_on"] - moved["created"]) / 86_400 <= 2
    assert api.get("/v1/balance")["pending"][0]["amount"] == 1912
    api.inst.advance(days=2)
    balance = api.get("/v1/balance")
    assert (balance["pending"][0]["amount"], balance["available"][0]["amount"]) == (0, 1912)
    assert api.get(f"/v1/balance_transactions/{moved['id']}")["status"] == "available"
    (event,) = api.events("balance.available")
    conforms(event["object"])


def test_some_money_is_there_at_once(api: Api) -> None:
    pay(api, "pm_card_bypassPending")
    assert api.get("/v1/balance")["available"][0]["amount"] == 1912
    assert "balance.available" not in types(api)


def test_every_currency_is_counted_apart(api: Api) -> None:
    pay(api, currency="jpy", amount=500)
    pay(api, currency="kwd", amount=5000)
    pending = {part["currency"]: part["amount"] for part in api.get("/v1/balance")["pending"]}
    assert pending == {"jpy": 500 - 45, "kwd": 5000 - 445}


def test_movements_are_listed_by_type_source_and_currency(api: Api) -> None:
    intent = pay(api)
    api.post("/v1/refunds", {"payment_intent": intent["id"], "amount": 100})
    pay(api, currency="eur")
    for path in ("/v1/balance_transactions", "/v1/balance/history"):
        found = api.get(path)["data"]
        assert [row["type"] for row in found] == ["charge", "refund", "charge"]
        assert len(api.get(path, {"source": intent["latest_charge"]})["data"]) == 1
        assert [row["amount"] for row in api.get(path, {"type": "refund"})["data"]] == [-100]
        assert len(api.get(path, {"currency": "eur"})["data"]) == 1
        assert api.get(f"{path}/{found[0]['id']}")["id"] == found[0]["id"]
    for row in found:
        conforms(row)


def test_a_movements_source_is_expanded(api: Api) -> None:
    pay(api)
    (moved,) = api.get("/v1/balance_transactions", {"expand": ["data.source"]})["data"]
    assert moved["source"]["object"] == "charge"


@pytest.mark.parametrize(
    ("amount", "currency", "words"),
    [(123456, "usd", "$1,234.56"), (500, "jpy", "¥500"), (1500, "kwd", "KWD 1.500"), (-5, "gbp", "-£0.05")],
)
def test_amounts_are_written_as_their_currency_is(amount: int, currency: str, words: str) -> None:
    assert currencies.written(amount, currency) == words
