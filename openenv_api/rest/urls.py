"""Which path of the REST API leads to what?"""

from django.urls import path

from openenv_api.rest import calls, episodes, instances, logs, moves, pages, tables, worlds

app_name = "rest"

_WORLD = "worlds/<str:world>"
_INSTANCE = "instances/<str:instance>"

urlpatterns = [
    path("", pages.root, name="root"),
    path("openapi.json", pages.openapi, name="openapi"),
    path("docs", pages.docs, name="docs"),
    path("worlds", worlds.Worlds.as_view(), name="world-list"),
    path(_WORLD, worlds.OneWorld.as_view(), name="world-detail"),
    path(f"{_WORLD}/tools", worlds.Tools.as_view(), name="tool-list"),
    path(f"{_WORLD}/fixtures", worlds.Fixtures.as_view(), name="fixture-list"),
    path(f"{_WORLD}/fixtures/<str:fixture>", worlds.OneFixture.as_view(), name="fixture-detail"),
    path("instances", instances.Instances.as_view(), name="instance-list"),
    path(_INSTANCE, instances.OneInstance.as_view(), name="instance-detail"),
    path(f"{_INSTANCE}/tools", instances.InstanceTools.as_view(), name="instance-tools"),
    path(f"{_INSTANCE}/calls", calls.Calls.as_view(), name="call-list"),
    path(f"{_INSTANCE}/changes", logs.Changes.as_view(), name="change-list"),
    path(f"{_INSTANCE}/changes.ndjson", logs.ChangeStream.as_view(), name="change-stream"),
    path(f"{_INSTANCE}/diff", logs.NetDiff.as_view(), name="diff"),
    path(f"{_INSTANCE}/state", logs.State.as_view(), name="state"),
    path(f"{_INSTANCE}/export", episodes.Export.as_view(), name="instance-export"),
    path("replays", episodes.Replays.as_view(), name="replay-list"),
    path(f"{_INSTANCE}/tables", tables.Tables.as_view(), name="table-list"),
    path(f"{_INSTANCE}/tables/<str:table>/rows", tables.Rows.as_view(), name="row-list"),
    path(f"{_INSTANCE}/sql", tables.Sql.as_view(), name="sql"),
    path(f"{_INSTANCE}/fork", instances.Fork.as_view(), name="instance-fork"),
    path(f"{_INSTANCE}/checkpoints", moves.Checkpoints.as_view(), name="checkpoint-list"),
    path(f"{_INSTANCE}/checkpoints/<str:checkpoint>", moves.OneCheckpoint.as_view(), name="checkpoint-detail"),
    path(f"{_INSTANCE}/rewind", moves.Rewind.as_view(), name="instance-rewind"),
    path(f"{_INSTANCE}/advance", moves.Advancing.as_view(), name="instance-advance"),
    path(f"{_INSTANCE}/freeze", moves.Freeze.as_view(), name="instance-freeze"),
]
