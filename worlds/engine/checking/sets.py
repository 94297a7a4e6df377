"""Where does the order of a set become the order of a list? Python gives it another one in each process."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from worlds.engine.checking.findings import Finding
from worlds.engine.checking.sources import Source
from worlds.engine.checking.targets import Target
from worlds.engine.checking.time_and_chance import over, runs_at_import

_LISTING = {"list", "tuple"}


def check(target: Target) -> Iterator[Finding]:
    """W214: `list({…})`, `[… for x in set(…)]`, `", ".join(set(…))`."""
    for source in target.without("migrations", "admin", "management"):
        for node in source.nodes:
            if isinstance(node, ast.Set | ast.SetComp) or _is_call_of(node, {"set", "frozenset"}):
                listed = _lists(source, node)
                if listed and not runs_at_import(source, node):
                    assert isinstance(node, ast.expr)
                    line, last = node.lineno, node.end_lineno or node.lineno
                    edits = (over(source, node, f"sorted({ast.get_source_segment(source.text, node)})"),)
                    message = "a list is made of a set, whose order is another in each process"
                    yield Finding(
                        "worlds.W214", message, "write sorted(…) around the set", source.file, line, last, target.name,
                        edits,
                    )  # fmt: skip


def _lists(source: Source, node: ast.AST) -> bool:
    parent = source.parent(node)
    if isinstance(parent, ast.Call) and node in parent.args:
        if isinstance(parent.func, ast.Attribute):
            return parent.func.attr == "join" and isinstance(parent.func.value, ast.Constant)
        return _is_call_of(parent, _LISTING) and not _is_sorted(source, parent)
    if isinstance(parent, ast.comprehension) and parent.iter is node:
        made = source.parent(parent)
        return isinstance(made, ast.ListComp) and not _is_sorted(source, made)
    return False


def _is_sorted(source: Source, node: ast.AST) -> bool:
    return _is_call_of(source.parent(node), {"sorted", "set", "frozenset", "sum", "len", "any", "all", "max", "min"})


def _is_call_of(node: ast.AST | None, names: set[str]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
