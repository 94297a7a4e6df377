"""How does an agent search?"""

from __future__ import annotations

from typing import Annotated, Any, get_args

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.helpdesk import search
from worlds.helpdesk.tools.arguments import Limit
from worlds.helpdesk.words import SearchableType


@tool
def search_helpdesk(
    ctx: Ctx,
    query: Annotated[
        str,
        Field(
            description='Words that must all occur, each from its beginning; "quoted words" must occur as they stand.',
            max_length=400,
        ),
    ],
    types: Annotated[
        list[SearchableType] | None, Field(description="Only these types. Default: all.", min_length=1, max_length=4)
    ] = None,
    limit: Limit = 20,
) -> dict[str, Any]:
    """Search subjects of tickets, messages, customers and macros; the best hits come first.

    In a snippet the words found stand in [brackets]. A message comes with the id of its ticket.
    """
    return {"results": search.find(ctx, query, types or get_args(SearchableType), limit)}
