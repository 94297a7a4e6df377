"""How does an operator make and revoke API keys in the browser?"""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from openenv_api import keys
from openenv_api.access import KEYS
from openenv_api.models import ApiKey


@admin.register(ApiKey)
class ApiKeyAdmin(admin.ModelAdmin):
    list_display = ("name", "scope", "start", "created_at", "revoked_at")
    list_filter = ("scope",)
    search_fields = ("name",)
    readonly_fields = ("start", "created_at", "revoked_at")
    actions = ("revoke",)

    def get_readonly_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> tuple[str, ...]:
        return (*self.readonly_fields, *(("scope",) if obj else ()))

    def save_model(self, request: HttpRequest, obj: ApiKey, form: ModelForm[ApiKey], change: bool) -> None:
        key = None if change else obj.mint()
        super().save_model(request, obj, form, change)
        KEYS.forget()
        if key is not None:
            self.message_user(request, f"The key is {key}. It is not shown again.", messages.WARNING)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        super().delete_model(request, obj)
        KEYS.forget()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        super().delete_queryset(request, queryset)
        KEYS.forget()

    @admin.action(description="Revoke the selected keys", permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        for record in queryset.filter(revoked_at=None):
            keys.revoke(record)
