"""Which lists of the CRM does the admin show?"""

from django.contrib import admin

from worlds.crm.models import Activity, Company, Deal, Lead, Note, PipelineStage, StageChange, Tag, User


@admin.register(User)
class UserAdmin(admin.ModelAdmin):
    list_display = ("name", "email", "role", "is_active")


@admin.register(Company)
class CompanyAdmin(admin.ModelAdmin):
    list_display = ("name", "domain", "industry", "owner")


@admin.register(Lead)
class LeadAdmin(admin.ModelAdmin):
    list_display = ("name", "email", "company_name", "status", "owner", "last_activity_at")


@admin.register(PipelineStage)
class PipelineStageAdmin(admin.ModelAdmin):
    list_display = ("position", "name", "kind", "probability")


@admin.register(Deal)
class DealAdmin(admin.ModelAdmin):
    list_display = ("name", "company", "stage", "amount_cents", "expected_close_on", "owner")


@admin.register(StageChange)
class StageChangeAdmin(admin.ModelAdmin):
    list_display = ("deal", "from_stage", "to_stage", "changed_by", "changed_at")


@admin.register(Activity)
class ActivityAdmin(admin.ModelAdmin):
    list_display = ("kind", "subject", "owner", "is_done", "due_at", "occurred_at")


@admin.register(Note)
class NoteAdmin(admin.ModelAdmin):
    list_display = ("body", "author", "created_at")


@admin.register(Tag)
class TagAdmin(admin.ModelAdmin):
    list_display = ("name",)
