"""In which mailbox does the agent act, and which others may it open?"""

from __future__ import annotations

from worlds.engine import Ctx, instant, prepared
from worlds.mail import errors, rules
from worlds.mail.models import Mailbox

#: Where the id of the acting mailbox is remembered, by startup or when it is first asked for.
KEY = "acting_mailbox_id"
#: A world that embeds this one sets it in `ctx.worlds.mail.state` around calls of its own: they may open any mailbox.
HOST_ACTS = "host_acts"

_mailbox = prepared(lambda id: Mailbox.objects.filter(pk=id))
_by_address = prepared(lambda address: Mailbox.objects.filter(address=address))
_by_alias = prepared(lambda address: Mailbox.objects.filter(aliases__address=address))


def acting_mailbox(ctx: Ctx) -> Mailbox | None:
    """The mailbox chosen at startup, else that of the first active admin; None where there is none."""
    known: str | None = ctx.state.get(KEY)
    if known is not None:
        return _mailbox.first(known)
    first = Mailbox.objects.filter(is_admin=True, is_active=True).order_by("created_at", "id").first()
    if first is not None:
        ctx.state[KEY] = first.id
    return first


def own_mailbox(ctx: Ctx) -> Mailbox:
    """The mailbox the agent acts in.

    Raises: NoMailboxYet.
    """
    found = acting_mailbox(ctx)
    if found is None:
        raise errors.NoMailboxYet
    return found


def may_open(ctx: Ctx, mailbox_id: str) -> bool:
    """Everybody may open their own mailbox and shared ones, admins any; where nobody acts, nobody is kept out."""
    me = acting_mailbox(ctx)
    if me is None or me.is_admin or me.id == mailbox_id or ctx.state.get(HOST_ACTS):
        return True
    other = _mailbox.first(mailbox_id)
    return other is not None and other.kind == "shared"


def by_address(address: str) -> Mailbox:
    """The mailbox an address or an alias belongs to, closed or not.

    Raises: NoSuchMailbox, InvalidAddress.
    """
    address = rules.clean_address(address, "mailbox")
    found = _by_address.first(address) or _by_alias.first(address)
    if found is None:
        raise errors.NoSuchMailbox(address)
    return found


def named(ctx: Ctx, address: str | None) -> Mailbox | None:
    """The mailbox a caller names, None when it names none.

    Raises: NotYourMailbox besides.
    """
    if address is None:
        return None
    found = by_address(address)
    if not may_open(ctx, found.id):
        raise errors.NotYourMailbox(found.address)
    return found


def mailbox(ctx: Ctx, address: str | None) -> Mailbox:
    """The mailbox to act in: the one named, else one's own."""
    return named(ctx, address) or own_mailbox(ctx)


def sending_mailbox(ctx: Ctx, address: str | None) -> Mailbox:
    """The mailbox to act in, which mail must be able to leave.

    Raises: MailboxClosed besides.
    """
    found = mailbox(ctx, address)
    require_active(found)
    return found


def require_active(mailbox: Mailbox) -> None:
    """Raises: MailboxClosed."""
    if not mailbox.is_active:
        raise errors.MailboxClosed(mailbox.address, instant(mailbox.closed_at))


def require_admin(ctx: Ctx, action: str) -> None:
    """Refuse an action to those who are no admin; where nobody acts, nobody is refused.

    Raises: PermissionDenied.
    """
    me = acting_mailbox(ctx)
    if me is not None and not me.is_admin and not ctx.state.get(HOST_ACTS):
        raise errors.PermissionDenied(action)
