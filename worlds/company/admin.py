"""Which lists of the company does the admin show?"""

from worlds.company.models import Employee, Handover
from worlds.engine.admin import WorldAdmin, register


@register(Employee)
class EmployeeAdmin(WorldAdmin):
    list_display = ("name", "email", "title", "crm_user_id", "helpdesk_agent_id", "left_at")
    id_prefix = "emp_"


@register(Handover)
class HandoverAdmin(WorldAdmin):
    list_display = ("from_employee", "to_employee", "leads", "deals", "tickets", "made_at")
    id_prefix = "hand_"
