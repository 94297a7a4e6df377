"""Which lists of mail does the admin show?"""

from worlds.engine.admin import WorldAdmin, register
from worlds.mail.models import Absence, Alias, Attachment, Domain, Draft, Filter, Label, Mailbox, Message, Thread


@register(Domain)
class DomainAdmin(WorldAdmin):
    list_display = ("name",)


@register(Mailbox)
class MailboxAdmin(WorldAdmin):
    list_display = ("address", "name", "kind", "is_admin", "is_active")
    id_prefix = "mbx_"


@register(Alias)
class AliasAdmin(WorldAdmin):
    list_display = ("address", "mailbox")


@register(Thread)
class ThreadAdmin(WorldAdmin):
    list_display = ("subject", "mailbox", "last_message_at", "snoozed_until")
    id_prefix = "thr_"


@register(Message)
class MessageAdmin(WorldAdmin):
    list_display = ("subject", "from_address", "mailbox", "folder", "is_read", "received_at")
    id_prefix = "msg_"


@register(Draft)
class DraftAdmin(WorldAdmin):
    list_display = ("subject", "mailbox", "send_at", "updated_at")
    id_prefix = "draft_"


@register(Attachment)
class AttachmentAdmin(WorldAdmin):
    list_display = ("name", "content_type", "size", "message", "draft")
    id_prefix = "att_"


@register(Label)
class LabelAdmin(WorldAdmin):
    list_display = ("name", "mailbox")
    id_prefix = "label_"


@register(Filter)
class FilterAdmin(WorldAdmin):
    list_display = ("mailbox", "from_contains", "subject_contains", "label", "forward_to")
    id_prefix = "filter_"


@register(Absence)
class AbsenceAdmin(WorldAdmin):
    list_display = ("mailbox", "status", "starts_at", "ends_at")
    id_prefix = "abs_"
