"""Do disputes begin, cost and end as they do on Stripe?"""

from __future__ import annotations

from typing import Any

from tests.stripe.conftest import Api
from tests.stripe.paying import charge_of, conforms, debit, pay, types

DAY = 86_400


def disputed(api: Api, card: str = "pm_card_createDispute") -> dict[str, Any]:
    intent = pay(api, card, amount=5000)
    return conforms(api.get("/v1/disputes", {"payment_intent": intent["id"]})["data"][0])


def answer(api: Api, dispute: dict[str, Any], text: str, **more: Any) -> dict[str, Any]:
    given = {"evidence": {"uncategorized_text": text}, **more}
    return conforms(api.post(f"/v1/disputes/{dispute['id']}", given))


def total(api: Api) -> int:
    balance = api.get("/v1/balance")
    return int(balance["available"][0]["amount"] + balance["pending"][0]["amount"])


def test_a_chargeback_is_born_with_the_charge_and_takes_the_money(api: Api) -> None:
    dispute = disputed(api)
    assert dispute["id"].startswith("du_")
    assert (dispute["status"], dispute["reason"], dispute["is_charge_refundable"]) == (
        "needs_response", "fraudulent", False,
    )  # fmt: skip
    card = dispute["payment_method_details"]["card"]
    assert (card["case_type"], card["network_reason_code"]) == ("chargeback", "10.4")
    assert (dispute["evidence_details"]["due_by"] + 1) % DAY == 0
    (moved,) = dispute["balance_transactions"]
    assert (moved["type"], moved["amount"], moved["fee"], moved["net"]) == ("adjustment", -5000, 1500, -6500)
    assert api.get("/v1/balance_transactions", {"source": dispute["id"]})["data"] == []
    assert api.get(f"/v1/charges/{dispute['charge']}")["disputed"] is True
    assert types(api)[1:] == [
        "charge.succeeded", "charge.dispute.created", "charge.dispute.funds_withdrawn", "payment_intent.succeeded",
    ]  # fmt: skip


def test_an_inquiry_takes_nothing_yet(api: Api) -> None:
    dispute = disputed(api, "pm_card_createDisputeInquiry")
    assert (dispute["status"], dispute["is_charge_refundable"]) == ("warning_needs_response", True)
    assert (dispute["payment_method_details"]["card"]["case_type"], dispute["balance_transactions"]) == ("inquiry", [])


def test_a_product_that_did_not_come_is_another_reason(api: Api) -> None:
    dispute = disputed(api, "pm_card_createDisputeProductNotReceived")
    assert dispute["reason"] == "product_not_received"
    assert dispute["payment_method_details"]["card"]["network_reason_code"] == "13.1"


def test_winning_evidence_brings_the_money_back_but_not_the_fee(api: Api) -> None:
    dispute = disputed(api)
    before = total(api)
    won = answer(api, dispute, "winning_evidence")
    assert (won["status"], won["evidence_details"]["submission_count"]) == ("won", 1)
    assert total(api) == before + 5000
    assert types(api)[-3:] == [
        "charge.dispute.updated", "charge.dispute.closed", "charge.dispute.funds_reinstated",
    ]  # fmt: skip
    assert api.refused("POST", f"/v1/disputes/{dispute['id']}", {"metadata": {"a": "1"}})["status"] == 400


def test_losing_evidence_loses(api: Api) -> None:
    dispute = disputed(api)
    before = total(api)
    assert answer(api, dispute, "losing_evidence")["status"] == "lost"
    assert total(api) == before
    assert types(api)[-1] == "charge.dispute.closed"


def test_plain_evidence_is_looked_at(api: Api) -> None:
    dispute = answer(api, disputed(api), "They signed for it.")
    assert (dispute["status"], dispute["evidence_details"]["has_evidence"]) == ("under_review", True)


def test_evidence_can_be_staged(api: Api) -> None:
    dispute = disputed(api)
    staged = answer(api, dispute, "winning_evidence", submit=False)
    assert (staged["status"], staged["evidence_details"]["submission_count"]) == ("needs_response", 0)
    assert staged["evidence_details"]["has_evidence"] is True
    assert api.post(f"/v1/disputes/{dispute['id']}", {"submit": True})["status"] == "won"


def test_an_inquiry_is_escalated_or_closed(api: Api) -> None:
    escalated = answer(api, disputed(api, "pm_card_createDisputeInquiry"), "escalate_inquiry_evidence")
    assert (escalated["status"], escalated["is_charge_refundable"]) == ("needs_response", False)
    assert [row["amount"] for row in escalated["balance_transactions"]] == [-5000]
    assert types(api)[-1] == "charge.dispute.funds_withdrawn"
    closed = answer(api, disputed(api, "pm_card_createDisputeInquiry"), "winning_evidence")
    assert (closed["status"], closed["balance_transactions"]) == ("warning_closed", [])


def test_a_dispute_can_be_given_up(api: Api) -> None:
    dispute = disputed(api)
    assert api.post(f"/v1/disputes/{dispute['id']}/close")["status"] == "lost"
    assert api.refused("POST", f"/v1/disputes/{dispute['id']}/close")["status"] == 400


def test_who_does_not_answer_in_time_has_lost(api: Api) -> None:
    dispute = disputed(api)
    api.inst.advance(days=8)
    assert api.get(f"/v1/disputes/{dispute['id']}")["status"] == "needs_response"
    api.inst.advance(days=1)
    lost = conforms(api.get(f"/v1/disputes/{dispute['id']}"))
    assert (lost["status"], lost["evidence_details"]["past_due"]) == ("lost", True)


def test_several_disputes_share_a_charge(api: Api) -> None:
    intent = pay(api, "pm_card_createMultipleDisputes", amount=5001)
    found = api.get("/v1/disputes", {"charge": intent["latest_charge"]})["data"]
    assert sorted(dispute["amount"] for dispute in found) == [2500, 2501]


def test_an_issuer_may_only_warn(api: Api) -> None:
    intent = pay(api, "pm_card_createIssuerFraudRecord")
    (warning,) = [event["object"] for event in api.events("radar.early_fraud_warning.created")]
    assert (warning["charge"], warning["payment_intent"]) == (intent["latest_charge"], intent["id"])
    conforms(warning)
    assert api.get(f"/v1/radar/early_fraud_warnings/{warning['id']}") == warning
    assert charge_of(api, intent)["disputed"] is False


def test_a_disputed_debit_is_lost_at_once(api: Api) -> None:
    intent = debit(api, "pm_usBankAccount_dispute")
    api.inst.advance(days=5)
    (dispute,) = api.get("/v1/disputes", {"payment_intent": intent["id"]})["data"]
    assert (dispute["status"], dispute["reason"]) == ("lost", "debit_not_authorized")
    conforms(dispute)


def test_a_charges_dispute_is_found_by_the_charge(api: Api) -> None:
    dispute = disputed(api)
    path = f"/v1/charges/{dispute['charge']}/dispute"
    assert api.get(path)["id"] == dispute["id"]
    assert api.post(path, {"evidence": {"uncategorized_text": "losing_evidence"}})["status"] == "lost"
    assert api.refused("GET", f"/v1/charges/{pay(api)['latest_charge']}/dispute")["status"] == 404
