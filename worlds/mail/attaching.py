"""How do files come in with a message, and go on with the next?"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from worlds.engine import Ctx
from worlds.mail import errors, records
from worlds.mail.letters import Enclosure
from worlds.mail.models import Attachment, Draft, File, Message

#: Of one file, and of all files of a message, in bytes.
MOST_OF_ONE = 1_000_000
MOST_OF_ALL = 3_000_000


#: What endings of file names stand for. The machine's own list differs from one to the next.
_TYPES = {
    "csv": "text/csv",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "eml": "message/rfc822",
    "gif": "image/gif",
    "html": "text/html",
    "ics": "text/calendar",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "json": "application/json",
    "md": "text/markdown",
    "pdf": "application/pdf",
    "png": "image/png",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "svg": "image/svg+xml",
    "txt": "text/plain",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "application/xml",
    "zip": "application/zip",
}


class Attached(BaseModel):
    """A file to go with a message: its content as text or base64, or an attachment there is already."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: Annotated[
        str, Field(description="File name, such as offer.csv. Not needed with attachment_id.", max_length=200)
    ] = ""
    content_type: Annotated[
        str, Field(description="Such as text/csv. Default: what the name's ending stands for.", max_length=100)
    ] = ""
    text: Annotated[str | None, Field(description="The content, where it is text.", max_length=MOST_OF_ONE)] = None
    content_base64: Annotated[
        str | None, Field(description="The content in base64, where it is not.", max_length=MOST_OF_ONE * 4 // 3 + 4)
    ] = None
    attachment_id: Annotated[
        str | None, Field(description="Id of an attachment to send again, such as att_4f….", max_length=40)
    ] = None


def enclose(ctx: Ctx, attached: Sequence[Attached] | None) -> list[Enclosure]:
    """The files a caller gives, their content kept.

    Raises: BadAttachment, NotFound.
    """
    enclosures = [_enclosed(ctx, each) for each in attached or ()]
    if sum(each.size for each in enclosures) > MOST_OF_ALL:
        raise errors.BadAttachment(
            enclosures[-1].name,
            f"makes the message larger than {MOST_OF_ALL} bytes. Send the files in several.",
        )
    return enclosures


def _enclosed(ctx: Ctx, given: Attached) -> Enclosure:
    if sum(part is not None for part in (given.text, given.content_base64, given.attachment_id)) != 1:
        raise errors.BadAttachment(given.name, "needs exactly one of text, content_base64 or attachment_id.")
    if given.attachment_id is not None:
        known = records.attachment(ctx, given.attachment_id)
        return Enclosure(given.name.strip() or known.name, known.content_type, known.size, known.file_id)
    name = " ".join(given.name.replace("/", "_").replace("\\", "_").split())
    if not name:
        raise errors.BadAttachment(given.name, "needs a name, such as offer.csv.")
    content = _decoded(name, given)
    if len(content) > MOST_OF_ONE:
        raise errors.BadAttachment(name, f"is larger than {MOST_OF_ONE} bytes. Send a smaller file.")
    return keep(name, given.content_type.strip().lower(), content)


def keep(name: str, content_type: str, content: bytes) -> Enclosure:
    """Keep a file's content, unless it is there already."""
    digest = hashlib.sha256(content).hexdigest()
    if not File.objects.filter(pk=digest).exists():
        File(digest=digest, content=content).save(force_insert=True)
    guessed = _TYPES.get(name.rpartition(".")[2].lower(), "application/octet-stream")
    return Enclosure(name, content_type or guessed, len(content), digest)


def _decoded(name: str, given: Attached) -> bytes:
    if given.text is not None:
        return given.text.encode()
    try:
        return base64.b64decode(given.content_base64 or "", validate=True)
    except (binascii.Error, ValueError):
        raise errors.BadAttachment(name, "is no base64. Encode its bytes, or give its content as text.") from None


def enclosed(holder: Message | Draft) -> list[Enclosure]:
    """The files of a message or a draft, to go on with another."""
    return [
        Enclosure(each.name, each.content_type, each.size, each.file_id)
        for each in holder.attachments.order_by("position")
    ]


def attach(ctx: Ctx, draft: Draft, enclosures: Sequence[Enclosure]) -> bool:
    """Leave a draft with exactly these files; answers whether that changed anything."""
    if enclosed(draft) == list(enclosures):
        return False
    draft.attachments.all().delete()
    for position, (name, content_type, size, digest) in enumerate(enclosures):
        Attachment(
            id=f"att_{ctx.ids.token(14)}",
            draft=draft,
            position=position,
            name=name,
            content_type=content_type,
            size=size,
            file_id=digest,
        ).save(force_insert=True)
    return True
