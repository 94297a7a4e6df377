"""Where are the pages of the documentation, and what do they say in a terminal?

In a checkout they are `docs/`; a wheel carries them beside the engine. Where a page of the API reference names
something, its signature and docstring stand.
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
#: A name of the reference, and which of its members are shown if not all: `members: false`, `members: [now, iso]`.
_REFERENCE = re.compile(r"^::: ([\w.]+)\n((?: +\S.*\n)*)", re.MULTILINE)
_MEMBERS = re.compile(r"members: \[?([\w, ]+)")


class _Bare(str):
    """An annotation as it was written."""

    __slots__ = ()
    __repr__ = str.__str__


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
    """A page as Markdown, what it says of modules and names filled in."""
    return _REFERENCE.sub(_filled_in, path.read_text(encoding="utf-8"))


def _filled_in(found: re.Match[str]) -> str:
    chosen = _MEMBERS.search(found[2])
    return reference(found[1], None if chosen is None else chosen[1].split(", ")) + "\n"


def search(words: list[str]) -> list[str]:
    """Every line that has all the words, as `page:line: text`."""
    wanted = [word.lower() for word in words]
    return [
        f"{name}:{number}: {line.strip()}"
        for name, path in pages().items()
        for number, line in enumerate(text(path).splitlines(), 1)
        if all(word in line.lower() for word in wanted)
    ]


def reference(dotted: str, members: list[str] | None = None) -> str:
    """What a public name is, with its members or some of them, or every public name of a module."""
    try:
        module = import_module(dotted)
    except ModuleNotFoundError:
        owner, _, name = dotted.rpartition(".")
        told = _told(name, getattr(import_module(owner), name), members)
    else:
        names = public_names(module)
        told = [inspect.getdoc(module) or "", *(part for name in names for part in _told(name, getattr(module, name)))]
    return "\n\n".join(part for part in told if part)


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


def _told(name: str, value: Any, members: list[str] | None = None) -> list[str]:
    told = [f"### `{name}`", _code(name, value), inspect.getdoc(value) or ""]
    if inspect.isclass(value):
        for member in (each for each in _members(value) if members is None or each in members):
            told += [f"#### `{name}.{member}`", _code(member, getattr(value, member))]
            told.append(inspect.getdoc(inspect.getattr_static(value, member)) or "")
    return told


def _members(value: type) -> list[str]:
    """The public methods and properties of a class, those it inherits of ours too, in the order of their source."""
    ours = [base for base in value.__mro__ if base.__module__.split(".")[0] in ("worlds", "seahaven", "openenv_api")]
    return list(
        dict.fromkeys(
            member
            for base in ours
            for member, inner in vars(base).items()
            if not member.startswith("_") and (inspect.isfunction(inner) or isinstance(inner, property | classmethod))
        )
    )


def _code(name: str, value: Any) -> str:
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):  # a property, or a class that Python cannot tell the signature of
        return ""
    parameters = [each.replace(annotation=_bare(each.annotation)) for each in signature.parameters.values()]
    signature = signature.replace(parameters=parameters, return_annotation=_bare(signature.return_annotation))
    return f"```python\n{name}{signature}\n```"


def _bare(annotation: Any) -> Any:
    return _Bare(annotation) if isinstance(annotation, str) else annotation
