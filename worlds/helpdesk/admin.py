"""Which lists of the helpdesk does the admin show?"""

from worlds.engine.admin import WorldAdmin, register
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


@register(Agent)
class AgentAdmin(WorldAdmin):
    list_display = ("name", "email", "role", "team", "is_active")
    id_prefix = "agent_"


@register(Team)
class TeamAdmin(WorldAdmin):
    list_display = ("name",)


@register(Customer)
class CustomerAdmin(WorldAdmin):
    list_display = ("name", "email", "company_name")
    id_prefix = "cust_"


@register(Ticket)
class TicketAdmin(WorldAdmin):
    list_display = ("number", "subject", "status", "priority", "requester", "assignee", "updated_at")
    id_prefix = "tick_"


@register(Message)
class MessageAdmin(WorldAdmin):
    list_display = ("ticket", "visibility", "customer", "agent", "body", "created_at")


@register(Macro)
class MacroAdmin(WorldAdmin):
    list_display = ("title", "status", "priority", "team", "is_active")
    id_prefix = "macro_"


@register(SlaPolicy)
class SlaPolicyAdmin(WorldAdmin):
    list_display = ("priority", "first_reply_minutes", "resolution_minutes")


@register(SlaClock)
class SlaClockAdmin(WorldAdmin):
    list_display = ("ticket", "metric", "status", "due_at", "breached_at")
    id_prefix = "sla_"


@register(SatisfactionRating)
class SatisfactionRatingAdmin(WorldAdmin):
    list_display = ("ticket", "status", "comment", "rated_at")
    id_prefix = "rating_"


@register(HistoryEntry)
class HistoryEntryAdmin(WorldAdmin):
    list_display = ("ticket", "kind", "from_value", "to_value", "agent", "customer", "happened_at")


@register(Tag)
class TagAdmin(WorldAdmin):
    list_display = ("name",)
    id_prefix = "tag_"
