"""What can be set when an instance starts?"""

from __future__ import annotations

from django.db.models import Q

from worlds.crm.acting import KEY
from worlds.crm.models import User
from worlds.engine import Ctx, WorldBug, instance_startup


@instance_startup
def act_as(ctx: Ctx, *, acting_user: str | None = None) -> None:
    """Let the agent act as one user, by id or email; without it, as the first admin."""
    if acting_user is None:
        return
    user = User.objects.filter(Q(pk=acting_user) | Q(email=acting_user.strip().lower()), is_active=True).first()
    if user is None:
        known = ", ".join(User.objects.filter(is_active=True).order_by("email").values_list("email", flat=True)[:20])
        raise WorldBug(
            f"startup keyword acting_user is {acting_user!r:.100}, which is no active user's id or email; "
            f"this fixture has: {known or 'no users'}"
        )
    ctx.state[KEY] = user.id
