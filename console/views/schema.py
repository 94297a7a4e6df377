"""How do the tables of an instance hang together?"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from console.diagram import HEAD, LINE, PAD, Diagram, drawn
from console.heads import head
from console.keeping import Shelf
from console.looking import look
from console.pages import instance_of, page, show
from console.views.tables import nodes_of
from worlds.engine import tables
from worlds.engine.inspector import Inspector

#: A store's tables do not change, so neither does its drawing.
_DRAWN: Shelf[dict[str, Diagram]] = Shelf(32)


@page()
async def detail(request: HttpRequest, instance_id: str) -> HttpResponse:
    """The tables of every store as a drawing, and as a list."""
    hosted, instance = await instance_of(instance_id)
    nodes = nodes_of(instance)
    diagrams = _DRAWN.get(instance_id)
    if diagrams is None:
        diagrams = await look(hosted, instance, _diagrams, list(nodes))
        _DRAWN.put(diagrams, id=instance_id)
    context = {
        **head(hosted, instance, "instance-schema"),
        "stores": [(path, nodes[path], diagram) for path, diagram in diagrams.items()],
        "sizes": {"head": HEAD, "line": LINE, "pad": PAD, "baseline": HEAD / 2},
    }
    return show(request, "console/tables/schema.html", context)


def _diagrams(inspector: Inspector, nodes: list[str]) -> dict[str, Diagram]:
    return {node: drawn(tables.all_described(inspector, node)) for node in nodes}
