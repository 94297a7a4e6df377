"""Which admin edits the rows of a draft?

One site of every model of every world. It stands under the address of a draft, and shows the models of the world that
runs on this thread. Whoever comes here was let in outside, where the control database is; here there is none.
"""

from __future__ import annotations

import json
from functools import cache
from types import SimpleNamespace
from typing import Any

from django.apps import apps
from django.contrib.admin import AdminSite, action, options
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import unquote
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import reverse

from console.drafting.bulk import set_value
from console.drafting.journal import Act
from worlds.engine import active, installed
from worlds.engine.admin import admin_of, can_be_shown

_content_type_outside = options.get_content_type_for_model


def _content_type(model: Any) -> Any:
    """Django's form asks for the number of a model's content type, and a world's store has none."""
    return SimpleNamespace(pk=0) if active.current() is not None else _content_type_outside(model)


options.get_content_type_for_model = _content_type  # type: ignore[assignment]


class Permitted:
    """Whoever is in a draft may do everything in it, and nothing elsewhere."""

    opts: Any

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        running = active.current()
        return running is not None and self.opts.app_label in running.app_labels

    has_add_permission = has_change_permission = has_delete_permission = has_view_permission

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)


@cache
def _permitted(lines: type[Any]) -> type[Any]:
    return type(lines.__name__, (Permitted, lines), {})


class InDraft(Permitted):
    """What a model's admin does otherwise inside a draft."""

    model: Any
    admin_site: Any
    change_form_template = "admin/drafting/change_form.html"
    actions = ("set_value",)

    def get_inlines(self, request: HttpRequest, obj: Any) -> list[Any]:
        return [_permitted(lines) for lines in super().get_inlines(request, obj)]  # type: ignore[misc]

    # What was done is told to the draft, for there is no log in a world's store.

    def _note(self, request: Any, action: str, obj: Any, message: Any) -> None:
        words = (
            message if isinstance(message, str) else LogEntry(change_message=json.dumps(message)).get_change_message()
        )
        act = Act(action=action, model=self.opts.label_lower, key=str(obj.pk), name=str(obj)[:200], words=words)
        request.drafting.acts.append(act)

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> None:
        self._note(request, "add", obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> None:
        self._note(request, "change", obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> None:
        for obj in queryset:
            self._note(request, "delete", obj, "")

    def history_view(self, request: Any, object_id: str, extra_context: Any = None) -> TemplateResponse:
        """What was done to a row in this draft, with the cells that changed."""
        meta, object_id = self.opts, unquote(object_id)
        found = []
        for number, edit in enumerate(request.drafting.edits, 1):
            records = [
                record
                for record in edit.records
                if record["table"] == meta.db_table and str(record["key"].get(meta.pk.column)) == object_id
            ]
            acts = [act for act in edit.acts if (act.model, act.key) == (meta.label_lower, object_id)]
            if edit.node == request.drafting.node and (records or acts):
                found.append({"number": number, "edit": edit, "acts": acts, "records": records})
        obj = self.get_object(request, object_id)  # type: ignore[attr-defined]
        context = {
            **self.admin_site.each_context(request),
            "title": f"History of {obj if obj is not None else object_id}",
            "opts": meta,
            "object": obj,
            "found": found[::-1],
        }
        return TemplateResponse(request, "admin/drafting/row_history.html", context)

    def render_change_form(self, request: Any, context: Any, *args: Any, **kwargs: Any) -> Any:
        obj = kwargs.get("obj")
        context["elsewhere"] = [] if obj is None else list(self._rows_that_name(obj))
        return super().render_change_form(request, context, *args, **kwargs)  # type: ignore[misc]

    def _rows_that_name(self, obj: Any) -> Any:
        """The rows of other models that point to one, each kind with its list."""
        for relation in self.opts.get_fields(include_hidden=True):
            is_other = relation.auto_created and not relation.concrete and (relation.one_to_many or relation.one_to_one)
            if not is_other or not self.admin_site.is_registered(relation.related_model):
                continue
            field, meta = relation.field, relation.related_model._meta
            key = getattr(obj, field.target_field.attname)
            count = relation.related_model._base_manager.filter(**{field.attname: key}).count()
            if count:
                where = reverse(f"{self.admin_site.name}:{meta.app_label}_{meta.model_name}_changelist")
                query = f"{field.name}__{field.target_field.name}__exact"
                yield {
                    "count": count,
                    "meta": meta,
                    "field": field.verbose_name,
                    "url": where,
                    "name": query,
                    "key": key,
                }

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Rows that no log tells of are not deleted here: no journal could delete them again."""
        found, counts, needed, protected = super().get_deleted_objects(objs, request)  # type: ignore[misc]
        world = active.current().world
        for name in counts:
            model = next((m for m in apps.get_models() if m._meta.verbose_name_plural == name), None)
            if model is not None and model._meta.db_table in world.untracked_tables:
                protected = [*protected, f"{name}: their changes are not logged, so a draft cannot keep that they went"]
        return found, counts, needed, protected

    @action(description="Set a field of the selected rows", permissions=["change"])
    def set_value(self, request: HttpRequest, queryset: Any) -> Any:
        return set_value(self, request, queryset)


class DraftSite(AdminSite):
    """The admin of whichever draft the address says."""

    site_title = "Seahaven"
    index_template = "admin/drafting/index.html"
    enable_nav_sidebar = True
    final_catch_all_view = False

    def has_permission(self, request: HttpRequest) -> bool:
        return True  # see the module

    def get_urls(self) -> list[Any]:
        """The site's pages without those that are about users and sessions: they are outside."""
        outside = {"login", "logout", "password_change", "password_change_done", "view_on_site"}
        return [each for each in super().get_urls() if getattr(each, "name", None) not in outside]

    def each_context(self, request: Any) -> dict[str, Any]:
        drafting = request.drafting
        return {
            **super().each_context(request),
            "drafting": drafting,
            "site_header": drafting.title,
        }

    def index(self, request: Any, extra_context: Any = None) -> TemplateResponse:
        """The models of the world whose rows are shown."""
        return super().index(request, {"title": f"Rows of {request.drafting.node_name}", **(extra_context or {})})


@cache
def draft_site() -> DraftSite:
    """The site, made once every app is loaded."""
    site = DraftSite(name="drafts")
    for world in map(installed.get, installed.names()):
        for label in world.app_labels:
            for model in apps.get_app_config(label).get_models():
                is_kept = model._meta.db_table not in world.untracked_tables
                if can_be_shown(model) and is_kept and not site.is_registered(model):
                    shown = admin_of(model)
                    site.register(model, type(shown.__name__, (InDraft, shown), {}))
    return site
