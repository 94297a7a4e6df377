"""What do the numbers say?"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from statistics import median_low
from typing import Annotated, Any, get_args

from django.db.models import F, QuerySet
from pydantic import Field

from worlds.engine import Ctx, instant, tool
from worlds.helpdesk import records, rules
from worlds.helpdesk.models import Agent, SatisfactionRating, SlaClock, Ticket
from worlds.helpdesk.pagination import narrowed
from worlds.helpdesk.tools.arguments import Moment, OfTeam
from worlds.helpdesk.words import UNSOLVED, ClockStatus, Metric, Priority

#: What the queue report counts as due soon.
_SOON = timedelta(hours=4)


@tool
def queue_report(ctx: Ctx, team_id: OfTeam | None = None) -> dict[str, Any]:
    """Report what is waiting to be done: unsolved tickets by status, priority and agent, and who has waited longest.

    overdue counts tickets that missed a deadline with the work still to do, due_soon those with one in the next four
    hours. Agents who have left are listed while tickets are theirs.
    """
    records.require(team=team_id)
    tickets = Ticket.objects.filter(status__in=UNSOLVED)
    if team_id is not None:
        tickets = tickets.filter(team_id=team_id)
    rows = list(tickets.values_list("id", "status", "priority", "assignee_id", "waiting_since").order_by("number"))
    clocks = SlaClock.objects.filter(ticket__in=tickets, stopped_at=None)
    overdue = set(clocks.filter(status="breached").values_list("ticket_id", flat=True))
    soon = clocks.filter(status="running", due_at__lte=ctx.clock.now() + _SOON)
    longest = tickets.filter(waiting_since__isnull=False).order_by("waiting_since", "id").first()
    by_status, by_priority = Counter(row[1] for row in rows), Counter(row[2] for row in rows)
    return {
        "unsolved": len(rows),
        "by_status": {word: by_status[word] for word in UNSOLVED},
        "by_priority": {word: by_priority[word] for word in get_args(Priority)},
        "unassigned": sum(row[3] is None for row in rows),
        "customer_waits": sum(row[4] is not None for row in rows),
        "longest_waiting": longest
        and {"ticket_id": longest.id, "number": longest.number, "since": instant(longest.waiting_since)},
        "overdue": len(overdue),
        "due_soon": soon.values("ticket_id").distinct().count(),
        "agents": _by_agent(rows, overdue),
    }


def _by_agent(rows: list[tuple[Any, ...]], overdue: set[str]) -> list[dict[str, Any]]:
    """The load of every active agent, and of everybody else who has some."""
    loads: dict[str, Counter[str]] = {agent_id: Counter() for _, _, _, agent_id, _ in rows if agent_id}
    for ticket_id, _, _, agent_id, waiting_since in rows:
        if agent_id:
            loads[agent_id] += Counter(
                unsolved=1, customer_waits=int(waiting_since is not None), overdue=int(ticket_id in overdue)
            )
    return [
        {
            "agent_id": agent.id,
            "name": agent.name,
            "is_active": agent.is_active,
            **{name: loads.get(agent.id, Counter())[name] for name in ("unsolved", "customer_waits", "overdue")},
        }
        for agent in Agent.objects.order_by("created_at", "id")
        if agent.is_active or agent.id in loads
    ]


@tool
def sla_report(
    ctx: Ctx,
    since: Annotated[
        Moment | None, Field(description="Only tickets created at this instant or later. Default: all.")
    ] = None,
    until: Annotated[
        Moment | None, Field(description="Only tickets created before this instant. Default: all.")
    ] = None,
) -> dict[str, Any]:
    """Report how well the service level was kept, by priority, and how satisfied customers are.

    met_percent is of what is decided, met or breached, in whole percent; null while nothing is. Minutes to the first
    reply are a median, over tickets that have one.
    """
    span = {
        "created_at__gte": rules.in_utc(since, "since") if since is not None else None,
        "created_at__lt": rules.in_utc(until, "until") if until is not None else None,
    }
    tickets = narrowed(Ticket.objects.all(), span)
    scores = Counter(SatisfactionRating.objects.filter(ticket__in=tickets).values_list("status", flat=True))
    return {
        "ticket_count": tickets.count(),
        "priorities": _by_priority(tickets),
        "satisfaction": {
            **{word: scores[word] for word in ("offered", "good", "bad")},
            "good_percent": _percent(scores["good"], scores["bad"]),
        },
    }


def _by_priority(tickets: QuerySet[Ticket]) -> list[dict[str, Any]]:
    clocks = SlaClock.objects.filter(ticket__in=tickets)
    found = Counter(clocks.values_list("ticket__priority", "metric", "status"))
    asked = tickets.filter(first_replied_at__gt=F("created_at"))
    waits: dict[str, list[int]] = {}
    for priority, created_at, replied_at in asked.values_list("priority", "created_at", "first_replied_at"):
        if replied_at is not None:
            waits.setdefault(priority, []).append((replied_at - created_at) // timedelta(minutes=1))
    return [
        {
            "priority": priority,
            "median_first_reply_minutes": median_low(waits[priority]) if priority in waits else None,
            **{
                metric: {
                    **{status: found[priority, metric, status] for status in get_args(ClockStatus)},
                    "met_percent": _percent(found[priority, metric, "met"], found[priority, metric, "breached"]),
                }
                for metric in get_args(Metric)
            },
        }
        for priority in get_args(Priority)
    ]


def _percent(good: int, bad: int) -> int | None:
    return 100 * good // (good + bad) if good + bad else None
