"""The full-text index, a copy of what can be searched, and the triggers that keep it.

A row of the index lies at 8 * rowid + n of its table, so that a trigger finds it without a search. Rowids stay put as
long as nothing vacuums, and nothing does; but a later migration that makes Django rebuild one of these tables drops
its triggers and may move its rows: repeat the statements of `install` for that table after it.
"""

from django.db import migrations

#: (n, kind, table, columns that make the title, columns that make the text)
DOCUMENTS = (
    (0, "lead", "leads", ("first_name", "last_name"), ("email", "title", "company_name", "phone")),
    (1, "company", "companies", ("name",), ("domain", "industry", "city", "country")),
    (2, "deal", "deals", ("name",), ("next_step",)),
    (3, "activity", "activities", ("subject",), ("body",)),
    (4, "note", "notes", (), ("body",)),
)


def _text(columns: tuple[str, ...]) -> str:
    joined = " || ' ' || ".join(f"coalesce(new.{column}, '')" for column in columns)
    return f"trim({joined})" if columns else "''"


def install(n: int, kind: str, table: str, title: tuple[str, ...], body: tuple[str, ...]) -> list[str]:
    """The triggers of one table."""
    columns = (*title, *body)
    old, new = (", ".join(f"{row}.{column}" for column in columns) for row in ("old", "new"))
    differs = f"({old}) IS NOT ({new})" if len(columns) > 1 else f"{old} IS NOT {new}"
    return [
        f"CREATE TRIGGER {table}_search_insert AFTER INSERT ON {table} BEGIN "
        f"INSERT INTO search_index (rowid, kind, ref, title, body) "
        f"VALUES (8 * new.rowid + {n}, '{kind}', new.id, {_text(title)}, {_text(body)}); END",
        f"CREATE TRIGGER {table}_search_update AFTER UPDATE OF {', '.join(columns)} ON {table} WHEN {differs} BEGIN "
        f"UPDATE search_index SET title = {_text(title)}, body = {_text(body)} WHERE rowid = 8 * old.rowid + {n}; END",
        f"CREATE TRIGGER {table}_search_delete AFTER DELETE ON {table} BEGIN "
        f"DELETE FROM search_index WHERE rowid = 8 * old.rowid + {n}; END",
    ]


class Migration(migrations.Migration):
    dependencies = [("crm", "0001_initial")]

    operations = [
        migrations.RunSQL(
            [
                "CREATE VIRTUAL TABLE search_index USING fts5("
                "kind UNINDEXED, ref UNINDEXED, title, body, tokenize = 'unicode61 remove_diacritics 2')",
                *(statement for document in DOCUMENTS for statement in install(*document)),
            ],
            [
                *(
                    f"DROP TRIGGER {table}_search_{event}"
                    for _, _, table, _, _ in DOCUMENTS
                    for event in ("insert", "update", "delete")
                ),
                "DROP TABLE search_index",
            ],
        )
    ]
