"""How do the tables of an instance hang together?"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from console.heads import head
from console.keeping import Shelf
from console.pages import instance_of, page, show
from console.tables.diagram import HEAD, LINE, PAD, drawn
from console.tables.looking import look, schema
from console.views.tables import nodes_of
from worlds.engine.tables import Table

#: A store's tables do not change, so neither does its drawing.
_DRAWN: Shelf[str] = Shelf(32)


@page()
async def detail(request: HttpRequest, instance_id: str) -> HttpResponse:
    """The tables of every store as a drawing, and as a list."""
    hosted, instance = await instance_of(instance_id)
    kept = _DRAWN.get(instance_id)
    if kept is None:
        nodes = nodes_of(instance)
        kept = _drawn(instance_id, nodes, await look(hosted, instance, schema, instance_id, list(nodes)))
        _DRAWN.put(kept, id=instance_id)
    context = {**head(hosted, instance, "instance-schema"), "drawn": kept}
    return show(request, "console/tables/schema.html", context)


def _drawn(instance_id: str, nodes: dict[str, str], stores: dict[str, list[Table]]) -> str:
    context = {
        "instance_id": instance_id,
        "stores": [(path, nodes[path], drawn(tables)) for path, tables in stores.items()],
        "sizes": {"head": HEAD, "line": LINE, "pad": PAD},
    }
    return render_to_string("console/tables/_drawn.html", context)
