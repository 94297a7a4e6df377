"""Which expressions of world code are querysets and rows, of which model, in which order?

Read from the text with the models at hand: what cannot be told is left alone rather than guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from django.apps import apps
from django.db import models

from worlds.engine import installed
from worlds.engine.checking.sources import Function, Source
from worlds.engine.checking.uniqueness import Model, default_order

#: Methods of a queryset that keep its order.
_KEEP = {
    "all", "filter", "exclude", "select_related", "prefetch_related", "only", "defer", "using", "distinct", "alias",
    "select_for_update", "iterator", "reverse",
}  # fmt: skip
_ROW = {"get", "first", "last", "create", "earliest", "latest"}
_MANAGED = _KEEP | _ROW | {"order_by", "values", "values_list", "annotate"}
#: An alias of a type may name itself.
_DEEPEST = 5
_AGGREGATES = {"Count", "Sum", "Avg", "Max", "Min", "StdDev", "Variance"}


@dataclass(frozen=True, slots=True)
class Rows:
    """A queryset. `order` is None when it cannot be told; in it, None stands for what is no plain column."""

    model: Model
    order: tuple[str | None, ...] | None
    #: Columns that are equal in all rows, by a filter.
    fixed: frozenset[str] = frozenset()
    #: What `values()` chose, or None.
    columns: tuple[str, ...] | None = None
    is_grouped: bool = False
    is_sliced: bool = False
    #: A manager cannot be gone over itself. One that was only recognised by its name may be something else.
    is_manager: bool = False
    is_guess: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a model, or None in its place."""

    model: Model


@dataclass(frozen=True, slots=True)
class Many:
    """A list, tuple or dict with rows or querysets in it."""

    of: Rows | Row


Known = Rows | Row | Many
Names = Mapping[str, Known | None]


def read(source: Source, node: ast.AST, names: Names) -> Known | None:
    """What an expression is, as far as it concerns models."""
    match node:
        case ast.Name():
            return names.get(node.id)
        case ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner], keywords=[]):
            found = read(source, inner, names)
            if isinstance(found, Rows):
                return None if found.columns is not None else Many(Row(found.model))
            return found if isinstance(found, Many) else None
        case ast.Call(func=ast.Attribute() as func):
            return _call(source, func, node, names) or _made(source, node)
        case ast.Call():
            return _made(source, node)
        case ast.Attribute():
            return _manager(source, node)
        case ast.Subscript():
            found = read(source, node.value, names)
            if isinstance(found, Rows):
                if isinstance(node.slice, ast.Slice):
                    return replace(found, is_sliced=True)
                return None if found.columns is not None else Row(found.model)
            return None
        case ast.IfExp():
            return merged(read(source, node.body, names), read(source, node.orelse, names))
        case ast.BoolOp(op=ast.And()):
            return read(source, node.values[-1], names)
        case ast.BoolOp():
            return next((found for each in node.values if (found := read(source, each, names))), None)
        case ast.List() | ast.Tuple() | ast.Dict():
            values = node.values if isinstance(node, ast.Dict) else node.elts
            inside = next((found for each in values if (found := read(source, each, names))), None)
            return Many(inside.of if isinstance(inside, Many) else inside) if inside else None
        case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
            inside_names = within_comprehension(source, node.generators, names)
            element = node.value if isinstance(node, ast.DictComp) else node.elt
            inside = read(source, element, inside_names)
            return Many(inside.of if isinstance(inside, Many) else inside) if inside else None
    return None


def merged(one: Known | None, other: Known | None) -> Known | None:
    """What a name is after two ways that each gave it a meaning."""
    if one == other or other is None:
        return one
    if one is None:
        return other
    if isinstance(one, Rows) and isinstance(other, Rows) and one.model is other.model:
        if (one.order, one.columns, one.is_grouped) == (other.order, other.columns, other.is_grouped):
            return replace(one, fixed=one.fixed & other.fixed, is_sliced=one.is_sliced or other.is_sliced)
        return replace(one, order=None)
    return None


