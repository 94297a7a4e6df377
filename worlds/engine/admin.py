"""How are the rows of a world shown and edited in Django's admin?

`WorldAdmin` makes a usable list and form of any model; a world's `admin.py` says what it wants otherwise. These classes
belong to no site: where rows can be edited, a site is made of them. What a form's user did not touch stays to the byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, TypeVar

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AdminTextInputWidget
from django.db import models
from django.utils import timezone

from worlds.engine import active
from worlds.engine.clock import from_ms, iso, parse_instant
from worlds.engine.errors import WorldBug
from worlds.engine.typed import BOOKKEEPING, roles_of

A = TypeVar("A", bound="type[WorldAdmin]")

#: A list shows so many columns, and searches so many, unless its class says otherwise.
COLUMNS = 7
SEARCHED = 6
#: Rows that belong to one are edited with it up to so many; beyond that they have a list of their own.
MOST_INLINE = 40
#: Related rows up to so many are offered as a filter, and in a list to choose one from.
MOST_FILTERED = 20
MOST_CHOSEN = 60
#: A form of more fields than this is no line of a table.
MOST_IN_LINE = 8
#: `lead_Gct67pBK3PyRnG`, or `msg_00012_Gct67pBK3PyR` of rows whose ids grow.
_ID = re.compile(r"([A-Za-z]+_)(\d{5}_)?([0-9A-Za-z]{6,})")

#: What `register` was given.
_registered: dict[type[models.Model], type[WorldAdmin]] = {}


def register(*of: type[models.Model]) -> Callable[[A], A]:
    """Show these models with the decorated class."""

    def decorate(cls: A) -> A:
        _registered.update(dict.fromkeys(of, cls))
        return cls

    return decorate


def admin_of(model: type[models.Model]) -> type[WorldAdmin]:
    """The class that shows a model: what its world registered, or the default."""
    return _registered.get(model, WorldAdmin)


def can_be_shown(model: type[models.Model]) -> bool:
    """Can the admin show a model? It knows rows by one column, and has no form for others."""
    meta = model._meta
    return not (meta.proxy or meta.auto_created or meta.swapped or meta.is_composite_pk)


class Verbatim(forms.CharField):
    """Text as it is: a browser sends its line ends as CRLF, and white space at the ends may be meant."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{**kwargs, "strip": False})

    def to_python(self, value: Any) -> Any:
        return super().to_python(value.replace("\r\n", "\n") if isinstance(value, str) else value)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(*(v.replace("\r\n", "\n") if isinstance(v, str) else v for v in (initial, data)))


class Instant(forms.DateTimeField):
    """An instant as a state document writes it, to the millisecond."""

    widget = forms.TextInput(attrs={"class": "vTextField instant", "placeholder": "2026-06-01T09:00:00.000Z"})

    def prepare_value(self, value: Any) -> Any:
        return iso(value) if isinstance(value, datetime) else value

    def to_python(self, value: Any) -> datetime | None:
        if value in self.empty_values or isinstance(value, datetime):
            return value or None
        try:
            return from_ms(parse_instant(str(value).strip(), "it"))
        except WorldBug:
            raise forms.ValidationError("Write an instant with its offset, such as 2026-06-01T09:00:00.000Z.") from None

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.prepare_value(initial) != (data or None))


class RowForm(forms.ModelForm):
    """The form of one row, in which a world's own bookkeeping may be left to it."""

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        told = self.cleaned_data if cleaned is None else cleaned
        self._fill_up(told)
        if not self.instance._state.adding:
            self._keep_untouched(told)
        for field in self.instance._meta.concrete_fields:
            if isinstance(field, models.JSONField) and not field.null and told.get(field.name, 0) is None:
                told[field.name] = field.get_default()
        return told

    def _keep_untouched(self, told: dict[str, Any]) -> None:
        """A widget may show less than there is."""
        for field in self.instance._meta.concrete_fields:
            name = field.name
            if name in told and name in self.initial and name not in self.changed_data and not field.is_relation:
                told[name] = self.initial[name]

    def _fill_up(self, told: dict[str, Any]) -> None:
        meta = self.instance._meta
        for field in meta.concrete_fields:
            if field.name in told and told[field.name] in (None, "") and is_filled(field):
                told[field.name] = _fill(field)


