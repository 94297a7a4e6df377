"""What does Django think a store is? Its SQLite backend, on APSW, with STRICT tables and one text form for instants."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from django.db import connections
from django.db.backends.sqlite3 import base, creation, features, operations, schema
from django.utils import timezone

from worlds.engine.clock import iso
from worlds.engine.db import dbapi

ALIAS = "world"


class DatabaseFeatures(features.DatabaseFeatures):
    # What APSW's SQLite can do is known; asking each new connection would cost a query.
    max_query_params = 32766
    can_return_columns_from_insert = True
    can_return_rows_from_bulk_insert = True
    supports_json_field = True
    can_introspect_json_field = True
    has_json_object_function = True
    can_alter_table_drop_column = True


class DatabaseOperations(operations.DatabaseOperations):
    compiler_module = "worlds.engine.db.compiler"

    def adapt_datetimefield_value(self, value: Any) -> Any:
        """An instant in the canonical text form; a naive one is read as UTC, as Django does on SQLite."""
        if value is None or not hasattr(value, "isoformat"):
            return value
        return iso(value if timezone.is_aware(value) else timezone.make_aware(value, self.connection.timezone))


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    # Raw SQL from setup scripts and agents meets the same types as the ORM: a STRICT table refuses the wrong ones.
    sql_create_table = "CREATE TABLE %(table)s (%(definition)s) STRICT"

    def _iter_column_sql(self, column_db_type: str, *args: Any, **kwargs: Any) -> Iterator[str]:
        yield from super()._iter_column_sql(strict_type(column_db_type), *args, **kwargs)  # type: ignore[misc]


#: What STRICT tables call the types that fields declare, by the first of these words found in a declaration.
_STRICT_TYPES = {
    "int": "integer", "bool": "integer", "char": "text", "text": "text", "clob": "text", "date": "text", "time": "text",
    "blob": "blob", "dec": "real", "num": "real", "real": "real", "doub": "real", "floa": "real", "any": "any",
}  # fmt: skip


def strict_type(declared: str) -> str:
    """A column type such as `varchar(30)` or `bigint unsigned` as one of the few that STRICT tables know."""
    lowered = declared.lower()
    return next((strict for word, strict in _STRICT_TYPES.items() if word in lowered), declared)


class DatabaseCreation(creation.DatabaseCreation):
    """Test runners find nothing to create: every instance brings its own database."""

    def create_test_db(self, *args: Any, **kwargs: Any) -> str:
        return str(self.connection.settings_dict["NAME"])

    def destroy_test_db(self, *args: Any, **kwargs: Any) -> None:
        pass

    def serialize_db_to_string(self) -> str:
        return "[]"


class DatabaseWrapper(base.DatabaseWrapper):
    """A Django connection on one store, opened by the store at the first query and closed by nobody else."""

    Database = dbapi
    SchemaEditorClass = DatabaseSchemaEditor
    creation_class = DatabaseCreation
    features_class = DatabaseFeatures
    ops_class = DatabaseOperations

    data_type_check_constraints = {
        **base.DatabaseWrapper.data_type_check_constraints,
        "BooleanField": '"%(column)s" IN (0, 1)',
    }

    # A store has one writer, so a plain BEGIN is enough.
    transaction_mode = None

    #: Told of the transactions and savepoints that Django opens here and how they end; None where one store is alone.
    follower: Any = None

    #: How the store opens a connection; None for a connection on no store.
    _opener: Callable[[], dbapi.Connection] | None = None

    def attach(self, opener: Callable[[], dbapi.Connection]) -> None:
        """Stand for a store: in autocommit, outside every transaction, and opened when somebody asks something."""
        self._opener = opener
        self.autocommit = True
        self.inc_thread_sharing()

    def ensure_connection(self) -> None:
        if self.connection is None:
            with self.wrap_database_errors:
                if self._opener is None:
                    raise dbapi.OperationalError(
                        "no instance is running on this thread, so the database 'world' is not there; "
                        "call a tool of an instance, or read its rows inside `with inst.inspecting():`"
                    )
            self.connection = self._opener()

    def retire(self) -> None:
        """Forget everything: Django's parts of a connection point back at it, and a run of resets makes thousands."""
        vars(self).clear()

    def _savepoint(self, sid: str) -> None:
        super()._savepoint(sid)  # type: ignore[misc]
        if self.follower is not None:
            self.follower.opened(sid)

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]
        if self.follower is not None:
            self.follower.rolled_back(sid)

    def _savepoint_commit(self, sid: str) -> None:
        super()._savepoint_commit(sid)  # type: ignore[misc]
        if self.follower is not None:
            self.follower.released(sid)

    def _start_transaction_under_autocommit(self) -> None:
        super()._start_transaction_under_autocommit()  # type: ignore[misc]
        if self.follower is not None:
            self.follower.opened(None)

    def _commit(self) -> None:
        if self.follower is None:
            super()._commit()  # type: ignore[misc]
        else:
            self.follower.commit(super()._commit)  # type: ignore[misc]

    def _rollback(self) -> None:
        super()._rollback()  # type: ignore[misc]
        if self.follower is not None:
            self.follower.rolled_back(None)

    def create_cursor(self, name: str | None = None) -> dbapi.Cursor:
        return self.connection.cursor()

    def is_in_memory_db(self) -> bool:
        # Django closes no in-memory database behind its owner's back; a store's owner is the instance.
        return True


# Django refuses database work on a thread that runs an event loop, because it would wait for a server or a disk. A
# store is memory: a notebook, or a trainer that steps instances in a coroutine, may call tools where it stands.
for _name in (
    "close", "commit", "connect", "cursor", "rollback", "savepoint", "savepoint_commit", "savepoint_rollback",
):  # fmt: skip
    _method = getattr(DatabaseWrapper, _name)
    setattr(DatabaseWrapper, _name, getattr(_method, "__wrapped__", _method))

_settings: dict[str, Any] | None = None


def wrapper_for(opener: Callable[[], dbapi.Connection]) -> DatabaseWrapper:
    """A Django connection on the store that `opener` opens."""
    wrapper = detached_wrapper()
    wrapper.attach(opener)
    return wrapper


def detached_wrapper() -> DatabaseWrapper:
    """A Django connection on no store: enough to compile a query, not to run one."""
    global _settings
    if _settings is None:
        _settings = copy.deepcopy(connections.settings[ALIAS])
    return DatabaseWrapper(_settings, ALIAS)
