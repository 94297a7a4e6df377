"""What does the mail world store?"""

from __future__ import annotations

from typing import Any

from django.db import models

from worlds.engine import choices, instant, one_of
from worlds.mail import words


class Domain(models.Model):
    """A domain whose mail arrives here; what is sent to an unknown address at it bounces."""

    name = models.CharField(max_length=200, primary_key=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "domains"

    class Roles:
        natural_key = True
        bookkeeping = ("created_at",)

    def __str__(self) -> str:
        return self.name


class Mailbox(models.Model):
    """Where mail to an address arrives: one person's, or shared by a team."""

    id = models.CharField(max_length=40, primary_key=True)
    address = models.CharField(max_length=254, unique=True)
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=choices(words.MailboxKind))
    is_admin = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    signature = models.TextField(blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "mailboxes"
        constraints = [one_of("kind", words.MailboxKind, "mailboxes_kind")]

    class Roles:
        bookkeeping = ("created_at", "updated_at", "closed_at")

    def __str__(self) -> str:
        return self.address

    @property
    def domain(self) -> str:
        return self.address.rpartition("@")[2]

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "address": self.address,
            "name": self.name,
            "kind": self.kind,
            "is_admin": self.is_admin,
            "is_active": self.is_active,
            "closed_at": instant(self.closed_at),
            "created_at": instant(self.created_at),
        }


class Alias(models.Model):
    """A further address of a mailbox."""

    address = models.CharField(max_length=254, primary_key=True)
    mailbox = models.ForeignKey(Mailbox, on_delete=models.CASCADE, related_name="aliases")
    created_at = models.DateTimeField()

    class Meta:
        db_table = "aliases"

    class Roles:
        natural_key = True
        bookkeeping = ("created_at",)

    def __str__(self) -> str:
        return self.address


class Label(models.Model):
    """A word a mailbox's owner puts on messages, made when it is first used."""

    id = models.CharField(max_length=40, primary_key=True)
    mailbox = models.ForeignKey(Mailbox, on_delete=models.CASCADE, related_name="labels", db_index=False)
    name = models.CharField(max_length=60)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "labels"
        constraints = [models.UniqueConstraint(fields=["mailbox", "name"], name="labels_name")]

    class Roles:
        bookkeeping = ("created_at",)

    def __str__(self) -> str:
        return self.name


class Thread(models.Model):
    """A conversation as one mailbox sees it."""

    id = models.CharField(max_length=40, primary_key=True)
    mailbox = models.ForeignKey(Mailbox, on_delete=models.CASCADE, related_name="threads", db_index=False)
    subject = models.CharField(max_length=300, blank=True)
    #: The subject without "Re:" and the like, in lower case: what replies are recognised by.
    topic = models.CharField(max_length=300, blank=True)
    last_message_at = models.DateTimeField()
    snoozed_until = models.DateTimeField(null=True)
    #: The scheduled event that brings a snoozed thread back.
    event_id = models.BigIntegerField(null=True)

    class Meta:
        db_table = "threads"
        indexes = [
            models.Index(fields=["mailbox", "last_message_at", "id"], name="threads_latest"),
            models.Index(fields=["mailbox", "topic"], name="threads_topic"),
        ]

    class Roles:
        bookkeeping = ("event_id",)
        derived = ("topic", "last_message_at")

    def __str__(self) -> str:
        return self.subject

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "subject": self.subject,
            "last_message_at": instant(self.last_message_at),
            "snoozed_until": instant(self.snoozed_until),
        }


