"""Which instance is a request of a product's SDK for?

An instance is addressed by the id it has on this server, or by a name that clients chose: a name that is new opens an
instance of its own at its first use.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from typing import Any

from django.conf import settings
from pydantic import BaseModel, ConfigDict, ValidationError

from openenv_api.errors import NoSession, Refusal, invalid
from worlds.engine import Start, World
from worlds.engine.clock import ClockMode
from worlds.engine.composing import ROOT, tree_of
from worlds.engine.hosting import HOSTS, Hosted

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
#: Instances that are being opened, so that two first requests open one.
_opening: dict[tuple[str, str], asyncio.Future[Hosted]] = {}


class NoName(Refusal):
    """No instance can have that name."""

    status = 400


class Opening(BaseModel):
    """How a named instance begins: the body of a PUT."""

    model_config = ConfigDict(extra="forbid", strict=True)

    fixture: str | None = None
    seed: int | None = None
    now: str | None = None
    clock_mode: ClockMode | None = None
    startup: dict[str, Any] = {}
    setup_sql: str | None = None

    def start(self) -> Start:
        return Start(self.fixture, self.seed, self.now, self.clock_mode, startup=self.startup, setup_sql=self.setup_sql)


def opening(body: Any) -> Opening:
    """The start a PUT asks for.

    Raises: InvalidFrame naming every field that does not fit.
    """
    try:
        return Opening.model_validate({} if body is None else body)
    except ValidationError as error:
        raise invalid("start", error) from None


def find(world: World, name: str) -> Hosted | None:
    """The instance of that name, or of that id if a branch of it is the world."""
    found = HOSTS.named(world.name, name)
    if found is not None:
        return found
    hosted = HOSTS.get(name)
    return hosted if hosted is not None and node_of(hosted, world) is not None else None


def node_of(hosted: Hosted, world: World) -> str | None:
    """The path of the first branch of an instance that is the world."""
    branches = tree_of(hosted.world).branches.values()
    return next((branch.path for branch in branches if branch.world is world), None)


def path_in(hosted: Hosted, world: World) -> str:
    return node_of(hosted, world) or ROOT


async def named(world: World, name: str) -> Hosted:
    """The instance of that name, opened when it is new: a running clock from now, chance that follows from the name.

    Raises: NoName; HostFull.
    """
    found = find(world, name)
    if found is not None:
        return found
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    return await open_named(world, name, Start(None, seed, clock_mode="running"))


async def open_named(world: World, name: str, start: Start) -> Hosted:
    """A new instance of that name; an old one ends.

    Raises: NoName; HostFull; WorldBug for a start that does not fit.
    """
    if not _NAME.fullmatch(name):
        raise NoName(f"{name!r:.80} cannot be an instance's name: use 1 to 64 letters, digits, '_' and '-'.")
    key = world.name, name
    if (under_way := _opening.get(key)) is not None:
        return await asyncio.shield(under_way)
    future = _opening[key] = asyncio.get_running_loop().create_future()
    try:
        HOSTS.require_place()
        hosted = Hosted(world, start, door="product", idle_s=settings.SEAHAVEN_INSTANCE_IDLE_S, name=name)
        before = HOSTS.named(world.name, name)
        await hosted.begin()
        if before is not None:
            before.end("another one of its name began")
        future.set_result(hosted)
        return hosted
    except BaseException as error:
        future.set_exception(error if isinstance(error, Exception) else RuntimeError("opening was cancelled"))
        future.exception()  # seen: nobody may wait for it
        raise
    finally:
        del _opening[key]


def require(world: World, name: str) -> Hosted:
    """The instance of that name.

    Raises: NoSession when there is none.
    """
    found = find(world, name)
    if found is None:
        raise NoSession(f"There is no instance {name!r:.80} of world {world.name}.")
    return found
