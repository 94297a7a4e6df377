"""Temporary stand-in until agent SQL lands: the helper who owns this file overwrites it."""

from typing import Any

from worlds.engine.ctx import Ctx
from worlds.engine.tools import Tool


def run_sql(
    tables,
    *,
    read_only=True,
    max_rows=None,
    max_bytes=None,
    functions=None,
    time_limit_s=5.0,
    name="run_sql",
    description=None,
):
    def fn(ctx: Ctx, query: str) -> dict[str, Any]:
        """Run one SQL statement."""
        rows = ctx.db.rows(query)
        return {
            "columns": list(rows[0]) if rows else [],
            "rows": [list(r.values()) for r in rows],
            "row_count": len(rows),
            "truncated": False,
        }

    return Tool.from_function(fn, name=name, description=description)


def describe_schema(tables, *, name="describe_schema", description=None):
    def fn(ctx: Ctx) -> dict[str, Any]:
        """Describe the tables."""
        return {}

    return Tool.from_function(fn, name=name, description=description)
