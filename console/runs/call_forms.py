"""What may the query of a page say that shows what an instance did?"""

from __future__ import annotations

from typing import Any

from django import forms

from worlds.engine.timeline import CHANGING, FAILED, Wanted

#: So far does anybody count.
_MOST = 2**31
ONLY = (("", "every move"), (FAILED, "only errors"), (CHANGING, "only those that changed rows"))
ORDERS = (("", "newest first"), ("oldest", "oldest first"))
SHOWS = (("", "every move"), ("differing", "only those that differ"))


def _place() -> forms.IntegerField:
    return forms.IntegerField(required=False, min_value=0, max_value=_MOST)


class TimelineForm(forms.Form):
    """Which moves are listed; `at` is the place of the first."""

    q = forms.CharField(required=False, label="Search")
    tool = forms.CharField(required=False, label="Tool")
    only = forms.ChoiceField(required=False, choices=ONLY, label="Show")
    order = forms.ChoiceField(required=False, choices=ORDERS, label="Order")
    at = _place()

    def wanted(self) -> Wanted:
        """The filter, of a form that is valid."""
        told = self.cleaned_data
        return Wanted(told["tool"], told["only"], tuple(told["q"].lower().split()))


class PlaceForm(forms.Form):
    """Where a list begins."""

    at = _place()


class ScrubForm(forms.Form):
    """To which call somebody moves, and what of it is looked at: the call itself, or a table."""

    n = forms.IntegerField(min_value=-1, max_value=_MOST)
    view = forms.ChoiceField(required=False, choices=[("", "call"), ("tables", "tables")])
    node = forms.CharField(required=False)
    table = forms.CharField(required=False)
    sort = forms.CharField(required=False)


class ThenForm(forms.Form):
    """Which rows of a table are shown, in which order; a column with "-" before it comes last first."""

    at = _place()
    sort = forms.CharField(required=False)


class ChangesForm(forms.Form):
    """Which of the rows that a run changed are shown."""

    table = forms.CharField(required=False, label="Table")
    op = forms.ChoiceField(
        required=False,
        label="Change",
        choices=[("", "any"), ("insert", "inserted"), ("update", "updated"), ("delete", "deleted")],
    )
    q = forms.CharField(required=False, label="Search")
    at = _place()


class CompareForm(forms.Form):
    """Which two runs are compared: each the id of an instance, or of an uploaded document."""

    a = forms.CharField(required=False, label="First run")
    b = forms.CharField(required=False, label="Second run")
    show = forms.ChoiceField(required=False, choices=SHOWS, label="Show")
    at = _place()


class UploadForm(forms.Form):
    """One or two episode documents, and what the other side stays."""

    a = forms.CharField(required=False)
    b = forms.CharField(required=False)
    file_a = forms.FileField(required=False, allow_empty_file=True, label="First run, from a file")
    file_b = forms.FileField(required=False, allow_empty_file=True, label="Second run, from a file")

    def clean(self) -> dict[str, Any]:
        told: dict[str, Any] = super().clean() or {}
        if not told.get("file_a") and not told.get("file_b"):
            raise forms.ValidationError("Choose at least one file: an episode document, as an instance exports it.")
        return told
