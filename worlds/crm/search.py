"""What does the CRM's full-text index find?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worlds.crm.errors import NothingToSearchFor
from worlds.engine import Ctx, find_words


def find(ctx: Ctx, query: str, types: Sequence[str], limit: int) -> list[dict[str, Any]]:
    """The best hits first, ties by id: {"type", "id", "title", "snippet", "score"}.

    Raises: NothingToSearchFor.
    """
    hits = find_words(ctx.db, query, types, limit)
    if hits is None:
        raise NothingToSearchFor
    return hits
