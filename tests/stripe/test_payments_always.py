"""What holds of payments whatever is done, in whatever order?"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from tests.stripe.conftest import Api
from worlds.engine import HttpRequest, Instance, World
from worlds.stripe.payments.states import TRANSITIONS

CARDS = [
    "pm_card_visa", "pm_card_bypassPending", "pm_card_visa_chargeDeclined", "pm_card_threeDSecure2Required",
    "pm_card_createDispute", "pm_card_createDisputeInquiry", "pm_card_pendingRefund", "pm_card_refundFail",
]  # fmt: skip
NUMBER = st.integers(0, 30)
STEP = st.one_of(
    st.tuples(st.just("pay"), st.sampled_from(CARDS), st.booleans()),
    st.tuples(st.just("confirm"), NUMBER, st.sampled_from(CARDS)),
    st.tuples(st.just("capture"), NUMBER, st.integers(1, 1500)),
    st.tuples(st.just("cancel"), NUMBER, st.none()),
    st.tuples(st.just("refund"), NUMBER, st.integers(1, 1500)),
    st.tuples(st.just("authenticate"), NUMBER, st.sampled_from(["success", "fail"])),
    st.tuples(st.just("answer"), NUMBER, st.sampled_from(["winning_evidence", "losing_evidence", "It was theirs."])),
    st.tuples(st.just("pay_out"), NUMBER, st.integers(1, 2000)),
    st.tuples(st.just("wait"), st.sampled_from([1, 49, 24 * 8, 24 * 10]), st.none()),
)


def rows(api: Api, table: str) -> list[dict[str, Any]]:
    return [dict(row) for row in api.inst.inspect().rows(f"SELECT * FROM {table} ORDER BY x_seq")]


def picked(api: Api, table: str, number: int) -> dict[str, Any]:
    found = rows(api, table)
    return found[number % len(found)] if found else {"id": "none", "client_secret": "none"}


def take(api: Api, step: tuple[Any, Any, Any]) -> None:
    """Take one step; whatever is refused is refused."""
    what, first, second = step
    intent = {"id": "none"} if isinstance(first, str) else picked(api, "payment_intents", first)
    path = f"/v1/payment_intents/{intent['id']}"
    if what == "pay":
        api.send("POST", "/v1/payment_intents", {
            "amount": 1000, "currency": "usd", "payment_method": first, "confirm": True,
            "capture_method": "manual" if second else "automatic"})  # fmt: skip
    elif what == "confirm":
        api.send("POST", f"{path}/confirm", {"payment_method": second})
    elif what == "capture":
        api.send("POST", f"{path}/capture", {"amount_to_capture": second})
    elif what == "cancel":
        api.send("POST", f"{path}/cancel")
    elif what == "refund":
        api.send("POST", "/v1/refunds", {"payment_intent": intent["id"], "amount": second})
    elif what == "authenticate":
        api.inst.http(HttpRequest.of("POST", f"/_authenticate/{intent['client_secret']}", body=f"outcome={second}"))
    elif what == "answer":
        dispute = picked(api, "disputes", first)["id"]
        api.send("POST", f"/v1/disputes/{dispute}", {"evidence": {"uncategorized_text": second}})
    elif what == "pay_out":
        api.send("POST", "/v1/payouts", {"amount": second, "currency": "usd"})
    else:
        api.inst.advance(hours=first)


def check_ledger(api: Api) -> None:
    """The balance is the sum of its movements, and each of them is what it says."""
    sums: dict[str, int] = defaultdict(int)
    for row in rows(api, "balance_transactions"):
        assert row["net"] == row["amount"] - row["fee"]
        sums[row["status"]] += row["net"]
    balance = api.get("/v1/balance")
    for status in ("available", "pending"):
        assert sum(part["amount"] for part in balance[status]) == sums[status]


def check_charges(api: Api) -> None:
    """No charge gives back more than it took, and its count is that of its refunds."""
    given_back: dict[str, int] = defaultdict(int)
    for row in rows(api, "refunds"):
        if row["status"] in ("pending", "succeeded"):
            given_back[row["charge"]] += row["amount"]
    for charge in rows(api, "charges"):
        assert given_back[charge["id"]] == charge["amount_refunded"] <= charge["amount"]
        if charge["captured"]:
            assert charge["amount_refunded"] <= charge["amount_captured"]
        taken = [row for row in rows(api, "balance_transactions") if row["source"] == charge["id"]]
        assert sum(row["amount"] for row in taken) == charge["amount_captured"]


def check_intents(api: Api, before: dict[str, str]) -> dict[str, str]:
    """No intent went where it may not; what its status says of money is so."""
    now = {}
    for intent in rows(api, "payment_intents"):
        status, was = intent["status"], before.get(intent["id"], "requires_payment_method")
        assert status == was or reachable(was, status), (was, status)
        assert (intent["amount_capturable"] > 0) == (status == "requires_capture")
        assert (intent["amount_received"] > 0) == (status == "succeeded")
        assert (intent["next_action"] is not None) == (status == "requires_action")
        now[intent["id"]] = status
    return now


def reachable(here: str, there: str) -> bool:
    """Can one get from a status to another by the published transitions?"""
    seen: set[str] = set()
    waiting = [here]
    while waiting:
        for status in TRANSITIONS[waiting.pop()] - seen:
            seen.add(status)
            waiting.append(status)
    return there in seen


@examples(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, min_size=3, max_size=12), seed=st.integers(0, 3))
def test_money_and_states_add_up(steps: list[tuple[Any, Any, Any]], seed: int, world: World) -> None:
    with world.instance(seed=seed, now="2026-06-01T09:00:00Z") as inst:
        api, states = Api(inst), dict[str, str]()
        for step in steps:
            take(api, step)
            states = check_intents(api, states)
        check_ledger(api)
        check_charges(api)


EPISODE: list[tuple[Any, Any, Any]] = [
    ("pay", "pm_card_visa", False), ("pay", "pm_card_visa", True), ("pay", "pm_card_createDispute", False),
    ("pay", "pm_card_threeDSecure2Required", False), ("pay", "pm_card_refundFail", False), ("capture", 1, 600),
    ("refund", 0, 300), ("refund", 4, 500), ("authenticate", 3, "success"), ("answer", 0, "winning_evidence"),
    ("wait", 49, None), ("pay_out", 0, 800), ("pay", "pm_card_visa_chargeDeclined", False), ("wait", 240, None),
]  # fmt: skip


def document(inst: Instance) -> Any:
    tables = ("payment_intents", "charges", "refunds", "disputes", "balance_transactions", "payouts", "events")
    return json.loads(json.dumps({table: rows(Api(inst), table) for table in tables}, default=str))


def test_the_same_episode_makes_the_same_account(world: World) -> None:
    found = []
    for _ in range(2):
        with world.instance(seed=1, now="2026-06-01T09:00:00Z") as inst:
            for step in EPISODE:
                take(Api(inst), step)
            found.append(document(inst))
    assert found[0] == found[1]
    assert [row["status"] for row in found[0]["payouts"]] == ["paid"]


def test_a_fork_goes_on_as_its_original_does(account: Instance) -> None:
    for step in EPISODE[:8]:
        take(Api(account), step)
    with account.fork() as twin:
        for step in EPISODE[8:]:
            take(Api(account), step)
            take(Api(twin), step)
        assert document(twin) == document(account)


def test_an_episode_is_replayed_to_the_same_account(world: World, settings: Any) -> None:
    settings.SEAHAVEN_CHECKPOINTS_KEPT = 1
    look = "list_available_accounts_or_orgs"
    with world.instance(seed=1, now="2026-06-01T09:00:00Z") as inst:
        inst.call(look)
        for step in EPISODE:
            take(Api(inst), step)
        inst.call(look)
        before = document(inst)
        for _ in range(3):
            inst.call(look)
        inst.rewind(call=1)
        assert document(inst) == before


def test_going_back_and_again_is_the_same(account: Instance) -> None:
    start = account.checkpoint()
    found = []
    for _ in range(2):
        account.rewind(start)
        for step in EPISODE:
            take(Api(account), step)
        found.append(document(account))
    assert found[0] == found[1]
