"""Where does a shopper find the pages that the account shows?

Rows hold addresses under a name of their own, so that they are the same wherever the account runs; what leaves over
HTTP names the server that was asked.
"""

from __future__ import annotations

from collections.abc import Callable

from worlds.engine import Ctx, HttpRequest, HttpResponse

_STORED = "https://hooks.stripe.com"
Page = Callable[[Ctx, HttpRequest, str], HttpResponse]
#: What answers below `/_<name>/`: by that name.
_PAGES: dict[str, Page] = {}


def page(name: str) -> Callable[[Page], Page]:
    """Register a page `fn(ctx, request, rest)`: `rest` is the path after its name."""

    def register(fn: Page) -> Page:
        _PAGES[name] = fn
        return fn

    return register


def address(name: str, rest: str) -> str:
    """The address of a page, as rows hold it."""
    return f"{_STORED}/_{name}/{rest}"


def show(ctx: Ctx, request: HttpRequest) -> HttpResponse | None:
    """Answer for a page; None where the path is no page's."""
    name, _, rest = request.path.removeprefix("/_").partition("/")
    found = _PAGES.get(name) if request.path.startswith("/_") else None
    return None if found is None else found(ctx, request, rest)


def abroad(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """An answer whose addresses lead to the server that was asked."""
    host = request.header("host")
    if not host:
        return answer
    scheme, prefix = request.header("x-forwarded-proto") or "http", request.header("x-forwarded-prefix") or ""
    base = f"{scheme}://{host}{prefix}/_"
    headers = tuple((name, value.replace(f"{_STORED}/_", base)) for name, value in answer.headers)
    return HttpResponse(answer.status, headers, answer.body.replace(f"{_STORED}/_".encode(), base.encode()))


def html(title: str, body: str, status: int = 200) -> HttpResponse:
    """A plain page that needs nothing from elsewhere."""
    text = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title></head>'
        f"<body><main><h1>{title}</h1>{body}</main></body></html>"
    )
    return HttpResponse(status, (("content-type", "text/html; charset=utf-8"),), text.encode())
