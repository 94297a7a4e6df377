"""How does a page say what the engine refused?"""

from __future__ import annotations


def sentence(error: Exception) -> str:
    """An error's text as a sentence."""
    text = str(error).strip()
    return (text[:1].upper() + text[1:]).rstrip(".") + "."
