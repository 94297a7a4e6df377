"""What do several tools take?"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from worlds.mail.attaching import Attached

Address = Annotated[str, Field(max_length=320)]
InMailbox = Annotated[
    str,
    Field(
        description="Address of the mailbox to act in. Default: yours. Shared ones are open to everybody, others to "
        "admins.",
        max_length=254,
    ),
]
OfMailbox = Annotated[
    str,
    Field(
        description="Address of the mailbox it lies in. Only needed with a Message-ID header and another mailbox than "
        "yours.",
        max_length=254,
    ),
]
MessageId = Annotated[
    str,
    Field(description="Id of a message, such as msg_4f…, or its Message-ID header in angle brackets.", max_length=300),
]
MessageIds = Annotated[
    list[MessageId], Field(description="Ids of messages, all of one mailbox.", min_length=1, max_length=200)
]
ThreadId = Annotated[str, Field(description="Id of a thread, such as thr_4f….", max_length=40)]
ThreadIds = Annotated[
    list[ThreadId],
    Field(description="Ids of threads, to take every message in them.", min_length=1, max_length=50),
]
DraftId = Annotated[str, Field(description="Id of a draft, such as draft_4f….", max_length=40)]

To = Annotated[list[Address], Field(description="Addresses it goes to.", max_length=100)]
Cc = Annotated[list[Address], Field(description="Addresses that get a copy.", max_length=100)]
Bcc = Annotated[list[Address], Field(description="Addresses that get a copy unseen by the others.", max_length=100)]
Subject = Annotated[str, Field(description="Subject line.", max_length=300)]
Body = Annotated[str, Field(description="The text. The mailbox's signature is put below it.", max_length=100_000)]
Attachments = Annotated[
    list[Attached], Field(description="Files to go with it, of 1 MB each and 3 MB together at most.", max_length=10)
]
SendAt = Annotated[
    datetime,
    Field(description="Send it by itself at this instant, such as 2026-06-02T07:30:00Z, instead of now."),
]
Moment = Annotated[datetime, Field(description="Instant with time zone, such as 2026-06-01T09:00:00Z.")]
LabelName = Annotated[str, Field(max_length=60)]

Limit = Annotated[int, Field(description="How many to return at most.", ge=1, le=100)]
Cursor = Annotated[
    str,
    Field(description="next_cursor of the page before, to go on from there; keep filters and order.", max_length=400),
]
