"""What happens, in which order, when a call is dispatched or time moves on?"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from django.conf import settings

from worlds.engine import calls, schedule
from worlds.engine.calls import CallRecord, Digest, Outcome
from worlds.engine.compact import compact
from worlds.engine.composing import Route
from worlds.engine.ctx import Ctx
from worlds.engine.errors import ToolError, WorldBug
from worlds.engine.exchange import HttpRequest, HttpResponse, Outgoing
from worlds.engine.moves import Advance, Between, Report, Request
from worlds.engine.node import Node
from worlds.engine.position import Position, Undos


def run_call(at: Position, route: Route, arguments: Mapping[str, Any], *, is_replay: bool = False) -> Outcome:
    """One call: the clock ticks, what is due runs, the tool runs in its transaction, what that made due runs.

    Raises: whatever the tool raised; the call is counted and logged all the same.
    """
    began = time.perf_counter()
    arguments = dict(arguments)
    record = calls.record_of(route.tool.name, arguments)
    ordinal = len(at.calls)
    at.calls.append(record)
    before = at.clock.ms()
    at.clock.count_call()
    undos: Undos = []
    error: BaseException | None = None
    entry = at.enter(at.root)
    try:
        try:
            run_due(at, ordinal, undos, since=before)
            at.begin_capture()
            try:
                outcome = calls.run(at, route, arguments)
            finally:
                at.end_capture(ordinal, "agent", undos)
            run_due(at, ordinal, undos)
        finally:
            at.leave(entry)
        if len(outcome.json) <= settings.SEAHAVEN_RESULT_KEPT_KIB * 1024:
            record.result = compact(outcome.json)
        else:
            record.digest = Digest.of(outcome.json)
        return outcome
    except BaseException as raised:
        error = raised
        record.fail(raised)
        raise
    finally:
        record.now_ms = at.clock.ms()
        at.finish_step(ordinal, undos)
        if not is_replay:
            calls.log_call(record, at.by_path[route.owner], (time.perf_counter() - began) * 1000, error)


def advance(at: Position, ms: int) -> int:
    """Move the clock and run what comes due, each event at its own time; answers how many ran."""
    undos: Undos = []
    before = at.clock.ms()
    at.clock.advance(ms)
    move = Advance(calls=len(at.calls), ms=ms)
    with at.noted(move, undos), at.entered(at.root):
        move.events = run_due(at, None, undos, since=before)
    return move.events


def exchange(at: Position, node: Node, request: HttpRequest) -> HttpResponse:
    """One request to a world's HTTP API: the clock ticks, what is due runs; no call is counted.

    Raises: whatever the handler raised.
    """
    undos: Undos = []
    before = at.clock.ms()
    at.clock.count_call()
    move = Request(calls=len(at.calls), node=node.path, request=request)
    with at.noted(move, undos):
        with at.entered(at.root):
            run_due(at, None, undos, since=before)
            with at.captured(None, "http", undos):
                answer = calls.exchange(at, node, request)
            run_due(at, None, undos)
        move.answered(answer, settings.SEAHAVEN_RESULT_KEPT_KIB * 1024)
    return answer


def outgoing(at: Position) -> list[tuple[str, Outgoing]]:
    """The requests that the worlds want sent, now or later, each with its world's path."""
    found: list[tuple[str, Outgoing]] = []
    for node in at.nodes:
        if (outbox := node.world.sends) is not None:
            with at.entered(node):
                found += [(node.path, request) for request in outbox.fn(Ctx(node, None))]
    return found


def report(at: Position, node: Node, key: str, outcome: dict[str, Any]) -> None:
    """Tell a world what came of a request it wanted sent: the clock stands meanwhile.

    Raises: WorldBug for a world that sends nothing; whatever its outbox raised.
    """
    outbox = node.world.sends
    if outbox is None:
        raise WorldBug(f"world {node.world.name} sends nothing; decorate a function (ctx) with @outbox(told=…)")
    undos: Undos = []
    move = Report(calls=len(at.calls), node=node.path, key=key, outcome=outcome)
    with at.noted(move, undos), at.entered(node), at.captured(None, "outbox", undos), node.transaction():
        outbox.told(Ctx(node, None), key, outcome)


