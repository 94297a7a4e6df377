"""Do the ids that a request mentions name something the account has?"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from worlds.stripe import facts
from worlds.stripe.api import errors
from worlds.stripe.api.call import Call
from worlds.stripe.api.operations import MODELS
from worlds.stripe.generic import reference, stored
from worlds.stripe.generic.forming import choices
from worlds.stripe.generic.wording import noun_of

#: Test ids that stand for something without being stored.
_MAGIC = ("pm_card_", "pm_usBankAccount", "tok_", "btok_", "src_card", "pm_sepa", "ctoken_", "ba_us_")
#: Parameters that always name the same kind of object, wherever they stand.
_ALWAYS = {
    "charge": "charge", "customer": "customer", "financial_account": "treasury.financial_account",
    "invoice": "invoice", "payment_intent": "payment_intent", "payment_method": "payment_method", "price": "price",
    "product": "product", "setup_intent": "setup_intent", "subscription": "subscription",
}  # fmt: skip


def check(call: Call, names: tuple[str, ...]) -> None:
    """Refuse an id that names nothing.

    Raises: StripeError in the words of what was not found.
    """
    for param, value in call.params.items():
        for path, expected, id in _mentioned(param, param, value, names):
            if not id.startswith(_MAGIC) and stored.load(call, expected, id) is None:
                raise errors.no_such(noun_of(expected[0]), id, param=path, in_path=False)


def _mentioned(param: str, path: str, value: Any, names: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Every id in a parameter: where it stands, what it may be, and the id itself."""
    if isinstance(value, str):
        expected = expected_by(param, names)
        if value and expected:
            yield path, expected, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _mentioned(key, f"{path}[{key}]", item, ())
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield from _mentioned(param, f"{path}[{index}]", item, ())


def expected_by(param: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """What the id in a parameter may be of, for an operation that answers such objects; none where nobody can say."""
    for name in names:
        if found := _kept(_inside(facts.objects()[name].fields.get(param, "any"))):
            return found
    if any(param in facts.objects()[name].fields for name in names) and param != "financial_account":
        return ()
    return _kept((_ALWAYS[param],)) if param in _ALWAYS else ()


def _inside(kind: Any) -> tuple[str, ...]:
    kind = facts.resolved(kind)
    if isinstance(kind, str):
        return tuple(each for each in choices(kind[1:]) if _has_id(each)) if kind.startswith("@") else ()
    if kind[0] == "ref":
        return tuple(each for name in kind[1] if name in facts.objects() for each in choices(name))
    return _inside(kind[1]) if kind[0] == "null" else ()


def _has_id(name: str) -> bool:
    return "id" in facts.objects()[name].fields


def _kept(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, when the account can have every one of them."""
    found = tuple(name for name in names if not name.startswith("deleted_"))
    return found if found and all(name in _makeable() or name in MODELS for name in found) else ()


@functools.cache
def _makeable() -> frozenset[str]:
    """Objects that some operation makes, or that are published with the API."""
    made = {
        name
        for operation in facts.operations().values()
        if operation.method == "POST" and not operation.path.endswith("}") and isinstance(operation.answer, str)
        if operation.answer in facts.objects()
        for name in choices(operation.answer)
    }
    return frozenset(made) | reference.names()
