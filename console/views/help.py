"""Which keys does the console know?"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from console.pages import page, show

KEYS = (
    ("g h", "Home"),
    ("g i", "Instances"),
    ("g f", "Fixtures"),
    ("g c", "Compare"),
    ("1 … 6", "The tabs of an instance"),
    ("/", "The search or filter of the page"),
    ("j, k", "The next and the one before, in a list"),
    ("enter", "Open what is chosen"),
    ("[, ]", "The page of rows before, and the next"),
    ("h, l", "The call before and the one after"),
    ("t", "The tables as they were after the call"),
    ("u", "Up: from tables to their call, from a call to the timeline"),
    ("n", "Open an instance"),
    ("ctrl+enter", "Send the form you are in"),
    ("esc", "Leave a field"),
    ("?", "This page"),
)


@page()
async def keys(request: HttpRequest) -> HttpResponse:
    """The list of keys."""
    return show(request, "console/help.html", {"keys": KEYS})
