"""Which lists of the console does the admin show?

A draft is begun, looked over, checked and frozen here; its rows are edited under an address of their own.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.urls import path, reverse
from django.utils.html import format_html

from console.drafting import pages
from console.drafting.drafts import DRAFTS, DraftTrouble
from console.drafting.rows import may_draft, visible_to
from console.models import Draft
from console.wording import sentence
from worlds.engine import SeahavenError, installed
from worlds.engine.clock import parse_instant

admin.site.site_url = "/console/"


class BeginForm(forms.ModelForm):
    """What a new draft begins with."""

    start = forms.ChoiceField(label="Begin with", help_text="A fixture, whose rows it has, or a blank world.")
    now = forms.CharField(
        required=False,
        label="Clock",
        help_text="What time it is in the fixture, such as 2026-06-01T09:00:00Z. Needed for a blank world; otherwise "
        "it is when the fixture was frozen, unless you give a later time.",
    )

    class Meta:
        model = Draft
        fields = ("title", "start", "now")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chooser: Any = self.fields["start"]
        chooser.choices = [("", "choose one"), *(self._of(name) for name in installed.names())]

    @staticmethod
    def _of(world: str) -> tuple[str, list[tuple[str, str]]]:
        ids = installed.get(world).fixture_ids()
        return world, [*((f"{world}/{id}", f"{world} / {id}") for id in ids), (f"{world}/", f"{world} / blank")]

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        world, _, fixture = self.cleaned_data.get("start", "").partition("/")
        now = self.cleaned_data.get("now") or None
        if not world or self.errors:
            return cleaned
        if not fixture and now is None:
            self.add_error("now", "A blank world has no time of its own: say what time it is in the fixture.")
            return cleaned
        try:
            if now is not None:
                parse_instant(now, "the clock")
            DRAFTS.begin(self.instance.pk, installed.get(world), fixture or None, now=now)
        except (SeahavenError, DraftTrouble) as error:
            self.add_error(None, sentence(error))
        self.instance.world, self.instance.parent = world, fixture
        return cleaned


@admin.register(Draft)
class DraftAdmin(admin.ModelAdmin):
    list_display = ("title", "begins_with", "owner", "edits", "changed_at", "frozen_as", "to_do")
    list_filter = ("world",)
    search_fields = ("title", "parent", "frozen_as")
    list_select_related = ("owner",)
    change_form_template = "admin/drafting/draft_form.html"

    # Who may.

    def has_module_permission(self, request: HttpRequest) -> bool:
        return may_draft(request.user)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may_draft(request.user)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return may_draft(request.user)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may_draft(request.user)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may_draft(request.user)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Draft]:
        found: QuerySet[Draft] = super().get_queryset(request)
        return found.filter(pk__in=visible_to(request.user).values("pk"))

    # The list.

    @admin.display(description="begins with", ordering="world")
    def begins_with(self, draft: Draft) -> str:
        return draft.begins_with

    @admin.display(description="what to do")
    def to_do(self, draft: Draft) -> str:
        return format_html(
            '<a href="{}" aria-label="Edit the rows of {}">Edit rows</a> · '
            '<a href="{}" aria-label="Preview {}">Preview</a> · <a href="{}" aria-label="Freeze {}">Freeze</a>',
            reverse("drafting:begin", args=[draft.pk]),
            draft,
            reverse("admin:console_draft_preview", args=[draft.pk]),
            draft,
            reverse("admin:console_draft_freeze", args=[draft.pk]),
            draft,
        )

    # One draft.

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **({"form": BeginForm} if obj is None else {}), **kwargs)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return ("title", "start", "now")
        return ("title", "begins_with", "owner", "edits", "created_at", "changed_at", "frozen_as")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj is None else ("begins_with", "owner", "edits", "created_at", "changed_at", "frozen_as")

    def save_model(self, request: HttpRequest, obj: Draft, form: ModelForm[Draft], change: bool) -> None:
        if not change:
            user: Any = request.user
            obj.owner = user
        super().save_model(request, obj, form, change)

    def response_add(self, request: HttpRequest, obj: Draft, post_url_continue: str | None = None) -> Any:
        messages.success(
            request, f"The draft {obj.title} begins with {obj.begins_with}. Every edit of its rows is saved."
        )
        return pages.go(reverse("drafting:begin", args=[obj.pk]))

    def delete_model(self, request: HttpRequest, obj: Draft) -> None:
        key = obj.pk
        super().delete_model(request, obj)
        DRAFTS.remove(key)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Draft]) -> None:
        keys = list(queryset.values_list("pk", flat=True))
        super().delete_queryset(request, queryset)
        for key in keys:
            DRAFTS.remove(key)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        return pages.on_draft(pages.history)(request, object_id)

    def get_urls(self) -> list[Any]:
        def at(name: str, view: Any) -> Any:
            guarded = self.admin_site.admin_view(pages.on_draft(view))
            return path(f"<uuid:draft_id>/change/{name}/", guarded, name=f"console_draft_{name}")

        own = [
            at("preview", pages.preview),
            at("validate", pages.validate),
            at("freeze", pages.freeze),
            at("undo", pages.undo),
            at("rebase", pages.rebase),
        ]
        return [*own, *super().get_urls()]
