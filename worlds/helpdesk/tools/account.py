"""How is the account set up?"""

from __future__ import annotations

from typing import Annotated, Any, get_args

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.helpdesk import errors, rules
from worlds.helpdesk.acting import require_role
from worlds.helpdesk.editing import change, given
from worlds.helpdesk.lifecycle import AUTO_CLOSE_DAYS
from worlds.helpdesk.models import Agent, Settings, SlaPolicy, Team
from worlds.helpdesk.words import Priority


@tool
def get_settings(ctx: Ctx) -> dict[str, Any]:
    """Get how the account is set up: its teams with who works in them, its service levels, and what happens by itself.

    A solved ticket closes after auto_close_days.
    """
    settings = Settings.objects.first()
    policies = {policy.priority: policy.as_dict() for policy in SlaPolicy.objects.all()}
    return {
        "company_name": settings.company_name if settings else "",
        "auto_close_days": settings.auto_close_days if settings else AUTO_CLOSE_DAYS,
        "sla_policies": [policies[word] for word in get_args(Priority) if word in policies],
        "teams": [
            {
                "id": team.id,
                "name": team.name,
                "agent_ids": list(
                    Agent.objects.filter(team=team, is_active=True)
                    .order_by("created_at", "id")
                    .values_list("id", flat=True)
                ),
            }
            for team in Team.objects.order_by("name", "id")
        ],
    }


@tool
def update_sla_policy(
    ctx: Ctx,
    priority: Annotated[Priority, Field(description="Of which tickets.")],
    first_reply_minutes: Annotated[
        int | None, Field(description="Minutes to the first reply, around the clock.", ge=1, le=525_600)
    ] = None,
    resolution_minutes: Annotated[
        int | None, Field(description="Minutes to the resolution, around the clock.", ge=1, le=525_600)
    ] = None,
) -> dict[str, Any]:
    """Change how soon tickets of a priority are to be answered and solved. Admins only.

    It holds for tickets that come in or change to this priority from now on; deadlines that run stay where they are.
    """
    require_role(ctx, "Changing service levels", "admin")
    policy = SlaPolicy.objects.filter(pk=priority).first()
    if policy is None:
        raise errors.NoPolicy(priority)
    rules.check_targets(
        policy.first_reply_minutes if first_reply_minutes is None else first_reply_minutes,
        policy.resolution_minutes if resolution_minutes is None else resolution_minutes,
    )
    fields = {"first_reply_minutes": first_reply_minutes, "resolution_minutes": resolution_minutes}
    change(policy, given(fields), ctx.clock.now())
    return policy.as_dict()