class Message(models.Model):
    """One mailbox's copy of a message; copies of the same message share their header_id."""

    id = models.CharField(max_length=40, primary_key=True)
    mailbox = models.ForeignKey(Mailbox, on_delete=models.CASCADE, related_name="messages", db_index=False)
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="messages")
    direction = models.CharField(max_length=10, choices=choices(words.Direction))
    folder = models.CharField(max_length=10, choices=choices(words.Folder))
    from_address = models.CharField(max_length=254)
    from_name = models.CharField(max_length=100, blank=True)
    to_addresses = models.JSONField(default=list)
    cc_addresses = models.JSONField(default=list)
    bcc_addresses = models.JSONField(default=list)
    subject = models.CharField(max_length=300, blank=True)
    body = models.TextField(blank=True)
    header_id = models.CharField(max_length=300)
    in_reply_to = models.CharField(max_length=300, blank=True)
    reference_ids = models.JSONField(default=list)
    auto_submitted = models.CharField(max_length=20, choices=choices(words.AutoSubmitted))
    list_id = models.CharField(max_length=200, blank=True)
    is_read = models.BooleanField()
    is_starred = models.BooleanField(default=False)
    #: Where filters passed it on to.
    forwarded_to = models.JSONField(default=list)
    sent_at = models.DateTimeField()
    received_at = models.DateTimeField()
    labels = models.ManyToManyField(Label, related_name="messages", db_table="message_labels")

    class Meta:
        db_table = "messages"
        constraints = [
            one_of("direction", words.Direction, "messages_direction"),
            one_of("folder", words.Folder, "messages_folder"),
            one_of("auto_submitted", words.AutoSubmitted, "messages_auto_submitted"),
            models.UniqueConstraint(fields=["mailbox", "header_id", "direction"], name="messages_header"),
        ]
        indexes = [models.Index(fields=["mailbox", "received_at", "id"], name="messages_received")]

    class Roles:
        bookkeeping = ("sent_at", "received_at")

    def __str__(self) -> str:
        return self.subject

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "thread_id": self.thread_id,
            "mailbox_id": self.mailbox_id,
            "folder": self.folder,
            "direction": self.direction,
            "from": {"name": self.from_name, "address": self.from_address},
            "to": self.to_addresses,
            "cc": self.cc_addresses,
            "bcc": self.bcc_addresses,
            "subject": self.subject,
            "body": self.body,
            "is_read": self.is_read,
            "is_starred": self.is_starred,
            "header_id": self.header_id,
            "in_reply_to": self.in_reply_to or None,
            "auto_submitted": self.auto_submitted,
            "list_id": self.list_id or None,
            "forwarded_to": self.forwarded_to,
            "sent_at": instant(self.sent_at),
            "received_at": instant(self.received_at),
        }


class Draft(models.Model):
    """A message that has not gone out; one with send_at goes out by itself at that time."""

    id = models.CharField(max_length=40, primary_key=True)
    mailbox = models.ForeignKey(Mailbox, on_delete=models.CASCADE, related_name="drafts")
    thread = models.ForeignKey(Thread, null=True, on_delete=models.CASCADE, related_name="drafts")
    to_addresses = models.JSONField(default=list)
    cc_addresses = models.JSONField(default=list)
    bcc_addresses = models.JSONField(default=list)
    subject = models.CharField(max_length=300, blank=True)
    body = models.TextField(blank=True)
    in_reply_to = models.CharField(max_length=300, blank=True)
    reference_ids = models.JSONField(default=list)
    send_at = models.DateTimeField(null=True)
    #: The scheduled event that sends it.
    event_id = models.BigIntegerField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "drafts"

    class Roles:
        bookkeeping = ("event_id", "created_at", "updated_at")

    def __str__(self) -> str:
        return self.subject

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "mailbox_id": self.mailbox_id,
            "thread_id": self.thread_id,
            "to": self.to_addresses,
            "cc": self.cc_addresses,
            "bcc": self.bcc_addresses,
            "subject": self.subject,
            "body": self.body,
            "in_reply_to": self.in_reply_to or None,
            "send_at": instant(self.send_at),
            "created_at": instant(self.created_at),
            "updated_at": instant(self.updated_at),
        }


class File(models.Model):
    """The content of attachments, kept once; its key is made of the content."""

    digest = models.CharField(max_length=64, primary_key=True)
    content = models.BinaryField()

    class Meta:
        db_table = "files"

    class Roles:
        natural_key = True

    def __str__(self) -> str:
        return self.digest


