"""What does a file of world code say: which names does it import, and what do they stand for?"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef
_SILENCE = re.compile(r"#\s*(?P<ids>worlds\.[EW]\d{3}(?:\s*,\s*worlds\.[EW]\d{3})*)(?:\s*:\s*(?P<reason>[^#]*\S))?")
_NOT_THE_WORLD = {"__pycache__", "tests", "node_modules"}


@dataclass(frozen=True, slots=True)
class Silence:
    """A comment such as `# worlds.E201: measures only`."""

    line: int
    ids: tuple[str, ...]
    reason: str


class Source:
    """One module, parsed as it is on disk now; `module` is its dotted name.

    Raises: SyntaxError, UnicodeDecodeError for what is no Python.
    """

    def __init__(self, file: Path, module: str) -> None:
        self.file = file
        self.module = module
        with tokenize.open(file) as opened:  # as Python reads it: with a BOM, or in an encoding it names
            self.text = opened.read()
        self.lines = self.text.splitlines()
        self.tree = ast.parse(self.text, str(file))
        self._shadowed: dict[int, bool] = {}

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @cached_property
    def parents(self) -> dict[int, ast.AST]:
        return {id(child): node for node in self.nodes for child in ast.iter_child_nodes(node)}

    @cached_property
    def imported(self) -> dict[str, str]:
        """The dotted name behind each imported name, relative imports resolved."""
        found: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    found[alias.asname or alias.name.split(".")[0]] = (
                        alias.name if alias.asname else alias.name.split(".")[0]
                    )
            elif isinstance(node, ast.ImportFrom):
                base = self._base(node)
                for alias in node.names:
                    found[alias.asname or alias.name] = f"{base}.{alias.name}".lstrip(".")
        return found

    def _base(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = self.module.split(".")
        ups = node.level - (1 if self.file.name == "__init__.py" else 0)
        package = package[: len(package) - ups] if ups else package
        return ".".join([*package, *([node.module] if node.module else [])])

    def parent(self, node: ast.AST) -> ast.AST | None:
        return self.parents.get(id(node))

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around one, the nearest first."""
        at = self.parent(node)
        while at is not None:
            yield at
            at = self.parent(at)

    def function_around(self, node: ast.AST) -> Function | None:
        """The function whose body a node is in; decorators and defaults belong to what is around the function."""
        inner: ast.AST = node
        for at in self.above(node):
            if isinstance(at, ast.FunctionDef | ast.AsyncFunctionDef) and any(inner is each for each in at.body):
                return at
            inner = at
        return None

    def dotted(self, node: ast.AST) -> str | None:
        """What an expression such as `d.now` stands for: "datetime.datetime.now"; None for what was not imported."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.imported or self._is_shadowed(node):
            return None
        return ".".join((self.imported[node.id], *reversed(parts)))

    def _is_shadowed(self, name: ast.Name) -> bool:
        """Is it a parameter of a function around?"""
        if id(name) not in self.parents:
            return False
        if id(name) not in self._shadowed:
            self._shadowed[id(name)] = self._is_parameter(name)
        return self._shadowed[id(name)]

    def _is_parameter(self, name: ast.Name) -> bool:
        for at in self.above(name):
            if isinstance(at, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                given = at.args
                every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
                if any(each is not None and each.arg == name.id for each in every):
                    return True
        return False

    def global_name(self, node: ast.AST) -> str | None:
        """As `dotted`, and for what the module itself defines."""
        found = self.dotted(node)
        if found is None and isinstance(node, ast.Name) and not self._is_shadowed(node) and node.id in self._defined:
            return f"{self.module}.{node.id}"
        return found

    @cached_property
    def _defined(self) -> set[str]:
        kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        return {node.name for node in self.tree.body if isinstance(node, kinds)}

    def value(self, node: ast.AST) -> Any:
        """The object an expression stands for, when its module is loaded; None when that cannot be told."""
        name = self.global_name(node)
        return loaded(name) if name else None

    @cached_property
    def silences(self) -> list[Silence]:
        """The comments that silence a finding; text that only looks like one is none."""
        if "worlds." not in self.text or not _SILENCE.search(self.text):
            return []
        found = []
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type == tokenize.COMMENT:
                for match in _SILENCE.finditer(token.string):
                    ids = tuple(each.strip() for each in match["ids"].split(","))
                    found.append(Silence(token.start[0], ids, match["reason"] or ""))
        return found


def loaded(name: str) -> Any:
    """The object of a dotted name, of modules that are loaded; nothing is imported for it."""
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        found: Any = sys.modules.get(".".join(parts[:size]))
        if found is not None:
            for part in parts[size:]:
                found = vars(found).get(part) if hasattr(found, "__dict__") else None
                if found is None:
                    return None
            return found
    return None


def python_files(folder: Path) -> list[Path]:
    """A world's own modules, its migrations among them and its tests not."""
    return sorted(
        file
        for file in folder.rglob("*.py")
        if not _NOT_THE_WORLD & set(file.relative_to(folder).parts[:-1])
        and not (file.name.startswith("test_") or file.name == "conftest.py")
    )


def module_name(package: str, folder: Path, file: Path) -> str:
    """The dotted name of a file in a package's folder."""
    return ".".join((package, *file.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__")


def is_tool(source: Source, function: Function) -> bool:
    """Is a function decorated with the engine's @tool?"""
    for each in function.decorator_list:
        name = source.dotted(each.func if isinstance(each, ast.Call) else each)
        if name is not None and name.startswith("worlds.engine") and name.endswith(".tool"):
            return True
    return False


def context_name(function: Function | None) -> str | None:
    """The name of a function's context, where its first parameter is one."""
    if function is None:
        return None
    given = [*function.args.posonlyargs, *function.args.args]
    if not given:
        return None
    first = given[0]
    annotation = ast.unparse(first.annotation).split("[")[0].strip("'\"") if first.annotation else ""
    if annotation.rpartition(".")[2] == "Ctx" or (not annotation and first.arg == "ctx"):
        return first.arg
    return None
