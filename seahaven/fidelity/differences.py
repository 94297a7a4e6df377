"""Which differences between a world and the real API are meant to be? A file declares them, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from seahaven.fidelity.cassette import Exchange
from seahaven.fidelity.comparing import KINDS, NOTHING, Difference
from seahaven.fidelity.errors import FidelityError
from worlds.engine.names import nearest

_FILE = ("allowed", "values", "tools", "tolerance_s")
_RULE = ("path", "request", "kind", "exchange", "recorded", "world", "reason")
_ROUTE = ("request", "tool", "arguments", "result", "error")
_METHOD = re.compile(r"[A-Z]+|\*")
_SPECIAL = re.compile(r"\{[^{}/]*\}|\.\*(?!\*)|\*\*|\*|\[\*\]|\.\.")


@dataclass(frozen=True, slots=True)
class Pattern:
    """Which requests are meant: `POST /v1/charges/*`, `* /v1/**`, `GET /v1/charges/{charge}`."""

    text: str
    method: str
    path: re.Pattern[str]

    def match(self, method: str, path: str) -> dict[str, str] | None:
        """What stands in the place of names in braces, or None for another request."""
        found = self.path.fullmatch(path) if self.method in ("*", method) else None
        return None if found is None else found.groupdict()


@dataclass(frozen=True, slots=True)
class Rule:
    """A difference that is meant to be. What it does not name may be anything."""

    path: str
    reason: str
    where: str
    request: Pattern | None = None
    kinds: tuple[str, ...] = ()
    exchange: int | None = None
    recorded: Any = NOTHING
    world: Any = NOTHING
    _matches: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_matches", _path_pattern(self.path))

    def allows(self, exchange: Exchange, difference: Difference) -> bool:
        """Is this the difference that is meant?"""
        return (
            (self.exchange is None or self.exchange == exchange.number)
            and (not self.kinds or difference.kind in self.kinds)
            and (self.recorded == NOTHING or self.recorded == difference.recorded)
            and (self.world == NOTHING or self.world == difference.world)
            and self._matches.fullmatch(difference.path) is not None
            and self.is_about(exchange)
        )

    def is_about(self, exchange: Exchange) -> bool:
        """Is this the request that is meant?"""
        asked = exchange.request
        return self.request is None or self.request.match(asked.method, asked.path) is not None

    def __str__(self) -> str:
        said = [self.request.text if self.request else "", self.path, ", ".join(self.kinds)]
        return " ".join(part for part in said if part)


@dataclass(frozen=True, slots=True)
class Route:
    """A request that is put to a tool: its arguments are `$path.<name>`, `$query.<name>`, `$body.<name>` or values.

    Without `arguments` it is given all of the three. `result` is where in the recorded body the tool's result stands,
    `error` where the code of a refusal does.
    """

    request: Pattern
    tool: str
    arguments: Mapping[str, Any] | None = None
    result: str = "$"
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Differences:
    """What a file of differences says.

    `values` are recorded values with what the world is sent instead; `tolerance_s` is how far instants may be apart.
    """

    allowed: Sequence[Rule] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    tools: Sequence[Route] = ()
    tolerance_s: float = 5

    def rule_for(self, exchange: Exchange, difference: Difference) -> Rule | None:
        """The first rule that allows a difference."""
        return next((rule for rule in self.allowed if rule.allows(exchange, difference)), None)

    def route_for(self, exchange: Exchange) -> tuple[Route, dict[str, str]] | None:
        """The tool that a request is put to, and what its path says."""
        for route in self.tools:
            said = route.request.match(exchange.request.method, exchange.request.path)
            if said is not None:
                return route, said
        return None


def read(path: str | Path) -> Differences:
    """The differences of a YAML file.

    Raises: FidelityError naming the file and the entry.
    """
    try:
        document = yaml.safe_load(Path(path).read_text())
    except OSError as error:
        raise FidelityError(f"{path} cannot be read: {error.strerror or error}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise FidelityError(f"{path}{line}: {getattr(error, 'problem', None) or error}") from None
    return of(document, str(path))


def of(document: Any, name: str = "the differences") -> Differences:
    """The differences that a document declares.

    Raises: FidelityError naming the entry, and what to write.
    """
    given = _mapping({} if document is None else document, name, _FILE)
    rules = [_rule(entry, f"{name}: allowed[{at}]") for at, entry in _entries(given, "allowed", name)]
    routes = [_route(entry, f"{name}: tools[{at}]") for at, entry in _entries(given, "tools", name)]
    values = given.get("values") or {}
    if not isinstance(values, dict):
        raise FidelityError(f"{name}: values must be a mapping, recorded value to what the world is sent")
    tolerance_s = given.get("tolerance_s", 5)
    if isinstance(tolerance_s, bool) or not isinstance(tolerance_s, int | float) or tolerance_s < 0:
        raise FidelityError(f"{name}: tolerance_s must be a number of seconds, not {tolerance_s!r:.40}")
    return Differences(rules, {str(key): str(value) for key, value in values.items()}, routes, tolerance_s)


def _entries(given: dict[str, Any], key: str, name: str) -> list[tuple[int, Any]]:
    entries = [] if given.get(key) is None else given[key]
    if not isinstance(entries, list):
        raise FidelityError(f"{name}: {key} must be a list, not {type(entries).__name__}")
    return list(enumerate(entries))


def _rule(entry: Any, where: str) -> Rule:
    given = _mapping(entry, where, _RULE)
    for key in ("path", "reason"):
        if not isinstance(given.get(key), str) or not given[key].strip():
            why = {"path": "such as $.data[*].receipt_url, or `status`", "reason": "why the world differs there"}[key]
            raise FidelityError(f"{where} has no {key}; write `{key}:` and {why}")
    if not given["path"].startswith(("$", "status", "header ", "*")):
        raise FidelityError(f"{where}: path {given['path']!r} must begin with $, or be `status` or `header <name>`")
    kinds = given.get("kind") or ()
    kinds = tuple(kinds) if isinstance(kinds, list | tuple) else (kinds,)
    for kind in kinds:
        if kind not in KINDS:
            raise FidelityError(f"{where}: there is no kind {kind!r}; the kinds are {', '.join(KINDS)}")
    exchange = given.get("exchange")
    if exchange is not None and (isinstance(exchange, bool) or not isinstance(exchange, int)):
        raise FidelityError(f"{where}: exchange must be the number of one, not {exchange!r:.40}")
    request = None if given.get("request") is None else _pattern(given["request"], where)
    return Rule(
        given["path"].strip(),
        given["reason"].strip(),
        where,
        request,
        kinds,
        exchange,
        given.get("recorded", NOTHING),
        given.get("world", NOTHING),
    )


def _route(entry: Any, where: str) -> Route:
    given = _mapping(entry, where, _ROUTE)
    if not isinstance(given.get("tool"), str):
        raise FidelityError(f"{where} names no tool; write `tool: create_customer`")
    arguments = given.get("arguments")
    if arguments is not None and not isinstance(arguments, dict):
        raise FidelityError(f"{where}: arguments must be a mapping, argument to $body.<name>, $query.<name> or a value")
    result, error = given.get("result", "$"), given.get("error")
    for key, value in (("result", result), ("error", error)):
        if value is not None and (not isinstance(value, str) or not re.fullmatch(r"\$(?:\.[\w-]+)*", value)):
            raise FidelityError(f"{where}: {key} must be a path such as $.customer, not {value!r:.40}")
    return Route(_pattern(given.get("request"), where), given["tool"], arguments, result, error)


def _mapping(value: Any, where: str, keys: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FidelityError(f"{where} must be a mapping with {', '.join(keys)}, not {value!r:.60}")
    for key in value:
        if key not in keys:
            near = nearest(str(key), keys)
            raise FidelityError(
                f"{where} has no {key!r}; " + (f"is it {near!r}?" if near else f"it has {', '.join(keys)}")
            )
    return value


def _pattern(text: Any, where: str) -> Pattern:
    method, _, path = text.partition(" ") if isinstance(text, str) else ("", "", "")
    if not _METHOD.fullmatch(method) or not path.startswith("/"):
        raise FidelityError(
            f'{where}: request must be a method and a path, such as "POST /v1/charges/*", not {text!r:.60}'
        )

    def special(found: re.Match[str]) -> str:
        if found[0].startswith("{"):
            name = re.sub(r"\W", "_", found[0][1:-1])
            return f"(?P<{name}>[^/]+)" if name.isidentifier() else "[^/]+"
        return {"**": ".*", "*": "[^/]+", ".*": r"\.[^/]+"}.get(found[0], re.escape(found[0]))

    return Pattern(text, method, re.compile(_translated(path, special)))


def _path_pattern(path: str) -> re.Pattern[str]:
    """`$.data[*].url`, with `*` for any name, `[*]` for any index and `**` for anything that may stand between."""
    any_name = r"(?:\.[\w-]+|\['(?:[^'\\]|\\.)*'\])"
    specials = {"[*]": r"\[\d+\]", "**": ".*", ".*": any_name, "..": r".*\."}
    # `$.a.**` is all below $.a, whether a name or an index comes next.
    text, below = path.replace(".**.", ".."), ""
    if text.endswith(".**"):
        text, below = text[:-3], r"[.\[].*"
    return re.compile(_translated(text, lambda found: specials.get(found[0], re.escape(found[0]))) + below)


def _translated(text: str, special: Any) -> str:
    """Text as a regular expression, its special parts as `special` has them."""
    parts, at = [], 0
    for found in _SPECIAL.finditer(text):
        parts += [re.escape(text[at : found.start()]), special(found)]
        at = found.end()
    return "".join([*parts, re.escape(text[at:])])
