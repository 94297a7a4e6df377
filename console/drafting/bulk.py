"""How is one field of many rows set at once?"""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import ValidationError
from django.db import models
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.text import capfirst

#: Of the selected rows so many are named on the page.
MOST_NAMED = 20


class SetForm(forms.Form):
    """Which field, and to what."""

    field = forms.ChoiceField(label="Field")
    value = forms.CharField(required=False, strip=False, label="New value", widget=forms.Textarea(attrs={"rows": 2}))

    def __init__(self, model: type[models.Model], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.of = {field.name: field for field in model._meta.concrete_fields if _can_be_shared(field)}
        chooser: Any = self.fields["field"]
        chooser.choices = [("", "choose one"), *((name, field.verbose_name) for name, field in self.of.items())]
        self.fields[
            "value"
        ].help_text = "As a list shows it: text, a number, true or false, an id, JSON. Empty is null."

    def clean(self) -> dict[str, Any]:
        told: dict[str, Any] = super().clean() or {}
        field = self.of.get(told.get("field", ""))
        if field is not None:
            try:
                told["cleaned"] = _cleaned(field, told.get("value", "").replace("\r\n", "\n"))
            except ValidationError as error:
                self.add_error("value", error)
        return told


def _can_be_shared(field: models.Field[Any, Any]) -> bool:
    return field.editable and not field.primary_key and not field.unique


def _cleaned(field: models.Field[Any, Any], text: str) -> Any:
    if text == "" and not isinstance(field, models.CharField | models.TextField):
        if not field.null:
            raise ValidationError("This field needs a value.")
        return None
    if isinstance(field, models.CharField | models.TextField) and text == "" and field.null:
        return None
    if isinstance(field, models.ForeignKey):
        target = field.related_model._base_manager.filter(**{field.target_field.attname: text})
        if not target.exists():
            raise ValidationError(f"There is no {field.related_model._meta.verbose_name} {text!r:.60}.")
        return target.get()
    if isinstance(field, models.BooleanField):
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.strip().lower() not in words:
            raise ValidationError("Write true or false.")
        return words[text.strip().lower()]
    found: Any = field.formfield()
    value = found.clean(text) if found is not None and not field.choices else field.to_python(text)
    if field.choices and value not in (known := [choice for choice, _ in field.flatchoices]):
        raise ValidationError(f"It is one of: {', '.join(map(str, known))}.")
    return value


def set_value(admin: Any, request: HttpRequest, queryset: Any) -> TemplateResponse | None:
    """The page that asks what to set; once it is told, sets it and answers nothing."""
    form = SetForm(admin.model, request.POST if "apply" in request.POST else None)
    if form.is_bound and form.is_valid():
        name = form.cleaned_data["field"]
        rows = list(queryset)
        queryset.update(**{name: form.cleaned_data["cleaned"]})
        message = [{"changed": {"fields": [capfirst(form.of[name].verbose_name)]}}]
        for row in rows:
            admin.log_change(request, row, message)
        said = str(form.cleaned_data["value"])
        admin.message_user(request, f"Set {form.of[name].verbose_name} of {len(rows)} rows to {said or 'null'!r:.80}.")
        return None
    is_whole = request.POST.get("select_across") == "1"
    context = {
        **admin.admin_site.each_context(request),
        "title": f"Set a field of {queryset.count()} rows",
        "opts": admin.opts,
        "form": form,
        "rows": list(queryset[:MOST_NAMED]),
        "more": max(queryset.count() - MOST_NAMED, 0),
        # Of a list that is selected whole, one key stands for all.
        "keys": list(queryset.values_list("pk", flat=True)[: 1 if is_whole else None]),
        "is_whole": is_whole,
        "checkbox": ACTION_CHECKBOX_NAME,
        "media": admin.media,
    }
    return TemplateResponse(request, "admin/drafting/set_value.html", context)
