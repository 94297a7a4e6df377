"""What may the query of a page about fixtures say?"""

from __future__ import annotations

from typing import Any

from django import forms

from worlds.engine.contrasting import OPS


class FixturesForm(forms.Form):
    """Of which world the fixtures are listed."""

    world = forms.CharField(required=False)


class PageForm(forms.Form):
    """Which page of a long list."""

    page = forms.IntegerField(required=False, min_value=1, max_value=1_000_000)

    def clean_page(self) -> int:
        return self.cleaned_data["page"] or 1


class RowsForm(PageForm):
    """Which rows of a table of a fixture."""

    sort = forms.CharField(required=False)


class ContrastForm(PageForm):
    """Which two fixtures are compared, and which of their rows are shown."""

    a = forms.CharField(required=False)
    b = forms.CharField(required=False)
    node = forms.CharField(required=False)
    table = forms.CharField(required=False)
    op = forms.ChoiceField(required=False, choices=[("", ""), *((op, op) for op in OPS)])

    def clean(self) -> dict[str, Any]:
        told = super().clean() or self.cleaned_data
        if told.get("a") and told.get("a") == told.get("b"):
            raise forms.ValidationError("Choose two fixtures that are not the same one.")
        return told
