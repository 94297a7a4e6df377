"""How does an operator make and revoke API keys in the browser, and give people their roles?"""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from openenv_api import keys
from openenv_api.access import KEYS
from openenv_api.models import ApiKey, RecordedEpisode
from openenv_api.recorded_admin import RecordedEpisodeAdmin

admin.site.register(RecordedEpisode, RecordedEpisodeAdmin)


class IsGood(admin.SimpleListFilter):
    """Is a key good for anything?"""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("good", "Good"), ("revoked", "Revoked")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(revoked_at__isnull=self.value() == "good") if self.value() else queryset


@admin.register(ApiKey)
class ApiKeyAdmin(admin.ModelAdmin):
    """A key is shown in the answer to the form that made it, and never again. Only one that is revoked is deleted."""

    list_display = ("name", "scope", "begins_with", "made_by", "created_at", "used_at", "revoked_at")
    list_filter = (IsGood, "scope")
    search_fields = ("name", "start", "made_by")
    search_help_text = "Name, beginning of the key, or who made it"
    readonly_fields = ("begins_with", "made_by", "created_at", "used_at", "revoked_at")
    actions = ("revoke", "delete_revoked")

    def get_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> tuple[str, ...]:
        return ("name", "scope", *(self.readonly_fields if obj else ()))

    def get_readonly_fields(self, request: HttpRequest, obj: ApiKey | None = None) -> tuple[str, ...]:
        return (*self.readonly_fields, *(("scope",) if obj else ()))

    def has_delete_permission(self, request: HttpRequest, obj: ApiKey | None = None) -> bool:
        return super().has_delete_permission(request, obj) and (obj is None or obj.revoked_at is not None)

    @admin.display(description="begins with", ordering="start")
    def begins_with(self, record: ApiKey) -> str:
        return f"{record.start}…"

    # Making one.

    def save_model(self, request: HttpRequest, obj: ApiKey, form: ModelForm[ApiKey], change: bool) -> None:
        if not change:
            obj.made_by = request.user.get_username()
            obj.shown_once = obj.mint()  # type: ignore[attr-defined]
        super().save_model(request, obj, form, change)
        KEYS.forget()

    def response_add(self, request: HttpRequest, obj: ApiKey, post_url_continue: str | None = None) -> HttpResponse:
        context = self._about(request, obj) | {"title": f"The key {obj.name} is made", "key": obj.shown_once}  # type: ignore[attr-defined]
        return TemplateResponse(request, "admin/openenv_api/apikey/made.html", context)

    # The end of one.

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.revoke_view)
        urls: list[URLPattern] = super().get_urls()
        return [path("<int:pk>/revoke/", view, name="openenv_api_apikey_revoke"), *urls]

    def revoke_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Ask, and then revoke it."""
        record: ApiKey | None = self.get_object(request, str(pk))
        if record is None or not self.has_change_permission(request, record):
            raise PermissionDenied
        if request.method == "POST":
            self._revoke(request, record)
            return HttpResponseRedirect(reverse("admin:openenv_api_apikey_changelist"))
        context = self._about(request, record) | {"title": f"Revoke the key {record.name}?"}
        return TemplateResponse(request, "admin/openenv_api/apikey/revoke.html", context)

    def _about(self, request: HttpRequest, record: ApiKey) -> dict[str, Any]:
        return {**self.admin_site.each_context(request), "opts": self.opts, "record": record}

    def _revoke(self, request: HttpRequest, record: ApiKey) -> None:
        if record.revoked_at is None:
            keys.revoke(record)
            self.log_change(request, record, "Revoked.")
            self.message_user(request, f"The key {record.name} is good for nothing from now on.", messages.SUCCESS)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions: dict[str, Any] = super().get_actions(request)
        actions.pop("delete_selected", None)  # it would delete keys that are in use, too
        return actions

    @admin.action(description="Revoke the selected keys", permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        for record in queryset.filter(revoked_at=None):
            self._revoke(request, record)

    @admin.action(description="Delete those of the selected keys that are revoked", permissions=["delete"])
    def delete_revoked(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        kept = queryset.filter(revoked_at=None).count()
        revoked = queryset.exclude(revoked_at=None)
        self.log_deletions(request, revoked)
        count, _ = revoked.delete()
        more = f" {kept} still in use: revoke first what is to go." if kept else ""
        self.message_user(request, f"{count} deleted.{more}", messages.WARNING if kept else messages.SUCCESS)


admin.site.unregister(User)


@admin.register(User)
class PeopleAdmin(UserAdmin):
    """Django's own, with everybody's roles in the list."""

    list_display = ("username", "email", "roles", "is_staff", "is_superuser", "is_active", "last_login")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).prefetch_related("groups")

    @admin.display(description="roles")
    def roles(self, user: User) -> str:
        return ", ".join(group.name for group in user.groups.all()) or "-"
