"""Do the worlds that code reaches through `ctx.worlds` exist, and are they declared as they are embedded?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from worlds.engine.checking import describing
from worlds.engine.checking.findings import Edit, Finding
from worlds.engine.checking.sources import Function, Source, context_name
from worlds.engine.checking.targets import Target
from worlds.engine.composing import ROOT, Tree, tree_of
from worlds.engine.errors import WorldBug
from worlds.engine.handles import Worlds
from worlds.engine.names import nearest


def check(target: Target, unloaded: set[str]) -> Iterator[Finding]:
    """E303: the composition does not fit together; and what is asked of one that does."""
    assert target.world is not None
    try:
        tree = tree_of(target.world)
    except WorldBug as error:
        if not any(repr(name) in str(error) or f" {name} " in str(error) for name in unloaded):
            file, line = _embed_place(target, str(error))
            hint = "mend the embed() call as the message says"
            yield Finding("worlds.E303", str(error), hint, file, line, line, target.name)
        return
    yield from describing.check_names(target, tree)
    children = tree.branches[ROOT].children
    for source in target.without("migrations", "admin", "management"):
        yield from _reached(target, source, tree)
        yield from _declared(target, source, set(children))


def _embed_place(target: Target, message: str) -> tuple[Path, int]:
    for source in target.within("apps", "__init__"):
        calls = [
            node
            for node in source.nodes
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "embed"
        ]
        for node in calls:
            names = [ast.unparse(each.value).strip("'") for each in node.keywords if each.arg == "name"]
            if any(f"embed {name}:" in message for name in names):
                return source.file, node.lineno
        if calls:
            return source.file, calls[0].lineno
    return target.apps_place()


def _reached(target: Target, source: Source, tree: Tree) -> Iterator[Finding]:
    """E209: an unknown name after ctx.worlds. E213: a call of a tool that is not there."""
    children = tree.branches[ROOT].children
    for node in source.nodes:
        if isinstance(node, ast.Attribute):
            name, base = node.attr, node.value
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            if not isinstance(node.slice.value, str):
                continue
            name, base = node.slice.value, node.value
        else:
            continue
        if not _is_ctx_worlds(source, base) or name.startswith("_"):
            continue
        last = node.end_lineno or node.lineno
        if name not in children:
            near = nearest(name, children)
            if not children:
                message, hint = f"ctx.worlds.{name}: world {target.name} embeds no world", "embed it in apps.py first"
            else:
                message = f"ctx.worlds.{name}: world {target.name} embeds no world {name!r}"
                hint = f"write ctx.worlds.{near}" if near else f"it embeds: {', '.join(children)}"
            yield Finding("worlds.E209", message, hint, source.file, node.lineno, last, target.name)
            continue
        method = source.parent(node)
        call = source.parent(method) if isinstance(method, ast.Attribute) and method.attr == "call" else None
        if isinstance(call, ast.Call) and call.func is method and call.args and isinstance(call.args[0], ast.Constant):
            tool, surface = call.args[0].value, tree.surface_of(children[name])
            if isinstance(tool, str) and tool not in surface:
                near = nearest(tool, surface)
                hint = f"write {near!r}" if near else f"it has: {', '.join(list(surface)[:20])}"
                message = f"ctx.worlds.{name}.call: that world has no tool {tool!r}"
                yield Finding(
                    "worlds.E213", message, hint, source.file, call.args[0].lineno, call.end_lineno or 0, target.name
                )


def _is_ctx_worlds(source: Source, node: ast.expr) -> bool:
    if not isinstance(node, ast.Attribute) or node.attr != "worlds" or not isinstance(node.value, ast.Name):
        return False
    function: Function | None = source.function_around(node)
    while function is not None:
        if context_name(function) == node.value.id:
            return not _is_bound_anew(function, node.value.id)
        function = source.function_around(function)
    return False


def _is_bound_anew(function: Function, name: str) -> bool:
    """Is it given another meaning, as by `with … as ctx`?"""
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in ast.walk(function)
    )


def _declared(target: Target, source: Source, children: set[str]) -> Iterator[Finding]:
    """E211, W212: a subclass of Worlds that says other names than are embedded."""
    for node in source.tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        value = source.value(ast.Name(node.name))
        if not (isinstance(value, type) and issubclass(value, Worlds) and value is not Worlds):
            continue
        lines = {
            each.target.id: each
            for each in node.body
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.target.id[0] != "_"
        }
        for name, each in lines.items():
            if name not in children:
                near = nearest(name, children - set(lines))
                hint = f"name it {near}, as it is embedded" if near else "take the line out"
                message = f"{node.name}.{name}: world {target.name} embeds no world {name!r}"
                yield Finding("worlds.E211", message, hint, source.file, each.lineno, each.end_lineno or 0, target.name)
        inherited = {name for base in value.__mro__ for name in vars(base).get("__annotations__", {})}
        for name in sorted(children - inherited):
            message = f"{node.name} does not name {name}, which world {target.name} embeds"
            hint = f"write `{name}: WorldHandle` in it"
            last = node.body[-1].end_lineno or node.lineno
            edits: tuple[Edit, ...] = ()
            if source.imported.get("WorldHandle", "").startswith("worlds.engine"):
                indent = " " * node.body[-1].col_offset
                edits = (Edit(source.file, last + 1, 0, last + 1, 0, f"{indent}{name}: WorldHandle\n"),)
            yield Finding("worlds.W212", message, hint, source.file, node.lineno, node.lineno, target.name, edits)
