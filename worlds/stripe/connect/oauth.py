"""How does a platform come to act for an account that was there before, and how does that end?

`GET /oauth/authorize` asks the account's owner, and leads back with a code; `POST /oauth/token` makes a key of it,
which acts for the account; `POST /oauth/deauthorize` lets the account go.
"""

from __future__ import annotations

from datetime import timedelta
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from worlds.engine import Ctx, HttpRequest, HttpResponse
from worlds.stripe import pages
from worlds.stripe.api import keys
from worlds.stripe.api.accounts import CONNECTED_KEYS
from worlds.stripe.api.call import Call, account_fragment
from worlds.stripe.connect import accounts, onboarding, requirements
from worlds.stripe.models import Account, AccountLink
from worlds.stripe.resources.application_fees import application_of

_LASTS = timedelta(minutes=5)


def serve(ctx: Ctx, request: HttpRequest) -> HttpResponse | None:
    """Answer for what is below `/oauth`; None where the path is another."""
    run = _PATHS.get((request.method, request.path.rstrip("/")))
    if run is None:
        return None
    text = request.query if request.method == "GET" else request.body.decode("utf-8", "replace")
    return run(ctx, request, {name: values[-1] for name, values in parse_qs(text).items()})


def _refusal(error: str, description: str, status: int = 400) -> HttpResponse:
    return HttpResponse.of_json({"error": error, "error_description": description}, status)


def _authorize(ctx: Ctx, request: HttpRequest, given: dict[str, str]) -> HttpResponse:
    if given.get("response_type") != "code":
        return _refusal("unsupported_response_type", "response_type must be `code`")
    if given.get("client_id") != application_of(account_fragment(ctx, "")):
        return _refusal("invalid_client", f"No application matches the supplied client identifier: "
                                          f"{given.get('client_id', '')}")  # fmt: skip
    if urlsplit(given.get("redirect_uri", "")).scheme not in ("http", "https"):
        return _refusal("invalid_redirect_uri", "redirect_uri must be an address of yours")
    hidden = "".join(
        f'<input type="hidden" name="{name}" value="{escape(given[name])}">'
        for name in ("redirect_uri", "scope", "state")
        if name in given
    )
    buttons = "".join(
        f'<p><button name="answer" value="{value}">{label}</button></p>'
        for value, label in (("yes", "Connect my account"), ("no", "Cancel"))
    )
    return pages.html(
        "Connect your account", f'<form method="post">{hidden}<p>A platform asks to act for you.</p>{buttons}</form>'
    )


def _answered(ctx: Ctx, request: HttpRequest, given: dict[str, str]) -> HttpResponse:
    told = {"state": given["state"]} if "state" in given else {}
    if given.get("answer") != "yes":
        told |= {"error": "access_denied", "error_description": "The user denied your request"}
    else:
        call = Call.of_clock(ctx)
        account = accounts.open_account(call, {"type": "standard", "email": "owner@example.com"})
        onboarding.answer(call, account)
        code = f"ac_{call.token(32)}"
        AccountLink.objects.create(
            id=code, account=account, created=call.now, expires_at=call.now + _LASTS, type="oauth_code"
        )
        told |= {"scope": given.get("scope", "read_only"), "code": code}
    base = given.get("redirect_uri", "")
    return HttpResponse(303, (("location", f"{base}{'&' if '?' in base else '?'}{urlencode(told)}"),))


def _token(ctx: Ctx, request: HttpRequest, given: dict[str, str]) -> HttpResponse:
    if not (given.get("client_secret") or keys.shown_in(request)):
        return _refusal("invalid_client", "No API key provided: pass it as client_secret.", 401)
    kind = given.get("grant_type")
    if kind not in ("authorization_code", "refresh_token"):
        return _refusal("unsupported_grant_type", f"Unsupported grant type: {kind}")
    if kind == "refresh_token":
        known = {f"rt_{key.removeprefix('sk_test_')}": id for key, id in ctx.state.get(CONNECTED_KEYS, {}).items()}
        id = known.get(given.get("refresh_token", ""))
        if id is None:
            return _refusal("invalid_grant", f"Refresh token does not exist: {given.get('refresh_token', '')}")
        return HttpResponse.of_json(_granted(Call.of_clock(ctx), id))
    code, call = given.get("code", ""), Call.of_clock(ctx)
    row = AccountLink.objects.filter(pk=code, type="oauth_code").first()
    if row is None or row.account_id is None:
        return _refusal("invalid_grant", f"Authorization code does not exist: {code}")
    if row.used or row.expires_at <= call.now:
        return _refusal("invalid_grant", f"Authorization code expired or was used already: {code}")
    row.used = True
    row.save(update_fields=["used"])
    requirements.acting(call, row.account_id).emit("account.application.authorized", _application(ctx))
    return HttpResponse.of_json(_granted(call, row.account_id))


def _application(ctx: Ctx) -> dict[str, Any]:
    return {"id": application_of(account_fragment(ctx, "")), "object": "application", "name": "Platform"}


def _granted(call: Call, account: str) -> dict[str, Any]:
    """A key that acts for an account, and what comes with it."""
    rest = call.token(24)
    call.ctx.state[CONNECTED_KEYS] = {**call.ctx.state.get(CONNECTED_KEYS, {}), f"sk_test_{rest}": account}
    return {
        "access_token": f"sk_test_{rest}", "livemode": False, "refresh_token": f"rt_{rest}", "scope": "read_write",
        "stripe_publishable_key": f"pk_test_{rest}", "stripe_user_id": account, "token_type": "bearer",
    }  # fmt: skip


def _deauthorize(ctx: Ctx, request: HttpRequest, given: dict[str, str]) -> HttpResponse:
    id, call = given.get("stripe_user_id", ""), Call.of_clock(ctx)
    account = Account.objects.filter(pk=id, x_is_platform=False, deleted=False).first()
    if account is None or given.get("client_id") != application_of(account_fragment(ctx, "")):
        return _refusal("invalid_client", f"This application is not connected to stripe account {id}, or that account "
                                          "does not exist.", 401)  # fmt: skip
    requirements.acting(call, id).emit("account.application.deauthorized", _application(ctx))
    account.deleted = True
    account.save(update_fields=["deleted"])
    ctx.state[CONNECTED_KEYS] = {key: of for key, of in ctx.state.get(CONNECTED_KEYS, {}).items() if of != id}
    return HttpResponse.of_json({"stripe_user_id": id})


_PATHS = {
    ("GET", "/oauth/authorize"): _authorize,
    ("POST", "/oauth/authorize"): _answered,
    ("POST", "/oauth/token"): _token,
    ("POST", "/oauth/deauthorize"): _deauthorize,
}
