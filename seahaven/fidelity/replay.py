"""Does a world answer as the real API did? The recorded requests are made again, in their order, in one instance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import orjson

import seahaven
from seahaven.fidelity import calling, cassette, differences
from seahaven.fidelity.bodies import Body, decoded
from seahaven.fidelity.cassette import Cassette, Exchange, Request, Response
from seahaven.fidelity.comparing import Comparing, Difference
from seahaven.fidelity.differences import Differences
from seahaven.fidelity.errors import FidelityError
from seahaven.fidelity.learning import Learned
from seahaven.fidelity.reporting import Finding, Report
from worlds.engine import HttpRequest, Instance, ToolError
from worlds.engine.names import nearest

#: So many of a request's words that nobody gave are named.
_NAMED = 3


def replay(
    world: str,
    recorded: Cassette | str | Path,
    *,
    fixture: str | None = None,
    seed: int | None = 1,
    differences: Differences | Mapping[str, Any] | str | Path | None = None,
    now: str | datetime | None = None,
    startup: Mapping[str, Any] | None = None,
) -> Report:
    """Replay a cassette in a fresh instance of a world, whose clock begins when the recording did unless `now` is told.

    Raises: FidelityError for files that cannot be used; WorldBug for a world or a fixture that is not there.
    """
    tape = read_cassette(recorded)
    begin = now or tape.begun_at
    with seahaven.world(world).instance(
        fixture, seed=seed, now=begin, clock_mode="fixed", startup=dict(startup or {})
    ) as instance:
        return replay_in(instance, tape, differences=differences)


def replay_in(
    instance: Instance,
    recorded: Cassette | str | Path,
    *,
    differences: Differences | Mapping[str, Any] | str | Path | None = None,
) -> Report:
    """Replay a cassette in an instance that was begun already; time goes on from where it is."""
    return _Replay(instance, read_cassette(recorded), read_differences(differences)).run()


def read_cassette(given: Cassette | str | Path) -> Cassette:
    """A cassette, from its file if it is none."""
    return given if isinstance(given, Cassette) else cassette.read(given)


def read_differences(given: Differences | Mapping[str, Any] | str | Path | None) -> Differences:
    """Differences, from their file or from a mapping like one."""
    if isinstance(given, Differences):
        return given
    return differences.of(given) if given is None or isinstance(given, Mapping) else differences.read(given)


class _Replay:
    """One replay, exchange by exchange."""

    def __init__(self, instance: Instance, tape: Cassette, allowed: Differences) -> None:
        self._instance, self._tape, self._allowed = instance, tape, allowed
        self._learned = Learned(allowed.values)
        self._started_at = instance.clock.now()
        start = f"fixture {instance.fixture or 'none'}, seed {instance.caller_seed}"
        self._report = Report(tape.name, instance.world.name, start, warnings=list(tape.warnings))

    def run(self) -> Report:
        self._require_tools()
        used = set()
        for exchange in self._tape.exchanges:
            self._report.exchanges += 1
            try:
                found = list(self._of(exchange))
            except FidelityError as error:
                where = f"{self._tape.name}, exchange {exchange.number}, {exchange.request}"
                raise FidelityError(f"{where}: {error}") from error
            for each in found:
                rule = self._allowed.rule_for(exchange, each)
                used.add(id(rule))
                findings = self._report.undeclared if rule is None else self._report.declared
                findings.append(Finding(exchange, each, rule))
        for rule in self._allowed.allowed:
            if id(rule) not in used:
                is_asked = any(rule.is_about(exchange) for exchange in self._tape.exchanges)
                why = "this difference does not occur" if is_asked else "the cassette has no such request"
                self._report.stale.append((rule, why))
        return self._report

    def _require_tools(self) -> None:
        names = [tool["name"] for tool in self._instance.tools()]
        for route in self._allowed.tools:
            if route.tool not in names:
                near = nearest(route.tool, names)
                known = f"is it {near!r}?" if near else f"its tools: {', '.join(names)}"
                raise FidelityError(f"world {self._instance.world.name} has no tool {route.tool!r}; {known}")

    def _of(self, exchange: Exchange) -> Iterator[Difference]:
        """What differs in one exchange."""
        if exchange.response is None:
            self._report.skipped.append((exchange, f"it was not answered: {exchange.failure}"))
            return
        method = calling.rpc_method(exchange)
        if method is not None and method != "tools/call":
            self._report.skipped.append(
                (exchange, f"{method or 'an answer'} of MCP is of the session, not of the world")
            )
            return
        if (left_out := exchange.request.body) is not None and left_out.kind == "left_out":
            self._report.skipped.append((exchange, f"the body of the request was left out: {left_out.value}"))
            return
        self._move_clock(exchange.at)
        asked = self._learned.request(exchange.request)
        strange = self._learned.pin(exchange.request)
        comparing = Comparing(
            self._learned, exchange.at, self._instance.clock.now(), self._allowed.tolerance_s, exchange.request.path
        )
        route = self._allowed.route_for(exchange)
        if method is not None:
            found = self._call(calling.of_mcp(exchange, asked), comparing)
        elif route is not None:
            found = self._call(calling.of_route(exchange, asked, route[0], self._allowed), comparing)
        else:
            found = self._ask(exchange, asked, comparing)
        differing = list(found)
        if exchange.failure is not None:
            self._report.skipped.append((exchange, f"its answer did not reach its end: {exchange.failure}"))
            return
        self._report.compared += 1
        yield from differing
        if differing and strange:
            words = ", ".join(strange[:_NAMED]) + (" …" if len(strange) > _NAMED else "")
            self._report.notes.append(
                f"#{exchange.number} {exchange.request} mentions {words}, which no answer before it gave; if it was "
                f"there before the recording, say under `values` what stands for it in the world"
            )

    def _move_clock(self, at: datetime) -> None:
        due = self._started_at + (at - self._tape.begun_at)
        if due - self._instance.clock.now() >= timedelta(milliseconds=1):
            self._instance.advance(to=due)

    # The world's HTTP API.

    def _ask(self, exchange: Exchange, asked: Request, comparing: Comparing) -> Iterator[Difference]:
        assert exchange.response is not None
        if self._instance.world.http is None:
            raise FidelityError(
                f"world {self._instance.world.name} has no HTTP API, and nothing under `tools` says which tool "
                f"stands for this request; declare one, or give the world an API with @http_api"
            )
        try:
            answer = self._instance.http(self._as_http(asked))
        except Exception as error:
            yield Difference("status", "failed", exchange.response.status, f"{type(error).__name__}: {error}")
            return
        is_head = asked.method == "HEAD"
        body = None if is_head else decoded(answer.body, answer.header("content-type") or "")
        headers = tuple((name.lower(), value) for name, value in answer.headers)
        yield from comparing.responses(exchange.response, Response(answer.status, headers, body))

    def _as_http(self, asked: Request) -> HttpRequest:
        """The request as the server's door hands it to a world: the API's own address is the one that was recorded."""
        parts = urlsplit(self._tape.recorded_from)
        headers = [
            ("host", parts.netloc),
            ("x-forwarded-proto", parts.scheme),
            *([("x-forwarded-prefix", parts.path)] if parts.path else []),
            *asked.headers,
        ]
        body = asked.body.encoded() if asked.body else b""
        return HttpRequest.of(asked.method, unquote(asked.path), query=asked.query, headers=headers, body=body)

    # Its tools.

    def _call(self, call: calling.ToolCall, comparing: Comparing) -> Iterator[Difference]:
        try:
            result = orjson.loads(self._instance.dispatch(call.tool, call.arguments).json)
        except ToolError as error:
            if not call.is_refused:
                yield Difference("status", "status", "a result", f"refused: {error.code}", error.message)
            elif call.knows_code and call.code != error.code:
                yield Difference("$.code", "value", call.code, error.code)
            return
        except Exception as error:
            yield Difference("status", "failed", "an answer", f"{type(error).__name__}: {error}")
            return
        if call.is_refused:
            yield Difference("status", "status", "a refusal", "a result", f"recorded {str(call.result)[:100]}")
            return
        yield from comparing.bodies(Body("json", call.result), Body("json", result))


__all__ = ["read_cassette", "read_differences", "replay", "replay_in"]
