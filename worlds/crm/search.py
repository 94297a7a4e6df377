"""What does the full-text index find?

Migration 0002 makes the index and the triggers that keep it; this module asks it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from worlds.crm.errors import NothingToSearchFor
from worlds.engine import Ctx

_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')
_WORD = re.compile(r"\w")

#: A hit in a name counts five times a hit in the text. Ranking comes first and alone: snippets are dear.
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


def find(ctx: Ctx, query: str, types: Sequence[str], limit: int) -> list[dict[str, Any]]:
    """The best hits first, ties by id: {"type", "id", "title", "snippet", "score"}."""
    match = as_match(query)
    best = ctx.db.rows(_BEST, match, json.dumps(list(types)), limit)
    places = json.dumps([hit["place"] for hit in best])
    shown = {row["place"]: row for row in ctx.db.rows(_SHOWN, match, places)} if best else {}
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


def as_match(query: str) -> str:
    """A query in FTS5's own language: every word must occur, a bare word may be the beginning of one.

    What the words hold is quoted, so that no text is a syntax error.
    Raises: NothingToSearchFor.
    """
    terms = []
    for phrase, word in _TERM.findall(query.replace("\0", " ")):
        if _WORD.search(phrase):
            terms.append(f'"{phrase}"')
        elif _WORD.search(word):
            terms.append(f'"{word}"*')
    if not terms:
        raise NothingToSearchFor
    return " ".join(terms)
