"""Are all modules of a world loaded, and if not, why?"""

from __future__ import annotations

import ast
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

from worlds.engine.checking.findings import Edit, Finding
from worlds.engine.checking.sources import Source
from worlds.engine.checking.targets import Target
from worlds.engine.errors import WorldBug

#: Packages in which a module that nobody imports is a mistake: it registers something.
_REGISTERING = ("tools", "middleware", "startup", "events", "formats", "http", "fixtures", "models")


def check_loading(target: Target) -> Iterator[Finding]:
    """E302: what kept a world from loading, at the line of it that failed."""
    error = target.failure
    if error is None:
        return
    if not target.folder.is_dir():
        message = f"world {target.name} cannot be loaded: Python finds no app {target.package}"
        hint = f"correct its name in settings.WORLDS, or write it with `manage.py seahaven_new {target.name}`"
        yield Finding("worlds.E302", message, hint, subject=target.name)
        return
    file, line = _place(error, target)
    said = str(error) if isinstance(error, WorldBug | LookupError) else f"{type(error).__name__}: {error}"
    yield Finding("worlds.E302", f"world {target.name} cannot be loaded: {said}", _hint(error), file, line, line)


def _hint(error: Exception) -> str:
    match error:
        case SyntaxError():
            return "correct the line"
        case ModuleNotFoundError():
            return f"correct the name, or install what provides {error.name}"
        case ImportError():
            return "correct the name that is imported"
        case NameError():
            return f"import {error.name}, or correct its name"
        case WorldBug():
            return "make the edit that the message names"
        case LookupError() if not isinstance(error, KeyError | IndexError):
            return 'write `class …Config(WorldConfig):` with `world = World("…", version="1.0.0")` in apps.py'
    return "a module of a world must import without running it: correct this line, or move it into a function"


def _place(error: Exception, target: Target) -> tuple[Path, int]:
    if isinstance(error, SyntaxError) and error.filename:
        return Path(error.filename), error.lineno or 1
    frames = [each for each in traceback.extract_tb(error.__traceback__) if Path(each.filename).is_absolute()]
    own = [each for each in frames if Path(each.filename).is_relative_to(target.folder)]
    if own:
        return Path(own[-1].filename), own[-1].lineno or 1
    return target.apps_place()


def check_modules(target: Target) -> Iterator[Finding]:
    """E301: a module of tools, hooks or models that nobody imports, so that what it registers is not there."""
    for source in target.within(*_REGISTERING):
        if source.module in sys.modules or (source.file.name == "__init__.py" and not source.tree.body):
            continue
        parent, _, name = source.module.rpartition(".")
        init = target.source_of(source.file.parent / "__init__.py")
        edits = tuple(_imported(init, parent, name)) if init is not None else ()
        hint = f"write `from {parent} import {name}` in its package's __init__.py, or remove the file"
        message = f"module {source.module} is never imported"
        yield Finding("worlds.E301", message, hint, source.file, 1, 1, target.name, edits)


def _imported(init: Source, parent: str, name: str) -> Iterator[Edit]:
    """Import a module where its package is made, and say that it is wanted there."""
    if init.imported.get(name) == f"{parent}.{name}":
        return
    listed = next(
        (
            node.value
            for node in init.tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == "__all__"
            and isinstance(node.value, ast.List)
            and node.value.elts
        ),
        None,
    )
    imports = [node for node in init.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    first = init.tree.body[0] if init.tree.body else None
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    at = (imports[-1].end_lineno or 0) if imports else (first.end_lineno or 0) if first and is_docstring else 0
    prefix = "" if init.text[-1:] in ("\n", "") or at < len(init.lines) else "\n"
    blank = "\n" if at and not imports else ""
    again = "" if listed is not None else f" as {name}"
    yield Edit(init.file, at + 1, 0, at + 1, 0, f"{prefix}{blank}from {parent} import {name}{again}\n")
    if listed is not None:
        last = listed.elts[-1]
        line, column = last.end_lineno or last.lineno, last.end_col_offset or 0
        yield Edit(init.file, line, column, line, column, f', "{name}"')
