"""How is a value of a store, or JSON, written on a page?"""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson
from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import mark_safe

from console.tables.rows import Shown

register = template.Library()
#: A longer text is cut on a page; the whole stands in what can be downloaded.
MOST = 2000
#: As much of a value stands in a dense table.
BRIEF = 160
#: So much of it can be read there; of more the whole is in its title.
FITS = 30
_MISSING = object()


class Cell(NamedTuple):
    """One column of a changed row."""

    column: str
    before: Any
    after: Any


@register.filter
def json(value: Any) -> str:
    """A value as JSON, indented."""
    option = orjson.OPT_INDENT_2 if isinstance(value, dict | list) and len(str(value)) > 60 else 0
    return orjson.dumps(value, option=option).decode()


@register.filter
def cells(change: dict[str, Any]) -> list[Cell]:
    """The columns of a change: those that differ, in the order of the record."""
    before, after = change.get("before") or {}, change.get("after") or {}
    return [Cell(column, before.get(column, _MISSING), after.get(column, _MISSING)) for column in {**before, **after}]


@register.filter
def shown(value: Any) -> str:
    """One value of a column."""
    if value is _MISSING:
        return mark_safe('<span class="none" aria-label="no value">–</span>')
    if value is None:
        return mark_safe('<span class="none">null</span>')
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    if text == "":
        return mark_safe('<span class="none">empty</span>')
    return text if len(text) <= MOST else f"{text[:MOST]}… ({len(text):,} characters)"


@register.filter
def brief(value: Any) -> str:
    """One value of a column in a dense table: the beginning of a long text, the whole in its title."""
    text = shown(value)
    if len(text) <= FITS or hasattr(text, "__html__"):
        return text
    return format_html('<span title="{}">{}{}</span>', text, text[:BRIEF], "…" if len(text) > BRIEF else "")


@register.filter
def grouped(number: int) -> str:
    """A number of things, its thousands apart."""
    return f"{number:,}"


@register.filter
def prose(text: str) -> str:
    """A description without the line breaks it was written with; its paragraphs stay apart."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


@register.filter
def celled(cell: Shown) -> str:
    """One cell of a row: its value, where it leads, and what was there before. A page has a thousand of them."""
    inner = str(escape(cell.text))
    if cell.kind in ("null", "empty"):
        inner = f'<span class="none">{inner}</span>'
    elif cell.href:
        inner = f'<a href="{escape(cell.href)}">{inner}</a>'
    elif cell.kind == "blob":
        inner = f'<code class="blob">{inner}</code> <small class="hint">{cell.length:,} bytes, base64</small>'
    elif cell.length:
        inner += f'<small class="more">… {cell.length:,} characters</small>'
    if cell.before is not None:
        before = escape(cell.before.text)
        inner = (
            f'<ins>{inner}</ins> <del title="When the episode began"><span class="unseen">before: </span>{before}</del>'
        )
    return mark_safe(inner)
