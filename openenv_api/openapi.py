"""What does this API look like to a tool that reads OpenAPI, and to a person?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.urls import URLPattern
from django.utils.html import format_html, format_html_join

from worlds.engine import World

#: Of the OpenEnv HTTP profile: its validator reads "1." as openenv-http/1.x.
PROFILE_VERSION = "1.0.0"
_JSON = {"application/json": {"schema": {"type": "object"}}}


class Operation(NamedTuple):
    """One method at one path, and what it is for."""

    method: str
    path: str
    name: str
    summary: str


def document(routes: Iterable[URLPattern], prefix: str) -> dict[str, Any]:
    """The OpenAPI document; `prefix` is the path under which the routes were found."""
    paths: dict[str, Any] = {}
    for operation in _operations(routes):
        paths.setdefault(operation.path, {})[operation.method] = _described(operation)
    return {
        "openapi": "3.1.1",
        "info": {"title": "Seahaven", "version": PROFILE_VERSION},
        "servers": [{"url": prefix or "/"}],
        "paths": paths,
    }


def page(routes: Iterable[URLPattern], world: World) -> str:
    """The same as a page."""
    rows = format_html_join("\n", "<tr><td>{}<td><code>{}</code><td>{}", (
        (operation.method.upper(), operation.path, operation.summary) for operation in _operations(routes)
    ))  # fmt: skip
    return format_html(
        "<!doctype html><html lang=en><title>Seahaven: {}</title><h1>{}</h1><p>{}<p>Episodes run over the WebSocket at "
        "<code>/ws</code>; see <a href=openapi.json>openapi.json</a> and <a href=schema>schema</a>.<table>{}</table>",
        world.name, world.name, world.description, rows,
    )  # fmt: skip


def _operations(routes: Iterable[URLPattern]) -> Iterator[Operation]:
    for route in routes:
        path = "/" + str(route.pattern).replace("<str:", "{").replace(">", "}")
        view: Any = route.callback
        for method in view.methods:
            yield Operation(method.lower(), path, str(route.name), (view.__doc__ or "").strip())


def _described(operation: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "responses": {"200": {"description": "OK", "content": _JSON}},
    }
    if "{env}" in operation.path:
        described["parameters"] = [{"name": "env", "in": "path", "required": True, "schema": {"type": "string"}}]
    elif operation.path in ("/reset", "/step", "/state"):
        described["parameters"] = [{"name": "X-Session-ID", "in": "header", "schema": {"type": "string"}}]
    if operation.method == "post":
        described["requestBody"] = {"content": _JSON}
    return described
