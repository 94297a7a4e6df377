"""How does a shopper authenticate with their bank, and what follows?

The page stands below the account's HTTP API and needs no key: the client secret is the key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlencode

from worlds.engine import Ctx, HttpRequest, HttpResponse
from worlds.stripe import pages
from worlds.stripe.api.errors import StripeError
from worlds.stripe.models.base import Resource


@dataclass(frozen=True, slots=True)
class Challenge:
    """An intent that waits for its shopper: `amount` is the money as it is written, None where there is none."""

    intent: Resource
    return_url: str | None
    amount: str | None = None


@dataclass(frozen=True, slots=True)
class Flow:
    """How one kind of intent is found by its client secret, and how it goes on.

    `find` answers None where nothing waits under the secret; `go_on` takes whether the shopper passed.
    """

    name: str
    find: Callable[[str], Challenge | None]
    go_on: Callable[[Ctx, Challenge, bool], None]


#: By the prefix of the intent's id.
_FLOWS: dict[str, Flow] = {}


def register(prefix: str, flow: Flow) -> None:
    """Let intents whose ids begin with `prefix` be authenticated."""
    _FLOWS[prefix] = flow


def next_action(client_secret: str, return_url: str | None) -> dict[str, Any]:
    """What an intent that needs its shopper shows: an address to go to, or what a page's own script goes by."""
    url = pages.address("authenticate", client_secret)
    if return_url:
        return {"type": "redirect_to_url", "redirect_to_url": {"return_url": return_url, "url": url}}
    return {
        "type": "use_stripe_sdk",
        "use_stripe_sdk": {"type": "three_d_secure_redirect", "stripe_js": url, "directory_server_name": "visa"},
    }


def finish(ctx: Ctx, client_secret: str, *, passed: bool) -> Challenge:
    """End a shopper's authentication; answers what it was for, the intent as it is afterwards.

    Raises: StripeError where nothing waits under the client secret.
    """
    flow, challenge = _waiting(client_secret)
    flow.go_on(ctx, challenge, passed)
    challenge.intent.refresh_from_db()
    return challenge


def _waiting(client_secret: str) -> tuple[Flow, Challenge]:
    flow = _FLOWS.get(client_secret.partition("_")[0] + "_")
    challenge = None if flow is None else flow.find(client_secret)
    if flow is None or challenge is None:
        raise StripeError("Nothing waits to be authenticated here.", status=404, code="resource_missing")
    return flow, challenge


@pages.page("authenticate")
def page(ctx: Ctx, request: HttpRequest, client_secret: str) -> HttpResponse:
    """The bank's question: GET shows it, POST with `outcome` success or fail answers it."""
    try:
        if request.method == "POST":
            return _answered(ctx, request, client_secret)
        flow, challenge = _waiting(client_secret)
    except StripeError as error:
        return pages.html("Nothing to do", f"<p>{escape(error.message)}</p>", error.status)
    what = f"a payment of {escape(challenge.amount)}" if challenge.amount else "saving your card"
    buttons = "".join(
        f'<p><button name="outcome" value="{value}">{label}</button></p>'
        for value, label in (("success", "Complete authentication"), ("fail", "Fail authentication"))
    )
    return pages.html("3D Secure", f'<p>Your bank asks you to confirm {what}.</p><form method="post">{buttons}</form>')


def _answered(ctx: Ctx, request: HttpRequest, client_secret: str) -> HttpResponse:
    outcome = parse_qs(request.body.decode("utf-8", "replace")).get("outcome", ["success"])[0]
    if outcome not in ("success", "fail"):
        return pages.html("Nothing done", "<p>outcome must be success or fail.</p>", 400)
    passed = outcome == "success"
    flow, _ = _waiting(client_secret)
    challenge = finish(ctx, client_secret, passed=passed)
    if not challenge.return_url:
        return pages.html("Thank you", f"<p>Authentication {'completed' if passed else 'failed'}.</p>")
    told = urlencode(
        {
            flow.name: challenge.intent.pk,
            f"{flow.name}_client_secret": client_secret,
            "redirect_status": "succeeded" if passed else "failed",
        }
    )
    sign = "&" if "?" in challenge.return_url else "?"
    return HttpResponse(303, (("location", f"{challenge.return_url}{sign}{told}"),))
