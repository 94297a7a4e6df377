"""How does a hot query skip Django's compiler?

Django writes a queryset's SQL anew each time it runs, which takes ten times as long as SQLite takes to run it. A
prepared query is written once, from the same queryset, and then only its values change.
"""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db import connections, models
from django.db.models.query import FlatValuesListIterable, ModelIterable, ValuesIterable, ValuesListIterable

from worlds.engine.db.base import ALIAS, detached_wrapper
from worlds.engine.db.dbapi import from_format
from worlds.engine.errors import WorldBug

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A queryset's SQL, where the arguments go in its parameters, and how a row becomes an item."""

    sql: str
    parameters: tuple[Any, ...]
    #: (index of the parameter, index of the argument, how the field stores such a value)
    places: tuple[tuple[int, int, Callable[[Any], Any] | None], ...]
    converters: tuple[tuple[int, tuple[Callable[..., Any], ...], Any], ...]
    item: Callable[[list[Any]], Any]


class Prepared(Generic[T]):
    """A query that is called with its values: `query(…)` lists its rows, `query.first(…)` is one of them or None."""

    def __init__(self, build: Callable[..., models.QuerySet[Any, T]]) -> None:
        self._build = build
        self._statements: dict[tuple[type, ...], _Statement] = {}
        self._lock = threading.Lock()

    def __call__(self, *values: Any) -> list[T]:
        """The rows, in the order the queryset gives them."""
        connection = connections[ALIAS]
        connection.ensure_connection()
        statement = self._statement(values)
        parameters = list(statement.parameters)
        for index, argument, stored in statement.places:
            value = values[argument]
            parameters[index] = stored(value) if stored else value
        with connection.wrap_database_errors:
            rows = connection.connection.run(statement.sql, parameters)
        return [statement.item(self._converted(row, statement, connection)) for row in rows]

    def first(self, *values: Any) -> T | None:
        """The first row, or None."""
        found = self(*values)
        return found[0] if found else None

    def _converted(self, row: tuple[Any, ...], statement: _Statement, connection: Any) -> list[Any]:
        columns = list(row)
        for position, converters, expression in statement.converters:
            value = columns[position]
            for convert in converters:
                value = convert(value, expression, connection)
            columns[position] = value
        return columns

    def _statement(self, values: tuple[Any, ...]) -> _Statement:
        kinds = tuple(map(type, values))
        found = self._statements.get(kinds)
        if found is None:
            with self._lock:
                found = self._statements[kinds] = self._prepare(kinds)
        return found

    def _prepare(self, kinds: tuple[type, ...]) -> _Statement:
        """Write the SQL with a mark in place of each argument, and see where the marks come out."""
        name = getattr(self._build, "__qualname__", "a query")
        marks = [_mark(kind, index, name) for index, kind in enumerate(kinds)]
        # Converters are bound to the connection they come from, and must keep no instance alive.
        connection = detached_wrapper()
        try:
            queryset = self._build(*marks)
            compiler = queryset.query.get_compiler(connection=connection)
            sql, parameters = compiler.as_sql()
        except (TypeError, ValueError, ValidationError) as error:
            raise WorldBug(f"prepared query {name}: an argument is no plain value in its SQL ({error})") from error
        places = []
        for argument, mark in enumerate(marks):
            stored = _stored_as(mark, connection)
            seen = [
                index for index, parameter in enumerate(parameters) if parameter == (stored(mark) if stored else mark)
            ]
            if not seen:
                raise WorldBug(
                    f"prepared query {name}: argument {argument} is no plain value in its SQL; filter by it as it is"
                )
            places += [(index, argument, stored) for index in seen]
        fields = [column[0] for column in compiler.select]
        converters = [
            (position, tuple(convert), expression)
            for position, (convert, expression) in compiler.get_converters(fields).items()
        ]
        return _Statement(
            from_format(sql), tuple(parameters), tuple(places), tuple(converters), _item(queryset, compiler, name)
        )


def prepared(build: Callable[..., models.QuerySet[Any, T]]) -> Prepared[T]:
    """A query to be called with its values, from a function that makes its queryset.

    Shape:  `lead_by_id = prepared(lambda id: Lead.objects.filter(pk=id))`, then `lead_by_id.first("lead_7")`.
            Values may be text, whole numbers and datetimes, used as they are in filters; rows of one model, or
            `values_list()` and `values()`. What depends on the time or on another query is fixed when it is prepared.
    Raises: WorldBug, at the first call, for a queryset that cannot be prepared.
    """
    return Prepared(build)


def _mark(kind: type, index: int, name: str) -> Any:
    """A value of a kind that will be recognised among a statement's parameters."""
    if issubclass(kind, str):
        return f"\x01prepared-{index}\x01"
    if issubclass(kind, int) and not issubclass(kind, bool):
        return 7_201_003_114_000_000_000 + index
    if issubclass(kind, datetime.datetime):
        return datetime.datetime(1, 2, 3, 4, 5, index % 60, tzinfo=datetime.UTC)
    raise WorldBug(
        f"prepared query {name}: argument {index} is a {kind.__name__}; text, whole numbers and datetimes can vary"
    )


def _stored_as(mark: Any, connection: Any) -> Callable[[Any], Any] | None:
    adapt = connection.ops.adapt_datetimefield_value
    return adapt if isinstance(mark, datetime.datetime) else None


def _item(queryset: Any, compiler: Any, name: str) -> Callable[[list[Any]], Any]:
    """How a row of columns becomes what the queryset would yield."""
    iterable = queryset._iterable_class
    if iterable is ModelIterable:
        if (
            queryset._prefetch_related_lookups
            or compiler.klass_info.get("related_klass_infos")
            or queryset._known_related_objects
        ):
            raise WorldBug(
                f"prepared query {name}: select_related and prefetch_related cannot be prepared; use two queries"
            )
        model = compiler.klass_info["model"]
        names = [compiler.select[index][0].target.attname for index in compiler.klass_info["select_fields"]]
        if len(names) != len(compiler.select):
            raise WorldBug(f"prepared query {name}: annotations cannot be prepared; use values_list()")
        return lambda columns: model.from_db(ALIAS, names, columns)
    if iterable is FlatValuesListIterable:
        return lambda columns: columns[0]
    if iterable is ValuesListIterable:
        return tuple
    if iterable is ValuesIterable:
        keys = [*queryset.query.extra_select, *queryset.query.values_select, *queryset.query.annotation_select]
        return lambda columns: dict(zip(keys, columns, strict=True))
    raise WorldBug(f"prepared query {name}: {iterable.__name__} cannot be prepared")
