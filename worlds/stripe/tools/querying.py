"""How is an agent's SQL run, so that it reads its own account's rows and nothing besides?

Every table the statement names is put before it as a common table of the same name, which holds the account's rows
and the columns that are shown.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from worlds.engine import Ctx, DbError, run_sql
from worlds.stripe.api.call import Call
from worlds.stripe.models import QueryRun
from worlds.stripe.tools import tables

_MAX_ROWS, _MAX_BYTES = 1000, 500_000
#: What leads past the common tables, and what stands in quotes or behind dashes and does not count.
_AROUND = re.compile(r"\b(main|temp|sqlite_\w+)\b", re.IGNORECASE)
_ASIDE = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_BEGINNING = re.compile(r"(?:\s+|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL)
_WITH = re.compile(r"with\s+(?:recursive\s+)?", re.IGNORECASE)


def execute(call: Call, sql: str, *, template: str | None = None) -> QueryRun:
    """Run one statement and keep what came of it, a failure too."""
    result, error = None, None
    try:
        result = _run(call, sql)
    except DbError as refused:
        error = refused.message
    return call.make(
        QueryRun, "qryrun_", sql=sql, template=template, result=result, error=error,
        status="failed" if error else "succeeded",
    )  # fmt: skip


def _run(call: Call, sql: str) -> dict[str, Any]:
    if found := _AROUND.search(_ASIDE.sub(" ", sql)):
        raise DbError(f"no such table: {found[1]}")
    return _runner()(call.ctx, _confined(sql, call.account))


@functools.cache
def _runner() -> Callable[[Ctx, str], dict[str, Any]]:
    tool = run_sql(list(tables.by_name()), max_rows=_MAX_ROWS, max_bytes=_MAX_BYTES, name="stripe_analytics")
    return tool.fn


def _confined(sql: str, account: str) -> str:
    """The statement behind the common tables of all it names."""
    text = _ASIDE.sub(" ", sql).lower()
    named = [name for name in tables.by_name() if re.search(rf"\b{name}\b", text)]
    if not named:
        return sql
    commons = ", ".join(_common(name, account) for name in named)
    start = _BEGINNING.match(sql)
    assert start is not None
    rest = sql[start.end() :]
    if own := _WITH.match(rest):
        return f"WITH RECURSIVE {commons}, {rest[own.end() :]}"
    return f"WITH {commons} {rest}"


def _common(name: str, account: str) -> str:
    shown = ", ".join(f'"{column}"' for column in tables.columns(name))
    owner = account.replace("'", "''")
    return f'"{name}" AS (SELECT {shown} FROM main."{name}" WHERE x_account = \'{owner}\')'
