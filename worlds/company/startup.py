"""What can be set when an instance starts?"""

from __future__ import annotations

from worlds.company.models import Employee
from worlds.company.reach import Systems
from worlds.engine import Ctx, WorldBug, instance_startup


@instance_startup
def act_as(ctx: Ctx[Systems], *, acting_employee: str | None = None) -> None:
    """Let the agent act as one employee, by email, in every system they have an account in."""
    if acting_employee is None:
        return
    found = Employee.objects.filter(email=acting_employee.strip().lower(), left_at=None).first()
    if found is None:
        known = ", ".join(Employee.objects.filter(left_at=None).order_by("email").values_list("email", flat=True)[:20])
        raise WorldBug(
            f"startup keyword acting_employee is {acting_employee!r:.100}, and nobody works here under that address; "
            f"this fixture has: {known or 'no employees'}"
        )
    if found.crm_user_id:
        ctx.worlds.crm.state["acting_user_id"] = found.crm_user_id
    if found.helpdesk_agent_id:
        ctx.worlds.helpdesk.state["acting_agent_id"] = found.helpdesk_agent_id
    mailbox = ctx.worlds.mail.db.one("SELECT id FROM mailboxes WHERE address = ?", found.email)
    if mailbox is not None:
        ctx.worlds.mail.state["acting_mailbox_id"] = mailbox["id"]
