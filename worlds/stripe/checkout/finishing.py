"""When is a session over, and what is told of it?

An intent that succeeds, at once or after its shopper's bank or the days of a debit, completes the session it is of.
"""

from __future__ import annotations

from worlds.engine import prepared
from worlds.stripe import discounting
from worlds.stripe.api.call import EMITTED, Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.models import CheckoutSession, PaymentLink
from worlds.stripe.models.core import Event
from worlds.stripe.payments import capturing, states

#: What an event of an intent makes of the session it is of: the payment status at its completion.
_COMPLETED_BY = {
    "payment_intent.amount_capturable_updated": "unpaid",
    "payment_intent.processing": "unpaid",
    "payment_intent.succeeded": "paid",
    "setup_intent.succeeded": "no_payment_required",
}
_FAILED = "payment_intent.payment_failed"
#: The session an intent is of, asked for whenever one moves on.
_OF_INTENTS = {
    "payment_intent": prepared(lambda id: CheckoutSession.objects.filter(payment_intent=id)),
    "setup_intent": prepared(lambda id: CheckoutSession.objects.filter(setup_intent=id)),
}


def complete(call: Call, session: CheckoutSession, payment_status: str) -> None:
    """The shopper is through."""
    session.status, session.payment_status, session.url = "complete", payment_status, None
    session.customer = session.customer or session.x_customer
    if session.x_coupon is not None:
        session.x_discount = discounting.redeem(
            call, session.x_coupon, session.x_promotion_code, customer=session.customer, checkout_session=session.id,
        )  # fmt: skip
    session.save()
    _count(call, session.payment_link)
    call.emit("checkout.session.completed", session)


def _count(call: Call, link: PaymentLink | None) -> None:
    """One more session of a link; when it was the last that is let through, the link is closed."""
    if link is None:
        return
    link.x_completed += 1
    limit = (link.restrictions or {}).get("completed_sessions", {}).get("limit")
    fields = ["x_completed"]
    if limit is not None and link.x_completed >= limit:
        link.active = False
        fields.append("active")
    link.save(update_fields=fields)
    if "active" in fields:
        call.emit("payment_link.updated", link, {"active": True})


def expire(call: Call, session: CheckoutSession) -> None:
    """Nobody pays here any more; an intent that was begun is canceled."""
    session.status, session.url = "expired", None
    if session.after_expiration and session.after_expiration.get("recovery", {}).get("enabled"):
        session.after_expiration = {"recovery": {
            "allow_promotion_codes": False, "expires_at": None, "url": None, **session.after_expiration["recovery"],
        }}  # fmt: skip
    session.save()
    intent = session.payment_intent
    if intent is not None and intent.status in states.CONFIRMABLE:
        capturing.cancel(call, intent, "expired")
    setup = session.setup_intent
    if setup is not None and setup.status in ("requires_payment_method", "requires_confirmation", "requires_action"):
        setup.status, setup.next_action = "canceled", None
        setup.save(update_fields=["status", "next_action"])
        call.emit("setup_intent.canceled", setup)
    call.emit("checkout.session.expired", session)


def require_expirable(session: CheckoutSession) -> None:
    """Refuse to end what is over.

    Raises: StripeError.
    """
    if session.status != "open":
        raise StripeError(
            f'Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of '
            f"{session.status}.",
        )


def follow(call: Call, event: Event) -> None:
    """Let a session follow what became of its intent."""
    if event.type not in _COMPLETED_BY and event.type != _FAILED:
        return
    name, _, what = event.type.partition(".")
    session = _OF_INTENTS[name].first(event.data["object"]["id"])
    if session is None:
        return
    if event.type == _FAILED:
        if session.status == "complete" and session.payment_status == "unpaid":
            call.emit("checkout.session.async_payment_failed", session)
        return
    if session.status == "open":
        complete(call, session, _COMPLETED_BY[event.type])
    elif what == "succeeded" and session.payment_status == "unpaid":
        session.payment_status = "paid"
        session.save(update_fields=["payment_status"])
        if session.payment_intent is not None and not _was_held(session):
            call.emit("checkout.session.async_payment_succeeded", session)


def _was_held(session: CheckoutSession) -> bool:
    """Was the money only held until the shop captured it?"""
    intent = session.payment_intent
    charge = intent.latest_charge if intent is not None else None
    return charge is not None and capturing.is_held(charge)


EMITTED.append(follow)
