"""How does each of Stripe's test cards behave?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Authentication = Literal["never", "optional", "required", "unless_set_up", "already_set_up"]
Dispute = Literal["fraudulent", "product_not_received", "inquiry", "early_fraud_warning", "several"]


@dataclass(frozen=True, slots=True)
class TestCard:
    """One published test card: what it is, and what comes of using it.

    `name` is what follows `pm_card_` and `tok_`; `decline` is (code, decline_code).
    """

    name: str
    number: str
    brand: str
    funding: str = "credit"
    country: str = "US"
    decline: tuple[str, str | None] | None = None
    #: Is it refused already when it is attached to a customer?
    declines_on_attach: bool = True
    authentication: Authentication = "never"
    #: What becomes of it once the shopper has authenticated, where that is no success.
    decline_after_authentication: tuple[str, str | None] | None = None
    dispute: Dispute | None = None
    refund: Literal["pending", "fails"] | None = None
    checks: tuple[tuple[str, str], ...] = ()
    risk: Literal["normal", "elevated", "highest"] = "normal"
    is_available_at_once: bool = False

    @property
    def last4(self) -> str:
        return self.number[-4:]
