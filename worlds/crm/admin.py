"""Which lists of the CRM does the admin show?"""

from worlds.crm.models import Activity, Company, Deal, Lead, Note, PipelineStage, StageChange, Tag, User
from worlds.engine.admin import WorldAdmin, register


@register(User)
class UserAdmin(WorldAdmin):
    list_display = ("name", "email", "role", "is_active")
    id_prefix = "user_"


@register(Company)
class CompanyAdmin(WorldAdmin):
    list_display = ("name", "domain", "industry", "owner")
    id_prefix = "comp_"


@register(Lead)
class LeadAdmin(WorldAdmin):
    list_display = ("name", "email", "company_name", "status", "owner", "last_activity_at")
    id_prefix = "lead_"


@register(PipelineStage)
class PipelineStageAdmin(WorldAdmin):
    list_display = ("position", "name", "kind", "probability")


@register(Deal)
class DealAdmin(WorldAdmin):
    list_display = ("name", "company", "stage", "amount_cents", "expected_close_on", "owner")
    id_prefix = "deal_"


@register(StageChange)
class StageChangeAdmin(WorldAdmin):
    list_display = ("deal", "from_stage", "to_stage", "changed_by", "changed_at")
    id_prefix = "move_"


@register(Activity)
class ActivityAdmin(WorldAdmin):
    list_display = ("kind", "subject", "owner", "is_done", "due_at", "occurred_at")
    id_prefix = "act_"


@register(Note)
class NoteAdmin(WorldAdmin):
    list_display = ("body", "author", "created_at")
    id_prefix = "note_"


@register(Tag)
class TagAdmin(WorldAdmin):
    list_display = ("name",)
    id_prefix = "tag_"
