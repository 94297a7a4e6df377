"""Which lists of the company does the admin show?"""

from django.contrib import admin

from worlds.company.models import Employee, Handover


@admin.register(Employee)
class EmployeeAdmin(admin.ModelAdmin):
    list_display = ("name", "email", "title", "crm_user_id", "helpdesk_agent_id", "left_at")


@admin.register(Handover)
class HandoverAdmin(admin.ModelAdmin):
    list_display = ("from_employee", "to_employee", "leads", "deals", "tickets", "made_at")
