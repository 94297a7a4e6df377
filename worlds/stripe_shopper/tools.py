"""How does an agent pay where a shopper would?"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

import orjson
from pydantic import Field

from worlds.engine import Ctx, HttpRequest, HttpResponse, ToolError, WorldHandle, Worlds, tool

#: The part of an address that names a page, however the server around it is called.
_PAGE = re.compile(r"/_(?P<page>checkout|plink|authenticate)/[^?#\s]+(\?[^#\s]*)?")
_SESSION = """
    SELECT id AS session, status, payment_status, amount_total, currency FROM checkout_sessions WHERE id = ?
"""


class Embedded(Worlds):
    """The world whose pages are visited."""

    stripe: WorldHandle


class NoPage(ToolError):
    def __init__(self, url: str) -> None:
        super().__init__(
            "not_found",
            f"{url!r:.200} leads to no page; give the url of a Checkout Session that is open, of a payment link, or of "
            f"a next_action.redirect_to_url.",
        )


class NotTaken(ToolError):
    """The page wants something else; nothing was paid or tried."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__("not_taken", error["message"], param=error.get("param"))


@tool
def pay_as_shopper(
    ctx: Ctx[Embedded],
    url: Annotated[str, Field(description="The url of a Checkout Session, a payment link, or a 3D Secure page.")],
    payment_method: Annotated[
        str, Field(description="A test payment method, such as pm_card_visa or pm_card_chargeDeclined.")
    ] = "pm_card_visa",
    email: Annotated[
        str | None, Field(description="The shopper's email; sessions of a known customer have it.")
    ] = None,
    name: Annotated[str | None, Field(description="The shopper's name.")] = None,
    details: Annotated[
        dict[str, Any] | None,
        Field(description='What else the page asks for: {"promotion_code": "…", "address": {"country": "US", …}, …}.'),
    ] = None,
    authentication: Annotated[
        Literal["success", "fail"], Field(description="What becomes of 3D Secure, if the bank asks for it.")
    ] = "success",
) -> dict[str, Any]:
    """Pay at a page as a shopper does, through 3D Secure where the bank asks for it. A decline is a result, with the
    page's words as `refusal`, and may be followed by another try.
    """
    path, page = _page_of(url)
    if page == "plink":
        path, page = _page_of(_location(ctx, HttpRequest.of("GET", path)) or url)
    if page == "authenticate":
        back = _authenticate(ctx, path, authentication)
        return {"authentication": authentication, "redirected_to": back}
    id = path.removeprefix("/_checkout/").partition("?")[0].partition("/")[0]
    told = {**(details or {}), "email": email, "name": name}
    if "card" not in told:
        told["payment_method"] = payment_method
    answer = _ask(ctx, HttpRequest.of("POST", f"/_checkout/{id}/pay", body=orjson.dumps(told)))
    found: dict[str, Any] = answer.json()
    if answer.status == 404:
        raise NoPage(url)
    if answer.status == 402:
        return {**_session(ctx, id), "refusal": found["error"]["message"], "redirected_to": None}
    if answer.status != 200:
        raise NotTaken(found["error"])
    onward: str | None = found["redirect"]
    if onward and (asked := _PAGE.search(onward)) and asked["page"] == "authenticate":
        onward = _authenticate(ctx, asked[0], authentication)
        if ours := _PAGE.search(onward or ""):
            onward = _location(ctx, HttpRequest.of("GET", ours[0]))
    state = _session(ctx, id)
    refusal = "The bank did not confirm who is paying." if state["status"] == "open" else None
    return {**state, "refusal": refusal, "redirected_to": onward}


def _page_of(url: str) -> tuple[str, str]:
    """The path and the kind of a page.

    Raises: NoPage.
    """
    found = _PAGE.search(url)
    if found is None:
        raise NoPage(url)
    return found[0], found["page"]


def _authenticate(ctx: Ctx[Embedded], path: str, outcome: str) -> str | None:
    """Answer the bank; where the shopper is sent then."""
    form = {"content-type": "application/x-www-form-urlencoded"}
    return _location(ctx, HttpRequest.of("POST", path, headers=form, body=f"outcome={outcome}"))


def _location(ctx: Ctx[Embedded], request: HttpRequest) -> str | None:
    """Where a page leads.

    Raises: NoPage for one that is not there any more.
    """
    answer = _ask(ctx, request)
    if answer.status >= 400 and answer.status != 402:
        raise NoPage(request.path)
    return dict(answer.headers).get("location")


def _ask(ctx: Ctx[Embedded], request: HttpRequest) -> HttpResponse:
    return ctx.worlds.stripe.http(request)


def _session(ctx: Ctx[Embedded], id: str) -> dict[str, Any]:
    found: dict[str, Any] | None = ctx.worlds.stripe.db.one(_SESSION, id)
    if found is None:
        raise NoPage(id)
    return found
