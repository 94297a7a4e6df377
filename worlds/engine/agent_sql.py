"""How may an agent query a world's tables?"""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import apsw
from django.conf import settings

from worlds.engine.changes import json_value
from worlds.engine.ctx import Ctx
from worlds.engine.errors import DbError, WorldBug
from worlds.engine.policy import DEFAULT_FUNCTIONS, Policy
from worlds.engine.sandbox import run_statement
from worlds.engine.tools import Tool


def run_sql(
    tables: Collection[str],
    *,
    read_only: bool = True,
    max_rows: int | None = None,
    max_bytes: int | None = None,
    functions: Collection[str] | None = None,
    time_limit_s: float | None = None,
    name: str = "run_sql",
    description: str | None = None,
) -> Tool:
    """A tool that runs one SQL statement of the agent's on the listed tables.

    Shape:  the tool answers {"columns", "rows", "row_count", "truncated"}; a row is a list, blobs are base64 text,
            infinity is null. `functions` is the whole allowlist: `DEFAULT_FUNCTIONS | {"bm25"}` adds to the usual one.
    Units:  `max_bytes` of JSON text; `time_limit_s` is SEAHAVEN_SQL_TIMEOUT_S unless it is given.
    Raises: WorldBug for no tables and for negative limits, and in a call for a table that does not exist. The agent
            reads SQLite's own text, or what the policy refused.
    """
    listed = _listed(tables, name)
    for limit, value in (("max_rows", max_rows), ("max_bytes", max_bytes), ("time_limit_s", time_limit_s)):
        if value is not None and value < 0:
            raise WorldBug(f"tool {name}: {limit}={value} is negative; use None for no limit of the tool's own")

    @functools.lru_cache(maxsize=1)
    def policy(seconds: float) -> Policy:
        return Policy(
            tables=frozenset(listed),
            writable=frozenset() if read_only else frozenset(listed),
            functions=DEFAULT_FUNCTIONS if functions is None else frozenset(functions),
            max_rows=max_rows,
            max_bytes=max_bytes,
            time_limit_s=seconds,
        )

    def run(ctx: Ctx, query: str) -> dict[str, Any]:
        connection = ctx.db.connection
        _check_exist(connection, listed, name)
        seconds = settings.SEAHAVEN_SQL_TIMEOUT_S if time_limit_s is None else time_limit_s
        try:
            result = run_statement(connection, query, policy=policy(seconds))
        except DbError as error:
            if error.refusals:
                raise
            raise _in_its_own_words(error) from error
        rows = [[json_value(value) for value in row] for row in result.rows]
        return {
            "columns": result.columns,
            "rows": rows,
            "row_count": result.row_count,
            "truncated": result.truncated,
        }

    if description is None:
        description = _about(listed, read_only, max_rows, max_bytes)
    return Tool.from_function(run, name=name, description=description)


def describe_schema(tables: Collection[str], *, name: str = "describe_schema", description: str | None = None) -> Tool:
    """A tool that says what the listed tables look like, read from the database as it is.

    Shape:  {"tables": [{"name", "columns", "foreign_keys"}]}; a column is {"name", "type", "nullable",
            "primary_key"}, a foreign key {"columns", "references": {"table", "columns"}}.
    Raises: WorldBug for no tables, and in a call for a table that does not exist.
    """
    described = _Description(_listed(tables, name), name)
    if description is None:
        description = (
            "Describe the tables that can be queried with SQL: the columns of each, with their types, which may be "
            f"null and which are the primary key, and its foreign keys. The tables: {', '.join(described.tables)}."
        )
    return Tool.from_function(described, name=name, description=description, transaction=False)


def tables_described_by(tool: Tool) -> tuple[str, ...]:
    """The tables a tool made by `describe_schema` describes; none for any other."""
    return tool.fn.tables if isinstance(tool.fn, _Description) else ()


