"""How does an agent search?"""

from __future__ import annotations

from typing import Annotated, Any, get_args

from pydantic import Field

from worlds.crm import search
from worlds.crm.tools.arguments import Limit
from worlds.crm.words import SearchableType
from worlds.engine import Ctx, tool


@tool
def search_crm(
    ctx: Ctx,
    query: Annotated[
        str,
        Field(
            description='Words that must all occur, each from its beginning; "quoted words" must occur as they stand.',
            max_length=400,
        ),
    ],
    types: Annotated[
        list[SearchableType] | None, Field(description="Only these types. Default: all.", min_length=1, max_length=5)
    ] = None,
    limit: Limit = 20,
) -> dict[str, Any]:
    """Search names, email addresses, companies, deals, notes and activities; the best hits come first.

    In a snippet the words found stand in [brackets].
    """
    return {"results": search.find(ctx, query, types or get_args(SearchableType), limit)}
