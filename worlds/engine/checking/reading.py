"""What happens to querysets in the body of a function, statement by statement?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from worlds.engine.checking.querysets import (
    Known,
    Names,
    Rows,
    element,
    first_names,
    merged,
    read,
    within_comprehension,
)
from worlds.engine.checking.sources import Function, Source

#: What goes over its argument without letting its order be seen.
_ORDERLESS = {
    "sorted", "set", "frozenset", "sum", "min", "max", "any", "all", "len", "dict", "Counter", "bool", "fsum",
}  # fmt: skip
#: What hands on what it goes over, in the same order.
_HANDING_ON = {"enumerate", "zip", "map", "filter", "reversed", "iter", "chain"}
_LISTING = {"list", "tuple", "next", "deque", "OrderedDict"}
_KEEPING = {"append", "extend", "insert", "schedule", "token", "uuid", "seq", "create", "write", "add_page"}


@dataclass
class Reading:
    """What was found in a function."""

    source: Source
    #: Querysets whose order is seen, with the expression each is.
    listed: list[tuple[ast.expr, Rows]] = field(default_factory=list)
    returned: list[tuple[ast.Return, Known]] = field(default_factory=list)

    def of(self, function: Function) -> Reading:
        self._block(function.body, {**of_module(self.source), **first_names(self.source, function)})
        return self

    def of_lambda(self, node: ast.Lambda) -> Reading:
        names = of_module(self.source)
        self._expression(node.body, names)
        found = read(self.source, node.body, names)
        if isinstance(found, Rows) and not found.is_sliced:
            self._list(node.body, found)
        return self

    def _block(self, body: list[ast.stmt], names: dict[str, Known | None]) -> None:
        for statement in body:
            self._statement(statement, names)

    def _statement(self, node: ast.stmt, names: dict[str, Known | None]) -> None:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return  # read on its own
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._expression(value, names)
                names[name] = read(self.source, value, names)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._expression(value, names)
                names[name] = read(self.source, value, names)
            case ast.If():
                self._expression(node.test, names)
                self._branches([node.body, node.orelse], names)
            case ast.For():
                self._for(node, names)
            case ast.While():
                self._expression(node.test, names)
                self._branches([node.body, node.orelse], names)
            case ast.Try():
                self._branches([[*node.body, *node.orelse], *(each.body for each in node.handlers)], names)
                self._block(node.finalbody, names)
            case ast.With():
                for item in node.items:
                    self._expression(item.context_expr, names)
                self._block(node.body, names)
            case ast.Match():
                self._expression(node.subject, names)
                self._branches([each.body for each in node.cases], names)
            case ast.Return(value=ast.expr() as value):
                self._expression(value, names)
                if (found := read(self.source, value, names)) is not None:
                    self.returned.append((node, found))
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.expr):
                        self._expression(child, names)

    def _branches(self, bodies: list[list[ast.stmt]], names: dict[str, Known | None]) -> None:
        ends = []
        for body in bodies:
            inside = dict(names)
            self._block(body, inside)
            if not (body and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)):
                ends.append(inside)
        for name in {name for end in ends for name in end}:
            found = ends[0].get(name)
            for end in ends[1:]:
                found = merged(found, end.get(name))
            names[name] = found

    def _for(self, node: ast.For, names: dict[str, Known | None]) -> None:
        self._expression(node.iter, names)
        rows = read(self.source, node.iter, names)
        if isinstance(rows, Rows) and not rows.is_sliced and _is_order_seen(node):
            self._list(node.iter, rows)
        inside = dict(names)
        if isinstance(node.target, ast.Name):
            inside[node.target.id] = element(rows)
        self._block(node.body, inside)
        for name in names:
            names[name] = merged(names[name], inside.get(name))
        self._block(node.orelse, names)

    def _list(self, node: ast.expr, rows: Rows) -> None:
        if not rows.is_manager:
            self.listed.append((node, rows))

    def _expression(self, node: ast.expr, names: Names) -> None:
        """Find querysets in an expression whose order is seen."""
        match node:
            case ast.Lambda():
                return self._expression(node.body, names)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                for each in node.generators:
                    self._expression(each.iter, names)
                inside = within_comprehension(self.source, node.generators, names)
                for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
                    self._expression(part, inside)
                if isinstance(node, ast.ListComp | ast.GeneratorExp) and self._is_seen(node):
                    for each in node.generators:
                        if isinstance(rows := read(self.source, each.iter, names), Rows) and not rows.is_sliced:
                            self._list(each.iter, rows)
                return None
            case ast.Subscript():
                if isinstance(rows := read(self.source, node.value, names), Rows) and not rows.is_sliced:
                    self._list(node.value, rows)
            case ast.YieldFrom():
                if isinstance(rows := read(self.source, node.value, names), Rows):
                    self._list(node.value, rows)
            case _ if self._is_seen(node) and isinstance(rows := read(self.source, node, names), Rows):
                if self._is_gone_over(node) and not rows.is_sliced:
                    self._list(node, rows)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._expression(child, names)
            elif isinstance(child, ast.keyword):
                self._expression(child.value, names)
        return None

    def _is_gone_over(self, node: ast.expr) -> bool:
        """Is it the argument of what makes a list of it?"""
        parent = self.source.parent(node)
        if isinstance(parent, ast.Starred):
            return not isinstance(self.source.parent(parent), ast.Set)
        if isinstance(parent, ast.Call) and node in parent.args:
            name = _name(parent.func)
            if name in _HANDING_ON:
                return self._is_gone_over(parent) or isinstance(self.source.parent(parent), ast.comprehension | ast.For)
            is_join = isinstance(parent.func, ast.Attribute) and name == "join"
            return name in _LISTING or is_join or (isinstance(parent.func, ast.Attribute) and name == "extend")
        return False

    def _is_seen(self, node: ast.expr) -> bool:
        """Does the order in which an expression gives things reach what is made of it?"""
        parent = self.source.parent(node)
        if isinstance(node, ast.GeneratorExp):
            return isinstance(parent, ast.Call) and (
                _name(parent.func) in _LISTING
                or (isinstance(parent.func, ast.Attribute) and parent.func.attr in ("join", "extend"))
            )
        for at in self.source.above(node):
            if isinstance(at, ast.Call) and _name(at.func) in _ORDERLESS:
                return False
            if isinstance(at, ast.Call) and _name(at.func) in _LISTING | _HANDING_ON:
                continue
            break
        return True


def of_module(source: Source) -> dict[str, Known | None]:
    """What the names are that a module gives to querysets at its top."""
    names: dict[str, Known | None] = {}
    for node in source.tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names[name] = read(source, value, names)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                names[name] = read(source, value, names)
    return {name: found for name, found in names.items() if found is not None}


def is_order_seen_at(source: Source, node: ast.expr) -> bool:
    """Does the order in which a list comes, such as the answer of a prepared query, reach what is made of it?"""
    parent = source.parent(node)
    if isinstance(parent, ast.Call) and node in parent.args and _name(parent.func) in _ORDERLESS:
        return False
    if isinstance(parent, ast.comprehension):
        made = source.parent(parent)
        around = source.parent(made) if made is not None else None
        if isinstance(made, ast.SetComp | ast.DictComp):
            return False
        return not (isinstance(around, ast.Call) and _name(around.func) in _ORDERLESS)
    if isinstance(parent, ast.For) and parent.iter is node:
        return _is_order_seen(parent)
    return True


def _is_order_seen(node: ast.For) -> bool:
    """Does a loop keep, number or choose things in the order it meets them?"""
    for statement in node.body:
        for inner in ast.walk(statement):
            if isinstance(inner, ast.Yield | ast.Break):
                return True
            if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in _KEEPING:
                return True
    return False


def _name(func: ast.expr) -> str:
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def functions(source: Source) -> Iterator[Function]:
    """Every function of a module, those inside others and methods too."""
    for node in source.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
