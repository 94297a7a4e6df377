"""What does the environment say about a setting?

Each reader takes a variable's name and its default, and refuses a value it cannot use with an error that names the
variable, the value and what is expected. A variable that is set to nothing counts as not set.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, TypeVar

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

Number = TypeVar("Number", int, float)

_FLAGS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def text(name: str, default: str) -> str:
    """The variable as it stands."""
    return os.environ.get(name) or default


def integer(name: str, default: int, *, minimum: int = 0) -> int:
    """A whole number, `minimum` or more."""
    return _number(name, default, minimum, int, "a whole number")


def number(name: str, default: float, *, minimum: float = 0, maximum: float = math.inf) -> float:
    """A number, whole or not, from `minimum` to `maximum`."""
    return _number(name, default, minimum, float, "a number", maximum)


def flag(name: str, default: bool) -> bool:
    """Yes or no, in any of the usual spellings."""
    value = text(name, str(default))
    if (answer := _FLAGS.get(value.strip().lower())) is None:
        _refuse(name, value, f"one of {', '.join(_FLAGS)}")
    return answer


def words(name: str, default: str) -> list[str]:
    """A list of words with commas between them."""
    return [word for part in text(name, default).split(",") if (word := part.strip())]


def folder(name: str, default: Path) -> Path:
    """A directory as an absolute path; it need not exist yet."""
    path = Path(text(name, str(default))).expanduser().resolve()
    if path.exists() and not path.is_dir():
        _refuse(name, str(path), "a directory")
    return path


def secret(name: str, kept_in: Path) -> str:
    """The variable; without it a secret made on first use and kept in a file that only its owner may read."""
    if value := os.environ.get(name):
        return value
    if not kept_in.exists():
        with tempfile.NamedTemporaryFile("w", dir=kept_in.parent) as draft:  # mode 0600
            draft.write(get_random_secret_key())
            draft.flush()
            with suppress(FileExistsError):  # of two processes that start at once, the first one's stands
                os.link(draft.name, kept_in)
    return kept_in.read_text()


def _number(
    name: str, default: Number, minimum: Number, read: Callable[[str], Number], kind: str, maximum: float = math.inf
) -> Number:
    value = text(name, str(default))
    try:
        answer = read(value)
    except ValueError:
        answer = None
    if answer is None or not minimum <= answer <= maximum or answer == math.inf:
        _refuse(
            name, value, f"{kind}, {minimum} or more" if maximum == math.inf else f"{kind} from {minimum} to {maximum}"
        )
    return answer


def _refuse(name: str, value: str, expected: str) -> NoReturn:
    raise ImproperlyConfigured(f"{name} is {value!r}; expected {expected}.")