class Attachment(models.Model):
    """A file that goes with a message or a draft."""

    id = models.CharField(max_length=40, primary_key=True)
    message = models.ForeignKey(Message, null=True, on_delete=models.CASCADE, related_name="attachments")
    draft = models.ForeignKey(Draft, null=True, on_delete=models.CASCADE, related_name="attachments")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=200)
    content_type = models.CharField(max_length=100)
    size = models.PositiveIntegerField()
    file = models.ForeignKey(File, on_delete=models.PROTECT, related_name="attachments", db_index=False)

    class Meta:
        db_table = "attachments"

    class Roles:
        derived = ("size",)

    def __str__(self) -> str:
        return self.name

    def as_dict(self) -> dict[str, Any]:
        return {"id": self.id, "name": self.name, "content_type": self.content_type, "size": self.size}


class Filter(models.Model):
    """What happens to arriving mail that meets every condition given."""

    id = models.CharField(max_length=40, primary_key=True)
    mailbox = models.ForeignKey(Mailbox, on_delete=models.CASCADE, related_name="filters")
    from_contains = models.CharField(max_length=200, blank=True)
    to_contains = models.CharField(max_length=200, blank=True)
    subject_contains = models.CharField(max_length=200, blank=True)
    has_words = models.CharField(max_length=200, blank=True)
    has_attachment = models.BooleanField(null=True)
    label = models.ForeignKey(Label, null=True, on_delete=models.PROTECT, related_name="filters", db_index=False)
    archive = models.BooleanField(default=False)
    mark_read = models.BooleanField(default=False)
    star = models.BooleanField(default=False)
    forward_to = models.CharField(max_length=254, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "filters"

    class Roles:
        bookkeeping = ("created_at",)

    def __str__(self) -> str:
        return self.id

    def as_dict(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "mailbox_id": self.mailbox_id,
            "from_contains": self.from_contains,
            "to_contains": self.to_contains,
            "subject_contains": self.subject_contains,
            "has_words": self.has_words,
            "has_attachment": self.has_attachment,
            "label": self.label.name if self.label else None,
            "archive": self.archive,
            "mark_read": self.mark_read,
            "star": self.star,
            "forward_to": self.forward_to or None,
            "created_at": instant(self.created_at),
        }


class Absence(models.Model):
    """A time during which a mailbox answers by itself; without ends_at until somebody ends it."""

    id = models.CharField(max_length=40, primary_key=True)
    mailbox = models.ForeignKey(Mailbox, on_delete=models.CASCADE, related_name="absences")
    status = models.CharField(max_length=10, choices=choices(words.AbsenceStatus))
    text = models.TextField()
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True)
    #: The scheduled event that begins or ends it next.
    event_id = models.BigIntegerField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "absences"
        constraints = [
            one_of("status", words.AbsenceStatus, "absences_status"),
            models.UniqueConstraint(
                fields=["mailbox"], condition=~models.Q(status="ended"), name="absences_one_at_a_time"
            ),
        ]

    class Roles:
        bookkeeping = ("event_id", "created_at")

    def __str__(self) -> str:
        return self.text[:60]

    def as_dict(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "text": self.text,
            "starts_at": instant(self.starts_at),
            "ends_at": instant(self.ends_at),
        }


class AbsenceReply(models.Model):
    """Who has been answered during an absence, so that nobody is answered twice."""

    id = models.CharField(max_length=40, primary_key=True)
    absence = models.ForeignKey(Absence, on_delete=models.CASCADE, related_name="replies", db_index=False)
    address = models.CharField(max_length=254)
    replied_at = models.DateTimeField()

    class Meta:
        db_table = "absence_replies"
        constraints = [models.UniqueConstraint(fields=["absence", "address"], name="absence_replies_once")]

    class Roles:
        bookkeeping = ("replied_at",)

    def __str__(self) -> str:
        return self.address
