"""How do links to files behave?"""

from __future__ import annotations

from typing import Any

from worlds.engine import Ctx, HttpRequest, HttpResponse
from worlds.stripe import pages
from worlds.stripe.api import changing, listing, wire
from worlds.stripe.api.call import Call, utc
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import File, FileLink
from worlds.stripe.resources import files

NOUN = "file link"

loads(FileLink)


@wire.shaped("file_link")
def _shape(link: FileLink) -> dict[str, Any]:
    return {"url": pages.address("links", link.x_token)}


@operation("PostFileLinks")
def create(call: Call) -> FileLink:
    file = find(call, File, call.params["file"], noun=files.NOUN, param="file", in_path=False)
    return files.link(call, file, call.params)


@operation("GetFileLinksLink")
def retrieve(call: Call) -> FileLink:
    return find(call, FileLink, call.path["link"], noun=NOUN, param="link")


@operation("PostFileLinksLink")
def update(call: Call) -> FileLink:
    """Change when a link expires: "now" ends it, "" lets it last."""
    row = find(call, FileLink, call.path["link"], noun=NOUN, param="link")
    values = changing.values(call.params, ("metadata",), row)
    until = call.params.get("expires_at")
    if "expires_at" in call.params:
        if row.expired:
            raise StripeError("This file link has expired, and cannot be changed any more.", param="expires_at")
        if isinstance(until, int) and until <= call.now_s:
            raise StripeError("The expires_at date must be in the future.", param="expires_at")
        values["expires_at"] = call.now if until == "now" else utc(until) if isinstance(until, int) else None
        values["expired"] = until == "now"
    changing.change(row, values)
    files.schedule_end(call, row)
    return row


@operation("GetFileLinks")
def list_all(call: Call) -> dict[str, Any]:
    rows = call.rows(FileLink).filter(listing.equal(call, "created", "expired", "file"))
    return listing.page(call, rows, noun=NOUN)


@pages.page("links")
def show(ctx: Ctx, request: HttpRequest, rest: str) -> HttpResponse:
    """The bytes of the file a link leads to, for anybody."""
    link = FileLink.objects.select_related("file").filter(x_token=rest).first()
    if link is None or link.expired:
        return pages.html("Not found", "<p>This link has expired, or never led anywhere.</p>", 404)
    return files.contents(link.file)
