"""What can be done with mailboxes?"""

from __future__ import annotations

from typing import Annotated, Any

from django.db.models import Count, Q
from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.mail import absence, acting, errors, rules, sending
from worlds.mail.editing import change
from worlds.mail.models import Alias, Domain, Mailbox
from worlds.mail.pagination import paginate
from worlds.mail.tools.arguments import Address, Cursor, InMailbox, Limit
from worlds.mail.words import MailboxKind

Name = Annotated[str, Field(description="Name that recipients see.", max_length=100)]
Signature = Annotated[str, Field(description="Put below what is written in this mailbox.", max_length=2_000)]
Aliases = Annotated[
    list[Address],
    Field(
        description="Further addresses whose mail arrives here. The address of a closed mailbox may be among them.",
        max_length=20,
    ),
]


@tool
def list_mailboxes(
    ctx: Ctx,
    kind: Annotated[MailboxKind | None, Field(description="Only mailboxes of this kind.")] = None,
    is_active: Annotated[bool | None, Field(description="true: only open mailboxes; false: only closed ones.")] = None,
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List the company's mailboxes, oldest first. your_address is the mailbox you act in unless you name another."""
    filters = {"kind": kind, "is_active": is_active}
    page = paginate(
        "mailboxes",
        Mailbox.objects.filter(**{name: value for name, value in filters.items() if value is not None}),
        tool="list_mailboxes",
        order="created_at",
        limit=limit,
        cursor=cursor,
        filters=filters,
        render=Mailbox.as_dict,
    )
    me = acting.acting_mailbox(ctx)
    return {**page, "your_address": me.address if me else None}


@tool
def get_mailbox(ctx: Ctx, mailbox: InMailbox | None = None) -> dict[str, Any]:
    """Get a mailbox: its aliases, signature and out-of-office reply, and how much lies in each folder."""
    return _details(acting.mailbox(ctx, mailbox))


def _details(mailbox: Mailbox) -> dict[str, Any]:
    away = absence.current(mailbox)
    counts = mailbox.messages.values("folder").annotate(
        messages=Count("id"), unread=Count("id", filter=Q(is_read=False))
    )
    return {
        **mailbox.as_dict(),
        "aliases": sorted(mailbox.aliases.values_list("address", flat=True)),
        "signature": mailbox.signature,
        "out_of_office": away.as_dict() if away else None,
        "folders": {
            row["folder"]: {"messages": row["messages"], "unread": row["unread"]} for row in counts.order_by("folder")
        },
        "draft_count": mailbox.drafts.filter(send_at=None).count(),
        "scheduled_count": mailbox.drafts.exclude(send_at=None).count(),
    }


@tool
def create_mailbox(
    ctx: Ctx,
    address: Annotated[str, Field(description="Its address, at a domain of the company.", max_length=320)],
    name: Name,
    kind: Annotated[
        MailboxKind, Field(description="personal: one person's; shared: open to everybody in the company.")
    ] = "personal",
    is_admin: Annotated[
        bool, Field(description="May its owner open every mailbox, and make and close mailboxes?")
    ] = False,
    aliases: Aliases | None = None,
    signature: Signature = "",
) -> dict[str, Any]:
    """Create a mailbox. Admins only; the very first one brings the company's domain with it, and is an admin's."""
    acting.require_admin(ctx, "Creating mailboxes")
    now = ctx.clock.now()
    address, name = rules.clean_address(address, "address"), rules.clean_text(rules.clean_line(name), "name")
    is_first = not Domain.objects.exists()
    if is_first:
        Domain(name=rules.domain_of(address), created_at=now).save(force_insert=True)
    _require_free(address, "address")
    mailbox = Mailbox(
        id=f"mbx_{ctx.ids.token(14)}",
        address=address,
        name=name,
        kind=kind,
        is_admin=is_admin or is_first,
        signature=signature.strip(),
        created_at=now,
        updated_at=now,
    )
    mailbox.save(force_insert=True)
    _put_aliases(ctx, mailbox, aliases or [])
    return _details(mailbox)


@tool
def update_mailbox(
    ctx: Ctx,
    mailbox: InMailbox | None = None,
    name: Name | None = None,
    signature: Signature | None = None,
    aliases: Annotated[
        Aliases | None, Field(description="All its aliases from now on; an empty list takes them away. Admins only.")
    ] = None,
) -> dict[str, Any]:
    """Change the given fields of a mailbox; the others stay as they are."""
    found = acting.mailbox(ctx, mailbox)
    changes: dict[str, str] = {}
    if name is not None:
        changes["name"] = rules.clean_text(rules.clean_line(name), "name")
    if signature is not None:
        changes["signature"] = signature.strip()
    if aliases is not None:
        acting.require_admin(ctx, "Changing aliases")
        _put_aliases(ctx, found, aliases)
    change(found, changes, updated_at=ctx.clock.now())
    return _details(found)


def _put_aliases(ctx: Ctx, mailbox: Mailbox, aliases: list[str]) -> None:
    """Leave a mailbox with exactly these aliases, writing only the difference.

    Raises: InvalidAddress, DomainNotHosted, AddressTaken.
    """
    wanted = [address for address in rules.clean_addresses(aliases, "aliases") if address != mailbox.address]
    present = set(mailbox.aliases.values_list("address", flat=True))
    for address in wanted:
        if address not in present:
            _require_free(address, "aliases", as_alias=True)
            Alias(address=address, mailbox=mailbox, created_at=ctx.clock.now()).save(force_insert=True)
    mailbox.aliases.exclude(address__in=wanted).delete()


def _require_free(address: str, field: str, *, as_alias: bool = False) -> None:
    """Raises: DomainNotHosted; AddressTaken, though an alias may take over a closed mailbox's address."""
    hosted = list(Domain.objects.order_by("name").values_list("name", flat=True))
    if rules.domain_of(address) not in hosted:
        raise errors.DomainNotHosted(field, rules.domain_of(address), hosted)
    taken = Mailbox.objects.filter(Q(address=address) | Q(aliases__address=address)).order_by("-is_active", "id")
    for other in taken:
        if not (as_alias and not other.is_active and other.address == address):
            raise errors.AddressTaken(address, other.address)


@tool
def close_mailbox(
    ctx: Ctx, mailbox: Annotated[str, Field(description="Address of the mailbox to close.", max_length=254)]
) -> dict[str, Any]:
    """Close the mailbox of somebody who leaves. Admins only.

    What lies in it can still be read by admins. Mail to it bounces from now on, what was scheduled in it stays a
    draft, and its out-of-office reply ends. To have its mail arrive elsewhere, make its address an alias there.
    """
    acting.require_admin(ctx, "Closing mailboxes")
    found = acting.by_address(mailbox)
    acting.require_active(found)
    me = acting.acting_mailbox(ctx)
    if me is not None and found.id == me.id:
        raise errors.CannotCloseOwn
    for draft in found.drafts.exclude(send_at=None).order_by("id"):
        sending.unschedule(ctx, draft)
    away = absence.current(found)
    if away is not None:
        absence.end(ctx, away)
    now = ctx.clock.now()
    change(found, {"is_active": False, "closed_at": now}, updated_at=now)
    return _details(found)
