"""How does an agent give a customer money back because of a ticket?"""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from pydantic import Field

from worlds.company import errors
from worlds.company.reach import Systems
from worlds.company.tools.arguments import TicketId
from worlds.engine import Ctx, HttpRequest, tool

_KEY = "Bearer sk_test_company"


@tool
def refund_for_ticket(
    ctx: Ctx[Systems],
    ticket_id: TicketId,
    payment_intent: Annotated[str, Field(description="Id of the payment to give back, such as pi_4f….", max_length=60)],
    amount: Annotated[
        int | None, Field(description="Cents to give back. Default: all that is left of it.", ge=1, le=99_999_999)
    ] = None,
) -> dict[str, Any]:
    """Refund a payment of a ticket's customer, and note it on the ticket. The payment must be theirs.

    What was paid, by whom and when, customer_overview shows.
    """
    ticket = ctx.worlds.helpdesk.call("get_ticket", ticket_id=ticket_id)
    paid = _ask(ctx, "GET", f"/v1/payment_intents/{payment_intent}", query="expand[]=customer")
    payer = (paid.get("customer") or {}).get("email") or paid.get("receipt_email")
    if payer != ticket["requester"]["email"]:
        raise errors.SomebodyElsesPayment(payment_intent, ticket["requester"]["email"])
    asked = {"payment_intent": payment_intent, "metadata[ticket]": ticket["number"], "reason": "requested_by_customer"}
    refund = _ask(ctx, "POST", "/v1/refunds", body=urlencode(asked | ({} if amount is None else {"amount": amount})))
    money = f"{refund['amount'] / 100:.2f} {refund['currency'].upper()}"
    ctx.worlds.helpdesk.call(
        "add_note", ticket_id=ticket_id, body=f"Refunded {money} of {payment_intent}: {refund['id']}."
    )
    return {
        "refund": refund["id"],
        "status": refund["status"],
        "amount": refund["amount"],
        "currency": refund["currency"],
    }


def _ask(ctx: Ctx[Systems], method: str, path: str, *, query: str = "", body: str = "") -> dict[str, Any]:
    """Ask the payments' API; what it refuses is refused in its own words, and nothing of the call stays.

    Raises: PaymentsRefused.
    """
    headers = {"authorization": _KEY, "content-type": "application/x-www-form-urlencoded"}
    answer = ctx.worlds.payments.http(HttpRequest.of(method, path, query=query, headers=headers, body=body))
    found: dict[str, Any] = answer.json()
    if answer.status != 200:
        raise errors.PaymentsRefused(found["error"])
    return found
