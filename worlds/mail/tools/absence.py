"""How does somebody say to be away?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.mail import absence, acting, errors, rules
from worlds.mail.models import Mailbox
from worlds.mail.tools.arguments import InMailbox, Moment


@tool
def set_out_of_office(
    ctx: Ctx,
    is_on: Annotated[bool, Field(description="true: answer while away, now or from starts_at on; false: stop it.")],
    text: Annotated[
        str | None, Field(description="What to answer. Needed for a new absence.", max_length=10_000)
    ] = None,
    starts_at: Annotated[Moment | None, Field(description="When it begins by itself. Default: now.")] = None,
    ends_at: Annotated[
        Moment | None, Field(description="When it ends by itself. Default: not until it is ended.")
    ] = None,
    clear: Annotated[
        list[Literal["ends_at"]] | None, Field(description="Fields to empty: without ends_at it lasts until ended.")
    ] = None,
    mailbox: InMailbox | None = None,
) -> dict[str, Any]:
    """Turn the out-of-office reply of a mailbox on or off, or change the one that is on or planned.

    Whoever writes to the mailbox by name is answered once in each absence; lists, automatic mail and bounces are not.
    """
    owner = acting.sending_mailbox(ctx, mailbox)
    if is_on:
        _turn_on(ctx, owner, text, starts_at, ends_at, clear or [])
    else:
        _turn_off(ctx, owner, {"text": text, "starts_at": starts_at, "ends_at": ends_at, "clear": clear})
    found = absence.current(owner)
    return {"mailbox": owner.address, "out_of_office": found.as_dict() if found else None}


def _turn_on(
    ctx: Ctx, owner: Mailbox, text: str | None, starts_at: Moment | None, ends_at: Moment | None, clear: list[Any]
) -> None:
    if ends_at is not None and clear:
        raise errors.SetAndCleared("ends_at")
    text = rules.clean_text(text, "text") if text is not None else None
    starts_at = rules.in_utc(starts_at, "starts_at") if starts_at is not None else None
    ends_at = rules.in_utc(ends_at, "ends_at") if ends_at is not None else None
    found = absence.current(owner)
    if found is not None:
        absence.adjust(ctx, found, text=text, starts_at=starts_at, ends_at=ends_at, is_open=bool(clear))
    elif text is None:
        raise errors.TextMissing
    else:
        absence.plan(ctx, owner, text, starts_at, ends_at)


def _turn_off(ctx: Ctx, owner: Mailbox, others: dict[str, Any]) -> None:
    for name, value in others.items():
        if value is not None:
            raise errors.TurnsOffOnly(name)
    found = absence.current(owner)
    if found is not None:
        absence.end(ctx, found)
