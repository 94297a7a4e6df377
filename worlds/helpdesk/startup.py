"""What can be set when an instance starts?"""

from __future__ import annotations

from django.db.models import Q

from worlds.engine import Ctx, WorldBug, instance_startup
from worlds.helpdesk.acting import KEY
from worlds.helpdesk.models import Agent


@instance_startup
def act_as(ctx: Ctx, *, acting_agent: str | None = None) -> None:
    """Let the agent act as one of the staff, by id or email; without it, as the first admin."""
    if acting_agent is None:
        return
    agent = Agent.objects.filter(Q(pk=acting_agent) | Q(email=acting_agent.strip().lower()), is_active=True).first()
    if agent is None:
        known = ", ".join(Agent.objects.filter(is_active=True).order_by("email").values_list("email", flat=True)[:20])
        raise WorldBug(
            f"startup keyword acting_agent is {acting_agent!r:.100}, which is no active agent's id or email; "
            f"this fixture has: {known or 'no agents'}"
        )
    ctx.state[KEY] = agent.id
