"""What does the helpdesk's full-text index find?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worlds.engine import Ctx, find_words
from worlds.helpdesk.errors import NothingToSearchFor
from worlds.helpdesk.models import Message


def find(ctx: Ctx, query: str, types: Sequence[str], limit: int) -> list[dict[str, Any]]:
    """The best hits first, ties by id: {"type", "id", "title", "snippet", "score"}, a message with its "ticket_id".

    Raises: NothingToSearchFor.
    """
    hits = find_words(ctx.db, query, types, limit)
    if hits is None:
        raise NothingToSearchFor
    messages = [hit["id"] for hit in hits if hit["type"] == "message"]
    tickets = dict(Message.objects.filter(pk__in=messages).values_list("id", "ticket_id"))
    return [{**hit, "ticket_id": tickets[hit["id"]]} if hit["id"] in tickets else hit for hit in hits]
