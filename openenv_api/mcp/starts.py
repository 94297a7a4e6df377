"""How should a client's instance begin? Asked in text: by a URL's query, by headers, or by options of a command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast
from urllib.parse import parse_qsl

from openenv_api import protocol
from openenv_api.errors import Refusal
from worlds.engine import ClockMode, Start
from worlds.engine.names import nearest

#: What can be asked for.
NAMES = ("fixture", "seed", "now", "clock_mode", "startup", "setup_sql", "task")
#: What a query may hold besides: the token of an instance that is there already, an API key, how calls are answered.
OTHERS = ("instance", "key", "answers")
#: `Seahaven-Clock-Mode` says the same as `clock_mode` in the query.
PREFIX = "seahaven-"


class BadStart(Refusal):
    """Nothing can begin like that."""

    status = 400
    rpc_code = -32602


def asked(query: str, headers: Mapping[str, str]) -> dict[str, str]:
    """What a request asks for, by name; `headers` have names in lower case.

    Raises: BadStart naming what is unknown, or said twice.
    """
    found: dict[str, str] = {}
    for name, value, where in _given(query, headers):
        if name not in (*NAMES, *OTHERS):
            near = nearest(name, (*NAMES, *OTHERS))
            hint = f"did you mean {near!r}? " if near else ""
            raise BadStart(f"{where} is unknown; {hint}A session takes: {', '.join((*NAMES, *OTHERS))}")
        if name in found:
            raise BadStart(f"{where} says {name} a second time; say it once")
        found[name] = value
    return found


def _given(query: str, headers: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=64)
    except ValueError:
        raise BadStart("The query has more than 64 parameters") from None
    for name, value in pairs:
        yield name, value, f"query parameter {name!r:.80}"
    for name, value in headers.items():
        if name.startswith(PREFIX):
            yield name.removeprefix(PREFIX).replace("-", "_"), value, f"header {name!r:.80}"


def start_of(texts: Mapping[str, str], default_fixture: str | None = None) -> Start:
    """The start, as the engine takes it. An empty fixture is the blank world.

    Raises: BadStart for a seed that is no whole number, and a startup that is no JSON object.
    """
    return Start(
        fixture=texts.get("fixture", default_fixture) or None,
        seed=_whole(texts["seed"]) if "seed" in texts else None,
        now=texts.get("now"),
        clock_mode=cast(ClockMode | None, texts.get("clock_mode")),  # the engine names those there are
        startup=_object(texts["startup"]) if "startup" in texts else {},
        setup_sql=texts.get("setup_sql"),
        task=texts.get("task"),
    )


def refuse_start(texts: Iterable[str]) -> None:
    """Raise BadStart if a client of an instance that is there already asks for a start."""
    for name in texts:
        if name in NAMES:
            raise BadStart(f"The instance is there already, and began in its own way: leave out {name!r}")


def _whole(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,40}", text):
        raise BadStart(f"seed is {text!r:.80}; expected a whole number")
    return int(text)


def _object(text: str) -> dict[str, Any]:
    try:
        value = protocol.decode(text)
    except ValueError as error:
        raise BadStart(f"startup is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadStart(f'startup is {text!r:.80}; expected a JSON object, {{"keyword": …}}')
    return value
