"""What can be done with filters?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.mail import acting, errors, labelling, records, rules
from worlds.mail.models import Filter, Mailbox
from worlds.mail.pagination import paginate
from worlds.mail.routing import addresses_of
from worlds.mail.tools.arguments import Address, Cursor, InMailbox, LabelName, Limit

_CONDITIONS = ("from_contains", "to_contains", "subject_contains", "has_words", "has_attachment")
_ACTIONS = ("label", "archive", "mark_read", "star", "forward_to")


@tool
def list_filters(
    ctx: Ctx, mailbox: InMailbox | None = None, limit: Limit = 50, cursor: Cursor | None = None
) -> dict[str, Any]:
    """List the filters of a mailbox, oldest first. Each works on arriving mail that meets all its conditions."""
    found = acting.mailbox(ctx, mailbox)
    return paginate(
        "filters",
        found.filters.select_related("label"),
        tool="list_filters",
        order="created_at",
        limit=limit,
        cursor=cursor,
        filters={"mailbox": found.id},
        render=Filter.as_dict,
    )


@tool
def create_filter(
    ctx: Ctx,
    from_contains: Annotated[str, Field(description="Part of the sender's name or address.", max_length=200)] = "",
    to_contains: Annotated[str, Field(description="Part of an address in to or cc.", max_length=200)] = "",
    subject_contains: Annotated[str, Field(description="Part of the subject.", max_length=200)] = "",
    has_words: Annotated[
        str, Field(description="Words that must all occur in subject or text, each as it stands.", max_length=200)
    ] = "",
    has_attachment: Annotated[
        bool | None, Field(description="true: only with an attachment; false: only without.")
    ] = None,
    label: Annotated[LabelName | None, Field(description="Put this label on it; one that is new is made.")] = None,
    archive: Annotated[bool, Field(description="Keep it out of the inbox.")] = False,
    mark_read: Annotated[bool, Field(description="Mark it as read.")] = False,
    star: Annotated[bool, Field(description="Star it.")] = False,
    forward_to: Annotated[Address | None, Field(description="Send it on to this address as well.")] = None,
    mailbox: InMailbox | None = None,
) -> dict[str, Any]:
    """Create a filter for mail that arrives from now on: what meets all conditions gets all actions.

    Conditions pay no attention to case. Filters do not look at spam, nor at what lies in the mailbox already.
    """
    owner = acting.sending_mailbox(ctx, mailbox)
    fields = {
        "from_contains": rules.clean_line(from_contains),
        "to_contains": rules.clean_line(to_contains),
        "subject_contains": rules.clean_line(subject_contains),
        "has_words": rules.clean_line(has_words),
        "has_attachment": has_attachment,
        "archive": archive,
        "mark_read": mark_read,
        "star": star,
        "forward_to": rules.clean_address(forward_to, "forward_to") if forward_to is not None else "",
    }
    return _made(ctx, owner, fields, labelling.clean_names([label] if label is not None else [], "label")).as_dict()


def _made(ctx: Ctx, owner: Mailbox, fields: dict[str, Any], labels: list[str]) -> Filter:
    """Raises: AtLeastOne for a filter that asks for nothing or does nothing; ForwardsToItself, DuplicateFilter."""
    if not any(fields[name] not in ("", None) for name in _CONDITIONS):
        raise errors.AtLeastOne(*_CONDITIONS)
    if not labels and not any(fields[name] for name in _ACTIONS if name != "label"):
        raise errors.AtLeastOne(*_ACTIONS)
    if fields["forward_to"] in addresses_of(owner):
        raise errors.ForwardsToItself(fields["forward_to"])
    label = labelling.label_named(ctx, owner, labels[0]) if labels else None
    same = owner.filters.filter(**fields, label=label).first()
    if same is not None:
        raise errors.DuplicateFilter(same.id)
    made = Filter(id=f"filter_{ctx.ids.token(14)}", mailbox=owner, label=label, created_at=ctx.clock.now(), **fields)
    made.save(force_insert=True)
    return made


@tool
def delete_filter(
    ctx: Ctx,
    filter_id: Annotated[str, Field(description="Id of a filter, such as filter_4f….", max_length=40)],
) -> dict[str, Any]:
    """Delete a filter. What it did to messages that have arrived stays as it is."""
    found = records.filter(ctx, filter_id)
    shown = found.as_dict()
    found.delete()
    return {**shown, "is_deleted": True}
