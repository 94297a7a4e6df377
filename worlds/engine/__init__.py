"""What does a world, a door or a grader import from the engine?"""

from worlds.engine.agent_sql import describe_schema, run_sql
from worlds.engine.apps import WorldConfig
from worlds.engine.clock import Clock, ClockMode, instant
from worlds.engine.ctx import Call, Ctx
from worlds.engine.declaring import (
    event_handler,
    http_api,
    instance_startup,
    middleware,
    outbox,
    recipe,
    state_format,
    task,
)
from worlds.engine.diff import Diff
from worlds.engine.errors import (
    ArgumentError,
    CallTimeout,
    DbError,
    EpisodeError,
    FixtureError,
    InstanceClosed,
    SeahavenError,
    ToolError,
    UnknownTool,
    WorldBug,
)
from worlds.engine.exchange import HttpRequest, HttpResponse, Outgoing
from worlds.engine.fixtures import Fixture
from worlds.engine.handles import WorldHandle, Worlds
from worlds.engine.instance import Instance, Start
from worlds.engine.listing import paginate
from worlds.engine.queries import prepared
from worlds.engine.script import Ref, Script, wait_until
from worlds.engine.searching import find as find_words
from worlds.engine.tasks import Task
from worlds.engine.tools import Tool, tool
from worlds.engine.wording import choices, one_of
from worlds.engine.world import World

__all__ = [
    "ArgumentError",
    "Call",
    "CallTimeout",
    "Clock",
    "ClockMode",
    "Ctx",
    "DbError",
    "Diff",
    "EpisodeError",
    "Fixture",
    "FixtureError",
    "HttpRequest",
    "HttpResponse",
    "Instance",
    "InstanceClosed",
    "Outgoing",
    "Ref",
    "Script",
    "SeahavenError",
    "Start",
    "Task",
    "Tool",
    "ToolError",
    "UnknownTool",
    "World",
    "WorldBug",
    "WorldConfig",
    "WorldHandle",
    "Worlds",
    "choices",
    "describe_schema",
    "event_handler",
    "find_words",
    "http_api",
    "instance_startup",
    "instant",
    "middleware",
    "one_of",
    "outbox",
    "paginate",
    "prepared",
    "recipe",
    "run_sql",
    "state_format",
    "task",
    "tool",
    "wait_until",
]
