"""What travels between mailboxes?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from worlds.engine import Ctx


class Enclosure(NamedTuple):
    """A file on its way: what an attachment of it is called, and where its content is kept."""

    name: str
    content_type: str
    size: int
    digest: str


@dataclass(frozen=True, kw_only=True)
class Letter:
    """A message as every copy of it has it; `bcc` is known to the sender alone."""

    header_id: str
    from_address: str
    from_name: str
    to: Sequence[str]
    cc: Sequence[str] = ()
    bcc: Sequence[str] = ()
    subject: str
    body: str
    sent_at: datetime
    in_reply_to: str = ""
    reference_ids: Sequence[str] = ()
    auto_submitted: str = "no"
    list_id: str = ""
    enclosures: Sequence[Enclosure] = ()

    @property
    def named(self) -> list[str]:
        """The recipients that everybody sees."""
        return [*self.to, *self.cc]

    @property
    def recipients(self) -> list[str]:
        """Everybody it goes to, each once."""
        return list(dict.fromkeys([*self.to, *self.cc, *self.bcc]))

    @property
    def relatives(self) -> list[str]:
        """The Message-IDs that tell which conversation it belongs to."""
        return [self.header_id, *([self.in_reply_to] if self.in_reply_to else []), *self.reference_ids]


def new_message_id(ctx: Ctx) -> str:
    return f"msg_{ctx.ids.token(14)}"


def header_id(message_id: str, domain: str) -> str:
    """The Message-ID header of a message that begins its way as the copy `message_id`."""
    return f"<{message_id}@{domain}>"
