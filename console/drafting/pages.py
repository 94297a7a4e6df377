"""What does the admin show of a draft as a whole: what changed, whether it holds, and how it becomes a fixture?"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from itertools import groupby
from typing import Any

from django import forms
from django.apps import apps
from django.contrib import admin, messages
from django.contrib.admin.utils import quote
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from console.drafting.drafts import DRAFTS, DraftTrouble, OpenDraft
from console.drafting.rows import may_draft, troubled, visible_to
from console.models import Draft
from console.wording import sentence
from worlds.engine import SeahavenError, WorldBug, fixtures, installed
from worlds.engine.composing import tree_of
from worlds.engine.names import check_name, schema_name
from worlds.engine.trying import try_out

Page = Callable[[HttpRequest, Draft, OpenDraft], HttpResponse]
#: A preview shows so many rows at once, a history so many edits.
ROWS_AT_ONCE = 100
EDITS_AT_ONCE = 500


def go(to: str) -> HttpResponse:
    """Send the browser on."""
    return HttpResponseRedirect(to)


def on_draft(page: Page) -> Callable[..., HttpResponse]:
    """A page of one of the drafts that whoever asks may see."""

    @wraps(page)
    def found(request: HttpRequest, draft_id: Any) -> HttpResponse:
        if not may_draft(request.user):
            raise PermissionDenied("Drafts are for curators who are staff.")
        try:
            draft = visible_to(request.user).filter(pk=draft_id).first()
        except ValidationError:
            draft = None
        if draft is None:
            raise Http404("There is no such draft of yours.")
        try:
            return page(request, draft, DRAFTS.get(draft.pk))
        except DraftTrouble as trouble:
            return troubled(request, draft, trouble)

    return found


def _show(request: HttpRequest, template: str, title: str, draft: Draft, **context: Any) -> HttpResponse:
    common = {**admin.site.each_context(request), "title": title, "draft": draft, "opts": Draft._meta}
    return TemplateResponse(request, f"admin/drafting/{template}.html", {**common, **context})


def preview(request: HttpRequest, draft: Draft, opened: OpenDraft) -> HttpResponse:
    """The rows that differ from the fixture the draft begins with, before and after."""
    changes = opened.diff().as_dicts()
    page = Paginator(changes, ROWS_AT_ONCE).get_page(request.GET.get("p"))
    tally: dict[tuple[str, str], dict[str, Any]] = {}
    for change in changes:
        place = change["world"], change["table"]
        counts = tally.setdefault(place, {"node": place[0], "table": place[1], "insert": 0, "update": 0, "delete": 0})
        counts[change["op"]] += 1
    to_row = _Rows(draft)
    groups = [
        {"node": node, "table": table, "changes": [to_row.shown(change) for change in found]}
        for (node, table), found in groupby(page, key=lambda change: (change["world"], change["table"]))
    ]
    context = {"groups": groups, "page": page, "total": len(changes), "tally": list(tally.values())}
    return _show(request, "preview", "Preview", draft, **context)


class _Rows:
    """Where the rows of a draft are edited."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        branches = tree_of(installed.get(draft.world)).branches
        self.models = {
            (path, model._meta.db_table): model
            for path, branch in branches.items()
            for label in branch.world.app_labels
            for model in apps.get_app_config(label).get_models()
        }

    def shown(self, change: dict[str, Any]) -> dict[str, Any]:
        """A change with the address of its row, where there is one to edit."""
        model = self.models.get((change["world"], change["table"]))
        url, key = "", list(change["key"].values())
        if model is not None and len(key) == 1 and change["op"] != "delete":
            rest = f"{model._meta.app_label}/{model._meta.model_name}/{quote(key[0])}/change/"
            url = reverse("drafting:row", args=[self.draft.pk, schema_name(change["world"]), rest])
        return {"record": change, "url": url, "name": " ".join(map(str, key))}


def validate(request: HttpRequest, draft: Draft, opened: OpenDraft) -> HttpResponse:
    """Whether the draft makes a good fixture, check by check."""
    trials = try_out(opened.instance())
    is_fine = all(trial.is_fine for trial in trials)
    return _show(request, "validate", "Validate", draft, trials=trials, is_fine=is_fine)


class FreezeForm(forms.Form):
    """What the fixture is called, and what it is good for."""

    id = forms.CharField(
        label="Fixture id",
        max_length=128,
        help_text="How a reset asks for it, such as quarter_end. It cannot be one that is taken.",
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    description = forms.CharField(
        help_text="For whoever chooses a fixture: what state it is, and what it is good for.",
        widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"}),
    )

    def __init__(self, world: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.world = world

    def clean_id(self) -> str:
        chosen: str = self.cleaned_data["id"]
        try:
            check_name(chosen, "a fixture id")
        except WorldBug as error:
            raise ValidationError(sentence(error)) from None
        if chosen in installed.get(self.world).fixture_ids():
            raise ValidationError(f"World {self.world} has a fixture of this id already; choose another.")
        return chosen


def freeze(request: HttpRequest, draft: Draft, opened: OpenDraft) -> HttpResponse:
    """Write the draft as a fixture, if every check holds."""
    form = FreezeForm(draft.world, request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"form": form, "trials": []}
    if form.is_bound and form.is_valid():
        with opened.lock:
            inst = opened.instance()
            context["trials"] = [trial for trial in try_out(inst) if not trial.is_fine]
            if not context["trials"]:
                try:
                    fixture = inst.freeze(form.cleaned_data["id"], form.cleaned_data["description"])
                except SeahavenError as error:
                    form.add_error(None, sentence(error))
                except OSError as error:
                    form.add_error(None, f"{error.filename or fixtures.folders(draft.world)[0]}: {error.strerror}.")
                else:
                    return _frozen(request, draft, fixture)
    return _show(request, "freeze", "Freeze", draft, **context)


def _frozen(request: HttpRequest, draft: Draft, fixture: fixtures.Fixture) -> HttpResponse:
    Draft.objects.filter(pk=draft.pk).update(frozen_as=fixture.id)
    messages.success(
        request,
        f"Frozen as {fixture.id}, and served from now on: reset(world={draft.world!r}, fixture={fixture.id!r}). "
        f"Its text is in {fixture.folder}; commit it to keep it.",
    )
    return go(reverse("admin:console_draft_change", args=[draft.pk]))


def history(request: HttpRequest, draft: Draft, opened: OpenDraft) -> HttpResponse:
    """Every edit, the last one first."""
    edits = list(enumerate(opened.journal().edits, 1))[::-1]
    return _show(request, "history", "History", draft, edits=edits[:EDITS_AT_ONCE])


def undo(request: HttpRequest, draft: Draft, opened: OpenDraft) -> HttpResponse:
    """Take the last edit back."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    edit = opened.take_back(request.user.get_username())
    Draft.objects.filter(pk=draft.pk).update(edits=len(opened.journal().edits))
    what = ", ".join(f"{act.action} {act.name}" for act in edit.acts[:3]) or f"{len(edit.records)} rows"
    messages.success(request, f"Took back the last edit, by {edit.by} at {edit.at}: {what}.")
    return go(reverse("admin:console_draft_history", args=[draft.pk]))


def rebase(request: HttpRequest, draft: Draft, opened: OpenDraft) -> HttpResponse:
    """Let the edits stand on the fixture as it is now."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    opened.move_to_present_parent(request.user.get_username())
    messages.success(request, f"The draft now begins with {draft.begins_with} as it is now, and every edit fits.")
    return go(reverse("admin:console_draft_preview", args=[draft.pk]))
