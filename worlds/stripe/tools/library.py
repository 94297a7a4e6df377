"""What can be read about the API without a network: guides of ours, and a page for each operation from its facts?"""

from __future__ import annotations

import functools
import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worlds.stripe import facts
from worlds.stripe.access import catalogue
from worlds.stripe.tools import describing

_STOP = frozenset(
    ("a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how", "i", "in", "is", "it",
     "my", "of", "on", "or", "the", "to", "what", "when", "with")
)  # fmt: skip
#: How much a word counts in a title, in keywords, in the text.
_WEIGHTS = (6, 4, 1)


@dataclass(frozen=True, slots=True)
class Page:
    """Something to read."""

    kind: str
    title: str
    url: str
    keywords: str
    text: str
    operation: str | None = None

    def shown(self) -> dict[str, Any]:
        found = {"type": self.kind, "title": self.title, "url": self.url, "content": self.text}
        return found if self.operation is None else {**found, "stripe_api_operation_id": self.operation}


@functools.cache
def pages() -> tuple[Page, ...]:
    """Every page there is, guides first."""
    with Path(__file__).with_name("guides.jsonl").open(encoding="utf-8") as file:
        guides = [Page("guide", **json.loads(line)) for line in file]
    return (*guides, *map(_reference, facts.operations().values()))


def _reference(operation: facts.Operation) -> Page:
    entry = catalogue.every()[operation.id]
    fields = {**operation.query, **operation.body}
    required = (*operation.query_required, *operation.body_required)
    optional = [name for name in fields if name not in required]
    text = f"{operation.method} {operation.path}. {entry.summary}. Answers {describing.answer(operation)}."
    if required:
        text += f" Required: {', '.join(required)}."
    if optional:
        text += f" Optional: {', '.join(sorted(optional))}."
    words = catalogue.words_of(operation)
    url = f"https://docs.stripe.com/api/{'/'.join(words)}"
    return Page("api_reference", entry.summary, url, " ".join((*entry.keywords, *words)), text, operation.id)


def search(question: str, limit: int = 5) -> list[Page]:
    """The pages that are most about a question."""
    wanted = _words(question) - _STOP
    found = []
    for place, bag in enumerate(_bags()):
        score = sum(bag[word] * _rarity(word) for word in wanted if word in bag)
        if score:
            found.append((-score, place))
    return [pages()[place] for _, place in sorted(found)[:limit]]


@functools.cache
def _bags() -> tuple[Counter[str], ...]:
    found = []
    for page in pages():
        bag: Counter[str] = Counter()
        for weight, text in zip(_WEIGHTS, (page.title, page.keywords, page.text), strict=True):
            bag.update(dict.fromkeys(_words(text), weight))
        if page.kind == "guide":
            bag = Counter({word: weight * 2 for word, weight in bag.items()})
        found.append(bag)
    return tuple(found)


@functools.cache
def _rarity(word: str) -> float:
    return math.log(1 + len(_bags()) / sum(word in bag for bag in _bags()))


def _words(text: str) -> set[str]:
    return {re.sub(r"(?<=..)(?:s|es|ing|ed)$", "", word) for word in re.findall(r"[a-z0-9]+", text.lower())}
