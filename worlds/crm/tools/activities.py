"""What can be done with calls, emails, meetings and tasks?"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.db.models import Q
from pydantic import Field

from worlds.crm import errors, records, rules
from worlds.crm.acting import acting_user_id
from worlds.crm.models import Activity, Deal, Lead
from worlds.crm.pagination import paginate
from worlds.crm.tools.arguments import Cursor, Limit, Moment, OfOwner, OnDeal, OnLead, OwnerId
from worlds.crm.words import ActivityKind, ActivityOutcome, Direction, LoggedKind
from worlds.engine import Ctx, instant, tool

Subject = Annotated[str, Field(description="What it was about, in one line.", max_length=200)]
Body = Annotated[str, Field(description="What was said or written.", max_length=20_000)]
OnCompany = Annotated[
    str, Field(description="Id of the company this is about. Default: the deal's or the lead's.", max_length=40)
]
OfLead = Annotated[str, Field(description="Only what was about this lead.", max_length=40)]
OfCompany = Annotated[str, Field(description="Only what was about this company.", max_length=40)]
OfDeal = Annotated[str, Field(description="Only what was about this deal.", max_length=40)]


@tool
def log_activity(
    ctx: Ctx,
    kind: Annotated[LoggedKind, Field(description="What happened.")],
    subject: Subject,
    body: Body = "",
    lead_id: OnLead | None = None,
    company_id: OnCompany | None = None,
    deal_id: OnDeal | None = None,
    direction: Annotated[Direction, Field(description="outbound: from the team; inbound: to the team.")] = "outbound",
    outcome: Annotated[ActivityOutcome | None, Field(description="How it went.")] = None,
    occurred_at: Annotated[Moment | None, Field(description="When it happened. Default: now.")] = None,
    owner_id: Annotated[OwnerId | None, Field(description="Id of the user who did it. Default: you.")] = None,
) -> dict[str, Any]:
    """Log a call, an email or a meeting that took place, on a lead, a company, a deal or several of them.

    It counts as touch for the lead and the deal. Outbound email to a lead who has asked not to be emailed is refused.
    """
    now = ctx.clock.now()
    subject = rules.clean_text(subject, "subject")
    happened = now if occurred_at is None else rules.in_utc(occurred_at, "occurred_at")
    if happened > now:
        raise errors.InTheFuture("occurred_at", instant(now) or "")
    lead, company_id, deal = _about(lead_id, company_id, deal_id)
    if kind == "email" and direction == "outbound" and lead is not None and lead.do_not_email:
        raise errors.EmailOptedOut(lead.name)
    activity = Activity(
        id=f"act_{ctx.ids.token(14)}",
        kind=kind,
        subject=subject,
        body=body.strip(),
        direction=direction,
        outcome=outcome or "",
        lead=lead,
        company_id=company_id,
        deal=deal,
        owner_id=_doer(ctx, owner_id),
        is_done=True,
        occurred_at=happened,
        created_at=now,
    )
    activity.save(force_insert=True)
    _touch(happened, lead, deal)
    return activity.as_dict()


def _about(
    lead_id: str | None, company_id: str | None, deal_id: str | None
) -> tuple[Lead | None, str | None, Deal | None]:
    """What an activity is about; what is about a lead or a deal is about its company, too.

    Raises: NotFound, and AtLeastOne when it is about nothing.
    """
    if lead_id is None and company_id is None and deal_id is None:
        raise errors.AtLeastOne("lead_id", "company_id", "deal_id")
    records.require(company=company_id)
    lead = records.lead(lead_id) if lead_id is not None else None
    deal = records.deal(deal_id) if deal_id is not None else None
    for record in (deal, lead):
        company_id = company_id or (record.company_id if record else None)
    return lead, company_id, deal


def _doer(ctx: Ctx, user_id: str | None) -> str | None:
    """Who did something: anybody, since those who left did things too."""
    return acting_user_id(ctx) if user_id is None else records.user(user_id).id


def _touch(happened: datetime, *touched: Lead | Deal | None) -> None:
    """Note that something happened; what is older than the latest changes nothing."""
    for record in touched:
        if record is not None and (record.last_activity_at is None or record.last_activity_at < happened):
            record.last_activity_at = happened
            record.save(update_fields=["last_activity_at"])


@tool
def create_task(
    ctx: Ctx,
    subject: Subject,
    due_at: Annotated[Moment, Field(description="When it is due, such as 2026-06-05T17:00:00Z.")],
    body: Body = "",
    lead_id: OnLead | None = None,
    company_id: OnCompany | None = None,
    deal_id: OnDeal | None = None,
    owner_id: Annotated[OwnerId | None, Field(description="Id of the user who is to do it. Default: you.")] = None,
) -> dict[str, Any]:
    """Create a task for a user, about a lead, a company, a deal or several of them."""
    subject, due_at = rules.clean_text(subject, "subject"), rules.in_utc(due_at, "due_at")
    lead, company_id, deal = _about(lead_id, company_id, deal_id)
    task = Activity(
        id=f"act_{ctx.ids.token(14)}",
        kind="task",
        subject=subject,
        body=body.strip(),
        lead=lead,
        company_id=company_id,
        deal=deal,
        owner_id=records.owner(owner_id).id if owner_id is not None else acting_user_id(ctx),
        is_done=False,
        due_at=due_at,
        created_at=ctx.clock.now(),
    )
    task.save(force_insert=True)
    return task.as_dict()


@tool
def complete_task(
    ctx: Ctx, task_id: Annotated[str, Field(description="Id of an open task, such as act_4f….", max_length=40)]
) -> dict[str, Any]:
    """Complete a task. It counts as touch for the lead and the deal it is about."""
    task = records.task(task_id)
    if task.is_done:
        raise errors.TaskAlreadyDone(task.subject, instant(task.occurred_at))
    task.is_done, task.occurred_at = True, ctx.clock.now()
    task.save(update_fields=["is_done", "occurred_at"])
    _touch(task.occurred_at, task.lead, task.deal)
    return task.as_dict()


@tool
def list_tasks(
    ctx: Ctx,
    owner_id: OfOwner | None = None,
    is_done: Annotated[bool, Field(description="false: tasks still to do; true: completed ones.")] = False,
    due_before: Annotated[
        Moment | None, Field(description="Only tasks due before this; now gives the overdue.")
    ] = None,
    lead_id: OfLead | None = None,
    company_id: OfCompany | None = None,
    deal_id: OfDeal | None = None,
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List tasks, the earliest due first."""
    records.require(user=owner_id, lead=lead_id, company=company_id, deal=deal_id)
    filters = {
        "owner_id": owner_id,
        "is_done": is_done,
        "due_at__lt": rules.in_utc(due_before, "due_before") if due_before is not None else None,
        "lead_id": lead_id,
        "company_id": company_id,
        "deal_id": deal_id,
    }
    return paginate(
        "tasks",
        Activity.objects.filter(kind="task", **{name: value for name, value in filters.items() if value is not None}),
        tool="list_tasks",
        order="due_at",
        limit=limit,
        cursor=cursor,
        filters=filters,
        render=Activity.as_dict,
    )


@tool
def list_activities(
    ctx: Ctx,
    kind: Annotated[ActivityKind | None, Field(description="Only this kind; a task counts once completed.")] = None,
    lead_id: OfLead | None = None,
    company_id: OfCompany | None = None,
    deal_id: OfDeal | None = None,
    owner_id: OfOwner | None = None,
    since: Annotated[Moment | None, Field(description="Only what happened at this instant or later.")] = None,
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List what happened, the latest first: calls, emails, meetings and completed tasks."""
    records.require(user=owner_id, lead=lead_id, company=company_id, deal=deal_id)
    filters = {
        "kind": kind,
        "lead_id": lead_id,
        "company_id": company_id,
        "deal_id": deal_id,
        "owner_id": owner_id,
        "occurred_at__gte": rules.in_utc(since, "since") if since is not None else None,
    }
    return paginate(
        "activities",
        Activity.objects.filter(
            Q(occurred_at__isnull=False), **{name: value for name, value in filters.items() if value is not None}
        ),
        tool="list_activities",
        order="-occurred_at",
        limit=limit,
        cursor=cursor,
        filters=filters,
        render=Activity.as_dict,
    )
