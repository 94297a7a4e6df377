"""What may an agent ask in SQL?"""

from typing import Annotated, Any

from pydantic import Field

from worlds.engine import Ctx, describe_schema, tool
from worlds.engine import run_sql as engine_run_sql
from worlds.mail import acting

#: Every table but that of files, whose content get_attachment reads.
TABLES = (
    "domains",
    "mailboxes",
    "aliases",
    "threads",
    "messages",
    "labels",
    "message_labels",
    "drafts",
    "attachments",
    "filters",
    "absences",
    "absence_replies",
)

_run = engine_run_sql(TABLES, max_rows=200, max_bytes=200_000)


@tool
def run_sql(
    ctx: Ctx, query: Annotated[str, Field(description="One SELECT statement in SQLite's dialect.")]
) -> dict[str, Any]:
    """Run one read-only SQL statement (SQLite) over the mail of the whole company; describe_schema lists the tables.

    Admins only. Instants are text such as 2026-06-01T09:00:00.000Z, lists of addresses are JSON. At most 200 rows come
    back.
    """
    acting.require_admin(ctx, "Querying everybody's mail")
    answer: dict[str, Any] = _run.fn(ctx, query=query)
    return answer


tool(describe_schema(TABLES, description="Describe the tables that run_sql reads: columns, keys and references."))
