"""What may an agent ask in SQL?"""

from worlds.engine import describe_schema, run_sql, tool

TABLES = (
    "settings",
    "sla_policies",
    "teams",
    "agents",
    "customers",
    "customer_addresses",
    "tickets",
    "messages",
    "tags",
    "ticket_tags",
    "macros",
    "sla_clocks",
    "satisfaction_ratings",
    "ticket_history",
)

tool(
    run_sql(
        TABLES,
        max_rows=200,
        max_bytes=200_000,
        description=(
            "Run one read-only SQL statement (SQLite) over the account's tables; describe_schema lists them. "
            "Instants are text such as 2026-06-01T09:00:00.000Z. At most 200 rows come back."
        ),
    )
)
tool(describe_schema(TABLES, description="Describe the account's tables: their columns, keys and references."))
