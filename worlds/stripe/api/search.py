"""What does a search query ask for? Stripe's search language, read and matched."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from worlds.stripe.api.errors import StripeError

Kind = Literal["number", "text", "token"]
_MOST_CLAUSES = 10
_SHORTEST_PART = 3
_FIELD = re.compile(r"""\s*(-?)\s*([A-Za-z_][A-Za-z0-9_.]*)(?:\[\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')\s*\])?""")
_SIGN = re.compile(r"\s*(>=|<=|>|<|:|~)\s*")
_VALUE = re.compile(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^\s"']+""")
_JOIN = re.compile(r"\s+(and|or)\s+(?=\S)", re.IGNORECASE)
_BLANK = re.compile(r"\s+(?=\S)")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Clause:
    """One condition. `value` is None for `null`; `path` leads to the field's value from the object."""

    path: tuple[str, ...]
    kind: Kind
    sign: str
    value: str | float | None
    is_negated: bool = False

    def matches(self, found: Any) -> bool:
        """Does the value of the field fit? A negated clause takes what has no value too."""
        return self._fits(found) != self.is_negated

    def _fits(self, found: Any) -> bool:
        if self.value is None:
            return found is None
        if found is None:
            return False
        if self.kind == "number":
            return isinstance(found, int | float) and _COMPARES[self.sign](found, self.value)
        shown = str(found).lower() if isinstance(found, bool) else str(found)
        wanted = str(self.value).casefold()
        if self.sign == "~":
            return wanted in shown.casefold()
        if self.kind == "token":
            return shown.casefold() == wanted
        return _has_phrase(shown.casefold(), wanted)


_COMPARES: dict[str, Callable[[Any, Any], bool]] = {
    ":": lambda a, b: a == b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
}


def _has_phrase(shown: str, wanted: str) -> bool:
    """Do the words stand in it one after the other? Whole words count."""
    words, phrase = _WORD.findall(shown), _WORD.findall(wanted)
    if not phrase:
        return shown == wanted
    return any(words[at : at + len(phrase)] == phrase for at in range(len(words) - len(phrase) + 1))


@dataclass(frozen=True, slots=True)
class Query:
    """A query understood: all of the clauses must match, or any of them."""

    clauses: tuple[Clause, ...]
    is_any: bool

    def matches(self, value_at: Callable[[tuple[str, ...]], Any]) -> bool:
        """Does an object match, whose values `value_at(path)` answers?"""
        found = (clause.matches(value_at(clause.path)) for clause in self.clauses)
        return any(found) if self.is_any else all(found)


def parse(text: str, resource: str, fields: dict[str, tuple[Kind, str]]) -> Query:
    """Read a query; `fields` says of each that can be searched what kind it is, and where its value stands.

    Raises: StripeError for what is no query, a field that cannot be searched, and a sign that does not suit it.
    """
    clauses, joins, at = [], set(), 0
    while True:
        clause, at = _clause(text, at, resource, fields)
        clauses.append(clause)
        if not text[at:].strip():
            break
        if (join := _JOIN.match(text, at)) is not None:
            joins.add(join[1].lower())
            at = join.end()
        elif (blank := _BLANK.match(text, at)) is not None:
            joins.add("and")
            at = blank.end()
        else:
            raise _unreadable()
    if len(clauses) > _MOST_CLAUSES:
        raise StripeError(f"Search queries can have at most {_MOST_CLAUSES} clauses.", param="query")
    if len(joins) > 1:
        raise StripeError("You cannot combine AND and OR in the same search query.", param="query")
    return Query(tuple(clauses), "or" in joins)


def _clause(text: str, at: int, resource: str, fields: dict[str, tuple[Kind, str]]) -> tuple[Clause, int]:
    field = _FIELD.match(text, at)
    sign = _SIGN.match(text, field.end()) if field else None
    value = _VALUE.match(text, sign.end()) if sign else None
    if field is None or sign is None or value is None:
        raise _unreadable()
    name, key = field[2], field[3]
    kind, path = _known(name, key, resource, fields)
    if sign[1] == "~" and kind != "text" and name != "metadata":
        raise StripeError(f"Field `{name}` does not support the `~` operator.", param="query")
    if sign[1] in (">", "<", ">=", "<=") and kind != "number":
        raise StripeError(f"Field `{name}` does not support the `{sign[1]}` operator.", param="query")
    return Clause(path, kind, sign[1], _wanted(name, kind, sign[1], value[0]), field[1] == "-"), value.end()


def _known(
    name: str, key: str | None, resource: str, fields: dict[str, tuple[Kind, str]]
) -> tuple[Kind, tuple[str, ...]]:
    if name == "metadata":
        if key is None:
            raise _unreadable()
        return "token", ("metadata", _unquoted(key))
    if key is None:
        if name in fields:
            kind, path = fields[name]
            return kind, tuple((path or name).split("."))
        for pattern, (kind, _) in fields.items():
            if "*" in pattern and re.fullmatch(pattern.replace(".", r"\.").replace("*", "[a-z_]+"), name):
                return kind, tuple(name.split("."))
    raise StripeError(
        f"Field `{name}` is an unsupported search field for resource `{resource}`. See "
        f"http://stripe.com/docs/search#query-fields-for-{resource.replace('_', '-')} for a list of supported fields.",
        param="query",
    )


def _wanted(name: str, kind: Kind, sign: str, text: str) -> str | float | None:
    if text.lower() == "null":
        return None
    if kind == "number":
        given = _unquoted(text)
        if not _NUMBER.fullmatch(given):
            raise StripeError(f"Field `{name}` only takes numbers, not `{given:.60}`.", param="query")
        return float(given) if "." in given else int(given)
    if text[0] not in "\"'" and text.lower() not in ("true", "false") and not _NUMBER.fullmatch(text):
        raise _unreadable()
    given = _unquoted(text)
    if sign == "~" and len(given) < _SHORTEST_PART:
        raise StripeError(
            f"Substring searches need at least {_SHORTEST_PART} characters: `{given}` is too short.", param="query"
        )
    return given


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL) if text[0] in "\"'" else text


def _unreadable() -> StripeError:
    return StripeError(
        'We were unable to parse your search query. Try using the format `metadata["key"]:"value"` to query for '
        'metadata or key:"value" to query for other fields.',
        param="query",
    )