def within_comprehension(source: Source, generators: list[ast.comprehension], names: Names) -> Names:
    """The names inside a comprehension: its variables are rows where it goes over querysets."""
    inside = dict(names)
    for each in generators:
        if isinstance(each.target, ast.Name):
            inside[each.target.id] = element(read(source, each.iter, inside))
    return inside


def element(found: Known | None) -> Known | None:
    """What one turn of a loop gets."""
    if isinstance(found, Rows):
        return None if found.columns is not None else Row(found.model)
    return found.of if isinstance(found, Many) else None


def _made(source: Source, node: ast.Call) -> Known | None:
    """A row made by calling its model, or what a function of the world answers."""
    value = source.value(node.func)
    if isinstance(value, type) and issubclass(value, models.Model):
        return Row(value)
    return _answer_of(value)


@lru_cache(maxsize=4096)
def _annotated(function: Any) -> Known | None:
    annotation = getattr(function, "__annotations__", {}).get("return")
    return of_annotation(annotation, getattr(function, "__globals__", {}))


def _answer_of(function: Any) -> Known | None:
    if not hasattr(function, "__code__") or not hasattr(function, "__annotations__"):
        return None
    return _annotated(function)


def of_annotation(annotation: Any, globals_: Mapping[str, Any], depth: int = 0) -> Known | None:
    """What an annotation says: a model, a queryset (in an order that is not said), a list or a dict of them."""
    if isinstance(annotation, str):
        try:
            # Annotations are code of the module they are in, and it is loaded.
            annotation = eval(annotation, dict(globals_), {})
        except Exception:
            return None
    if isinstance(annotation, type) and issubclass(annotation, models.Model):
        return Row(annotation) if annotation is not models.Model else None
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is not None and isinstance(origin, type) and issubclass(origin, models.QuerySet):
        model = next((each for each in arguments if isinstance(each, type) and issubclass(each, models.Model)), None)
        columns = () if len(arguments) > 1 and arguments[1] is not model else None
        return Rows(model, None, columns=columns) if model else None
    if origin is Literal or depth > _DEEPEST:
        return None
    inner = [found for each in arguments if (found := of_annotation(each, globals_, depth + 1))]
    if not inner or origin is Callable:
        return None
    if origin in (list, tuple, dict, set) or getattr(origin, "__module__", "") == "collections.abc":
        return Many(inner[0].of if isinstance(inner[0], Many) else inner[0])
    return inner[0] if origin in (Union, UnionType, Annotated) else None


def _manager(source: Source, node: ast.Attribute) -> Rows | None:
    owner = source.value(node.value)
    if isinstance(owner, type):
        if issubclass(owner, models.Model) and isinstance(getattr(owner, node.attr, None), models.Manager):
            return Rows(owner, _managers_order(owner, node.attr), is_manager=True)
        return None
    if owner is not None or isinstance(node.value, ast.Name) and node.value.id == "self":
        return None
    world = installed.owner_of(source.module)
    relation = related(world.app_labels, node.attr) if world is not None else None
    if relation is None:
        return None
    model, field = relation
    fixed = frozenset([field] if field else ())
    return Rows(model, default_order(model), fixed, is_manager=True, is_guess=True)


def _managers_order(model: Model, name: str) -> tuple[str | None, ...] | None:
    manager = getattr(model, name)
    own = manager.get_queryset().query
    if own.extra_order_by:
        return None
    if own.order_by:
        return tuple(each if isinstance(each, str) else None for each in own.order_by)
    return default_order(model)