@dataclass(frozen=True, eq=False)
class _Description:
    """What `describe_schema` makes a tool of."""

    tables: tuple[str, ...]
    name: str

    def __call__(self, ctx: Ctx) -> dict[str, Any]:
        connection = ctx.db.connection
        _check_exist(connection, self.tables, self.name)
        return {"tables": [describe_table(connection, table) for table in self.tables]}


def _listed(tables: Collection[str], name: str) -> tuple[str, ...]:
    if isinstance(tables, str) or not tables or not all(isinstance(table, str) and table for table in tables):
        raise WorldBug(f'tool {name} needs the names of the tables it may read, like ["customers", "orders"]')
    return tuple(tables if isinstance(tables, list | tuple) else sorted(tables))


def _check_exist(connection: apsw.Connection, tables: tuple[str, ...], name: str) -> None:
    for table in tables:
        # Answers at once, but knows no views.
        if not connection.table_exists("main", table) and not _columns(connection, table):
            raise WorldBug(f"tool {name} lists table {table!r}, which its world does not have; correct the name")


def _columns(connection: apsw.Connection, table: str, store: str = "main") -> list[tuple[str, str, int, int]]:
    return connection.execute(
        'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?, ?) WHERE hidden <> 1 ORDER BY cid', (table, store)
    ).fetchall()  # type: ignore[return-value]


def describe_table(connection: apsw.Connection, table: str, store: str = "main") -> dict[str, Any]:
    """One table of a store, as `describe_schema` describes it."""
    columns = [
        {"name": column, "type": declared, "nullable": not required and not key, "primary_key": bool(key)}
        for column, declared, required, key in _columns(connection, table, store)
    ]
    return {"name": table, "columns": columns, "foreign_keys": _foreign_keys(connection, table, store)}


def _foreign_keys(connection: apsw.Connection, table: str, store: str) -> list[dict[str, Any]]:
    """In the order of their declaration, which SQLite lists from the last to the first."""
    found: dict[int, dict[str, Any]] = {}
    query = 'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?, ?) ORDER BY id DESC, seq'
    rows: list[Any] = connection.execute(query, (table, store)).fetchall()
    for number, parent, child_column, parent_column in rows:
        key = found.setdefault(number, {"columns": [], "references": {"table": parent, "columns": []}})
        key["columns"].append(child_column)
        if parent_column is not None:
            key["references"]["columns"].append(parent_column)
    for key in found.values():
        if not key["references"]["columns"]:  # of the parent's primary key
            columns = _columns(connection, key["references"]["table"], store)
            key["references"]["columns"] = [name for name, _, _, pk in sorted(columns, key=lambda row: row[3]) if pk]
    return list(found.values())


def _in_its_own_words(error: DbError) -> DbError:
    """The one place where SQLite's own text is for the agent, who wrote the statement."""
    told = DbError(error.sqlite_message, sqlite_message=error.sqlite_message, sqlite_code=error.sqlite_code)
    told.details = error.details
    return told


def _about(tables: tuple[str, ...], read_only: bool, max_rows: int | None, max_bytes: int | None) -> str:
    """What the agent reads of `run_sql`."""
    caps = [f"{number} {unit}" for number, unit in ((max_rows, "rows"), (max_bytes, "bytes")) if number is not None]
    sentences = [
        "Run one SQL statement (SQLite dialect) and return its columns and rows.",
        f"Tables: {', '.join(tables)}; sqlite_schema holds their definitions.",
        "Only reading is allowed: SELECT, VALUES or WITH."
        if read_only
        else "Reading is allowed, and INSERT, UPDATE and DELETE; row_count then says how many rows changed.",
        f"At most {' or '.join(caps)} come back, and truncated says whether more were left out: aggregate, or page "
        "with ORDER BY and LIMIT."
        if caps
        else "Aggregate, or page with ORDER BY and LIMIT, when many rows match.",
        "A statement that takes too long is stopped. PRAGMA, EXPLAIN, transactions and schema changes are refused.",
    ]
    return " ".join(sentences)
