"""What can be set when an instance starts?"""

from __future__ import annotations

from django.db.models import Q

from worlds.engine import Ctx, WorldBug, instance_startup
from worlds.mail.acting import KEY
from worlds.mail.models import Mailbox


@instance_startup
def act_in(ctx: Ctx, *, acting_mailbox: str | None = None) -> None:
    """Let the agent act in one mailbox, by address or id; without it, in that of the first admin."""
    if acting_mailbox is None:
        return
    named = Q(pk=acting_mailbox) | Q(address=acting_mailbox.strip().lower())
    mailbox = Mailbox.objects.filter(named, is_active=True).first()
    if mailbox is None:
        active = Mailbox.objects.filter(is_active=True).order_by("address")
        known = ", ".join(active.values_list("address", flat=True)[:30])
        raise WorldBug(
            f"startup keyword acting_mailbox is {acting_mailbox!r:.100}, which is no active mailbox's address or id; "
            f"this fixture has: {known or 'no mailboxes'}"
        )
    ctx.state[KEY] = mailbox.id
