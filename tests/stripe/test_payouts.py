"""Does money reach the account's bank by the clock?"""

from __future__ import annotations

from typing import Any

import pytest

from tests.stripe.conftest import NOW, Api
from tests.stripe.paying import conforms, debit, pay, types
from worlds.engine import World, WorldBug


def earn(api: Api, amount: int = 2000) -> None:
    pay(api, "pm_card_bypassPending", amount=amount)


def send(api: Api, amount: int = 1000, **more: Any) -> dict[str, Any]:
    return conforms(api.post("/v1/payouts", {"amount": amount, "currency": "usd", **more}))


def available(api: Api) -> int:
    return int(api.get("/v1/balance")["available"][0]["amount"])


def test_a_payout_arrives_by_the_clock(api: Api) -> None:
    earn(api)
    payout = send(api, description="June", statement_descriptor="SHOP", metadata={"a": "1"})
    assert (payout["status"], payout["automatic"], payout["method"]) == ("pending", False, "standard")
    assert payout["arrival_date"] % 86_400 == 0
    assert available(api) == 912
    moved = api.get(f"/v1/balance_transactions/{payout['balance_transaction']}")
    assert (moved["type"], moved["amount"], moved["source"]) == ("payout", -1000, payout["id"])
    api.inst.advance(hours=1, seconds=1)
    assert api.get(f"/v1/payouts/{payout['id']}")["status"] == "in_transit"
    api.inst.advance(days=2)
    paid = conforms(api.get(f"/v1/payouts/{payout['id']}"))
    assert (paid["status"], paid["trace_id"]["status"]) == ("paid", "supported")
    assert [type for type in types(api) if type.startswith("payout")] == [
        "payout.created", "payout.updated", "payout.paid",
    ]  # fmt: skip


def test_no_more_is_paid_out_than_is_available(api: Api) -> None:
    pay(api)
    error = api.refused("POST", "/v1/payouts", {"amount": 1000, "currency": "usd"})
    assert (error["status"], error["code"], error["param"]) == (400, "balance_insufficient", "amount")
    api.inst.advance(days=2)
    assert api.refused("POST", "/v1/payouts", {"amount": 1913, "currency": "usd"})["code"] == "balance_insufficient"
    assert send(api, 1912)["status"] == "pending"
    assert available(api) == 0
    assert api.refused("POST", "/v1/payouts", {"amount": 0, "currency": "usd"})["param"] == "amount"


def test_a_payout_is_canceled_while_it_waits(api: Api) -> None:
    earn(api)
    payout = send(api)
    gone = conforms(api.post(f"/v1/payouts/{payout['id']}/cancel"))
    assert gone["status"] == "canceled"
    assert available(api) == 1912
    assert types(api)[-1] == "payout.canceled"
    api.inst.advance(days=3)
    assert api.get(f"/v1/payouts/{payout['id']}")["status"] == "canceled"
    assert api.refused("POST", f"/v1/payouts/{payout['id']}/cancel")["status"] == 400


def test_a_payout_that_arrived_is_reversed(api: Api) -> None:
    earn(api)
    payout = send(api)
    assert api.refused("POST", f"/v1/payouts/{payout['id']}/reverse")["status"] == 400
    api.inst.advance(days=3)
    back = conforms(api.post(f"/v1/payouts/{payout['id']}/reverse"))
    assert (back["amount"], back["original_payout"]) == (-1000, payout["id"])
    assert api.get(f"/v1/payouts/{payout['id']}")["reversed_by"] == back["id"]
    assert available(api) == 1912
    assert "already been reversed" in api.refused("POST", f"/v1/payouts/{payout['id']}/reverse")["message"]


def test_an_instant_payout_arrives_within_the_hour(api: Api) -> None:
    earn(api)
    payout = send(api, method="instant")
    api.inst.advance(minutes=31)
    assert api.get(f"/v1/payouts/{payout['id']}")["status"] == "paid"


