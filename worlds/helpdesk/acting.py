"""As whom does the agent act?"""

from __future__ import annotations

from worlds.engine import Ctx
from worlds.helpdesk import errors
from worlds.helpdesk.models import Agent

#: Where the id of the acting agent is remembered, by startup or when it is first asked for.
KEY = "acting_agent_id"


def acting_agent_id(ctx: Ctx) -> str | None:
    """The agent chosen at startup, else the first active admin; None in an account without one."""
    known: str | None = ctx.state.get(KEY)
    if known is not None:
        return known
    admins = Agent.objects.filter(role="admin", is_active=True).order_by("created_at", "id")
    for first in admins.values_list("id", flat=True)[:1]:
        ctx.state[KEY] = first
        return first
    return None


def require_role(ctx: Ctx, action: str, *roles: str) -> None:
    """Refuse an action to those who have none of the roles; an account without agents refuses nobody.

    Raises: PermissionDenied.
    """
    agent_id = acting_agent_id(ctx)
    if agent_id is not None:
        role = Agent.objects.get(pk=agent_id).role
        if role not in roles:
            raise errors.PermissionDenied(action, role, " or ".join(roles))
