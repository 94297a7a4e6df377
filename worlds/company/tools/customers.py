"""How does an agent see a customer whole, and take a new one in?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.company import errors, reach
from worlds.company.reach import Systems
from worlds.company.tools.arguments import CustomerEmail, Text
from worlds.engine import Ctx, tool

_THREADS = """
    SELECT t.id, t.subject, b.address AS mailbox, max(m.sent_at) AS last_message_at, count(*) AS messages
      FROM messages m JOIN threads t ON t.id = m.thread_id JOIN mailboxes b ON b.id = m.mailbox_id
     WHERE m.from_address = :email OR EXISTS (SELECT 1 FROM json_each(m.to_addresses) WHERE value = :email)
     GROUP BY t.id ORDER BY last_message_at DESC, t.id LIMIT 20
"""
_PAYMENTS = """
    SELECT p.id AS payment_intent, p.status, p.amount, p.amount_received, c.amount_refunded, p.currency, p.created,
           p.description
      FROM payment_intents p JOIN customers u ON u.id = p.customer LEFT JOIN charges c ON c.id = p.latest_charge
     WHERE u.email = ? AND p.x_account = '' ORDER BY p.x_seq DESC LIMIT 20
"""


@tool
def customer_overview(ctx: Ctx[Systems], email: CustomerEmail) -> dict[str, Any]:
    """See everything about one person at once: the CRM's record, account owner and open deals, the helpdesk's tickets,
    the latest payments, and the latest mail threads with them in any mailbox.
    """
    email = email.strip().lower()
    lead = reach.lead_by_email(ctx, email)
    owner = reach.account_owner(ctx, lead) if lead else None
    found = ctx.worlds.helpdesk.call("list_customers", email=email)["customers"]
    return {
        "email": email,
        "crm": _in_crm(ctx, lead) if lead else None,
        "account_owner": owner.as_dict() if owner else None,
        "helpdesk": _in_helpdesk(ctx, found[0]) if found else None,
        "payments": ctx.worlds.payments.db.rows(_PAYMENTS, email),
        "threads": ctx.worlds.mail.db.rows(_THREADS, {"email": email}),
    }


def _in_crm(ctx: Ctx[Systems], lead: dict[str, Any]) -> dict[str, Any]:
    crm = ctx.worlds.crm
    deals = crm.db.rows(
        "SELECT d.id, d.name, d.amount_cents, d.stage_id FROM deals d JOIN pipeline_stages s ON s.id = d.stage_id "
        "WHERE s.kind = 'open' AND (d.contact_id = ? OR d.company_id = ?) ORDER BY d.created_at, d.id",
        lead["id"],
        lead["company_id"],
    )
    company = crm.db.one("SELECT id, name, domain FROM companies WHERE id = ?", lead["company_id"])
    return {"lead": crm.call("get_lead", lead_id=lead["id"]), "company": company, "open_deals": deals}


def _in_helpdesk(ctx: Ctx[Systems], customer: dict[str, Any]) -> dict[str, Any]:
    tickets = ctx.worlds.helpdesk.call("list_tickets", requester_id=customer["id"], limit=50)["tickets"]
    return {"customer": ctx.worlds.helpdesk.call("get_customer", customer_id=customer["id"]), "tickets": tickets}


@tool
def onboard_customer(
    ctx: Ctx[Systems],
    email: CustomerEmail,
    welcome_subject: Annotated[str, Field(description="Subject of the welcome mail.", min_length=1, max_length=200)],
    welcome_body: Annotated[Text, Field(description="Text of the welcome mail.", min_length=1)],
    kickoff_due_at: Annotated[
        str, Field(description="When the owner is to call them, such as 2026-06-05T10:00:00Z.", max_length=40)
    ],
    company_name: Annotated[
        str | None, Field(description="Create a company of this name for them, where the CRM has none.", max_length=200)
    ] = None,
) -> dict[str, Any]:
    """Take a person of the CRM in as a customer: convert the lead, open a customer in the helpdesk, send the welcome
    mail from the account owner's mailbox, and give the owner the task to call.

    What is done already is left as it is.
    """
    lead = reach.lead_by_email(ctx, email)
    if lead is None:
        raise errors.UnknownToCrm(email)
    crm = ctx.worlds.crm
    if lead["status"] != "converted":
        named = {} if company_name is None else {"company_name": company_name}
        crm.call("convert_lead", lead_id=lead["id"], create_deal=False, **named)
        lead = crm.db.one("SELECT * FROM leads WHERE id = ?", lead["id"])
        assert lead is not None
    owner = reach.account_owner(ctx, lead)
    if owner is None:
        raise errors.NobodyOwns(email)
    customer = _helpdesk_customer(ctx, lead)
    message = _welcome(ctx, owner.email, lead["email"], welcome_subject, welcome_body, lead["id"])
    task = crm.call(
        "create_task", subject=f"Kick-off call with {customer['name'] or lead['email']}", due_at=kickoff_due_at,
        lead_id=lead["id"], owner_id=owner.crm_user_id,
    )  # fmt: skip
    return {
        "lead_id": lead["id"],
        "company_id": lead["company_id"],
        "customer_id": customer["id"],
        "account_owner": owner.email,
        "message_id": message["id"],
        "task_id": task["id"],
    }


def _helpdesk_customer(ctx: Ctx[Systems], lead: dict[str, Any]) -> dict[str, Any]:
    found = ctx.worlds.helpdesk.call("list_customers", email=lead["email"])["customers"]
    if found:
        first: dict[str, Any] = found[0]
        return first
    company = ctx.worlds.crm.db.one("SELECT name FROM companies WHERE id = ?", lead["company_id"])
    made: dict[str, Any] = ctx.worlds.helpdesk.call(
        "create_customer",
        email=lead["email"],
        name=f"{lead['first_name']} {lead['last_name']}".strip(),
        company_name=company["name"] if company else lead["company_name"],
        phone=lead["phone"],
    )
    return made


def _welcome(ctx: Ctx[Systems], sender: str, to: str, subject: str, body: str, lead_id: str) -> dict[str, Any]:
    """Send a mail and log it in the CRM."""
    with reach.any_mailbox(ctx) as mail:
        message: dict[str, Any] = mail.call("send_message", to=[to], subject=subject, body=body, mailbox=sender)
    ctx.worlds.crm.call("log_activity", kind="email", subject=subject, body=body, lead_id=lead_id)
    return message
