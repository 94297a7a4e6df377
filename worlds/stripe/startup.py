"""What can be set when an instance starts?"""

from __future__ import annotations

import re
from typing import Any

from worlds.engine import Ctx, WorldBug, instance_startup
from worlds.stripe.access import activation, permissions
from worlds.stripe.api import faults as faulty
from worlds.stripe.generic import placeholders
from worlds.stripe.resources import accounts
from worlds.stripe.tools import gates

_KEY = re.compile(r"rk_test_[A-Za-z0-9_-]+")


@instance_startup
def open_account(
    ctx: Ctx,
    *,
    account_name: str | None = None,
    account_country: str | None = None,
    account_currency: str | None = None,
) -> None:
    """Name and place the account as asked for; otherwise it is as its fixture has it, or in the US."""
    ctx.state["opened_at_s"] = ctx.clock.ms() // 1000
    country, currency = _word(account_country, "account_country", 2), _word(account_currency, "account_currency", 3)
    if account_name or country or currency:
        accounts.keep_platform(ctx, name=account_name, country=country and country.upper(), currency=currency)


@instance_startup
def hand_out_keys(ctx: Ctx, *, restricted_keys: dict[str, list[str]] | None = None) -> None:
    """Let `rk_test_…` keys do only what they are given permissions for."""
    if restricted_keys is None:
        return
    if not isinstance(restricted_keys, dict) or not all(_KEY.fullmatch(str(key)) for key in restricted_keys):
        raise WorldBug(
            f'startup keyword restricted_keys is {restricted_keys!r:.100}; write {{"rk_test_…": ["customer_read"]}}'
        )
    ctx.state[permissions.KEYS] = {
        key: sorted(permissions.widened(_names(given, "restricted_keys"))) for key, given in restricted_keys.items()
    }


@instance_startup
def limit_products(ctx: Ctx, *, inactive_products: list[str] | None = None) -> None:
    """Leave products not set up, so that their operations say so."""
    names = _names(inactive_products or [], "inactive_products")
    if unknown := [name for name in names if name not in activation.PRODUCTS]:
        raise WorldBug(
            f"startup keyword inactive_products names {unknown[0]!r:.60}; choose from {', '.join(activation.PRODUCTS)}"
        )
    ctx.state[activation.STATE] = names


@instance_startup
def guard_tools(
    ctx: Ctx,
    *,
    mcp_catalogue: str = gates.STRICT,
    mcp_permissions: list[str] | None = None,
    mcp_confirms_writes: bool = False,
) -> None:
    """Say what the agent's tools offer: the operations Stripe's own do ("strict") or all ("open"), to a session with
    these permissions, with or without a person's word before each write.
    """
    if mcp_catalogue not in (gates.STRICT, gates.OPEN):
        raise WorldBug(f'startup keyword mcp_catalogue is {mcp_catalogue!r:.60}; write "strict" or "open"')
    if not isinstance(mcp_confirms_writes, bool):
        raise WorldBug(f"startup keyword mcp_confirms_writes is {mcp_confirms_writes!r:.60}; write true or false")
    ctx.state[gates.CATALOGUE] = mcp_catalogue
    ctx.state[gates.CONFIRMS] = mcp_confirms_writes
    if mcp_permissions is not None:
        ctx.state[permissions.SESSION] = sorted(permissions.widened(_names(mcp_permissions, "mcp_permissions")))


@instance_startup
def go_wrong(ctx: Ctx, *, faults: list[dict[str, Any]] | None = None) -> None:
    """Have requests go wrong on purpose, by rules."""
    if faults is not None:
        ctx.state[faulty.STATE] = faulty.checked(faults)


@instance_startup
def take_placeholders(ctx: Ctx, *, placeholder_ids: bool = False) -> None:
    """Answer the examples of the documentation, whose ids name nothing, from the shapes of what they ask for."""
    if not isinstance(placeholder_ids, bool):
        raise WorldBug(f"startup keyword placeholder_ids is {placeholder_ids!r:.60}; write true or false")
    ctx.state[placeholders.STATE] = placeholder_ids


def _word(value: Any, keyword: str, length: int) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) != length or not value.isalpha():
        raise WorldBug(f"startup keyword {keyword} is {value!r:.60}; write a code of {length} letters")
    return value.lower()


def _names(value: Any, keyword: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise WorldBug(f"startup keyword {keyword} holds {value!r:.60} where a list of names belongs")
    return value
