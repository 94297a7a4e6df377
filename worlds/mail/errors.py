"""What does mail refuse, and in which words?

Four codes: `not_found`, `invalid_input`, `conflict` and `permission_denied`. Each refusal says what to do instead.
"""

from __future__ import annotations

from typing import Any

from worlds.engine import ToolError


class NotFound(ToolError):
    """No record has that id, or none that you may see."""

    _LISTED_BY = {
        "thread": "list_threads or search_messages",
        "message": "search_messages or get_thread",
        "draft": "list_drafts",
        "filter": "list_filters",
        "attachment": "get_message or get_thread",
    }

    def __init__(self, resource: str, *ids: str) -> None:
        listed = ", ".join(ids)
        super().__init__(
            "not_found",
            f"There is no {resource} with id {listed}. Look ids up with {self._LISTED_BY[resource]}; for those of "
            f"another mailbox, name it as mailbox.",
            resource=resource,
            ids=list(ids),
        )


class NoSuchMailbox(ToolError):
    def __init__(self, address: str) -> None:
        super().__init__(
            "not_found",
            f"There is no mailbox with the address {address}. list_mailboxes shows them all.",
            resource="mailbox",
            address=address,
        )


class NoMailboxYet(ToolError):
    def __init__(self) -> None:
        super().__init__(
            "not_found",
            "There is no mailbox to act in yet. Make the first one with create_mailbox.",
            resource="mailbox",
        )


class LabelNotFound(ToolError):
    def __init__(self, name: str) -> None:
        super().__init__(
            "not_found",
            f"This mailbox has no label {name!r}. list_labels shows those it has; label_messages makes new ones.",
            resource="label",
            name=name,
        )


class NobodyHere(ToolError):
    def __init__(self, addresses: list[str]) -> None:
        super().__init__(
            "not_found",
            f"No mailbox here takes mail for {', '.join(addresses) or 'nobody'}, so nothing was delivered. "
            f"list_mailboxes shows who has one.",
            resource="mailbox",
            addresses=addresses,
        )


class InvalidInput(ToolError):
    """An argument has the right type and no sense; `field` is the argument."""

    def __init__(self, field: str, message: str, **details: Any) -> None:
        super().__init__("invalid_input", message, field=field, **details)


class InvalidAddress(InvalidInput):
    def __init__(self, field: str, address: str) -> None:
        super().__init__(field, f"{address!r} is not an email address. Give one such as ada@example.com.")


class EmptyText(InvalidInput):
    def __init__(self, field: str) -> None:
        super().__init__(field, f"{field} is empty. Give it some text.")


class InvalidCursor(InvalidInput):
    def __init__(self) -> None:
        super().__init__(
            "cursor",
            "This cursor does not belong to this list. Pass next_cursor of the page before, with the same filters and "
            "order, or leave it out to start from the first page.",
        )


class NoRecipient(InvalidInput):
    def __init__(self) -> None:
        super().__init__("to", "There is nobody to send it to. Give at least one address in to, cc or bcc.")


class TooManyRecipients(InvalidInput):
    def __init__(self, most: int) -> None:
        super().__init__("to", f"A message goes to at most {most} addresses. Send it in several parts.", most=most)


class ExactlyOne(InvalidInput):
    """Two arguments exclude each other, or none of them was given."""

    def __init__(self, *fields: str) -> None:
        named = f"{', '.join(fields[:-1])} or {fields[-1]}"
        super().__init__(fields[0], f"Give exactly one of {named}.", fields=list(fields))


class AtLeastOne(InvalidInput):
    def __init__(self, *fields: str) -> None:
        named = f"{', '.join(fields[:-1])} or {fields[-1]}"
        super().__init__(fields[0], f"Give at least one of {named}.", fields=list(fields))


class SetAndCleared(InvalidInput):
    def __init__(self, field: str) -> None:
        super().__init__(field, f"{field} is both set and cleared. Leave it out of one of the two.")


class AddedAndRemoved(InvalidInput):
    def __init__(self, label: str) -> None:
        super().__init__("remove", f"The label {label!r} is both added and removed. Leave it out of one of the two.")


class NotInTheFuture(InvalidInput):
    def __init__(self, field: str, now: str) -> None:
        super().__init__(field, f"{field} must lie in the future; it is {now} now. Give a later instant.", now=now)


