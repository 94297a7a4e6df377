"""What can be done with users?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.crm import errors, records, rules
from worlds.crm.acting import acting_user_id, require_role
from worlds.crm.models import Activity, Company, Deal, Lead, User
from worlds.crm.pagination import paginate
from worlds.crm.tools.arguments import Cursor, Email, Limit, UserId
from worlds.crm.words import OPEN_LEAD_STATUSES, Role
from worlds.engine import Ctx, tool


@tool
def list_users(
    ctx: Ctx,
    role: Annotated[Role | None, Field(description="Only users with this role.")] = None,
    is_active: Annotated[
        bool | None, Field(description="true: only those who work here now; false: only those who have left.")
    ] = None,
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List the users of this account, oldest first. current_user_id is you."""
    filters = {"role": role, "is_active": is_active}
    page = paginate(
        "users",
        User.objects.filter(**{name: value for name, value in filters.items() if value is not None}),
        tool="list_users",
        order="created_at",
        limit=limit,
        cursor=cursor,
        filters=filters,
        render=User.as_dict,
    )
    return {**page, "current_user_id": acting_user_id(ctx)}


@tool
def create_user(
    ctx: Ctx,
    email: Email,
    name: Annotated[str, Field(description="Full name.", max_length=100)],
    role: Annotated[Role, Field(description="admin: everything; manager: also bulk changes; rep: sells.")] = "rep",
) -> dict[str, Any]:
    """Add a user to the account. Admins only."""
    require_role(ctx, "Adding users", "admin")
    email, name = rules.clean_email(email), rules.clean_text(name, "name")
    taken = User.objects.filter(email=email).first()
    if taken is not None:
        raise errors.UserEmailTaken(email, taken.id)
    user = User(
        id=f"user_{ctx.ids.token(14)}",
        email=email,
        name=name,
        role=role,
        created_at=ctx.clock.now(),
    )
    user.save(force_insert=True)
    return user.as_dict()


@tool
def deactivate_user(ctx: Ctx, user_id: UserId) -> dict[str, Any]:
    """Take away the access of somebody who leaves. Admins only.

    Their records stay theirs until bulk_reassign hands them over; still_owns counts the open ones.
    """
    require_role(ctx, "Deactivating users", "admin")
    user = records.user(user_id)
    if user.id == acting_user_id(ctx):
        raise errors.CannotDeactivateSelf
    if not user.is_active:
        raise errors.UserAlreadyInactive(user.name)
    user.is_active = False
    user.save(update_fields=["is_active"])
    still_owns = {
        "leads": Lead.objects.filter(owner=user, status__in=OPEN_LEAD_STATUSES).count(),
        "companies": Company.objects.filter(owner=user).count(),
        "deals": Deal.objects.filter(owner=user, stage__kind="open").count(),
        "tasks": Activity.objects.filter(owner=user, kind="task", is_done=False).count(),
    }
    return {**user.as_dict(), "still_owns": still_owns}