def run_due(at: Position, call: int | None, undos: Undos, *, since: int | None = None) -> int:
    """Run the events that have come due, in order of time, each in a transaction and a log entry of its own.

    The clock stands at the event's own time while it runs, and for one that is late at `since`, which is now unless
    given: it never goes back.
    Raises: whatever a handler raised; later events wait for the next call.
    """
    if at.due_ms is None or at.due_ms > (until := at.clock.ms()):
        return 0
    count, reading = 0, until if since is None else since
    while (found := _next_event(at)) is not None and found[1].at <= until:
        node, event = found
        count += 1
        if count > schedule.MOST_AT_ONCE:
            raise WorldBug(f"{count} events came due at once; does {event.handler!r} schedule itself without a delay?")
        reading = max(reading, event.at)
        at.clock.pin(reading)
        try:
            with at.entered(node), at.captured(call, f"event:{event.handler}", undos):
                _run_event(node, event)
        finally:
            at.clock.pin(None)
    return count


def _next_event(at: Position) -> tuple[Node, schedule.Event] | None:
    waiting = [(node, event) for node in at.nodes if (event := schedule.first(node.db)) is not None]
    found = min(waiting, key=lambda pair: (pair[1].at, pair[1].id), default=None)
    at.due_ms = found[1].at if found else None
    return found


def _run_event(node: Node, event: schedule.Event) -> None:
    # Crossed off first and for good: an event that fails is a bug to report once, not at every later call.
    schedule.remove(node.db, event.id)
    handler = node.world.event_handlers.get(event.handler)
    if handler is None:
        raise WorldBug(f"event {event.handler!r} came due and world {node.world.name} has no such @event_handler")
    with node.transaction():
        try:
            handler(Ctx(node, None), event.payload)
        except ToolError as error:
            # Nobody called it, so there is nobody to refuse: an agent would take it for the answer to its own call.
            raise WorldBug(
                f"event {event.handler!r} failed with {error.code}: {error}; handle it in the handler"
            ) from error


def replay_to(at: Position, call: int) -> None:
    """Reach the point just after `call` by running the calls again from where a replay can start.

    Raises: WorldBug when the clock does not replay, or when a call ends otherwise than it did; nothing has moved then.
    """
    if not at.clock.replays():
        raise WorldBug(
            f"call {call} is older than the {settings.SEAHAVEN_CHECKPOINTS_KEPT} checkpoints kept, and a "
            f"{at.clock.mode} clock does not replay; raise SEAHAVEN_CHECKPOINTS_KEPT or use clock_mode tick"
        )
    here = at.snapshot()
    try:
        origin = at.restart(call)
        between = deque(here.between[len(origin.between) :])
        for ordinal in range(origin.moment.calls, call + 1):
            while between and between[0].calls == ordinal:
                _move_again(at, between.popleft())
            _run_again(at, ordinal, here.calls[ordinal])
    except BaseException:
        at.restore(here)
        raise


def _move_again(at: Position, move: Between) -> None:
    if isinstance(move, Advance):
        with suppress(Exception):  # an event that failed then fails now
            advance(at, move.ms)
    elif isinstance(move, Report):
        with suppress(Exception):
            report(at, at.by_path[move.node], move.key, move.outcome)
    elif isinstance(move, Request):
        with suppress(Exception):
            exchange(at, at.by_path[move.node], move.request)
        again = at.between[-1]
        if not isinstance(again, Request) or not again.ended_as(move):
            what = f"{move.request.method} {move.request.path}"
            raise WorldBug(f"the request {what} before call {move.calls} was answered otherwise when it was replayed")


def _run_again(at: Position, ordinal: int, record: CallRecord) -> None:
    route = at.tree.surface[record.tool]
    with suppress(Exception):
        run_call(at, route, record.arguments_again(), is_replay=True)
    again = at.calls[ordinal].error
    if again != record.error:
        raise WorldBug(f"call {ordinal} ({record.tool}) ended with {record.error!r} and replays to {again!r}")
