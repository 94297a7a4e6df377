"""What do a database's tables look like, and is another's the same?"""

from __future__ import annotations

import hashlib
import re
from typing import Any

import apsw

from worlds.engine.changes import Table


class Schema:
    """What one image's tables look like; read once and shared by every store on it."""

    __slots__ = ("fingerprint", "shadow", "tables", "without_key")

    def __init__(self, raw: apsw.Connection) -> None:
        listed: list[Any] = raw.execute("SELECT name, type FROM pragma_table_list WHERE schema = 'main'").fetchall()
        ordinary = sorted(name for name, kind in listed if kind == "table" and not name.startswith("sqlite_"))
        self.shadow = frozenset(name for name, kind in listed if kind in ("shadow", "virtual"))
        self.tables: dict[str, Table] = {}
        self.without_key: list[str] = []
        for name in ordinary:
            # A changeset leaves generated columns out: what they hold follows from the others.
            sql = "SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0"
            info: list[Any] = raw.execute(sql, (name,)).fetchall()
            key = tuple(column for column, pk in sorted(info, key=lambda row: row[1]) if pk)
            self.tables[name] = Table(name, tuple(column for column, _ in info), key)
            if not key:
                self.without_key.append(name)
        self.fingerprint = fingerprint(raw)


def fingerprint(raw: apsw.Connection) -> str:
    """SHA-256 of a database's declarations, blind to comments, white space and letter case outside quotes."""
    rows: list[Any] = raw.execute(
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' "
        "ORDER BY type, name"
    ).fetchall()
    text = "\n".join("\t".join((kind, name, table, _normal(sql))) for kind, name, table, sql in rows)
    return hashlib.sha256(text.encode()).hexdigest()


def _normal(sql: str) -> str:
    pieces = re.findall(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|\w+|[^\s\w]", sql, re.DOTALL)
    kept = (p if p[0] in "'\"" else p.lower() for p in pieces if not p.startswith(("--", "/*")))
    return " ".join(kept)
