"""How do files behave?"""

from __future__ import annotations

import re
from typing import Any

from worlds.engine import Ctx, HttpRequest, HttpResponse
from worlds.stripe import pages
from worlds.stripe.api import changing, errors, keys, listing, wire
from worlds.stripe.api.call import Call, utc
from worlds.stripe.api.decoding import Upload
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import File, FileContent, FileLink

NOUN = "file upload"
_MIB = 1024 * 1024
#: What may be uploaded for what, and how large; every other purpose takes the usual kinds up to the usual size.
_LARGEST, _USUAL = {"business_icon": _MIB // 2, "business_logo": _MIB // 2, "dispute_evidence": 5 * _MIB}, 16 * _MIB
_PICTURES = frozenset(["gif", "jpg", "png"])
_KINDS = {
    "business_icon": _PICTURES, "business_logo": _PICTURES, "dispute_evidence": frozenset(["jpg", "pdf", "png"]),
    "identity_document": frozenset(["jpg", "pdf", "png"]), "customer_signature": _PICTURES,
    "terminal_reader_splashscreen": _PICTURES,
}  # fmt: skip
#: How the contents of a kind begin.
_BEGINS = {b"%PDF": "pdf", b"\x89PNG": "png", b"\xff\xd8\xff": "jpg", b"GIF8": "gif", b"PK\x03\x04": "zip"}
_BY_TYPE = {"text/csv": "csv", "application/json": "json", "text/plain": "txt", "application/xml": "xml"}
#: As what contents are handed out; others as bytes that no browser shows, whatever they were uploaded as.
_SHOWN_AS = {
    "csv": "text/csv; charset=utf-8", "gif": "image/gif", "jpg": "image/jpeg", "json": "application/json",
    "pdf": "application/pdf", "png": "image/png", "txt": "text/plain; charset=utf-8",
}  # fmt: skip
#: What a header's quoted text does not carry.
_NOT_IN_NAMES = re.compile(r'[^ -~]|["\\]')
#: Links shown within a file.
_LINKS_SHOWN = 10

loads(File)


@wire.shaped("file")
def _shape(file: File) -> dict[str, Any]:
    links = FileLink.objects.filter(file=file).order_by("-x_seq")
    found = list(links[: _LINKS_SHOWN + 1])
    url = f"/v1/file_links?file={file.id}"
    shown = [wire.of(link) for link in found[:_LINKS_SHOWN]]
    return {
        "url": pages.address("files", f"{file.id}/contents"),
        "links": listing.envelope(shown, url=url, has_more=len(found) > _LINKS_SHOWN),
    }


@operation("PostFiles")
def create(call: Call) -> File:
    """Keep an uploaded file; with `file_link_data` also make a link to it."""
    upload: Upload = call.params["file"]
    purpose = call.params["purpose"]
    kind = _kind(upload)
    if not upload.data:
        raise StripeError("The file you uploaded is empty.", param="file")
    largest = _LARGEST.get(purpose, _USUAL)
    if len(upload.data) > largest:
        raise StripeError(
            f"The file you uploaded is too large: files with the purpose {purpose} can be up to {largest} bytes.",
            param="file",
        )
    if purpose in _KINDS and kind not in _KINDS[purpose]:
        raise StripeError(
            f"File for key file is of an unsupported type; files with the purpose {purpose} can be "
            f"{errors.listed(sorted(_KINDS[purpose]))}.",
            param="file",
        )
    file = call.make(
        File, "file_", purpose=purpose, size=len(upload.data), filename=upload.filename or None, type=kind
    )  # fmt: skip
    FileContent.objects.create(id=file.id, data=upload.data)
    data = call.params.get("file_link_data")
    if data and data["create"]:
        link(call, file, data)
    call.emit("file.created", file)
    return file


def _kind(upload: Upload) -> str | None:
    """What the contents are; where they do not say, what the client says."""
    for begins, kind in _BEGINS.items():
        if upload.data.startswith(begins):
            return kind
    _, dot, ending = upload.filename.rpartition(".")
    return _BY_TYPE.get(upload.content_type) or (ending.lower()[:20] if dot else None)


def link(call: Call, file: File, params: dict[str, Any]) -> FileLink:
    """A new link to a file.

    Raises: StripeError for one that would have expired already.
    """
    until = params.get("expires_at")
    if until is not None and until <= call.now_s:
        raise StripeError("The expires_at date must be in the future.", param="expires_at")
    row = call.make(
        FileLink, "link_", file=file, x_token=call.token(32), expires_at=None if until is None else utc(until),
        metadata=changing.metadata(None, params.get("metadata")),
    )  # fmt: skip
    schedule_end(call, row)
    return row


def schedule_end(call: Call, link: FileLink) -> None:
    """Let a link expire when its time has come."""
    if link.expires_at is not None and not link.expired:
        call.ctx.schedule(link.expires_at, "file_link_expires", {"link": link.id})


@operation("GetFilesFile")
def retrieve(call: Call) -> File:
    return find(call, File, call.path["file"], noun=NOUN, param="file")


@operation("GetFiles")
def list_all(call: Call) -> dict[str, Any]:
    return listing.page(call, call.rows(File).filter(listing.equal(call, "created", "purpose")), noun=NOUN)


@pages.page("files")
def show_contents(ctx: Ctx, request: HttpRequest, rest: str) -> HttpResponse:
    """The bytes of a file, for whoever shows a secret key."""
    try:
        keys.key_of(request)
    except StripeError as error:
        return HttpResponse.of_json(error.body(), error.status, error.headers)
    file = File.objects.filter(pk=rest.partition("/")[0]).first()
    if file is None or rest.partition("/")[2] != "contents":
        return HttpResponse.of_json(errors.unknown_url(request.method, request.path).body(), 404)
    return contents(file)


def contents(file: File) -> HttpResponse:
    """The bytes of a file, as they were uploaded."""
    data = FileContent.objects.get(pk=file.id).data
    name = _NOT_IN_NAMES.sub("_", file.filename or file.id)
    kind = _SHOWN_AS.get(file.type or "")
    headers = (
        ("content-type", kind or "application/octet-stream"),
        ("content-disposition", f'{"inline" if kind else "attachment"}; filename="{name}"'),
        ("x-content-type-options", "nosniff"),
    )
    return HttpResponse(200, headers, bytes(data))
