"""Which function carries out an operation?

A resource module registers its functions here, each under the published operation's id.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import Model

from worlds.engine import HttpResponse
from worlds.stripe import facts
from worlds.stripe.api import errors, listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.expanding import LOADERS
from worlds.stripe.models.base import Resource

R = TypeVar("R", bound=Resource)
#: What an operation answers: a row, an object as shown, or bytes of its own.
Answer = Model | dict[str, Any] | HttpResponse
Run = Callable[[Call], Answer]
HAND_WRITTEN: dict[str, Run] = {}
#: The tables of resources that have one, by object name.
MODELS: dict[str, type[Resource]] = {}


def operation(*ids: str) -> Callable[[Run], Run]:
    """Register a function `fn(call)` for published operations.

    Raises: KeyError for an id that is not published, and for one that is registered already.
    """

    def register(fn: Run) -> Run:
        for id in ids:
            if id not in facts.operations() or id in HAND_WRITTEN:
                raise KeyError(f"{id} is no published operation, or is registered already")
            HAND_WRITTEN[id] = fn
        return fn

    return register


def loads(model: type[R]) -> None:
    """Let `expand[]` find rows of a resource."""

    def load(call: Call, id: str) -> dict[str, Any] | None:
        row = call.rows(model).filter(pk=id).first()
        return None if row is None else wire.of(row)

    LOADERS[model.object_name] = load
    MODELS[model.object_name] = model


def find(call: Call, model: type[R], id: str, *, noun: str, param: str | None = "id", in_path: bool = True) -> R:
    """A row that is there and not deleted.

    Raises: StripeError in the words of its resource.
    """
    row = call.rows(model).filter(pk=id).first()
    if row is None or getattr(row, "deleted", False):
        raise errors.no_such(noun, id, param=param, in_path=in_path)
    return row


def lists(id: str, model: type[R], *filters: str, noun: str) -> None:
    """Register a plain list, filtered by columns of the same names."""

    @operation(id)
    def run(call: Call) -> dict[str, Any]:
        rows = call.rows(model).filter(listing.equal(call, *filters))
        if any(field.name == "deleted" for field in model._meta.concrete_fields):
            rows = rows.filter(deleted=False)
        return listing.page(call, rows, noun=noun)
