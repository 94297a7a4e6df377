"""How does an agent ask the account's own data in SQL?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.stripe.access import activation
from worlds.stripe.api.call import Call
from worlds.stripe.models import QueryRun
from worlds.stripe.tools import errors, gates, querying, tables, templates
from worlds.stripe.tools.arguments import Context, Livemode

Intent = Literal[
    "execute_query_run",
    "retrieve_query_run",
    "search_query_tables",
    "retrieve_query_table",
    "execute_query_template",
    "retrieve_query_template",
]


@tool
def stripe_analytics(  # worlds.W206: Stripe's words, the same for agents with a key
    ctx: Ctx,
    intent: Annotated[Intent, Field(description="What to do.")],
    stripe_context: Context,
    livemode: Livemode,
    params: Annotated[
        dict[str, Any],
        Field(description="What the intent takes.", default_factory=dict, json_schema_extra={"default": {}}),
    ],
) -> dict[str, Any]:
    """Analyse the account's data with read-only SQL.

    execute_query_run takes sql, one SELECT in SQLite's dialect, and answers a query run with its rows.
    retrieve_query_run takes id, of an earlier run.
    search_query_tables takes query, words to look for in the tables' names, columns and descriptions, and limit.
    retrieve_query_table takes name, and answers the table's columns.
    retrieve_query_template takes name, and answers the template; without a name, all there are.
    execute_query_template takes name and parameters.
    Amounts are in the smallest unit of their currency; times are text such as 2026-06-01T09:00:00.000Z; JSON columns
    are read with ->>, as in metadata->>'plan'.
    """
    account = gates.account_of(ctx, stripe_context, livemode)
    if (reason := activation.refusal(ctx, "sigma")) is not None:
        raise errors.NotActivated(reason)
    return _INTENTS[intent](Call.of_clock(ctx, account), params)


def _execute(call: Call, params: dict[str, Any]) -> dict[str, Any]:
    (sql,) = _taken(params, "execute_query_run", sql=str)
    return _shown(querying.execute(call, sql))


def _retrieve(call: Call, params: dict[str, Any]) -> dict[str, Any]:
    (id,) = _taken(params, "retrieve_query_run", id=str)
    row = call.rows(QueryRun).filter(pk=id).first()
    if row is None:
        raise errors.WrongQuery(f"No such query run: '{id:.100}'")
    return _shown(row)


def _search_tables(call: Call, params: dict[str, Any]) -> dict[str, Any]:
    query, limit = _taken(params, "search_query_tables", query="", limit=10)
    return {"object": "list", "data": tables.search(query)[: max(limit, 1)]}


def _retrieve_table(call: Call, params: dict[str, Any]) -> dict[str, Any]:
    (name,) = _taken(params, "retrieve_query_table", name=str)
    return tables.described(name)


def _execute_template(call: Call, params: dict[str, Any]) -> dict[str, Any]:
    name, parameters = _taken(params, "execute_query_template", name=str, parameters={})
    return _shown(querying.execute(call, templates.filled(name, parameters), template=name))


def _retrieve_template(call: Call, params: dict[str, Any]) -> dict[str, Any]:
    (name,) = _taken(params, "retrieve_query_template", name="")
    if name:
        return templates.described(name)
    return {"object": "list", "data": [templates.described(each) for each in templates.TEMPLATES]}


_INTENTS = {
    "execute_query_run": _execute,
    "retrieve_query_run": _retrieve,
    "search_query_tables": _search_tables,
    "retrieve_query_table": _retrieve_table,
    "execute_query_template": _execute_template,
    "retrieve_query_template": _retrieve_template,
}


def _taken(params: dict[str, Any], intent: str, **wanted: Any) -> list[Any]:
    """The values of what an intent takes: `name=str` must be given, any other is what stands for a missing one.

    Raises: WrongQuery for one that is unknown, missing or of another type.
    """
    for name in params:
        if name not in wanted:
            raise errors.WrongQuery(f"{intent} takes no '{name:.60}'; it takes {', '.join(wanted)}.")
    found = []
    for name, kind in wanted.items():
        if name not in params and kind is str:
            raise errors.WrongQuery(f"{intent} needs '{name}' in params.")
        value = params.get(name, kind)
        if type(value) is not (str if kind is str else type(kind)):
            raise errors.WrongQuery(f"{intent}: '{name}' has the wrong type.")
        found.append(value)
    return found


def _shown(row: QueryRun) -> dict[str, Any]:
    return {
        "id": row.id,
        "object": "query_run",
        "created": int(row.created.timestamp()),
        "livemode": False,
        "sql": row.sql,
        "template": row.template,
        "status": row.status,
        "result": row.result,
        "error": None if row.error is None else {"message": row.error},
    }
