"""What may the query of a page of the console say?"""

from __future__ import annotations

import json
from typing import Any

from django import forms

from worlds.engine import Start, World
from worlds.engine.clock import parse_instant

CLOCKS = (
    ("", "the world's own"),
    ("tick", "tick: a second a call"),
    ("fixed", "fixed"),
    ("running", "running"),
    ("wall", "wall: this machine's"),
)


class InstancesForm(forms.Form):
    """Which instances are listed."""

    world = forms.CharField(required=False)
    door = forms.CharField(required=False)
    q = forms.CharField(required=False, label="Search")


class OpenForm(forms.Form):
    """How an instance begins: what `reset` takes."""

    fixture = forms.ChoiceField(required=False, label="Fixture", help_text="The starting state.")
    seed = forms.IntegerField(required=False, label="Seed", help_text="Fixes every draw of chance.")
    now = forms.CharField(
        required=False, label="Clock starts at", help_text="ISO 8601 with an offset, such as 2026-06-01T09:00:00Z."
    )
    clock_mode = forms.ChoiceField(required=False, choices=CLOCKS, label="Clock")
    startup = forms.JSONField(required=False, label="Startup keywords", widget=forms.Textarea(attrs={"rows": 3}))
    setup_sql = forms.CharField(
        required=False, strip=False, label="Setup SQL", widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"})
    )

    def __init__(self, world: World, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fixture: Any = self.fields["fixture"]
        fixture.choices = [*((id, id) for id in world.fixture_ids()), ("", "blank: no rows")]
        keywords, takes_any = world.startup_keywords()
        listed = ", ".join(keywords) + (", and any other" if takes_any else "")
        self.fields["startup"].help_text = f"A JSON object. {world.name} knows: {listed or 'none'}."
        self.fields["setup_sql"].help_text = "Statements to run on the starting state."

    def clean_startup(self) -> dict[str, Any]:
        given = self.cleaned_data["startup"]
        if given in (None, ""):
            return {}
        if not isinstance(given, dict):
            raise forms.ValidationError('Write an object of keywords, such as {"acting_user": "ada@example.com"}.')
        return given

    def clean_now(self) -> str | None:
        given: str = self.cleaned_data["now"]
        if not given:
            return None
        parse_instant(given, "now")  # raises what the page then says
        return given

    def start(self) -> Start:
        """The start, of a form that is valid."""
        told = self.cleaned_data
        return Start(
            fixture=told["fixture"] or None,
            seed=told["seed"],
            now=told["now"],
            clock_mode=told["clock_mode"] or None,
            startup=told["startup"],
            setup_sql=told["setup_sql"] or None,
        )


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
