"""How does a world offer full-text search over rows of several tables?

`SearchIndex`, a migration operation, makes an FTS5 table and the triggers that keep it; `find` asks it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.db import migrations

from worlds.engine.database import Db

_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')
_WORD = re.compile(r"\w")

#: A hit in a title counts five times a hit in the text. Ranking comes first and alone: snippets are dear.
_BEST = """
    SELECT rowid AS place, round(-bm25(search_index, 0, 0, 5.0, 1.0), 6) AS score
      FROM search_index
     WHERE search_index MATCH ? AND kind IN (SELECT value FROM json_each(?))
     ORDER BY score DESC, ref
     LIMIT ?
"""
_SHOWN = """
    SELECT rowid AS place, kind, ref, title, snippet(search_index, -1, '[', ']', '…', 16) AS snippet
      FROM search_index
     WHERE search_index MATCH ? AND rowid IN (SELECT value FROM json_each(?))
"""


def find(db: Db, query: str, kinds: Sequence[str], limit: int) -> list[dict[str, Any]] | None:
    """The best hits first, ties by id: {"type", "id", "title", "snippet", "score"}; None for a query without a word.

    Every word must occur, a bare word may be the beginning of one, "quoted words" occur as they stand.
    """
    match = as_match(query)
    if match is None:
        return None
    best = db.rows(_BEST, match, json.dumps(list(kinds)), limit)
    places = json.dumps([hit["place"] for hit in best])
    shown = {row["place"]: row for row in db.rows(_SHOWN, match, places)} if best else {}
    hits = []
    for hit in best:
        row = shown[hit["place"]]
        hits.append(
            {
                "type": row["kind"],
                "id": row["ref"],
                "title": row["title"],
                "snippet": row["snippet"],
                "score": hit["score"],
            }
        )
    return hits


def as_match(query: str) -> str | None:
    """A query in FTS5's own language; what its words hold is quoted, so that no text is a syntax error."""
    terms = []
    for phrase, word in _TERM.findall(query.replace("\0", " ")):
        if _WORD.search(phrase):
            terms.append(f'"{phrase}"')
        elif _WORD.search(word):
            terms.append(f'"{word}"*')
    return " ".join(terms) or None


class Document(NamedTuple):
    """One table that is searched: the kind a hit is said to be, and the columns of its title and its text."""

    kind: str
    table: str
    title: tuple[str, ...]
    text: tuple[str, ...]


class SearchIndex(migrations.RunSQL):
    """Make the table `search_index` over up to eight documents, and the triggers that keep it.

    The tables have a text key `id` and no rows yet. A row of the index lies at 8 * rowid + n of its table, so that a
    trigger finds it without a search. Rowids stay put as long as nothing vacuums, and nothing does; but a later
    migration that makes Django rebuild one of these tables drops its triggers and may move its rows: repeat
    `triggers(n, document)` after it.
    """

    def __init__(self, *documents: Document) -> None:
        if not 1 <= len(documents) <= 8:
            raise ValueError(f"a search index covers 1 to 8 tables, not {len(documents)}")
        self.documents = documents
        super().__init__(
            [
                "CREATE VIRTUAL TABLE search_index USING fts5("
                "kind UNINDEXED, ref UNINDEXED, title, body, tokenize = 'unicode61 remove_diacritics 2')",
                *(statement for n, document in enumerate(documents) for statement in triggers(n, document)),
            ],
            [
                *(
                    f"DROP TRIGGER {document.table}_search_{event}"
                    for document in documents
                    for event in ("insert", "update", "delete")
                ),
                "DROP TABLE search_index",
            ],
        )

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return type(self).__name__, list(self.documents), {}

    def describe(self) -> str:
        return f"Index the words of {', '.join(document.table for document in self.documents)}"


def triggers(n: int, document: Document) -> Iterator[str]:
    """The triggers of the n-th document."""
    table, columns = document.table, (*document.title, *document.text)
    old, new = (", ".join(f"{row}.{column}" for column in columns) for row in ("old", "new"))
    differs = f"({old}) IS NOT ({new})" if len(columns) > 1 else f"{old} IS NOT {new}"
    yield (
        f"CREATE TRIGGER {table}_search_insert AFTER INSERT ON {table} BEGIN "
        f"INSERT INTO search_index (rowid, kind, ref, title, body) "
        f"VALUES (8 * new.rowid + {n}, '{document.kind}', new.id, {_text(document.title)}, {_text(document.text)}); END"
    )
    yield (
        f"CREATE TRIGGER {table}_search_update AFTER UPDATE OF {', '.join(columns)} ON {table} WHEN {differs} BEGIN "
        f"UPDATE search_index SET title = {_text(document.title)}, body = {_text(document.text)} "
        f"WHERE rowid = 8 * old.rowid + {n}; END"
    )
    yield (
        f"CREATE TRIGGER {table}_search_delete AFTER DELETE ON {table} BEGIN "
        f"DELETE FROM search_index WHERE rowid = 8 * old.rowid + {n}; END"
    )


def _text(columns: tuple[str, ...]) -> str:
    joined = " || ' ' || ".join(f"coalesce(new.{column}, '')" for column in columns)
    return f"trim({joined})" if columns else "''"
