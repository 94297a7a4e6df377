"""What came of a replay, as text and as JSON?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from seahaven.fidelity.cassette import Exchange
from seahaven.fidelity.comparing import NOTHING, Difference
from seahaven.fidelity.differences import Rule
from seahaven.fidelity.learning import looks_alike_id

#: So many differences of one kind at one place are shown; the JSON has them all.
_SHOWN = 5
_LONGEST = 100
_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference of one exchange, and the rule that allows it, if one does."""

    exchange: Exchange
    difference: Difference
    rule: Rule | None = None

    @property
    def group(self) -> tuple[str, str, str]:
        """Request, path and kind, without what is of this exchange alone."""
        return general(self.exchange), _INDEX.sub("[*]", self.difference.path), self.difference.kind

    def as_dict(self) -> dict[str, Any]:
        found = self.difference
        return {
            "exchange": self.exchange.number,
            "request": str(self.exchange.request),
            "path": found.path,
            "kind": found.kind,
            **({} if found.recorded == NOTHING else {"recorded": found.recorded}),
            **({} if found.world == NOTHING else {"world": found.world}),
            **({"note": found.note} if found.note else {}),
            **({"reason": self.rule.reason} if self.rule else {}),
        }

    def __str__(self) -> str:
        found = self.difference
        note = f" ({found.note})" if found.note else ""
        return f"recorded {_shown(found.recorded)}; the world: {_shown(found.world)}{note}"


@dataclass(slots=True)
class Report:
    """What came of replaying a cassette in a world.

    Shape: `undeclared` and `declared` are the differences; `stale` are rules whose difference did not occur; `skipped`
    are exchanges that were not compared, with the reason; `notes` are what may explain a difference.
    """

    cassette: str
    world: str
    start: str
    exchanges: int = 0
    compared: int = 0
    undeclared: list[Finding] = field(default_factory=list)
    declared: list[Finding] = field(default_factory=list)
    stale: list[tuple[Rule, str]] = field(default_factory=list)
    skipped: list[tuple[Exchange, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def is_faithful(self) -> bool:
        """Is every difference declared, and was anything compared at all?"""
        return not self.undeclared and self.compared > 0

    def as_dict(self) -> dict[str, Any]:
        return {
            "cassette": self.cassette,
            "world": self.world,
            "start": self.start,
            "faithful": self.is_faithful,
            "exchanges": self.exchanges,
            "compared": self.compared,
            "undeclared": [each.as_dict() for each in self.undeclared],
            "declared": [each.as_dict() for each in self.declared],
            "stale": [{"rule": str(rule), "where": rule.where, "why": why} for rule, why in self.stale],
            "skipped": [
                {"exchange": each.number, "request": str(each.request), "why": why} for each, why in self.skipped
            ],
            "notes": self.notes,
            "warnings": self.warnings,
        }

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.cassette} in {self.world}, {self.start}"
        for each in self.warnings:
            yield f"  warning: {each}"
        yield (
            f"{_counted(self.exchanges, 'exchange')}, {self.compared} compared; "
            f"{_counted(len(self.undeclared), 'undeclared difference')}, {len(self.declared)} declared"
        )
        yield from _grouped(self.undeclared)
        for note in self.notes:
            yield f"  note: {note}"
        for exchange, why in self.skipped:
            yield f"  not compared: #{exchange.number} {exchange.request}: {why}"
        for rule, why in self.stale:
            yield f"  stale: {rule.where}, {rule}: {why}"


def general(exchange: Exchange) -> str:
    """A request without the ids in its path: `GET /v1/customers/*`."""
    parts = exchange.request.path.split("/")
    return f"{exchange.request.method} " + "/".join(
        "*" if part.isdecimal() or looks_alike_id(part) else part for part in parts
    )


def _grouped(findings: Sequence[Finding]) -> Iterator[str]:
    """A heading for each kind of request; below it, together what differs at one place in one way."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for each in findings:
        groups.setdefault(each.group, []).append(each)
    order = {request: at for at, request in enumerate(dict.fromkeys(request for request, _, _ in groups))}
    heading = ""
    for (request, path, kind), found in sorted(groups.items(), key=lambda item: order[item[0][0]]):
        if request != heading:
            heading = request
            yield f"\n{request}"
        yield f"  {path}  {kind}"
        for each in found[:_SHOWN]:
            exact = f"  {each.difference.path}" if each.difference.path != path else ""
            yield f"    #{each.exchange.number}  {each.exchange.request}{exact}  {each}"
        if len(found) > _SHOWN:
            yield f"    and {len(found) - _SHOWN} more like it"


def _shown(value: Any) -> str:
    if value == NOTHING:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
