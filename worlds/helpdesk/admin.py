"""Which lists of the helpdesk does the admin show?"""

from django.contrib import admin

from worlds.helpdesk.models import (
    Agent,
    Customer,
    HistoryEntry,
    Macro,
    Message,
    SatisfactionRating,
    SlaClock,
    SlaPolicy,
    Tag,
    Team,
    Ticket,
)


@admin.register(Agent)
class AgentAdmin(admin.ModelAdmin):
    list_display = ("name", "email", "role", "team", "is_active")


@admin.register(Team)
class TeamAdmin(admin.ModelAdmin):
    list_display = ("name",)


@admin.register(Customer)
class CustomerAdmin(admin.ModelAdmin):
    list_display = ("name", "email", "company_name")


@admin.register(Ticket)
class TicketAdmin(admin.ModelAdmin):
    list_display = ("number", "subject", "status", "priority", "requester", "assignee", "updated_at")


@admin.register(Message)
class MessageAdmin(admin.ModelAdmin):
    list_display = ("ticket", "visibility", "customer", "agent", "body", "created_at")


@admin.register(Macro)
class MacroAdmin(admin.ModelAdmin):
    list_display = ("title", "status", "priority", "team", "is_active")


@admin.register(SlaPolicy)
class SlaPolicyAdmin(admin.ModelAdmin):
    list_display = ("priority", "first_reply_minutes", "resolution_minutes")


@admin.register(SlaClock)
class SlaClockAdmin(admin.ModelAdmin):
    list_display = ("ticket", "metric", "status", "due_at", "breached_at")


@admin.register(SatisfactionRating)
class SatisfactionRatingAdmin(admin.ModelAdmin):
    list_display = ("ticket", "status", "comment", "rated_at")


@admin.register(HistoryEntry)
class HistoryEntryAdmin(admin.ModelAdmin):
    list_display = ("ticket", "kind", "from_value", "to_value", "agent", "customer", "happened_at")


@admin.register(Tag)
class TagAdmin(admin.ModelAdmin):
    list_display = ("name",)
