"""What does an operation get to work with?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from worlds.engine import Ctx
from worlds.stripe import facts
from worlds.stripe.api import wire
from worlds.stripe.models.accounts import Account
from worlds.stripe.models.base import Resource
from worlds.stripe.models.core import Event

R = TypeVar("R", bound=Resource)
#: Told of each event that is stored: `fn(call, event)`.
EMITTED: list[Callable[[Call, Event], None]] = []
_NO_OPERATION = facts.Operation("", "", "")
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@dataclass(slots=True)
class Call:
    """One operation under way: `path` and `params` are checked values.

    `account` is the account acted for: "" for the platform, else the id of a connected account.
    """

    ctx: Ctx
    operation: facts.Operation
    path: dict[str, str]
    params: dict[str, Any]
    account: str = ""
    request_id: str | None = None
    idempotency_key: str | None = None
    version: str = facts.VERSION
    #: What the key that was shown may do; None is everything.
    permissions: frozenset[str] | None = None
    #: Does the client's side ask, which knows no secret but the object's own?
    is_publishable: bool = False
    #: Headers to answer with besides the usual ones.
    headers: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def of_clock(cls, ctx: Ctx, account: str = "") -> Call:
        """What happens by the passing of time, without a request."""
        return cls(ctx, _NO_OPERATION, {}, {}, account=account)

    @property
    def now(self) -> datetime:
        """The instance's time, in whole seconds as the API counts it."""
        return self.ctx.clock.now().replace(microsecond=0)

    @property
    def now_s(self) -> int:
        """The same in seconds since 1970."""
        return int(self.now.timestamp())

    def token(self, length: int) -> str:
        """Letters and digits from the instance's stream."""
        return self.ctx.ids.token(length)

    def new_id(self, prefix: str, *, by: str = "1") -> str:
        """An id of the prefix's own length: those of 24 begin with who made it, the time and the account.

        `by` is "1" for what a request made, "3" for what came of it.
        """
        length = wire.ID_LENGTHS.get(prefix, 24)
        if length != 24:
            return prefix + self.token(length)
        return f"{prefix}{by}{_base62(self.now_s, 6)[-5:]}{account_fragment(self.ctx, self.account)}{self.token(8)}"

    def rows(self, model: type[R]) -> QuerySet[R]:
        """The rows of the account acted for."""
        return model._default_manager.filter(x_account=self.account)

    def make(self, model: type[R], prefix: str, *, by: str = "1", **values: Any) -> R:
        """Store a new row, with the id, order and time that every one has."""
        row = model(
            **{
                "id": self.new_id(prefix, by=by),
                "x_seq": self.ctx.seq(),
                "x_account": self.account,
                "created": self.now,
                **values,
            }
        )
        row.save(force_insert=True)
        return row

    def emit(self, type: str, subject: Model | dict[str, Any], previous: dict[str, Any] | None = None) -> Event:
        """Note that something happened to an object, with what its changed attributes were."""
        data: dict[str, Any] = {"object": subject if isinstance(subject, dict) else wire.of(subject)}
        if previous is not None:
            data["previous_attributes"] = previous
        event = self.make(
            Event, "evt_", by="1", type=type, data=data, api_version=facts.VERSION,
            request_id=self.request_id, request_idempotency_key=self.idempotency_key,
        )  # fmt: skip
        for tell in EMITTED:
            tell(self, event)
        return event


def account_fragment(ctx: Ctx, account: str) -> str:
    """The ten characters that all ids of one account share."""
    if account:
        return account.removeprefix("acct_")[-10:].rjust(10, "0")
    known: str = ctx.state.get("account_fragment") or ctx.state.setdefault(
        "account_fragment", account_id(ctx).removeprefix("acct_")[-10:]
    )
    return known


def account_id(ctx: Ctx) -> str:
    """The platform's own account: its fixture's, else the same for every instance with one seed."""
    known: str | None = ctx.state.get("account_id")
    if known is None:
        known = Account.objects.filter(x_is_platform=True).values_list("pk", flat=True).first()
        known = known or "acct_1" + _base62(int(ctx.instance.seed.hex(), 16), 60)[-15:]
        ctx.state["account_id"] = known
    return known


def opened_at(ctx: Ctx) -> datetime:
    """When the account began, as far as it is known: when the instance did."""
    return utc(ctx.state.get("opened_at_s", 0))


def _base62(value: int, length: int) -> str:
    out = ""
    while value:
        value, rest = divmod(value, 62)
        out = _BASE62[rest] + out
    return out.rjust(length, "0")


def utc(seconds: int) -> datetime:
    """An instant of the API's, which counts seconds."""
    return datetime.fromtimestamp(seconds, UTC)
