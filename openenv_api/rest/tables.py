"""What do people and graders see of an instance's rows? They read, and cannot write."""

from __future__ import annotations

from django.http import HttpResponse

from openenv_api import protocol
from openenv_api.access import Scope
from openenv_api.http import json_response
from openenv_api.rest import responses
from openenv_api.rest.errors import Problem
from openenv_api.rest.paging import cut_of, page, page_of_all
from openenv_api.rest.requests import Inspection, RowsQuery, TablesQuery
from openenv_api.rest.responses import page_of
from openenv_api.rest.view import Given, InstanceView, operation
from worlds.engine import Instance, tables
from worlds.engine.changes import json_value

#: A result of more than so many bytes is cut.
MOST_BYTES = 16 * 1024 * 1024


class Tables(InstanceView):
    tag = "tables"

    @operation("table_list", needs=Scope.EVALUATOR, to="see its tables", query=TablesQuery,
               answer=page_of(responses.Table))  # fmt: skip
    async def get(self, given: Given) -> HttpResponse:
        """List the tables of every node, with their columns and how many rows they have."""
        try:
            found = await self.hosted.run(tables.listed, self.instance, given.get("node"))
        except tables.NoTable as error:
            raise Problem(422, "unknown_node", str(error)) from None
        return page_of_all(self.request, given, found)


class Rows(InstanceView):
    tag = "tables"

    @operation("row_list", needs=Scope.EVALUATOR, to="read its rows", query=RowsQuery,
               answer=page_of(responses.Row))  # fmt: skip
    async def get(self, given: Given, table: str) -> HttpResponse:
        """List the rows of a table as they are now, those that fit the filters, in the order asked for."""
        try:
            found, count = await self.hosted.run(_rows, self.instance, given, table)
        except tables.NoTable as error:
            raise Problem(404, "unknown_table", str(error)) from None
        except tables.NoColumn as error:
            raise Problem(422, "unknown_column", str(error)) from None
        return page(self.request, given, found, count)


class Sql(InstanceView):
    tag = "tables"

    @operation("sql_create", needs=Scope.EVALUATOR, to="query its rows", body=Inspection, answer=responses.Inspected)
    async def post(self, given: Given) -> HttpResponse:
        """Run one read-only SQL statement over the rows as they are now."""
        return json_response(await self.hosted.run(_inspected, self.instance, given))


# On a worker thread.


def _inspected(instance: Instance, given: Given) -> bytes:
    found = instance.inspect().select(
        given["query"], given.get("params") or (), max_rows=given["limit"], max_bytes=MOST_BYTES
    )
    rows = [[json_value(value) for value in row] for row in found.rows]
    return protocol.encode({"columns": found.columns, "rows": rows, "truncated": found.truncated})


def _rows(instance: Instance, given: Given, table: str) -> tuple[list[bytes], int]:
    found, count = tables.rows(instance, given["node"], table, given["filter"], given["sort"], cut_of(given))
    return [protocol.encode(row) for row in found], count
