"""Which operations do Stripe's agent tools offer, in which words, and with which permissions?

`catalogue.jsonl` names the operations that were found on Stripe's own server, with the permissions it told of them;
the summaries and keywords are ours. Operations beside it are described from their published facts.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path

from worlds.stripe import facts

_FILE = Path(__file__).with_name("catalogue.jsonl")
_VERBS = {"GET": "Retrieve", "DELETE": "Delete", "POST": "Update"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One operation as an agent finds it."""

    id: str
    summary: str
    keywords: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()


@functools.cache
def offered() -> dict[str, Entry]:
    """The operations Stripe's own tools offer, by id."""
    with _FILE.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return {
        row["id"]: Entry(row["id"], row["summary"], tuple(row["keywords"]), tuple(row["permissions"])) for row in rows
    }


@functools.cache
def every() -> dict[str, Entry]:
    """Every operation there is, by id."""
    return {id: offered().get(id) or _described(operation) for id, operation in facts.operations().items()}


def words_of(operation: facts.Operation) -> tuple[str, ...]:
    """The fixed words of an operation's path, without the API's own."""
    parts = operation.path.strip("/").split("/")[1:]
    return tuple(part for part in parts if not part.startswith("{") and part not in ("test_helpers", "core"))


def _described(operation: facts.Operation) -> Entry:
    words = [word.replace("_", " ") for word in words_of(operation)]
    last, above = words[-1], words[:-1]
    of = f" of {_a(_one(above[-1]))}" if above and operation.path.count("{") else ""
    if operation.path.endswith("}"):
        summary = f"{_VERBS[operation.method]} {_a(_one(last))}"
    elif isinstance(operation.answer, dict):
        summary = f"List all {last}{of}"
    elif operation.method != "POST":
        summary = f"{_VERBS[operation.method]} the {last}{of}"
    elif above and _one(last) == last and of:
        summary = f"{last.capitalize()} {_a(_one(above[-1]))}"
    else:
        summary = f"Create {_a(_one(last))}{of}"
    return Entry(operation.id, summary, tuple(dict.fromkeys(" ".join(words).split())))


def _one(words: str) -> str:
    if words.endswith("ies"):
        return words[:-3] + "y"
    if words.endswith(("sses", "xes")):
        return words[:-2]
    return words[:-1] if words.endswith("s") and not words.endswith(("ss", "us")) else words


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
