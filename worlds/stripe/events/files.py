"""What happens to links to files by the mere passing of time?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx, event_handler
from worlds.stripe.api.call import Call
from worlds.stripe.models import FileLink


@event_handler
def file_link_expires(ctx: Ctx, payload: dict[str, Any]) -> None:
    """A link leads nowhere from now on, unless it was told to last longer meanwhile."""
    link = FileLink.objects.get(pk=payload["link"])
    if link.expires_at is not None and link.expires_at <= Call.of_clock(ctx).now:
        link.expired = True
        link.save(update_fields=["expired"])
