"""What does an action make of an object, and when is it refused?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from worlds.stripe import facts
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError, listed
from worlds.stripe.generic import keeping, stored
from worlds.stripe.generic.planning import Plan
from worlds.stripe.generic.wording import noun_of
from worlds.stripe.models.base import Resource
from worlds.stripe.models.objects import StoredObject


@dataclass(frozen=True, slots=True)
class Move:
    """An action: `what` becomes `to`, from one of `allowed` (any when empty); `also` are fields that change with it.

    `at` are fields that hold when; `event` is what the event says happened, None for no event but `updated`.
    """

    to: Any
    allowed: tuple[Any, ...] = ()
    event: str | None = None
    what: str = "status"
    also: dict[str, Any] = field(default_factory=dict)
    at: tuple[str, ...] = ()


def _flag(name: str, to: bool, event: str | None = None) -> Move:
    return Move(to, (), event, what=name)


_READER_DONE = Move(None, (), None, what="action")
#: By object name and the words after its id.
MOVES: dict[tuple[str, str], Move] = {
    ("apps.install", "uninstall"): Move("uninstalling", ("installed",)),
    ("billing.alert", "activate"): Move("active", ("inactive",)),
    ("billing.alert", "archive"): Move("archived", ("active", "inactive")),
    ("billing.alert", "deactivate"): Move("inactive", ("active",)),
    ("billing.credit_grant", "expire"): Move(None, (), None, "expires_at", at=("expires_at",)),
    ("billing.credit_grant", "void"): Move(None, (), None, "voided_at", at=("voided_at",)),
    ("billing.feedback_option", "deactivate"): Move("inactive", ("active",)),
    ("billing.meter", "deactivate"): Move("inactive", ("active",), "deactivated"),
    ("billing.meter", "reactivate"): Move("active", ("inactive",), "reactivated"),
    ("climate.order", "cancel"): Move("canceled", ("awaiting_funds", "confirmed", "open"), "canceled",
                                      also={"cancellation_reason": "requested"}),
    ("credit_note", "void"): Move("void", ("issued",), "voided"),
    ("financial_connections.account", "disconnect"): Move("disconnected", ("active", "inactive"), "disconnected"),
    ("identity.verification_session", "cancel"): Move("canceled", ("requires_input",), "canceled"),
    ("identity.verification_session", "redact"): Move("redacted", (), "redacted", "redaction",
                                                      {"redaction": {"status": "redacted"}}),
    ("invoice", "finalize"): Move("open", ("draft",), "finalized", also={"number": "0001"}),
    ("invoice", "mark_uncollectible"): Move("uncollectible", ("open",), "marked_uncollectible"),
    ("invoice", "pay"): Move("paid", ("draft", "open", "uncollectible"), "paid", also={"attempted": True}),
    ("invoice", "void"): Move("void", ("open", "uncollectible"), "voided"),
    ("invoice_rendering_template", "archive"): Move("archived", ("active",)),
    ("invoice_rendering_template", "unarchive"): Move("active", ("archived",)),
    ("issuing.authorization", "approve"): _flag("approved", True),
    ("issuing.authorization", "capture"): Move("closed", ("pending",)),
    ("issuing.authorization", "decline"): _flag("approved", False),
    ("issuing.authorization", "expire"): Move("expired", ("pending",)),
    ("issuing.authorization", "reverse"): Move("reversed", ("pending",), also={"amount": 0}),
    ("issuing.card", "shipping/deliver"): Move("delivered", ("shipped",), None, "shipping.status"),
    ("issuing.card", "shipping/fail"): Move("failure", ("shipped",), None, "shipping.status"),
    ("issuing.card", "shipping/return"): Move("returned", ("shipped",), None, "shipping.status"),
    ("issuing.card", "shipping/ship"): Move("shipped", ("pending", "submitted"), None, "shipping.status"),
    ("issuing.card", "shipping/submit"): Move("submitted", ("pending",), None, "shipping.status"),
    ("issuing.dispute", "submit"): Move("submitted", ("unsubmitted",), "submitted"),
    ("issuing.personalization_design", "activate"): Move("active", (), "activated"),
    ("issuing.personalization_design", "deactivate"): Move("inactive", (), "deactivated"),
    ("issuing.personalization_design", "reject"): Move("rejected", (), "rejected"),
    ("issuing.settlement", "complete"): Move("complete", ("pending",)),
    ("quote", "accept"): Move("accepted", ("open",), "accepted"),
    ("quote", "cancel"): Move("canceled", ("draft", "open"), "canceled"),
    ("quote", "finalize"): Move("open", ("draft",), "finalized"),
    ("review", "approve"): Move(False, (True,), "closed", "open", {"reason": "approved", "closed_reason": "approved"}),
    ("source", "verify"): Move("chargeable", ("pending",), "chargeable"),
    ("subscription", "resume"): Move("active", ("paused",), "resumed"),
    ("subscription", "pause"): Move("paused", ("active", "trialing"), "paused"),
    ("subscription_schedule", "cancel"): Move("canceled", ("active", "not_started"), "canceled"),
    ("subscription_schedule", "release"): Move("released", ("active", "not_started"), "released"),
    ("terminal.reader", "cancel_action"): _READER_DONE,
    ("test_helpers.test_clock", "advance"): Move("ready", ("ready",), "ready"),
    ("three_d_secure.authentication", "cancel"): Move("canceled", ("requires_challenge", "requires_submission")),
    ("three_d_secure.authentication", "submit"): Move("succeeded", ("requires_challenge", "requires_submission")),
    ("treasury.financial_account", "close"): Move("closed", ("open",), "closed"),
    ("treasury.inbound_transfer", "cancel"): Move("canceled", ("processing",), "canceled", also={"cancelable": False}),
    ("treasury.inbound_transfer", "fail"): Move("failed", ("processing",), "failed", also={
        "cancelable": False, "failure_details": {"code": "could_not_process"}}),
    ("treasury.inbound_transfer", "return"): Move(True, (), None, "returned"),
    ("treasury.inbound_transfer", "succeed"): Move("succeeded", ("processing",), "succeeded",
                                                   also={"cancelable": False}),
    ("v2.core.account", "close"): _flag("closed", True),
    ("v2.core.event_destination", "disable"): Move("disabled", ("enabled",)),
    ("v2.core.event_destination", "enable"): Move("enabled", ("disabled",)),
    ("v2.core.vault.us_bank_account", "confirm_microdeposits"): Move("verified", (), None, "verification.status"),
    ("v2.core.vault.us_bank_account", "send_microdeposits"): Move("awaiting_verification", (), None,
                                                                  "verification.status"),
    ("v2.money_management.outbound_payment", "cancel"): Move("canceled", ("processing",), also={"cancelable": False}),
    ("v2.money_management.outbound_setup_intent", "cancel"): Move(
        "canceled", ("requires_action", "requires_payout_method")),
    ("v2.money_management.payout_intent", "cancel"): Move("canceled", ("pending", "requires_action")),
    ("v2.money_management.payout_intent", "confirm"): Move("posted", ()),
    ("v2.money_management.recipient_verification", "acknowledge"): Move("acknowledged", ()),
    **{(f"v2.{name}", verb): _flag("archived", verb == "archive") for verb in ("archive", "unarchive") for name in (
        "core.vault.gb_bank_account", "core.vault.us_bank_account", "money_management.payout_method")},
    **{(f"treasury.{name}", verb): Move(to, allowed, to, also={"cancelable": False})
       for name in ("outbound_payment", "outbound_transfer")
       for verb, to, allowed in (("cancel", "canceled", ("processing",)), ("fail", "failed", ("processing",)),
                                 ("post", "posted", ("processing",)), ("return", "returned", ("posted",)))},
}  # fmt: skip
#: What somebody does to an object, as a refusal says it.
_DONE = {"cancel": "canceled", "submit": "submitted", "ship": "shipped", "reactivate": "reactivated", "void": "voided",
         "reverse": "reversed", "pay": "paid", "finalize": "finalized"}  # fmt: skip


def move(call: Call, plan: Plan, row: Resource) -> dict[str, Any]:
    """Do what an action does to an object; one that is in no table changes what its parameters say."""
    if not isinstance(row, StoredObject):
        return keeping.update(call, plan, row)
    given = keeping.values_of(call, row.object, row.data)
    found = MOVES.get((row.object, plan.verb))
    if found is None:
        keeping.write(call, row, given)
        return stored.shown(call, row)
    _require_allowed(row, plan, found)
    keeping.write(call, row, given | _after(call, row, found))
    if found.event:
        keeping.tell(call, row, found.event)
    return stored.shown(call, row)


def _require_allowed(row: StoredObject, plan: Plan, found: Move) -> None:
    value: Any = row.data
    for step in found.what.split("."):
        value = (value or {}).get(step)
    if found.allowed and value not in found.allowed:
        noun, verb = noun_of(row.object), plan.verb.rpartition("/")[2]
        done = _DONE.get(verb, f"{verb.removesuffix('e')}ed")
        words = listed([str(word).lower() for word in found.allowed])
        raise StripeError(
            f"This {noun} cannot be {done} because its {found.what} is {str(value).lower()}; only one whose "
            f"{found.what} is {words} can be.",
            code="status_transition_invalid",
        )


def _after(call: Call, row: StoredObject, found: Move) -> dict[str, Any]:
    """The values after a move: what it says, and the instants that the shape has for it."""
    fields = facts.objects()[row.object].fields
    first, *inner = found.what.split(".")
    value = {**(row.data.get(first) or {}), inner[0]: found.to} if inner else found.to
    after = {**({} if found.at else {first: value}), **found.also} | dict.fromkeys(found.at, call.now_s)
    names = [f"{word}_at" for word in (found.to, found.event) if isinstance(word, str)]
    after |= {name: call.now_s for name in names if name in fields and name not in after}
    within = facts.resolved(fields.get("status_transitions", "any"))
    if isinstance(within, str) and within.startswith("@"):
        noted = {name: call.now_s for name in names if name in facts.objects()[within[1:]].fields}
        after["status_transitions"] = {**(row.data.get("status_transitions") or {}), **noted}
    return after
