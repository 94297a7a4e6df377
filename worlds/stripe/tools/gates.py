"""Which account does a tool call act for, and is the operation one it may ask for?"""

from __future__ import annotations

from worlds.engine import Ctx
from worlds.stripe import facts
from worlds.stripe.access import activation, catalogue, permissions
from worlds.stripe.access.catalogue import Entry
from worlds.stripe.api.call import account_id
from worlds.stripe.models import Account
from worlds.stripe.tools import errors

#: What `ctx.state` keeps of how the tools are set, and the two settings of the catalogue.
CATALOGUE, CONFIRMS = "mcp_catalogue", "mcp_confirms_writes"
STRICT, OPEN = "strict", "open"


def account_of(ctx: Ctx, stripe_context: str, livemode: bool) -> str:
    """The account acted for: "" for the platform, else a connected one's id.

    Raises: NoSuchContext, WrongMode.
    """
    is_platform = stripe_context == account_id(ctx)
    if not is_platform and not Account.objects.filter(pk=stripe_context, deleted=False).exists():
        raise errors.NoSuchContext(stripe_context)
    if livemode:
        raise errors.WrongMode(stripe_context)
    return "" if is_platform else stripe_context


def offered(ctx: Ctx) -> dict[str, Entry]:
    """The operations that this session is offered."""
    return catalogue.every() if ctx.state.get(CATALOGUE) == OPEN else catalogue.offered()


def operation_of(ctx: Ctx, operation_id: str, *methods: str) -> facts.Operation:
    """An operation that is offered, by one of these methods.

    Raises: NotAvailable.
    """
    if operation_id not in offered(ctx):
        raise errors.NotAvailable(operation_id)
    operation = facts.operations()[operation_id]
    if methods and operation.method not in methods:
        raise errors.NotAvailable(operation_id)
    return operation


def require_usable(ctx: Ctx, operation: facts.Operation) -> None:
    """Refuse what the account is not set up for, and what the session lacks the permission for.

    Raises: NotActivated, NotPermitted.
    """
    if (reason := activation.refusal_of(ctx, operation)) is not None:
        raise errors.NotActivated(reason)
    if missing := permissions.missing(permissions.of_session(ctx), operation.id):
        raise errors.NotPermitted(missing)