def is_filled(field: models.Field[Any, Any]) -> bool:
    """May a new row leave this field to the world: an id, a time, the number that lists go by?"""
    if field.primary_key:
        return isinstance(field, models.CharField | models.TextField) and not _is_named_by_people(field.model)
    if field.null or field.has_default() or roles_of(field.model).get(str(field.column)) != BOOKKEEPING:
        return False
    return isinstance(field, models.DateTimeField | models.IntegerField)


def _is_named_by_people(model: type[models.Model]) -> bool:
    return bool(getattr(getattr(model, "Roles", None), "natural_key", False))


def _fill(field: models.Field[Any, Any]) -> Any:
    if field.primary_key:
        return mint(field.model)
    if isinstance(field, models.DateTimeField):
        return timezone.now()  # noqa: TID251 - the draft's clock, where its rows are
    if field.unique:  # people count these, from the last one on
        last = field.model._base_manager.aggregate(last=models.Max(field.name))["last"]
        return (last or 0) + 1
    return active.current().next_seq()


def mint(model: type[models.Model]) -> str:
    """An id that no row has, like those there are."""
    node = active.current()
    found = model._base_manager.order_by().values_list("pk", flat=True).first()
    like = _ID.fullmatch(str(found or ""))
    prefix = admin_of(model).id_prefix or (like[1] if like else f"{model._meta.model_name}_")
    length = len(like[3]) if like else 14
    while True:
        number = f"{node.next_seq():05}_" if like and like[2] else ""
        minted: str = prefix + number + node.ids.token(length)
        if not model._base_manager.filter(pk=minted).exists():
            return minted


def _height(field: models.Field[Any, Any]) -> int:
    """How many lines a field's text may take on a form; 0 for a field that is one line, or no text."""
    if field.choices or field.primary_key:
        return 0
    if isinstance(field, models.TextField | models.JSONField):
        return 4
    return 2 if isinstance(field, models.CharField) and (field.max_length or 0) > 255 else 0


