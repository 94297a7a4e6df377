"""Does every list that world code makes of a queryset have a total order?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from worlds.engine.checking.findings import Edit, Finding
from worlds.engine.checking.querysets import Rows
from worlds.engine.checking.reading import Reading, functions, is_order_seen_at
from worlds.engine.checking.sources import Source
from worlds.engine.checking.targets import Target
from worlds.engine.checking.uniqueness import is_total

_COMMENT_OR_TEXT = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", re.DOTALL)
_SELECT = re.compile(r"\s*(?:SELECT|WITH)\b", re.IGNORECASE)
_ORDERED = re.compile(r"\bORDER\s+BY\b|\bLIMIT\s+1\s*;?\s*$", re.IGNORECASE)
_AGGREGATE = re.compile(
    r"\s*SELECT\s+(?:coalesce\s*\(\s*)?(?:count|sum|total|avg|min|max|exists|group_concat|json_group_array)\s*\(",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"\bGROUP\s+BY\b", re.IGNORECASE)
_PREPARED = ("worlds.engine.prepared", "worlds.engine.queries.prepared")


def check(target: Target) -> Iterator[Finding]:
    """W205: a list, a loop or a slice of rows that nothing tells apart in its order."""
    for source in target.without("migrations", "admin", "management", "fixtures"):
        for node, rows in _listed(source):
            if rows.order is not None and not _has_total_order(rows):
                yield _finding(target, source, node, rows)
        for given in _selected(source):
            message = "a list of rows has no total order: its SELECT has no ORDER BY"
            hint = "write ORDER BY with columns that tell all rows apart, such as the key, last"
            line, last = given.lineno, given.end_lineno or given.lineno
            yield Finding("worlds.W205", message, hint, source.file, line, last, target.name)


def _selected(source: Source) -> Iterator[ast.expr]:
    """SQL without an order in `….db.rows(…)`, where it is written there or at the top of the module."""
    texts = {
        node.targets[0].id: node.value
        for node in source.tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in source.nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr="rows", value=ast.Attribute(attr="db")), args=[given, *_]):
                text = texts.get(given.id) if isinstance(given, ast.Name) else given
                match text:
                    case ast.Constant(value=str(sql)) if is_unordered(sql) and is_order_seen_at(source, node):
                        yield given


def is_unordered(sql: str) -> bool:
    """Is it a SELECT that may give several rows, in an order it does not say?"""
    bare = _COMMENT_OR_TEXT.sub(" ", sql)
    if not _SELECT.match(bare) or _ORDERED.search(bare):
        return False
    return not (_AGGREGATE.match(bare) and not _GROUPED.search(bare))


def _listed(source: Source) -> Iterator[tuple[ast.expr, Rows]]:
    for function in functions(source):
        yield from Reading(source).of(function).listed
    for statement in source.tree.body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        made, target = statement.value, statement.targets[0]
        if source.dotted(made.func) not in _PREPARED or not isinstance(target, ast.Name) or not made.args:
            continue
        build = made.args[0]
        if isinstance(build, ast.Lambda) and _is_listed(source, target.id):
            yield from Reading(source).of_lambda(build).listed


def _is_listed(source: Source, prepared: str) -> bool:
    """Is a prepared query asked for its rows in order, and not only for the first, or for a set of them?"""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == prepared
        and is_order_seen_at(source, node)
        for node in source.nodes
    )


def _has_total_order(rows: Rows) -> bool:
    order = rows.order or ()
    if not rows.is_grouped and is_total(rows.model, order, rows.fixed):
        return True
    if not rows.columns or "" in rows.columns:
        return rows.columns is not None and "" in rows.columns  # an expression: it cannot be told
    # Rows that are equal in all columns shown may change places unseen.
    names = {name.lstrip("-+") for name in order if name} | rows.fixed
    return set(rows.columns) <= names


def _finding(target: Target, source: Source, node: ast.expr, rows: Rows) -> Finding:
    missing = _missing(rows)
    names = [name for name in rows.order or () if name]
    said = f"it is ordered by {', '.join(names)}, which may be equal" if names else "nothing orders it"
    message = f"a list of {rows.model.__name__} has no total order: {said}"
    wanted = ", ".join(f'"{name}"' for name in (*names, *missing))
    edit = _edit(source, node, names, missing, appends=None not in (rows.order or ()))
    return Finding(
        "worlds.W205", message, f"write .order_by({wanted})", source.file, node.lineno, node.end_lineno or node.lineno,
        target.name, (edit,) if edit else (),
    )  # fmt: skip


def _missing(rows: Rows) -> list[str]:
    """What to add to the order to make it total."""
    down = "-" if rows.order and (rows.order[-1] or "").startswith("-") else ""
    if rows.columns and "" not in rows.columns and (rows.is_grouped or rows.columns):
        names = {name.lstrip("-+") for name in rows.order or () if name} | rows.fixed
        return [name for name in rows.columns if name not in names]
    return [f"{down}pk"]


def _edit(source: Source, node: ast.expr, names: list[str], missing: list[str], *, appends: bool) -> Edit | None:
    """Add to the order_by() of the chain, or append one; None when the chain is not here."""
    chain: ast.AST = node
    while isinstance(chain, ast.Call | ast.Attribute):
        if isinstance(chain, ast.Call):
            func = chain.func
            if isinstance(func, ast.Attribute) and func.attr == "order_by" and chain.args:
                last = chain.args[-1]
                line, column = last.end_lineno or last.lineno, last.end_col_offset or 0
                text = "".join(f', "{name}"' for name in missing)
                return Edit(source.file, line, column, line, column, text)
            chain = func
        else:
            chain = chain.value
    if not appends or not isinstance(node, ast.Call | ast.Name | ast.Attribute):
        return None  # an expression of Meta.ordering would be lost
    line, column = node.end_lineno or node.lineno, node.end_col_offset or 0
    text = ", ".join(f'"{name}"' for name in (*names, *missing))
    return Edit(source.file, line, column, line, column, f".order_by({text})")
