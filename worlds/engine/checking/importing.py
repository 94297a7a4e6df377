"""Which code of a world runs when it must not: a query at import, an instance inside a call?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from django.db import models

from worlds.engine.checking.findings import Finding
from worlds.engine.checking.querysets import Rows
from worlds.engine.checking.reading import functions, of_module
from worlds.engine.checking.sources import Source
from worlds.engine.checking.targets import Target
from worlds.engine.checking.time_and_chance import over, runs_at_import
from worlds.engine.registrations import Registrations

#: Not code of a call: what makes instances, or runs in the project.
_OUTSIDE = ("fixtures", "management", "admin", "migrations", "apps")
#: Methods of managers and querysets that ask the database.
_RUNNING = {
    "get", "first", "last", "count", "exists", "aggregate", "create", "update", "delete", "get_or_create",
    "update_or_create", "bulk_create", "bulk_update", "in_bulk", "earliest", "latest", "iterator", "contains",
}  # fmt: skip
_GOING_OVER = {"list", "tuple", "set", "frozenset", "dict", "len", "sorted", "bool", "sum", "any", "all", "max", "min"}


def check(target: Target) -> Iterator[Finding]:
    """E204: world code opens an instance. E210: a query while a module is imported."""
    for source in target.without(*_OUTSIDE):
        for line in instances_opened(source):
            yield Finding(
                "worlds.E204",
                "an instance cannot be made inside a tool call",
                "work on ctx and the models; recipes and tests make instances",
                source.file, line, line, target.name,
            )  # fmt: skip
    for source in target.without("admin", "management"):
        for node in queries_at_import(source):
            yield Finding(
                "worlds.E210",
                f"`{ast.unparse(node):.60}` is a query while the module is imported, where no instance is",
                "move it into the function that needs it, or write prepared(lambda …: …) around it",
                source.file, node.lineno, node.end_lineno or node.lineno, target.name,
            )  # fmt: skip
        for name in kept_rows(source):
            yield Finding(
                "worlds.E210",
                f"{name.id} is made at import and keeps the rows of the first instance that goes over it",
                f"write {name.id}.all() here",
                source.file, name.lineno, name.lineno, target.name, (over(source, name, f"{name.id}.all()"),),
            )  # fmt: skip


def instances_opened(source: Source) -> Iterator[int]:
    """Lines that call `.instance(…)` of a world."""
    for node in source.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "instance":
            value = source.value(node.func.value)
            if value is None or isinstance(value, Registrations):
                yield node.lineno


def queries_at_import(source: Source) -> Iterator[ast.expr]:
    """Calls of a model's manager, and cursors, that run as the module is imported."""
    for node in source.nodes:
        if not isinstance(node, ast.Attribute):
            continue
        is_cursor = node.attr == "cursor" and source.dotted(node.value) == "django.db.connection"
        if not (is_cursor or _is_manager(source, node)) or not runs_at_import(source, node):
            continue
        whole: ast.expr = node
        for at in source.above(node):
            if not isinstance(at, ast.Attribute | ast.Call | ast.Subscript) or whole not in (
                getattr(at, "value", None),
                getattr(at, "func", None),
            ):
                break
            whole = at
        if is_cursor or _runs(source, whole):
            yield whole


def _is_manager(source: Source, node: ast.Attribute) -> bool:
    """Is it a model's manager? Of a module that is not loaded, what looks like one is taken for it."""
    name = source.global_name(node.value)
    owner = source.value(node.value)
    if owner is None:
        return node.attr == "objects" and name is not None and name.rpartition(".")[2][:1].isupper()
    is_model = isinstance(owner, type) and issubclass(owner, models.Model)
    return is_model and isinstance(getattr(owner, node.attr, None), models.Manager)


def _runs(source: Source, whole: ast.expr) -> bool:
    """Does a chain of a manager ask the database? A queryset that is only made does not yet."""
    if not isinstance(whole, ast.Call):
        return isinstance(whole, ast.Subscript) and not isinstance(whole.slice, ast.Slice)
    method = whole.func.attr if isinstance(whole.func, ast.Attribute) else ""
    if method in _RUNNING:
        return True
    parent = source.parent(whole)
    is_argument = isinstance(parent, ast.Call) and whole in parent.args
    if is_argument and isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        return parent.func.id in _GOING_OVER
    return isinstance(parent, ast.For | ast.comprehension | ast.Starred) or (
        isinstance(parent, ast.If | ast.While) and parent.test is whole
    )


def kept_rows(source: Source) -> Iterator[ast.Name]:
    """Uses of a module's own queryset that make it keep its rows: they would be those of another instance next time."""
    names = of_module(source)
    for function in functions(source) if names else ():
        own = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(names.get(node.id), Rows) and node.id not in own:
                parent = source.parent(node)
                in_call = isinstance(parent, ast.Call) and node in parent.args and isinstance(parent.func, ast.Name)
                if (in_call and parent.func.id in _GOING_OVER) or (  # type: ignore[union-attr]
                    isinstance(parent, ast.For | ast.comprehension) and parent.iter is node
                ):
                    yield node
