"""When is a ticket's time up, and what moves that moment?

Each ticket has up to two clocks. A running one has an event on the schedule at the moment it is due, so that a breach
is noted when the time passes, whether anybody looks or not.
"""

from __future__ import annotations

from datetime import timedelta

from worlds.engine import Ctx
from worlds.helpdesk import history
from worlds.helpdesk.models import SlaClock, SlaPolicy, Ticket
from worlds.helpdesk.words import WAITING, ClockStatus, Metric

#: The event handler that notes a breach.
HANDLER = "note_breach"


def start(ctx: Ctx, ticket: Ticket, *metrics: Metric) -> None:
    """Let the clocks of a new ticket run, as the service level of its priority says; without one there are none."""
    policy = SlaPolicy.objects.filter(pk=ticket.priority).first()
    if policy is None:
        return
    for metric in metrics:
        clock = SlaClock(
            id=f"sla_{ctx.ids.token(14)}",
            ticket=ticket,
            metric=metric,
            target_minutes=_target(policy, metric),
            started_at=ctx.clock.now(),
        )
        _run(ctx, clock, clock.target_minutes * 60)
        clock.save(force_insert=True)


def replied(ctx: Ctx, ticket: Ticket) -> None:
    """An agent answered: the first reply is no longer owed."""
    for clock in _clocks(ticket):
        if clock.metric == "first_reply" and clock.stopped_at is None:
            _stop(ctx, clock, "met")
            clock.save(force_update=True)


def status_changed(ctx: Ctx, ticket: Ticket) -> None:
    """A ticket waits, is worked on again, is solved, or ends."""
    for clock in _clocks(ticket):
        is_reply = clock.metric == "first_reply"
        if is_reply and ticket.first_replied_at is not None:
            continue
        if ticket.status in ("solved", "closed"):
            _stop(ctx, clock, "met" if ticket.status == "solved" and not is_reply else "cancelled")
        elif ticket.status in WAITING and not is_reply:
            _pause(ctx, clock)
        else:
            _resume(ctx, clock)
        clock.save(force_update=True)


def retarget(ctx: Ctx, ticket: Ticket) -> None:
    """A ticket has another priority: what is left is the new target less the time that has been used.

    A clock with nothing left is breached on the spot. What is over stays as it was.
    """
    policy = SlaPolicy.objects.filter(pk=ticket.priority).first()
    for clock in _clocks(ticket):
        if clock.status not in ("running", "paused"):
            continue
        is_running = clock.status == "running"
        left = _left_s(ctx, clock)
        _halt(ctx, clock, "paused" if policy else "cancelled")
        if policy is None:
            clock.stopped_at = ctx.clock.now()
        else:
            target = _target(policy, clock.metric)
            clock.remaining_s = left + (target - clock.target_minutes) * 60
            clock.target_minutes = target
            if is_running and clock.remaining_s > 0:
                _run(ctx, clock, clock.remaining_s)
            elif is_running:
                clock.due_at = ctx.clock.now()
                breach(ctx, clock)
        clock.save(force_update=True)


def breach(ctx: Ctx, clock: SlaClock) -> None:
    """The time is up; the caller saves the clock."""
    clock.status, clock.breached_at, clock.event, clock.remaining_s = "breached", ctx.clock.now(), None, None
    history.note(ctx, clock.ticket, "sla_breached", history.THE_PRODUCT, to_value=clock.metric)


def _clocks(ticket: Ticket) -> list[SlaClock]:
    clocks = list(SlaClock.objects.filter(ticket=ticket).order_by("metric"))
    for clock in clocks:
        clock.ticket = ticket
    return clocks


def _target(policy: SlaPolicy, metric: str) -> int:
    return policy.first_reply_minutes if metric == "first_reply" else policy.resolution_minutes


def _left_s(ctx: Ctx, clock: SlaClock) -> int:
    if clock.due_at is None:
        return clock.remaining_s or 0
    return (clock.due_at - ctx.clock.now()) // timedelta(seconds=1)


def _run(ctx: Ctx, clock: SlaClock, seconds: int) -> None:
    clock.due_at = ctx.clock.now() + timedelta(seconds=max(0, seconds))
    clock.status, clock.remaining_s = "running", None
    clock.event = ctx.schedule(clock.due_at, HANDLER, {"clock_id": clock.id})


def _halt(ctx: Ctx, clock: SlaClock, status: ClockStatus) -> None:
    """Keep what is left of the time, and take the event back."""
    if clock.event is not None:
        ctx.unschedule(clock.event)
    clock.remaining_s = _left_s(ctx, clock)
    clock.status, clock.due_at, clock.event = status, None, None


def _stop(ctx: Ctx, clock: SlaClock, status: ClockStatus) -> None:
    """What the clock waits for is done; a breach stays one."""
    if clock.stopped_at is not None:
        return
    if clock.status != "breached":
        _halt(ctx, clock, status)
    clock.stopped_at = ctx.clock.now()


def _pause(ctx: Ctx, clock: SlaClock) -> None:
    """What the clock waits for is somebody else's turn."""
    clock.stopped_at = None
    if clock.status != "breached":
        _halt(ctx, clock, "paused")


def _resume(ctx: Ctx, clock: SlaClock) -> None:
    """What the clock waits for is to be done, again or still."""
    clock.stopped_at = None
    if clock.status not in ("running", "breached"):
        _run(ctx, clock, clock.remaining_s or 0)
