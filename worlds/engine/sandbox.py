"""How is a stranger's SQL run?

What a policy does not name is refused. Four fences stand behind each other: the words of the statement, SQLite's
authorizer, the tables that the prepared program opens, and limits on time, memory and size.
"""

from __future__ import annotations

import base64
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import apsw
import orjson

from worlds.engine.errors import DbError, WorldBug
from worlds.engine.policy import Policy, fold, names, one_statement, refused, split

Params = Sequence[Any] | Mapping[str, Any]
Row = tuple[Any, ...]

_OF_ONE_NAME = ("foreign_key_", "index_", "table_")
#: What the session extension, full-text tables and this module ask for themselves.
_INTERNAL_PRAGMAS = names("data_version foreign_key_list module_list page_size table_info table_list table_xinfo")


#: These cost the product of their arguments' lengths, minutes for two megabytes, and SQLite interrupts no function
#: and no run of them without a jump. Where one is called n times no value is longer than 1/n of this: 0.4 s in all.
_LONGEST_VALUE = {"like": 2_000_000, "glob": 2_000_000, "instr": 400_000, "replace": 400_000} | {
    "json_array": 250_000, "json_object": 250_000, "jsonb_array": 250_000, "jsonb_object": 250_000,
    "json_patch": 100_000, "jsonb_patch": 100_000, "ltrim": 60_000, "rtrim": 60_000, "trim": 60_000, "unhex": 30_000,
}  # fmt: skip
_LIKE_PATTERN_BYTES, _FUNCTION_ARGUMENTS = 200, 127
#: How many steps SQLite takes between two looks at the clock; few where one step can be a slow function.
_STEPS, _STEPS_WHEN_SLOW = 1000, 50


@dataclass(frozen=True)
class SqlResult:
    """What a statement answered; `row_count` is the rows here, or the rows changed where it answers none."""

    columns: list[str]
    rows: list[Row]
    row_count: int
    truncated: bool


_CHANGES = frozenset({apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE})
_HARMLESS = frozenset({apsw.SQLITE_SELECT, apsw.SQLITE_RECURSIVE})
_DATA = _CHANGES | _HARMLESS | {apsw.SQLITE_READ, apsw.SQLITE_FUNCTION}


