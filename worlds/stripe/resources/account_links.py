"""How do the links and sessions behave by which owners of connected accounts reach them?"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from worlds.stripe import pages
from worlds.stripe.api import errors, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import operation
from worlds.stripe.connect import onboarding
from worlds.stripe.resources import connected_accounts


def _seconds(instant: Any) -> int:
    return int(instant.timestamp())


@operation("PostAccountLinks")
def create(call: Call) -> dict[str, Any]:
    params = call.params
    account = connected_accounts.named(call, params["account"])
    for name in ("refresh_url", "return_url"):
        if name not in params:
            raise errors.missing_parameter(name)
        if urlsplit(params[name]).scheme not in ("http", "https"):
            raise StripeError("Not a valid URL", code="url_invalid", param=name)
    if params["type"] == "account_update" and account.controller.get("requirement_collection") != "application":
        raise StripeError(
            "You cannot create `account_update` type Account Links for this account: Stripe collects what is wanted of "
            "it.",
            param="type",
        )
    link = onboarding.link(
        call, account, params["type"], refresh_url=params["refresh_url"], return_url=params["return_url"]
    )
    return wire.complete(
        "account_link",
        {"created": _seconds(link.created), "expires_at": _seconds(link.expires_at),
         "url": pages.address("connect", link.id)},
    )  # fmt: skip


@operation("PostAccountSessions")
def create_session(call: Call) -> dict[str, Any]:
    """A session for components in the platform's own pages; its secret opens our page too, at `/_connect/`."""
    params = call.params
    account = connected_accounts.named(call, params["account"])
    link = onboarding.link(call, account, "account_session")
    told = {
        name: {"enabled": each["enabled"], "features": each.get("features") or {}}
        for name, each in params["components"].items()
    }
    return wire.complete(
        "account_session",
        {"account": account.id, "client_secret": link.id, "components": told, "expires_at": _seconds(link.expires_at)},
    )


@operation("PostAccountsAccountLoginLinks")
def create_login_link(call: Call) -> dict[str, Any]:
    account = connected_accounts.found(call)
    if account.controller.get("stripe_dashboard", {}).get("type") != "express":
        raise StripeError(
            f"Cannot create a login link for {account.id}: it is no account with access to the Express Dashboard."
        )
    if not account.details_submitted:
        raise StripeError("Cannot create a login link for an account that has not completed onboarding.")
    link = onboarding.link(call, account, "login")
    return wire.complete("login_link", {"created": _seconds(link.created), "url": pages.address("express", link.id)})
