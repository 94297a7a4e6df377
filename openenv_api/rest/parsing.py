"""Is the body of a request JSON that means one thing to every reader?

Refused are duplicate names, of which each reader takes another one, and numbers that lose digits on the way.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from openenv_api import protocol

_MOST_DIGITS = 20
_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1


class StrictJson(BaseParser):
    """Reads `application/json`; nothing at all is an empty object."""

    media_type = "application/json"

    def parse(self, stream: IO[Any], media_type: Any = None, parser_context: Any = None) -> Any:
        return decode(stream.read())


def decode(body: bytes) -> Any:
    """The value of a JSON text.

    Raises: ParseError saying what is wrong with it.
    """
    if not body.strip():
        return {}
    try:
        protocol.decode(body)  # the strict reader: of UTF-8, of NaN, of half a surrogate pair, of the depth
        return json.loads(body.decode(), object_pairs_hook=_object, parse_int=_whole, parse_float=_number)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"The body is no JSON that this server reads: {error}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the name {twice!r:.80} is there more than once in one object")
    return made


def _whole(text: str) -> int:
    value = int(text) if len(text) <= _MOST_DIGITS else None
    if value is None or not _INT_MIN <= value <= _INT_MAX:
        raise ValueError(f"the whole number {text:.30} has more than 64 bits; send it as text")
    return value


def _number(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"the number {text:.30} is too large for any reader")
    return value
