"""As whom does the agent act?"""

from __future__ import annotations

from worlds.crm import errors
from worlds.crm.models import User
from worlds.engine import Ctx

#: Where the id of the acting user is remembered, by startup or when it is first asked for.
KEY = "acting_user_id"


def acting_user_id(ctx: Ctx) -> str | None:
    """The user chosen at startup, else the first active admin; None in an account without one."""
    known: str | None = ctx.state.get(KEY)
    if known is not None:
        return known
    admins = User.objects.filter(role="admin", is_active=True).order_by("created_at", "id")
    for first in admins.values_list("id", flat=True)[:1]:
        ctx.state[KEY] = first
        return first
    return None


def require_role(ctx: Ctx, action: str, *roles: str) -> None:
    """Refuse an action to those who have none of the roles; an account without users refuses nobody.

    Raises: PermissionDenied.
    """
    user_id = acting_user_id(ctx)
    if user_id is not None:
        role = User.objects.get(pk=user_id).role
        if role not in roles:
            raise errors.PermissionDenied(action, role, " or ".join(roles))
