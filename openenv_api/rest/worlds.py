"""Which worlds are there, with which tools and fixtures?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpResponse

from openenv_api import protocol
from openenv_api.access import Scope
from openenv_api.http import json_response
from openenv_api.rest import responses
from openenv_api.rest.errors import refusing
from openenv_api.rest.paging import cut_of, page, page_of_all
from openenv_api.rest.requests import PageQuery
from openenv_api.rest.responses import page_of
from openenv_api.rest.view import ApiView, Given, WorldView, operation, world_named
from openenv_api.sessions import default_fixture
from worlds.engine import Fixture, World, fixtures, installed
from worlds.engine.composing import tree_of
from worlds.engine.hosting import LANES
from worlds.engine.registrations import BUILT_IN_FORMATS


class Worlds(ApiView):
    tag = "worlds"

    @operation("world_list", needs=Scope.AGENT, to="see worlds", query=PageQuery, answer=page_of(responses.World))
    async def get(self, given: Given) -> HttpResponse:
        """List the worlds of this server."""
        return page_of_all(self.request, given, [_described(world_named(name)) for name in installed.names()])


class OneWorld(WorldView):
    @operation("world_detail", needs=Scope.AGENT, to="see worlds", answer=responses.World)
    async def get(self, given: Given) -> HttpResponse:
        """Say what a world is, and which others it embeds."""
        return json_response(_described(self.world))


class Tools(WorldView):
    @operation("tool_list", needs=Scope.AGENT, to="see tools", query=PageQuery, answer=page_of(responses.Tool))
    async def get(self, given: Given) -> HttpResponse:
        """List the tools an agent may call in a world, with those of the worlds it embeds."""
        return page_of_all(self.request, given, tools_of(self.world))


class Fixtures(WorldView):
    tag = "fixtures"

    @operation("fixture_list", needs=Scope.AGENT, to="see fixtures", query=PageQuery, answer=page_of(responses.Fixture))
    async def get(self, given: Given) -> HttpResponse:
        """List the starting states of a world."""
        ids = self.world.fixture_ids()
        found = await LANES.lane().run(_read, self.world, ids[cut_of(given)])
        return page(self.request, given, found, len(ids))


class OneFixture(WorldView):
    tag = "fixtures"

    @operation("fixture_detail", needs=Scope.AGENT, to="see fixtures", answer=responses.Fixture)
    async def get(self, given: Given, fixture: str) -> HttpResponse:
        """Say what a starting state holds, and what it was made from."""
        if fixture not in self.world.fixture_ids():
            with refusing("unknown_fixture", 404):
                fixtures.get(self.world.name, fixture, self.world.recipes)
        (found,) = await LANES.lane().run(_read, self.world, [fixture])
        return json_response(found)


@cache
def tools_of(world: World) -> list[bytes]:
    """The tools of a world as an agent reads them, each as JSON."""
    return [protocol.encode(tool.listing()) for tool in world.surface.values()]


def _described(world: World) -> dict[str, Any]:
    nodes = tree_of(world).branches.values()
    return {
        "name": world.name,
        "version": world.version,
        "description": world.description,
        "is_default": world.name == settings.SEAHAVEN_DEFAULT_WORLD,
        "default_fixture": default_fixture(world),
        "composition": [
            {
                "path": node.path,
                "world": node.world.name,
                "world_version": node.world.version,
                "scope": node.scope,
                "aliases": list(node.aliases),
            }
            for node in nodes
        ],
        "startup_keywords": world.startup_keywords()[0],
        "state_formats": [*BUILT_IN_FORMATS, *world.state_formats],
    }


# On a worker thread: fixtures are files.


def _read(world: World, ids: list[str]) -> list[dict[str, Any]]:
    return [described(world, fixtures.get(world.name, each, world.recipes)) for each in ids]


def described(world: World, fixture: Fixture) -> dict[str, Any]:
    """A fixture, with its ancestors as far as they are there."""
    return {
        "id": fixture.id,
        "world": world.name,
        "description": fixture.description,
        "now": fixture.now,
        "lineage": list(_lineage(world, fixture)),
        "counts": fixture.counts,
        "nodes": [
            {
                "path": path,
                "world": node.world,
                "world_version": node.world_version,
                "sha256": node.sha256,
                "counts": node.counts,
            }
            for path, node in fixture.sidecar.nodes.items()
        ],
    }


def _lineage(world: World, fixture: Fixture) -> Iterator[str]:
    seen = {fixture.id}
    current: Fixture | None = fixture
    while current is not None and current.parent is not None and current.parent not in seen:
        yield current.parent
        seen.add(current.parent)
        current = fixtures.find(world.name, current.parent)
