"""How do a store's rows become text, and text rows again?

One row is one JSON line in Django's serializer format, models and keys in order, so that a fixture can be reviewed in
a pull request and two equal states are equal files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from django.core.exceptions import ValidationError
from django.core.serializers import get_serializer
from django.db import DatabaseError, models

from worlds.engine.db.base import ALIAS
from worlds.engine.errors import FixtureError
from worlds.engine.names import nearest

_BATCH = 500


def _batches(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Lists of at most `size` items (`itertools.batched` is newer than Python 3.11)."""
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch


def models_of(registry: Any, labels: Iterable[str]) -> list[type[models.Model]]:
    """The models whose rows a fixture holds, many-to-many tables included, in order of their labels.

    A historical registry knows only the apps that had models then.
    """
    found = [
        model
        for label in labels
        if label in registry.app_configs
        for model in registry.get_app_config(label).get_models(include_auto_created=True)
        if not model._meta.proxy and not model._meta.swapped
    ]
    return sorted(found, key=lambda model: model._meta.label_lower)


def dump(registry: Any, labels: Iterable[str]) -> Iterator[str]:
    """The rows of the bound store, a line each, many lines at a time."""
    for model in models_of(registry, labels):
        serializer = get_serializer("jsonl")()
        names = [field.name for field in _stored(model)]
        rows = model._base_manager.using(ALIAS).order_by("pk")
        for batch in _batches(rows.iterator(chunk_size=2000), 2000):
            yield serializer.serialize(batch, fields=names)


def load(
    lines: Iterable[str], registry: Any, labels: Iterable[str], *, file: str, on_rows: Callable[[int], None]
) -> dict[str, int]:
    """Insert rows into the bound store; answers how many of each model.

    Raises: FixtureError naming the file, the line and what to write instead.
    """
    known = {model._meta.label_lower: model for model in models_of(registry, labels)}
    for model in known.values():
        # Rows that migrations inserted are among the fixture's own, as they were when it was frozen.
        model._base_manager.using(ALIAS).all()._raw_delete(ALIAS)
    counts: dict[str, int] = {}
    waiting: list[models.Model] = []
    line_of_first = 1

    def flush() -> None:
        if waiting:
            _insert(waiting, file, line_of_first)
            on_rows(len(waiting))
            waiting.clear()

    for number, line in enumerate(lines, 1):
        row = _build(line, known, f"{file}:{number}")
        if waiting and (type(row) is not type(waiting[0]) or len(waiting) >= _BATCH):
            flush()
        if not waiting:
            line_of_first = number
        waiting.append(row)
        label = row._meta.label_lower
        counts[label] = counts.get(label, 0) + 1
    flush()
    return counts


def _stored(model: type[models.Model]) -> list[Any]:
    """The fields with a column of their own that somebody fills."""
    return [field for field in model._meta.local_concrete_fields if not getattr(field, "generated", False)]


def _build(line: str, known: dict[str, type[models.Model]], where: str) -> models.Model:
    """One row's model object, not saved."""
    try:
        row = json.loads(line)
        label, pk, fields = row["model"], row["pk"], {**row["fields"]}
        model = known.get(label)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FixtureError(f'{where}: no row: write {{"model": …, "pk": …, "fields": {{…}}}} ({error})') from None
    if model is None:
        near = nearest(str(label), known)
        hint = f"did you mean {near!r}?" if near else f"the world has {', '.join(sorted(known))}"
        raise FixtureError(f"{where}: model {label!r} is not in this world; {hint}")
    stored = {field.name: field for field in _stored(model)}
    values: dict[str, Any] = {}
    # A key of several columns has no column of its own: its parts are among the fields.
    key = [(model._meta.pk.name, pk)] if model._meta.pk.name in stored else []
    for name, value in (*key, *fields.items()):
        field = stored.pop(name, None)
        if field is None:
            near = nearest(name, [f.name for f in _stored(model)])
            hint = f"did you mean {near!r}?" if near else "remove it, or migrate the fixture"
            raise FixtureError(f"{where}: {label} has no field {name!r}; {hint}")
        values[field.attname] = _value(field, value, f"{where}: {label}.{name}")
    if stored:
        raise FixtureError(f"{where}: {label} lacks {', '.join(sorted(stored))}; add it, or migrate the fixture")
    return model(**values)


def _value(field: Any, value: Any, where: str) -> Any:
    if value is None:
        if field.null:
            return None
        if isinstance(field, models.JSONField):
            return models.Value(None, field)  # JSON's null, not SQL's
        raise FixtureError(f"{where} is null, which the field does not allow; give it a value")
    target = field.target_field if field.is_relation else field
    try:
        return target.to_python(value)
    except (ValidationError, TypeError, ValueError) as error:
        reason = "; ".join(error.messages) if isinstance(error, ValidationError) else error
        raise FixtureError(f"{where}: {value!r:.60} does not fit a {type(target).__name__}: {reason}") from None


def _insert(rows: list[models.Model], file: str, line: int) -> None:
    """Insert as `save_base(raw=True)` would, many at a time: no clock, no default and no `pre_save` touches a value."""
    model = type(rows[0])
    fields = _stored(model)
    manager: Any = model._base_manager.using(ALIAS)
    for batch in _batches(rows, max(1, 30000 // len(fields))):
        try:
            manager._insert(batch, fields=fields, using=ALIAS, raw=True)
        except (DatabaseError, OverflowError):
            # None of them is in: one at a time shows which it was.
            for number, row in enumerate(batch, line):
                try:
                    manager._insert([row], fields=fields, using=ALIAS, raw=True)
                except (DatabaseError, OverflowError) as error:
                    raise FixtureError(
                        f"{file}:{number}: {model._meta.label_lower}: {error}; correct the row"
                    ) from None
        line += len(batch)


def require_references(raw: Any, lines: Iterable[str], registry: Any, labels: Iterable[str], *, file: str) -> None:
    """Refuse rows of the bound store that refer to rows that are not there.

    Raises: FixtureError naming the line, the field and what it refers to.
    """
    for table, rowid, parent, number in raw.execute("PRAGMA foreign_key_check"):
        columns = {row[0]: row[3] for row in raw.execute(f'PRAGMA foreign_key_list("{table}")')}
        model = next(model for model in models_of(registry, labels) if model._meta.db_table == table)
        field = next(field for field in _stored(model) if field.column == columns[number])
        row = model._base_manager.using(ALIAS).extra(where=[f'"{table}".rowid = %s'], params=[rowid]).get()
        value = row.serializable_value(field.attname)
        raise FixtureError(
            f"{file}:{_line_of(row, lines)}: {model._meta.label_lower}.{field.name} is {value!r}, and {parent} has no "
            f"such row; add the row or correct the reference"
        )


def _line_of(row: models.Model, lines: Iterable[str]) -> int:
    wanted = json.loads(get_serializer("jsonl")().serialize([row], fields=[]))
    places = enumerate(map(json.loads, lines), 1)
    return next(at for at, line in places if (line["model"], line["pk"]) == (wanted["model"], wanted["pk"]))
