"""Which of Stripe's products has the account not been set up for?"""

from __future__ import annotations

from dataclasses import dataclass

from worlds.engine import Ctx
from worlds.stripe import facts

#: Where `ctx.state` keeps the products that are not set up.
STATE = "inactive_products"


@dataclass(frozen=True, slots=True)
class Product:
    """A product that an account is set up for apart, its operations known by how their paths begin."""

    title: str
    page: str
    paths: tuple[str, ...]


PRODUCTS = {
    "climate": Product("Climate", "climate", ("/v1/climate/",)),
    "financial_connections": Product("Financial Connections", "settings/financial-connections",
                                     ("/v1/financial_connections/",)),
    "identity": Product("Identity", "identity", ("/v1/identity/",)),
    "issuing": Product("Issuing", "issuing/overview", ("/v1/issuing/", "/v1/test_helpers/issuing/")),
    "radar": Product("Radar", "radar", ("/v1/radar/",)),
    "sigma": Product("Sigma", "sigma", ("/v1/sigma/",)),
    "tax": Product("Tax", "tax", ("/v1/tax/",)),
    "terminal": Product("Terminal", "terminal", ("/v1/terminal/", "/v1/test_helpers/terminal/")),
    "treasury": Product("Treasury", "treasury", ("/v1/treasury/", "/v1/test_helpers/treasury/")),
}  # fmt: skip


def refusal(ctx: Ctx, name: str) -> str | None:
    """Why a product cannot be used, None when it can."""
    if name not in ctx.state.get(STATE, ()):
        return None
    product = PRODUCTS[name]
    return (
        f"Your account is not set up to use {product.title}. Please visit "
        f"https://dashboard.stripe.com/test/{product.page} to get started."
    )


def refusal_of(ctx: Ctx, operation: facts.Operation) -> str | None:
    """Why an operation cannot be used, None when it can."""
    if not ctx.state.get(STATE):
        return None
    return next(
        (refusal(ctx, name) for name, product in PRODUCTS.items() if operation.path.startswith(product.paths)), None
    )
