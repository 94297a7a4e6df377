"""How does a model keep to the words that a product chooses from, which its tools publish as a Literal?"""

from __future__ import annotations

from typing import get_args

from django.db import models


def choices(words: object) -> list[tuple[str, str]]:
    """The words of a Literal as a Django field's choices."""
    return [(word, word.replace("_", " ")) for word in get_args(words)]


def one_of(column: str, words: object, name: str, *, blank: bool = False) -> models.CheckConstraint:
    """A constraint named `name`: the column holds one of the words of a Literal, or "" where `blank` allows it."""
    allowed = [*get_args(words), *([""] if blank else [])]
    return models.CheckConstraint(condition=models.Q(**{f"{column}__in": allowed}), name=name)