class _Fields:
    """What a form of a row and a line of a related row have in common."""

    opts: Any
    model: type[models.Model]

    def formfield_for_dbfield(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        if type(db_field) in (models.CharField, models.TextField) and not db_field.choices:
            kwargs["form_class"] = Verbatim
        if isinstance(db_field, models.DateTimeField):
            kwargs.update(form_class=Instant, widget=Instant.widget)
        if rows := _height(db_field):
            kwargs["widget"] = forms.Textarea(attrs={"rows": rows, "class": "vLargeTextField"})
        elif isinstance(db_field, models.TextField):
            kwargs["widget"] = AdminTextInputWidget()
        found = super().formfield_for_dbfield(db_field, request, **kwargs)  # type: ignore[misc]
        if found is None:
            return None
        if db_field.null or db_field.many_to_many or isinstance(db_field, models.JSONField):
            found.required = False
        elif is_filled(db_field):
            found.required = False
            found.help_text = found.help_text or "Leave it empty to have it filled in."
        return found

    def get_autocomplete_fields(self, request: Any) -> list[str]:
        meta: Any = self.model._meta
        fields = [f for f in (*meta.concrete_fields, *meta.many_to_many) if f.is_relation]
        return [f.name for f in fields if can_be_shown(f.related_model) and not _are_few(f.related_model, MOST_CHOSEN)]


def _are_few(model: Any, most: int) -> bool:
    return bool(model._base_manager.order_by()[: most + 1].count() <= most)


class LineSet(forms.BaseInlineFormSet):
    """Lines whose ids stay, and whose fields have the names that the heads of their columns show."""

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        key = form.instance._meta.pk.name
        for name, field in form.fields.items():
            inner = getattr(field.widget, "widget", field.widget)  # Django wraps what chooses a row
            inner.attrs["aria-label"] = str(field.label or name)
        if key in form.fields and not form.instance._state.adding:
            form.fields[key].widget.attrs["readonly"] = True


class _Lines(_Fields):
    """Rows that belong to the one whose form it is."""

    extra = 0
    show_change_link = True


class TabularLines(_Lines, admin.TabularInline):
    form = RowForm
    formset = LineSet


class StackedLines(_Lines, admin.StackedInline):
    form = RowForm
    formset = LineSet
    classes = ["collapse"]


class WorldAdmin(_Fields, admin.ModelAdmin):
    """The list and the form of a model, made of its fields where the class says nothing."""

    form = RowForm
    #: How ids of new rows begin, "lead_"; like those there are when it says nothing.
    id_prefix = ""
    list_per_page = 50
    show_full_result_count = False
    save_on_top = False

    def __init__(self, model: type[models.Model], site: Any) -> None:
        own: Any = self
        if self.list_display == ("__str__",):
            own.list_display = _columns(model)
        elif model._meta.pk.name not in self.list_display:
            own.list_display = (*self.list_display, model._meta.pk.name)
        own.search_fields = self.search_fields or _searched(model)
        own.date_hierarchy = self.date_hierarchy or _date(model)
        own.inlines = self.inlines or list(_lines(model))
        shown = [f for f in model._meta.concrete_fields if f.name in self.list_display and f.is_relation]
        own.list_select_related = [field.name for field in shown]
        if "verbose_name_plural" not in model._meta.original_attrs:
            model._meta.verbose_name_plural = _plural(str(model._meta.verbose_name))
        super().__init__(model, site)

    def get_readonly_fields(self, request: Any, obj: Any = None) -> Any:
        # Under another id it would be another row, and this one still there.
        key = self.model._meta.pk
        return (*self.readonly_fields, *((key.name,) if obj is not None and key.editable else ()))

    def get_fields(self, request: Any, obj: Any = None) -> Any:
        """As the model has them, the key first."""
        if self.fields:
            return self.fields
        names = list(super().get_fields(request, obj))
        key = self.model._meta.pk.name
        return [*([key] if key in names else []), *(name for name in names if name != key)]

    def get_list_filter(self, request: Any) -> Any:
        if self.list_filter:
            return self.list_filter
        found: list[Any] = []
        for field in self.model._meta.concrete_fields:
            is_other = field.is_relation and field.related_model is not self.model
            if (
                field.choices
                or isinstance(field, models.BooleanField)
                or (is_other and _are_few(field.related_model, MOST_FILTERED))
            ):
                found.append(field.name)
        return found

    def get_inline_instances(self, request: Any, obj: Any = None) -> Any:
        """Those lines that are not too many for one page."""
        return [each for each in super().get_inline_instances(request, obj) if obj is None or _is_few(each, obj)]

    def lookup_allowed(self, lookup: str, value: str, request: Any = None) -> bool:
        return True  # whoever may edit every row may look for each


def _is_few(lines: Any, obj: Any) -> bool:
    key = next(f.name for f in lines.model._meta.concrete_fields if f.is_relation and _is_to(f, obj))
    name = lines.fk_name or key
    return lines.model._base_manager.filter(**{name: obj.pk}).order_by()[: MOST_INLINE + 1].count() <= MOST_INLINE


def _is_to(field: Any, obj: Any) -> bool:
    return isinstance(obj, field.related_model)


def _plural(word: str) -> str:
    """Django adds an s to everything."""
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    if word.endswith("ings"):
        return word  # settings
    return f"{word}{'es' if re.search(r'(s|x|z|ch|sh)$', word) else 's'}"


def _columns(model: type[models.Model]) -> tuple[str, ...]:
    """The first columns that fit a line, and the key."""
    long = (models.TextField, models.JSONField, models.BinaryField)
    fields = [f for f in model._meta.concrete_fields if f.primary_key or not isinstance(f, long)]
    roles = roles_of(model)
    business = [f for f in fields if f.primary_key or roles.get(str(f.column)) != BOOKKEEPING]
    return tuple(f.name for f in (business if len(business) > 1 else fields)[:COLUMNS])


def _searched(model: type[models.Model]) -> tuple[str, ...]:
    key = model._meta.pk
    text = (models.CharField, models.TextField)
    found = [f.name for f in model._meta.concrete_fields if isinstance(f, text) and not f.choices and not f.primary_key]
    return (key.name if not key.is_relation else f"{key.name}__pk", *found[:SEARCHED])


def _date(model: type[models.Model]) -> str | None:
    fields = [f for f in model._meta.concrete_fields if isinstance(f, models.DateTimeField)]
    return next((f.name for f in fields if f.name in ("created_at", "created")), fields[0].name if fields else None)


def _lines(model: type[models.Model]) -> Iterator[Any]:
    """A table for each kind of row that goes when the row it belongs to goes."""
    for relation in model._meta.related_objects:
        child: Any = relation.related_model
        if relation.on_delete is not models.CASCADE or relation.many_to_many or not can_be_shown(child):
            continue
        fields = [f for f in child._meta.get_fields() if getattr(f, "editable", False) and f is not relation.field]
        base = TabularLines if len(fields) <= MOST_IN_LINE else StackedLines
        yield type(f"{child.__name__}Lines", (base,), {"model": child, "fk_name": relation.field.name})
