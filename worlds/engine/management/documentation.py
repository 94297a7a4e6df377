"""Where are the pages of the documentation, and what do they say in a terminal?

In a checkout they are `docs/`; a wheel carries them beside the engine. The pages of the API reference name modules, whose
docstrings stand in their place.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from django.core.management.base import CommandError

from worlds.engine.names import nearest

_ENGINE = Path(__file__).resolve().parents[1]
#: In a checkout, and in an installed package.
_PLACES = (_ENGINE.parents[1] / "docs", _ENGINE / "docs")
_REFERENCE = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)


def folder() -> Path:
    """Where the pages are.

    Raises: CommandError when they are not there.
    """
    for place in _PLACES:
        if (place / "index.md").is_file():
            return place
    raise CommandError(f"the documentation is not where it should be, {_PLACES[-1]}; install the package again")


def pages() -> dict[str, Path]:
    """The pages by their names, "authoring" and "api/engine"; the first is the one to begin with."""
    root = folder()
    found = {path.relative_to(root).with_suffix("").as_posix(): path for path in sorted(root.rglob("*.md"))}
    return {"index": found.pop("index"), **found}


def title(path: Path) -> str:
    """What a page is called."""
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    return first.lstrip("# ").replace("`", "")


def page(name: str) -> Path:
    """A page by its name, with or without `.md` or `docs/` around it.

    Raises: CommandError with the nearest name there is.
    """
    wanted, known = name.removeprefix("docs/").removesuffix(".md").lower(), pages()
    if wanted in known:
        return known[wanted]
    near = nearest(wanted, known)
    hint = f"did you mean {near!r}? " if near else ""
    raise CommandError(f"there is no page {name!r}; {hint}the pages are: {', '.join(known)}")


def text(path: Path) -> str:
    """A page as Markdown, what it says of modules filled in."""
    return _REFERENCE.sub(lambda found: reference(import_module(found[1])), path.read_text(encoding="utf-8"))


def search(words: list[str]) -> list[str]:
    """Every line that has all the words, as `page:line: text`."""
    wanted = [word.lower() for word in words]
    return [
        f"{name}:{number}: {line.strip()}"
        for name, path in pages().items()
        for number, line in enumerate(text(path).splitlines(), 1)
        if all(word in line.lower() for word in wanted)
    ]


def reference(module: ModuleType) -> str:
    """The public names of a module, each with its signature and docstring."""
    parts = [inspect.getdoc(module) or ""]
    for name in public_names(module):
        parts += [f"## `{name}`", *_told(name, getattr(module, name))]
    return "\n\n".join(part for part in parts if part)


def public_names(module: ModuleType) -> list[str]:
    """What a module offers: its `__all__`, else the functions and classes it defines."""
    declared = getattr(module, "__all__", None)
    if declared is not None:
        return sorted(declared)
    return sorted(
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    )


def _told(name: str, value: Any) -> list[str]:
    told = [_code(name, value), inspect.getdoc(value) or ""] if callable(value) else [f"```python\n{value!r}\n```"]
    if inspect.isclass(value):
        for member, inner in vars(value).items():
            if not member.startswith("_") and (inspect.isfunction(inner) or isinstance(inner, property | classmethod)):
                told += [f"### `{name}.{member}`", _code(member, getattr(value, member)), inspect.getdoc(inner) or ""]
    return told


def _code(name: str, value: Any) -> str:
    try:
        return f"```python\n{name}{inspect.signature(value)}\n```"
    except (TypeError, ValueError):  # a property, or a class that Python cannot tell the signature of
        return ""
