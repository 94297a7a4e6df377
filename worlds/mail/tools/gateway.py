"""How does mail arrive from outside the company?"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.mail import attaching, delivery, errors, routing, rules
from worlds.mail.letters import Letter, header_id, new_message_id
from worlds.mail.models import Mailbox
from worlds.mail.tools.arguments import Address, Attachments, Cc, Subject, To
from worlds.mail.words import AutoSubmitted

HeaderId = Annotated[str, Field(max_length=300, pattern=r"^<[^<>\s]+>$")]
FromAddress = Annotated[str, Field(description="Who sends it; an address outside the company.", max_length=320)]
FromName = Annotated[str, Field(description="Name of who sends it.", max_length=100)]
Text = Annotated[str, Field(description="The text.", max_length=100_000)]
Unnamed = Annotated[
    list[Address], Field(description="Addresses that get it without being named in it.", max_length=100)
]
OwnHeader = Annotated[HeaderId, Field(description="Its Message-ID, such as <a1@example.com>. Default: a new one.")]
Answered = Annotated[HeaderId, Field(description="Message-ID of the message it answers.")]
References = Annotated[list[HeaderId], Field(description="Message-IDs of the conversation so far.", max_length=50)]
Automatic = Annotated[
    AutoSubmitted, Field(description="no: a person wrote it; otherwise a program did, and nothing answers it.")
]
ListId = Annotated[str, Field(description="The mailing list it came through.", max_length=200)]
IsSpam = Annotated[bool, Field(description="true: the gateway takes it for spam, so it goes there.")]


@tool
def deliver_external(
    ctx: Ctx,
    from_address: FromAddress,
    to: To,
    subject: Subject,
    body: Text,
    from_name: FromName = "",
    cc: Cc | None = None,
    bcc: Unnamed | None = None,
    attachments: Attachments | None = None,
    message_id_header: OwnHeader | None = None,
    in_reply_to: Answered | None = None,
    references: References | None = None,
    auto_submitted: Automatic = "no",
    list_id: ListId = "",
    is_spam: IsSpam = False,
) -> dict[str, Any]:
    """Let a message from outside arrive. This is the mail gateway's entry, where the internet hands mail in; it stands
    for senders elsewhere and is no part of working in a mailbox.

    Every recipient with a mailbox here gets a copy; others are left to their own servers. rejected says who could not
    be reached; when nobody could, nothing is delivered and the call fails.
    """
    sender = rules.clean_address(from_address, "from_address")
    if routing.is_hosted(rules.domain_of(sender)):
        raise errors.ComesFromInside(sender)
    first_id = new_message_id(ctx)
    letter = Letter(
        header_id=message_id_header or header_id(first_id, rules.domain_of(sender)),
        from_address=sender,
        from_name=rules.clean_line(from_name),
        to=rules.clean_addresses(to, "to"),
        cc=rules.clean_addresses(cc or (), "cc"),
        bcc=rules.clean_addresses(bcc or (), "bcc"),
        subject=rules.clean_line(subject),
        body=body.rstrip(),
        sent_at=ctx.clock.now(),
        in_reply_to=in_reply_to or "",
        reference_ids=references or ([in_reply_to] if in_reply_to else []),
        auto_submitted=auto_submitted,
        list_id=rules.clean_line(list_id),
        enclosures=attaching.enclose(ctx, attachments),
    )
    return _handed_in(letter, delivery.distribute(ctx, letter, is_spam=is_spam, first_id=first_id))


def _handed_in(letter: Letter, done: delivery.Distribution) -> dict[str, Any]:
    """What the gateway answers.

    Raises: NobodyHere when nobody could be reached.
    """
    if not done.copies and not done.repeated:
        raise errors.NobodyHere(letter.recipients)
    mailboxes = Mailbox.objects.in_bulk([copy.mailbox_id for copy in done.copies])
    return {
        "message_id_header": letter.header_id,
        "delivered": [
            {
                "mailbox": mailboxes[copy.mailbox_id].address,
                "message_id": copy.id,
                "thread_id": copy.thread_id,
                "folder": copy.folder,
            }
            for copy in done.copies
        ],
        "rejected": [failure._asdict() for failure in done.failures],
    }
