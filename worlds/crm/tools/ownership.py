"""How do many records change hands at once?"""

from __future__ import annotations

from typing import Annotated, Any

from django.db.models import Q, QuerySet
from pydantic import Field

from worlds.crm import errors, records
from worlds.crm.acting import require_role
from worlds.crm.models import Activity, Company, Deal, Lead
from worlds.crm.tools.arguments import NewOwnerId
from worlds.crm.words import OPEN_LEAD_STATUSES, OwnedType
from worlds.engine import Ctx, tool

#: The rows of each type, and which of them count as open.
_ROWS: dict[str, tuple[Any, Q]] = {
    "lead": (Lead.objects, Q(status__in=OPEN_LEAD_STATUSES)),
    "company": (Company.objects, Q()),
    "deal": (Deal.objects, Q(stage__kind="open")),
    "task": (Activity.objects.filter(kind="task"), Q(is_done=False)),
}


@tool
def bulk_reassign(
    ctx: Ctx,
    record_type: Annotated[OwnedType, Field(description="What changes hands.")],
    to_owner_id: NewOwnerId,
    ids: Annotated[
        list[Annotated[str, Field(max_length=40)]] | None,
        Field(description="Ids of the records.", min_length=1, max_length=200),
    ] = None,
    from_owner_id: Annotated[
        str | None, Field(description="Take everything this user owns instead of naming ids.", max_length=40)
    ] = None,
    include_closed: Annotated[
        bool,
        Field(
            description="With from_owner_id: also converted and unqualified leads, closed deals and completed tasks."
        ),
    ] = False,
) -> dict[str, Any]:
    """Give many records of one type to another owner, all or none. Managers and admins only.

    Name the records by ids, or take all open ones of an owner. Records that are there already are left alone.
    """
    require_role(ctx, "Reassigning in bulk", "admin", "manager")
    if (ids is None) == (from_owner_id is None):
        raise errors.ExactlyOne("ids", "from_owner_id")
    owner = records.owner(to_owner_id)
    every, is_open = _ROWS[record_type]
    if ids is not None:
        rows = _named(every.all(), record_type, ids)
    else:
        records.require(user=from_owner_id)
        rows = every.filter(Q(owner_id=from_owner_id) & (Q() if include_closed else is_open))
    total = rows.count()
    stamp = {} if record_type == "task" else {"updated_at": ctx.clock.now()}
    moved = rows.exclude(owner_id=owner.id).update(owner=owner, **stamp)
    return {
        "record_type": record_type,
        "to_owner_id": owner.id,
        "reassigned_count": moved,
        "unchanged_count": total - moved,
    }


def _named(rows: QuerySet[Any], record_type: str, ids: list[str]) -> QuerySet[Any]:
    """The rows of these ids.

    Raises: NotFound naming every id that is none.
    """
    rows = rows.filter(pk__in=ids)
    missing = sorted(set(ids) - set(rows.values_list("pk", flat=True)))
    if missing:
        raise errors.NotFound(record_type, *missing)
    return rows