@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("000111111116", "no_account"),
        ("000111111113", "account_closed"),
        ("000222222227", "insufficient_funds"),
        ("000333333335", "debit_not_authorized"),
        ("000444444440", "invalid_currency"),
    ],
)
def test_some_bank_accounts_send_it_back(number: str, code: str, world: World) -> None:
    with world.instance(seed=1, now=NOW, startup={"payout_account_number": number}) as inst:
        api = Api(inst)
        earn(api)
        payout = send(api)
        inst.advance(days=3)
        failed = conforms(api.get(f"/v1/payouts/{payout['id']}"))
        assert (failed["status"], failed["failure_code"]) == ("failed", code)
        assert available(api) == 1912
        back = api.get(f"/v1/balance_transactions/{failed['failure_balance_transaction']}")
        assert (back["type"], back["amount"]) == ("payout_failure", 1000)
        assert types(api)[-1] == "payout.failed"


def test_daily_payouts_are_for_those_who_ask(world: World, api: Api) -> None:
    earn(api)
    api.inst.advance(days=5)
    assert api.get("/v1/payouts")["data"] == []
    with world.instance(seed=1, now=NOW, startup={"payout_schedule": "daily"}) as inst:
        api = Api(inst)
        pay(api)
        api.inst.advance(days=2)
        (payout,) = api.get("/v1/payouts")["data"]
        assert (payout["automatic"], payout["amount"], payout["reconciliation_status"]) == (True, 1912, "in_progress")
        api.inst.advance(days=2)
        after = conforms(api.get(f"/v1/payouts/{payout['id']}"))
        assert (after["status"], after["reconciliation_status"]) == ("paid", "completed")
        included = api.get("/v1/balance_transactions", {"payout": payout["id"]})["data"]
        assert sorted(row["type"] for row in included) == ["charge", "payout"]
        assert sum(row["net"] for row in included) == 0
        assert len(api.get("/v1/payouts")["data"]) == 1
        assert types(api)[-1] == "payout.reconciliation_completed"


def test_a_schedule_is_chosen_in_the_balances_settings(api: Api) -> None:
    assert conforms(api.get("/v1/balance_settings"))["payments"]["payouts"]["schedule"] == {"interval": "manual"}
    weekly = {"payments": {"payouts": {"schedule": {"interval": "weekly", "weekly_payout_days": ["friday"]}}}}
    changed = conforms(api.post("/v1/balance_settings", weekly))
    assert changed["payments"]["payouts"]["schedule"] == {"interval": "weekly", "weekly_payout_days": ["friday"]}
    earn(api)
    api.inst.advance(days=3)
    assert api.get("/v1/payouts")["data"] == []
    api.inst.advance(days=1)
    assert len(api.get("/v1/payouts")["data"]) == 1


def test_a_schedule_is_one_of_four(world: World) -> None:
    with pytest.raises(WorldBug, match="payout_schedule is 'hourly'"):
        world.instance(seed=1, now=NOW, startup={"payout_schedule": "hourly"})


def test_payouts_are_listed_changed_and_expanded(api: Api) -> None:
    earn(api)
    payout = send(api)
    path = f"/v1/payouts/{payout['id']}"
    assert api.post(path, {"metadata": {"a": "1"}})["metadata"] == {"a": "1"}
    assert [row["id"] for row in api.get("/v1/payouts", {"status": "pending"})["data"]] == [payout["id"]]
    assert api.get("/v1/payouts", {"status": "paid"})["data"] == []
    assert api.get("/v1/payouts", {"arrival_date": {"gt": payout["arrival_date"]}})["data"] == []
    expanded = api.get(path, {"expand": ["destination", "balance_transaction"]})
    assert conforms(expanded["destination"])["last4"] == "6789"
    assert expanded["balance_transaction"]["amount"] == -1000
    error = api.refused("POST", "/v1/payouts", {"amount": 1, "currency": "usd", "destination": "ba_x"})
    assert error["param"] == "destination"
    assert api.refused("GET", "/v1/payouts/po_x")["message"] == "No such payout: 'po_x'"


def test_what_a_bank_debit_brought_is_paid_out_like_a_cards(api: Api) -> None:
    debit(api, amount=10_000)
    api.inst.advance(days=7)
    assert send(api, 9920)["status"] == "pending"
