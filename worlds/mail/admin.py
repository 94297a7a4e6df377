"""Which lists of mail does the admin show?"""

from django.contrib import admin

from worlds.mail.models import Absence, Alias, Attachment, Domain, Draft, Filter, Label, Mailbox, Message, Thread


@admin.register(Domain)
class DomainAdmin(admin.ModelAdmin):
    list_display = ("name",)


@admin.register(Mailbox)
class MailboxAdmin(admin.ModelAdmin):
    list_display = ("address", "name", "kind", "is_admin", "is_active")


@admin.register(Alias)
class AliasAdmin(admin.ModelAdmin):
    list_display = ("address", "mailbox")


@admin.register(Thread)
class ThreadAdmin(admin.ModelAdmin):
    list_display = ("subject", "mailbox", "last_message_at", "snoozed_until")


@admin.register(Message)
class MessageAdmin(admin.ModelAdmin):
    list_display = ("subject", "from_address", "mailbox", "folder", "is_read", "received_at")


@admin.register(Draft)
class DraftAdmin(admin.ModelAdmin):
    list_display = ("subject", "mailbox", "send_at", "updated_at")


@admin.register(Attachment)
class AttachmentAdmin(admin.ModelAdmin):
    list_display = ("name", "content_type", "size", "message", "draft")


@admin.register(Label)
class LabelAdmin(admin.ModelAdmin):
    list_display = ("name", "mailbox")


@admin.register(Filter)
class FilterAdmin(admin.ModelAdmin):
    list_display = ("mailbox", "from_contains", "subject_contains", "label", "forward_to")


@admin.register(Absence)
class AbsenceAdmin(admin.ModelAdmin):
    list_display = ("mailbox", "status", "starts_at", "ends_at")