@lru_cache(maxsize=4096)
def related(labels: tuple[str, ...], accessor: str) -> tuple[Model, str | None] | None:
    """The model behind `box.items`, and its column that is the box, when only one of a world's models has it."""
    found: set[tuple[Model, str | None]] = set()
    for model in apps.get_models():
        if model._meta.app_label not in labels:
            continue
        for relation in model._meta.related_objects:
            if relation.get_accessor_name() == accessor and not relation.one_to_one:
                other: Any = relation.related_model
                found.add((other, None if relation.many_to_many else relation.field.name))
        for field in model._meta.many_to_many:
            if field.name == accessor:
                found.add((field.related_model, None))
        if any(field.name == accessor for field in model._meta.concrete_fields):
            return None
    return next(iter(found)) if len(found) == 1 else None


def _call(source: Source, func: ast.Attribute, node: ast.Call, names: Names) -> Known | None:
    rows = read(source, func.value, names)
    if not isinstance(rows, Rows):
        return None
    method = func.attr
    if rows.is_guess and (method not in _MANAGED or (method == "get" and node.args)):
        return None  # a list or a dict of that name
    rows = replace(rows, is_manager=False, is_guess=False)
    if method in _ROW:
        return Row(rows.model) if rows.columns is None else None
    if method == "order_by":
        return replace(rows, order=_order(node))
    if method in ("values", "values_list"):
        return replace(rows, columns=tuple(_constants(node)))
    if method == "annotate":
        return _annotate(rows, node)
    if method in _KEEP:
        return replace(rows, fixed=rows.fixed | frozenset(_equalities(node))) if method == "filter" else rows
    own = getattr(getattr(rows.model, "objects", None), method, None)
    if own is not None and not hasattr(models.QuerySet, method):
        return replace(rows, order=None)  # a method of the author's
    return None


def _order(node: ast.Call) -> tuple[str | None, ...] | None:
    """What order_by() was given. None for a variable: whatever it holds may be enough."""
    found: list[str | None] = []
    for each in node.args:
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            if each.value == "?":
                return None
            found.append(each.value)
        elif isinstance(each, ast.Call):
            found.append(_column(each))
        else:
            return None
    return tuple(found)


def _column(node: ast.Call) -> str | None:
    """ "-name" for F("name").desc(), or None."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr=direction)):
            sign = "-" if direction == "desc" else ""
        case _:
            inner, sign = node, ""
    if ast.unparse(inner.func).rpartition(".")[2] == "F" and len(inner.args) == 1:
        match inner.args[0]:
            case ast.Constant(value=str(name)):
                return f"{sign}{name}"
    return None


def _constants(node: ast.Call) -> Iterator[str]:
    for each in node.args:
        yield each.value if isinstance(each, ast.Constant) and isinstance(each.value, str) else ""
    yield from (keyword.arg for keyword in node.keywords if keyword.arg and keyword.arg not in ("flat", "named"))


def _annotate(rows: Rows, node: ast.Call) -> Rows:
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    aggregates = {
        ast.unparse(each.func).rpartition(".")[2] for each in values if isinstance(each, ast.Call)
    } & _AGGREGATES
    if rows.columns is not None and aggregates:
        # Django leaves Meta.ordering out where rows are grouped.
        kept = rows.order if rows.order != default_order(rows.model) else ()
        return replace(rows, is_grouped=True, order=kept)
    if rows.columns is not None:
        return replace(rows, columns=(*rows.columns, *(keyword.arg or "" for keyword in node.keywords)))
    return rows


def _equalities(node: ast.Call) -> Iterator[str]:
    for keyword in node.keywords:
        name = (keyword.arg or "").removesuffix("__exact")
        if name and not (isinstance(keyword.value, ast.Constant) and keyword.value.value is None):
            yield name


def first_names(source: Source, function: Function | ast.Lambda) -> dict[str, Known | None]:
    """What a function's parameters are, by their annotations."""
    holder = source.value(ast.Name(function.name)) if isinstance(function, Function) else None
    annotations = getattr(holder, "__annotations__", {})
    globals_ = getattr(holder, "__globals__", {})
    return {name: of_annotation(given, globals_) for name, given in annotations.items() if name != "return"}
