"""What may the query of a page of the console say?"""

from __future__ import annotations

import json
from typing import Any

from django import forms


class InstancesForm(forms.Form):
    """Which instances are listed."""

    world = forms.CharField(required=False)
    door = forms.CharField(required=False)
    q = forms.CharField(required=False, label="Search")


class AdvanceForm(forms.Form):
    """How far the clock moves."""

    amount = forms.IntegerField(
        min_value=1, max_value=100_000, widget=forms.NumberInput(attrs={"aria-label": "How far the clock moves"})
    )
    unit = forms.ChoiceField(
        choices=[(unit, unit) for unit in ("seconds", "minutes", "hours", "days")],
        widget=forms.Select(attrs={"aria-label": "In which unit"}),
    )

    def by(self) -> dict[str, Any]:
        """{"days": 2}, of a form that is valid."""
        return {self.cleaned_data["unit"]: self.cleaned_data["amount"]}


class ArgumentsForm(forms.Form):
    """The arguments of a call, as JSON."""

    arguments = forms.CharField(required=False, strip=False)

    def clean_arguments(self) -> dict[str, Any]:
        text: str = self.cleaned_data["arguments"].strip() or "{}"
        try:
            found = json.loads(text)
        except ValueError as error:
            raise forms.ValidationError(f"No JSON: {error}.") from None
        if not isinstance(found, dict):
            raise forms.ValidationError('Arguments are an object, such as {"email": "ada@example.com"}.')
        return found
