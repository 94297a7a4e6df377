"""What stands in the tables of an instance?"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from console.heads import head
from console.pages import instance_of, page, show
from worlds.engine import tables


@page()
async def listing(request: HttpRequest, instance_id: str) -> HttpResponse:
    """The tables of every store, with how many rows each has."""
    hosted, instance = await instance_of(instance_id)
    found = await hosted.run(tables.listed, instance)
    return show(request, "console/tables/list.html", {**head(hosted, instance, "table-list"), "tables": found})


@page()
async def sql(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Read-only SQL."""
    hosted, instance = await instance_of(instance_id)
    return show(request, "console/tables/sql.html", head(hosted, instance, "instance-sql"))


@page()
async def schema(request: HttpRequest, instance_id: str) -> HttpResponse:
    """The schema, drawn."""
    hosted, instance = await instance_of(instance_id)
    found = await hosted.run(tables.listed, instance)
    return show(request, "console/tables/schema.html", {**head(hosted, instance, "instance-schema"), "tables": found})
