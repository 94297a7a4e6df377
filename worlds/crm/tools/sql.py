"""What may an agent ask in SQL?"""

from worlds.engine import describe_schema, run_sql, tool

TABLES = (
    "users",
    "companies",
    "leads",
    "pipeline_stages",
    "deals",
    "deal_stage_changes",
    "activities",
    "notes",
    "tags",
    "lead_tags",
    "deal_tags",
)

tool(
    run_sql(
        TABLES,
        max_rows=200,
        max_bytes=200_000,
        description=(
            "Run one read-only SQL statement (SQLite) over the account's tables; describe_schema lists them. "
            "Instants are text such as 2026-06-01T09:00:00.000Z, amounts are US cents. At most 200 rows come back."
        ),
    )
)
tool(describe_schema(TABLES, description="Describe the account's tables: their columns, keys and references."))
