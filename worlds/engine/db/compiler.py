"""In which order does Django write what it was given in no order?

`tags.add(a, b)` gathers keys in a set, whose order changes from one process to the next; the link rows would draw their
ids in that order, and the same episode would not replay. They are written in the order of their keys instead.
"""

from __future__ import annotations

from typing import Any

from django.db.models.sql import compiler
from django.db.models.sql.compiler import SQLAggregateCompiler, SQLCompiler, SQLDeleteCompiler, SQLUpdateCompiler

__all__ = ["SQLAggregateCompiler", "SQLCompiler", "SQLDeleteCompiler", "SQLInsertCompiler", "SQLUpdateCompiler"]


class SQLInsertCompiler(compiler.SQLInsertCompiler):
    def as_sql(self) -> Any:  # type: ignore[override]  # the stubs follow the base, Django does not
        query = self.query
        if len(query.objs) > 1 and query.get_meta().auto_created and all(link.pk is None for link in query.objs):
            names = [field.attname for field in query.fields]
            query.objs.sort(key=lambda link: [getattr(link, name) for name in names])
        return super().as_sql()
