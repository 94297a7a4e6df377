"""How does an agent look after the people who work here?"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from worlds.company import errors, reach
from worlds.company.models import Employee, Handover
from worlds.company.reach import Systems
from worlds.company.tools.arguments import EmployeeEmail
from worlds.engine import Ctx, tool

CrmRole = Annotated[
    Literal["admin", "manager", "rep"], Field(description="Their role in the CRM. Default: no account there.")
]
HelpdeskRole = Annotated[
    Literal["admin", "lead", "agent"], Field(description="Their role in the helpdesk. Default: no account there.")
]


@tool
def list_employees(
    ctx: Ctx[Systems],
    works_here: Annotated[
        bool | None, Field(description="true: only who works here now; false: only who has left.")
    ] = None,
) -> dict[str, Any]:
    """List who works here and who has left, by name, with their ids in the CRM and the helpdesk."""
    rows = Employee.objects.order_by("name", "id")
    if works_here is not None:
        rows = rows.filter(left_at__isnull=works_here)
    return {"employees": [row.as_dict() for row in rows]}


@tool
def get_employee(ctx: Ctx[Systems], email: EmployeeEmail) -> dict[str, Any]:
    """Get an employee with what is in their hands: open leads, deals, tasks, unsolved tickets, and their mailbox."""
    found = reach.employee(email)
    return {**found.as_dict(), "in_hand": _in_hand(ctx, found), "mailbox": _mailbox(ctx, found)}


def _in_hand(ctx: Ctx[Systems], employee: Employee) -> dict[str, int]:
    crm, helpdesk = ctx.worlds.crm.db, ctx.worlds.helpdesk.db
    counts = {
        "leads": (
            crm,
            "SELECT count(*) AS n FROM leads WHERE owner_id = ? AND status IN ('new', 'working', 'qualified')",
            employee.crm_user_id,
        ),
        "companies": (crm, "SELECT count(*) AS n FROM companies WHERE owner_id = ?", employee.crm_user_id),
        "deals": (
            crm,
            "SELECT count(*) AS n FROM deals JOIN pipeline_stages s ON s.id = stage_id "
            "WHERE owner_id = ? AND s.kind = 'open'",
            employee.crm_user_id,
        ),
        "tasks": (
            crm,
            "SELECT count(*) AS n FROM activities WHERE owner_id = ? AND kind = 'task' AND is_done = 0",
            employee.crm_user_id,
        ),
        "tickets": (
            helpdesk,
            "SELECT count(*) AS n FROM tickets WHERE assignee_id = ? AND status NOT IN ('solved', 'closed')",
            employee.helpdesk_agent_id,
        ),
    }
    return {name: (db.one(sql, id) or {"n": 0})["n"] if id else 0 for name, (db, sql, id) in counts.items()}


def _mailbox(ctx: Ctx[Systems], employee: Employee) -> dict[str, Any] | None:
    found = ctx.worlds.mail.db.one("SELECT id, is_active FROM mailboxes WHERE address = ?", employee.email)
    if found is None:
        return None
    unread = ctx.worlds.mail.db.one(
        "SELECT count(*) AS n FROM messages WHERE mailbox_id = ? AND folder = 'inbox' AND is_read = 0", found["id"]
    )
    return {"is_active": bool(found["is_active"]), "unread": (unread or {"n": 0})["n"]}


@tool
def hire_employee(
    ctx: Ctx[Systems],
    email: Annotated[str, Field(description="Address of theirs, at a domain of the company.", max_length=254)],
    name: Annotated[str, Field(description="Full name.", min_length=1, max_length=100)],
    title: Annotated[str, Field(description="What they do here.", max_length=100)] = "",
    crm_role: CrmRole | None = None,
    helpdesk_role: HelpdeskRole | None = None,
) -> dict[str, Any]:
    """Give somebody new a mailbox, and accounts in the CRM and the helpdesk as far as they need them."""
    email = email.strip().lower()
    present = Employee.objects.filter(email=email).first()
    if present is not None:
        raise errors.AlreadyEmployed(email, present.id)
    if ctx.worlds.mail.db.one("SELECT id FROM mailboxes WHERE address = ?", email) is None:
        with reach.any_mailbox(ctx) as mail:
            mail.call("create_mailbox", address=email, name=name)
    user = agent = None
    if crm_role is not None:
        user = ctx.worlds.crm.call("create_user", email=email, name=name, role=crm_role)
    if helpdesk_role is not None:
        agent = ctx.worlds.helpdesk.call("create_agent", email=email, name=name, role=helpdesk_role)
    return enlist(ctx, email, name, title, user, agent).as_dict()


def enlist(
    ctx: Ctx[Systems],
    email: str,
    name: str,
    title: str = "",
    user: dict[str, Any] | None = None,
    agent: dict[str, Any] | None = None,
    started_at: datetime | None = None,
) -> Employee:
    """Put somebody on the list of employees, from now unless they started before."""
    row = Employee(
        id=f"emp_{ctx.ids.token(14)}",
        email=email,
        name=name.strip(),
        title=title.strip(),
        crm_user_id=user["id"] if user else "",
        helpdesk_agent_id=agent["id"] if agent else "",
        started_at=started_at or ctx.clock.now(),
    )
    row.save(force_insert=True)
    return row


@tool
def hand_over_work(
    ctx: Ctx[Systems],
    from_email: Annotated[EmployeeEmail, Field(description="Whose work it is now.")],
    to_email: Annotated[EmployeeEmail, Field(description="Who takes it.")],
    is_leaving: Annotated[
        bool,
        Field(description="true: the first one leaves: accounts are closed and their mail goes to the second."),
    ] = False,
) -> dict[str, Any]:
    """Hand everything unfinished of one employee to another, in the CRM and the helpdesk; all of it or nothing."""
    giver, taker = reach.employee(from_email), reach.at_work(to_email)
    if giver.id == taker.id:
        raise errors.SamePerson
    moved = {"leads": 0, "companies": 0, "deals": 0, "tasks": 0, "tickets": 0}
    if giver.crm_user_id and taker.crm_user_id:
        for kind in ("lead", "company", "deal", "task"):
            done = ctx.worlds.crm.call(
                "bulk_reassign", record_type=kind, to_owner_id=taker.crm_user_id, from_owner_id=giver.crm_user_id
            )
            moved[{"company": "companies"}.get(kind, f"{kind}s")] = done["reassigned_count"]
    if giver.helpdesk_agent_id and taker.helpdesk_agent_id:
        done = ctx.worlds.helpdesk.call(
            "reassign_tickets", to_agent_id=taker.helpdesk_agent_id, from_agent_id=giver.helpdesk_agent_id
        )
        moved["tickets"] = done["reassigned_count"]
    if is_leaving and giver.left_at is None:
        _leave(ctx, giver, taker)
    row = Handover(
        id=f"hand_{ctx.ids.token(14)}", from_employee=giver, to_employee=taker, made_at=ctx.clock.now(), **moved
    )
    row.save(force_insert=True)
    return {**row.as_dict(), "left_at": giver.as_dict()["left_at"]}


def _leave(ctx: Ctx[Systems], giver: Employee, taker: Employee) -> None:
    """Close every account of somebody who leaves; their mail goes to whoever takes over."""
    crm, helpdesk = ctx.worlds.crm, ctx.worlds.helpdesk
    if giver.crm_user_id and crm.db.one("SELECT 1 AS x FROM users WHERE id = ? AND is_active = 1", giver.crm_user_id):
        crm.call("deactivate_user", user_id=giver.crm_user_id)
    agent_id = giver.helpdesk_agent_id
    if agent_id and helpdesk.db.one("SELECT 1 AS x FROM agents WHERE id = ? AND is_active = 1", agent_id):
        helpdesk.call("deactivate_agent", agent_id=agent_id)
    if reach.mailbox_of(ctx, giver.email) is not None:
        with reach.any_mailbox(ctx) as mail:
            mail.call("close_mailbox", mailbox=giver.email)
            aliases = mail.call("get_mailbox", mailbox=taker.email)["aliases"]
            mail.call("update_mailbox", mailbox=taker.email, aliases=[*aliases, giver.email])
    giver.left_at = ctx.clock.now()
    giver.save(update_fields=["left_at"])
