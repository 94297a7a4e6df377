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


_STYLE = (
    ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:0}"
    "main{max-width:32rem;margin:0 auto;padding:1rem}label{display:block}fieldset{margin:0 0 1rem}"
    "input:not([type=checkbox]),select{display:block;box-sizing:border-box;width:100%;font:inherit;padding:.4rem}"
    "button{font:inherit;padding:.5rem 1rem}table{width:100%;border-collapse:collapse}th{text-align:start}"
    "td:last-child{text-align:end}.alert{border:2px solid;padding:.5rem}"
    ".unseen{position:absolute;left:-999rem}"
)


def html(title: str, body: str, status: int = 200) -> HttpResponse:
    """A plain page that needs nothing from elsewhere, for light and dark."""
    text = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<title>{title}</title><style>{_STYLE}</style></head>"
        f"<body><main><h1>{title}</h1>{body}</main></body></html>"
    )
    return HttpResponse(status, (("content-type", "text/html; charset=utf-8"),), text.encode())
