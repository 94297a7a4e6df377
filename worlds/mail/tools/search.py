"""How does an agent search?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.mail import acting, search, showing
from worlds.mail.pagination import paginate
from worlds.mail.tools.arguments import Cursor, InMailbox, Limit


@tool
def search_messages(
    ctx: Ctx,
    query: Annotated[
        str,
        Field(
            description='Words that must all occur, each from its beginning; "quoted words" must occur as they stand. '
            "Operators: from: to: cc: subject: filename: (part of it), label: (a label's name), in: (a folder, or "
            "anywhere), is: (unread, read, starred, snoozed), has:attachment, after: (that day or later), before: "
            '(before that day), as in from:ada subject:"summer offer" after:2026-05-01 -is:starred. A minus excludes.',
            max_length=400,
        ),
    ],
    mailbox: InMailbox | None = None,
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """Search the messages of a mailbox, the latest first. Trash and spam are left out unless in: names them.

    Each hit shows the beginning of its text; get_message has all of it. An empty query lists everything.
    """
    found = acting.mailbox(ctx, mailbox)
    return paginate(
        "messages",
        showing.with_parts(search.find(found, query)),
        tool="search_messages",
        order="-received_at",
        limit=limit,
        cursor=cursor,
        filters={"mailbox": found.id, "query": query},
        render=showing.in_list,
    )
