"""How do tags get on tickets?"""

from __future__ import annotations

from worlds.engine import Ctx, prepared
from worlds.helpdesk import history
from worlds.helpdesk.history import By
from worlds.helpdesk.models import Tag, Ticket

_names = prepared(lambda id: Tag.objects.filter(tickets=id).order_by("name").values_list("name", flat=True))


def names(ticket: Ticket) -> list[str]:
    """The tags of a ticket."""
    return _names(ticket.id)


def put(ctx: Ctx, ticket: Ticket, by: By, wanted: list[str]) -> bool:
    """Leave a ticket with exactly these tags, writing only the difference; False when there is none.

    A tag that is new is made. Each is added by itself: several at once are inserted in the order of their hashes,
    which no replay repeats.
    """
    present = names(ticket)
    if present == wanted:
        return False
    known = {tag.name: tag for tag in Tag.objects.filter(name__in=[*present, *wanted])}
    for name in present:
        if name not in wanted:
            ticket.tags.remove(known[name])
    for name in wanted:
        if name not in known:
            known[name] = Tag(id=f"tag_{ctx.ids.token(14)}", name=name, created_at=ctx.clock.now())
            known[name].save(force_insert=True)
        if name not in present:
            ticket.tags.add(known[name])
    history.note(ctx, ticket, "tags", by, from_value=", ".join(present), to_value=", ".join(wanted))
    return True