class EndsBeforeItStarts(InvalidInput):
    def __init__(self) -> None:
        super().__init__("ends_at", "An absence ends after it starts, and not in the past. Give a later ends_at.")


class WithoutTimeZone(InvalidInput):
    def __init__(self, field: str) -> None:
        super().__init__(field, f"{field} has no time zone. Write it as 2026-06-01T09:00:00Z.")


class OutOfRange(InvalidInput):
    def __init__(self, field: str) -> None:
        super().__init__(field, f"{field} is beyond the calendar. Give a year from 2 to 9998.")


class BadAttachment(InvalidInput):
    def __init__(self, name: str, reason: str) -> None:
        super().__init__("attachments", f"The attachment {name!r:.80} {reason}", name=name[:80])


class BadOperator(InvalidInput):
    """A search operator with a value it does not know."""

    def __init__(self, operator: str, value: str, expected: str) -> None:
        super().__init__("query", f"{operator}:{value!s:.60} is not understood. {expected}", operator=operator)


class TextMissing(InvalidInput):
    def __init__(self) -> None:
        super().__init__("text", "There is nothing to answer with. Give text.")


class TurnsOffOnly(InvalidInput):
    def __init__(self, field: str) -> None:
        super().__init__(field, f"{field} belongs to an absence that is on. Leave it out, or set is_on to true.")


class StartsAlready(InvalidInput):
    def __init__(self, since: str) -> None:
        super().__init__(
            "starts_at", f"The absence has begun at {since}. Leave starts_at out, or end it and set a new one."
        )


class ForwardsToItself(InvalidInput):
    def __init__(self, address: str) -> None:
        super().__init__("forward_to", f"{address} is this mailbox itself. Forward to another address.")


class DomainNotHosted(InvalidInput):
    def __init__(self, field: str, domain: str, hosted: list[str]) -> None:
        listed = " or ".join(hosted)
        super().__init__(
            field, f"{domain} is none of this company's domains. Choose an address at {listed}.", domains=hosted
        )


class ComesFromInside(InvalidInput):
    def __init__(self, address: str) -> None:
        super().__init__(
            "from_address",
            f"{address} is an address of this company, and the gateway takes mail from outside only. "
            f"Use send_message for mail from here.",
        )


class Conflict(ToolError):
    """The request makes sense, but not for the records as they are."""

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__("conflict", message, **details)


class AddressTaken(Conflict):
    def __init__(self, address: str, mailbox: str) -> None:
        super().__init__(f"{address} belongs to the mailbox {mailbox} already. Choose another.", mailbox=mailbox)


class MailboxClosed(Conflict):
    def __init__(self, address: str, closed_at: str | None) -> None:
        super().__init__(
            f"The mailbox {address} was closed at {closed_at}: it can be read, and nothing goes out or arrives. "
            f"Use another mailbox.",
            closed_at=closed_at,
        )


class CannotCloseOwn(Conflict):
    def __init__(self) -> None:
        super().__init__("You cannot close the mailbox you act in. Ask another admin.")


class NotScheduled(Conflict):
    def __init__(self, subject: str) -> None:
        super().__init__(
            f"The draft {subject!r:.80} is not scheduled, so there is nothing to cancel. delete_draft throws it away."
        )


class NothingToSnooze(Conflict):
    def __init__(self, subject: str) -> None:
        super().__init__(
            f"Nothing of the thread {subject!r:.80} is in the inbox. Move it there with move_messages first."
        )


class DuplicateFilter(Conflict):
    def __init__(self, filter_id: str) -> None:
        super().__init__(
            f"The filter {filter_id} does exactly this already. Delete that one if you mean another.",
            filter_id=filter_id,
        )


class PermissionDenied(ToolError):
    def __init__(self, action: str) -> None:
        super().__init__(
            "permission_denied", f"{action} is for admins, and your mailbox is not an admin's. Ask somebody who is."
        )


class NotYourMailbox(ToolError):
    def __init__(self, address: str) -> None:
        super().__init__(
            "permission_denied",
            f"{address} is somebody else's mailbox. You may open your own and shared ones; admins may open any.",
            mailbox=address,
        )