class Authorizer:
    """Default-deny: answers SQLite what the policy allows while it prepares, and notes what it refused.

    No fence by itself: SQLite does not ask about every table a statement opens, so `run_statement` looks for itself.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        #: Triggers, and tables that foreign keys lead to. SQLite says on which trigger's behalf it asks, but a WITH
        #: clause can take any name: only what the stranger's statement does not name can be the world's own doing.
        self.triggers: frozenset[str] = frozenset()
        self.related: frozenset[str] = frozenset()
        #: (kind, name) of what was refused, in order.
        self.refusals: list[tuple[str, str]] = []
        #: Read without a column: SQLite names no schema then, and names WITH clauses as if they were tables.
        self.columnless: set[str] = set()
        #: The statement is prepared: what is prepared now belongs to a virtual table, the session or the engine.
        self.running = False

    def __call__(self, action: int, *names: str | None) -> int:
        refusal = self._refusal(action, *(name or "" for name in names))
        if refusal is None:
            return apsw.SQLITE_OK
        self.refusals.append(refusal)
        return apsw.SQLITE_DENY

    def _refusal(self, action: int, first: str, second: str, schema: str, behalf: str) -> tuple[str, str] | None:
        policy = self.policy
        trusted = self.running or (behalf in self.triggers if behalf else fold(first) in self.related)
        if action in _HARMLESS or (trusted and action in _DATA):
            return None
        if action == apsw.SQLITE_READ and not schema and not second:
            self.columnless.add(fold(first))
            return None
        if action == apsw.SQLITE_READ:
            return None if policy.may_read(first, schema) else ("read", first)
        if action in _CHANGES:
            return None if policy.may_write(first, schema) else ("write", first)
        if action == apsw.SQLITE_FUNCTION:
            return None if fold(second) in policy.functions else ("function", second)
        if action == apsw.SQLITE_PRAGMA:
            name = fold(first)
            if name in policy.pragmas and (not second or name.startswith(_OF_ONE_NAME)):
                return None
            if trusted and name in _INTERNAL_PRAGMAS:
                return None
        return "action", str(apsw.mapping_authorizer_function[action])[len("SQLITE_") :].replace("_", " ")


class _Run:
    """One statement under one policy."""

    def __init__(self, connection: apsw.Connection, sql: str, policy: Policy) -> None:
        self.connection = connection
        self.policy = policy
        self.statement, self.words = one_statement(sql, policy)
        self.authorizer = Authorizer(policy)
        self.longest = policy.max_value_bytes
        self.rolled_back = False
        #: (kind, name) of what it was stopped for.
        self._stopped: tuple[str, str] | None = None
        self._deadline = time.monotonic() + policy.time_limit_s
        self._most_memory = _memory_used() + policy.max_memory_bytes

    @contextmanager
    def undone_on_failure(self) -> Iterator[None]:
        """Undo a write that fails as a whole, and leave the caller in a transaction if it was in one.

        SQLite undoes the caller's transaction when a write is interrupted, and when it says OR ROLLBACK. Then another
        is begun, so that nothing that follows commits by itself, and the error says `rolled_back`.
        """
        connection, writes = self.connection, bool(self.policy.writable)
        was_in_transaction = connection.in_transaction
        if writes:
            connection.execute("SAVEPOINT sandbox")
        try:
            yield
            if writes:
                connection.execute("RELEASE sandbox")
        except BaseException:
            if was_in_transaction and not connection.in_transaction:
                connection.execute("BEGIN")
                self.rolled_back = True
            elif writes and connection.in_transaction:
                connection.execute("ROLLBACK TO sandbox; RELEASE sandbox").fetchall()
            raise

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """Put the authorizer, the limits and the clock in place; then put back what was there."""
        connection, authorizer = self.connection, self.connection.authorizer
        wanted = {
            apsw.SQLITE_LIMIT_LENGTH: self.longest,
            apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: _LIKE_PATTERN_BYTES,
            apsw.SQLITE_LIMIT_FUNCTION_ARG: _FUNCTION_ARGUMENTS,
        }
        limits = {which: connection.limit(which, min(most, connection.limit(which))) for which, most in wanted.items()}
        try:
            connection.authorizer = self.authorizer
            connection.set_progress_handler(self._must_stop, _STEPS, id=self)
            yield
        finally:
            connection.set_progress_handler(None, id=self)
            connection.authorizer = authorizer
            for which, limit in limits.items():
                connection.limit(which, limit)

    def result(self, params: Params) -> SqlResult:
        cursor = apsw.Cursor(self.connection)
        cursor.exec_trace = self._may_run
        try:
            program = self._prepare(cursor, params)
            if self.policy.tables is not None:
                self._check_opened(program)
            self._limit_values(program)
            cursor.execute(self.statement, params, can_cache=False)
            rows, truncated = self._fetch(cursor)
        finally:
            cursor.close(True)
        count = self.connection.changes() if self.changes_rows and not self.columns else len(rows)
        return SqlResult(self.columns, rows, count, truncated)

    def explained(self, error: Exception) -> DbError:
        """What the caller reads of a failure."""
        refusal = self._stopped
        if refusal is None and self.authorizer.refusals:
            refusal = self.authorizer.refusals[0]
        elif refusal is None and isinstance(error, apsw.TooBigError):
            refusal = "value", f"a value longer than {self.longest} bytes"
        elif refusal is None and isinstance(error, UnicodeDecodeError):
            refusal = "value", "text that is not UTF-8"
        explained = refused(*refusal) if refusal else DbError(sqlite_code=getattr(error, "extendedresult", None))
        explained.sqlite_message = str(error)
        if self.rolled_back:
            explained.details["rolled_back"] = True
        return explained

    def _prepare(self, cursor: apsw.Cursor, params: Params) -> list[Row]:
        """The program of the statement: (address, opcode, p1, p2, p3, p4, ...), those of triggers behind it."""
        try:
            return cursor.execute(self.statement, params, can_cache=False, explain=1).fetchall()
        except apsw.Error:
            if not self.authorizer.refusals:
                raise
        # Perhaps the stranger did not ask for it, and the world's own schema did.
        self.authorizer.refusals.clear()
        self._look_at_the_schema()
        return cursor.execute(self.statement, params, can_cache=False, explain=1).fetchall()

    def _look_at_the_schema(self) -> None:
        # The first use of a full-text table on a connection reads tables behind it.
        schemas = [name for name in self.connection.db_names() if name != "temp"]
        for schema in schemas:
            virtual = f"SELECT name FROM \"{schema}\".sqlite_schema WHERE type = 'table' AND rootpage = 0"
            for (name,) in self._trusted(virtual):
                self._trusted(f'SELECT 1 FROM "{schema}"."{name}" LIMIT 0')
        if not self.policy.writable:
            return
        related, triggers = set(self.policy.writable) | {table for _, table in self.policy.beside}, set[str]()
        links: list[Row] = []
        for schema in schemas:
            declared = f'"{schema}".sqlite_schema'
            links += self._trusted(f"SELECT name, \"table\" FROM {declared}, pragma_foreign_key_list(name, '{schema}')")
            triggers |= {name for (name,) in self._trusted(f"SELECT name FROM {declared} WHERE type = 'trigger'")}
        while more := {fold(b) for link in links for a, b in (link, link[::-1]) if fold(a) in related} - related:
            related |= more
        text = fold(self.statement)
        self.authorizer.related, self.authorizer.triggers = (
            frozenset(n for n in names if n.isascii() and n.isidentifier() and fold(n) not in text)
            for names in (related, triggers)
        )

    def _check_opened(self, program: list[Row]) -> None:
        """Refuse a program that opens a table that is not listed.

        SQLite asks the authorizer nothing about the columns that NATURAL JOIN and USING compare, and too little about
        a table of which no column is read.
        """
        own = program[: next((n for n, row in enumerate(program) if n and row[0] == 0), len(program))]
        unlisted = set()
        for db, schema in enumerate(self.connection.db_names()):
            if roots := {row[3] for row in own if row[1] in ("OpenRead", "OpenWrite", "ReopenIdx") and row[4] == db}:
                owners: dict[int, str] = dict(self._trusted(f'SELECT rootpage, tbl_name FROM "{schema}".sqlite_schema'))
                tables = {owners.get(root, "?") if root > 1 else "sqlite_master" for root in roots}
                unlisted |= {table for table in tables if not self.policy.may_read(table, schema)}
        unlisted = {table for table in unlisted if fold(table) not in self.authorizer.related}
        if self.policy.writable:
            unlisted.discard("sqlite_sequence")  # the counter of AUTOINCREMENT keys
        if any(row[1] == "VOpen" for row in own):  # of a virtual table; which one is not said
            if not {"natural", "using"}.isdisjoint(self.words):
                raise refused("statement", "NATURAL JOIN or USING beside a virtual table; join with ON")
            query = (
                "SELECT name FROM pragma_table_list WHERE type = 'virtual' UNION SELECT name FROM pragma_module_list"
            )
            named = self.authorizer.columnless & {fold(name) for (name,) in self._trusted(query)}
            unlisted |= {name for name in named if not self.policy.may_read(name)}
        if unlisted:
            raise refused("read", min(unlisted))

    def _limit_values(self, program: list[Row]) -> None:
        """Keep values so short that the program can be stopped in time and holds all of them in memory."""
        calls = Counter(str(row[5]).partition("(")[0] for row in program if row[1] in ("Function", "PureFunc"))
        slow = [_LONGEST_VALUE[name] // times for name, times in calls.items() if name in _LONGEST_VALUE]
        self.longest = min(self.longest, self.policy.max_memory_bytes // max(len(program), 1), *slow)
        length = self.connection.limit(apsw.SQLITE_LIMIT_LENGTH)
        self.connection.limit(apsw.SQLITE_LIMIT_LENGTH, min(self.longest, length))
        if slow:
            self.connection.set_progress_handler(self._must_stop, _STEPS_WHEN_SLOW, id=self)

    def _trusted(self, sql: str) -> list[Row]:
        self.authorizer.running = True
        rows = self.connection.execute(sql).fetchall()
        self.authorizer.running = False
        return rows

    def _may_run(self, cursor: apsw.Cursor, text: str, _: object) -> bool:
        """Called by APSW between preparing a statement and running it."""
        if text != self.statement:
            raise refused("statement", "more than one statement")
        if not cursor.is_readonly and not self.policy.writable:
            raise refused("action", self.words[0].upper())
        self.columns = [column[0] for column in cursor.get_description()]
        self.changes_rows = not cursor.is_readonly
        self.authorizer.running = not cursor.is_explain
        return True

    def _must_stop(self) -> bool:
        """Called by SQLite every so many steps."""
        if time.monotonic() >= self._deadline:
            self._stopped = "time", f"{self.policy.time_limit_s:g} s"
        elif _memory_used() > self._most_memory:
            self._stopped = "value", f"more than {self.policy.max_memory_bytes} bytes of memory"
        return self._stopped is not None

    def _fetch(self, cursor: apsw.Cursor) -> tuple[list[Row], bool]:
        rows: list[Row] = []
        size, policy = 0, self.policy
        for row in cursor:
            size += len(orjson.dumps(row, default=_as_base64))
            if len(rows) == policy.max_rows or (policy.max_bytes is not None and size > policy.max_bytes):
                return rows, True
            rows.append(row)
            if size + 100 * len(rows) > policy.max_memory_bytes:
                raise refused("value", f"a result of more than {policy.max_memory_bytes} bytes of memory")
        return rows, False


def _as_base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _memory_used() -> int:
    return apsw.status(apsw.SQLITE_STATUS_MEMORY_USED)[0]


def run_statement(connection: apsw.Connection, sql: str, params: Params = (), *, policy: Policy) -> SqlResult:
    """Run the one statement in `sql`; one that is refused or fails changes nothing.

    Raises: DbError, with `refusals` when the policy is the reason. `details` say {"rolled_back": true} when all of
            the caller's transaction was undone: another one is open, so let the error end what you were doing.
    """
    run = _Run(connection, sql, policy)
    try:
        with run.undone_on_failure(), run.fenced():
            return run.result(params)
    except (apsw.Error, UnicodeDecodeError) as error:
        raise run.explained(error) from error


def run_script(connection: apsw.Connection, sql: str, *, policy: Policy) -> int:
    """Run `;`-separated statements in the caller's transaction and answer how many; all listed tables are writable.

    Raises: WorldBug naming the first statement that is refused or fails; the caller rolls back.
    """
    if not isinstance(sql, str):
        raise WorldBug(f"setup_sql must be one string of SQL statements with `;` between, not {type(sql).__name__}")
    if policy.tables is None:
        raise WorldBug("a script needs a policy that lists the tables it may write; use setup_policy(tables)")
    functions, builtins = policy.functions - {"match"}, policy.builtins - {"json_each", "json_tree"}
    policy = replace(policy, writable=policy.tables, functions=functions, builtins=builtins, max_rows=0)
    statements = split(sql)
    for position, statement in enumerate(statements, 1):
        try:
            run_statement(connection, statement, policy=policy)
        except DbError as error:
            why = error.message if error.refusals else error.sqlite_message
            quoted = statement if len(statement) <= 200 else f"{statement[:199]}…"
            raise WorldBug(f"setup_sql statement {position} of {len(statements)}: {why} ({quoted})") from error
    return len(statements)
