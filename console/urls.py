"""Which page of the console is where?"""

from django.contrib.auth.views import LogoutView
from django.urls import path, register_converter

from console.runs.moments import Point
from console.views import (
    calls,
    comparing,
    contrasts,
    fixtures,
    freezing,
    help,
    home,
    instances,
    jobs,
    login,
    moments,
    opening,
    rows,
    schema,
    sql,
    tables,
    tools,
)

app_name = "console"
register_converter(Point, "point")
INSTANCE = "instances/<str:instance_id>/"

urlpatterns = [
    path("", home.show_home, name="home"),
    path("numbers/", home.numbers, name="numbers"),
    path("help/", help.keys, name="help"),
    path("login/", login.Login.as_view(), name="login"),
    path("logout/", LogoutView.as_view(next_page="console:home"), name="logout"),
    path("live/", home.live_is_a_socket, name="live"),
    # Instances.
    path("instances/", instances.listing, name="instance-list"),
    path("instances/open/", opening.choose, name="instance-open"),
    path("instances/open/<str:world>/", opening.begin, name="instance-begin"),
    path(INSTANCE, instances.detail, name="instance-detail"),
    path(f"{INSTANCE}standing/", instances.standing, name="instance-standing"),
    path(f"{INSTANCE}end/", instances.end, name="instance-end"),
    path(f"{INSTANCE}advance/", instances.advance, name="instance-advance"),
    path(f"{INSTANCE}fork/", instances.fork, name="instance-fork"),
    path(f"{INSTANCE}freeze/", freezing.freeze, name="instance-freeze"),
    path(f"{INSTANCE}state.json", instances.state, name="instance-state"),
    path(f"{INSTANCE}episode.json", instances.episode, name="instance-episode"),
    # Its tools and calls.
    path(f"{INSTANCE}tools/", tools.listing, name="tool-list"),
    path(f"{INSTANCE}tools/<str:tool>/", tools.detail, name="tool-detail"),
    path(f"{INSTANCE}calls/", calls.listing, name="call-list"),
    path(f"{INSTANCE}calls/last/", calls.last, name="call-last"),
    path(f"{INSTANCE}calls/scrub/", calls.scrub, name="call-scrub"),
    path(f"{INSTANCE}calls/<int:ordinal>/", calls.detail, name="call-detail"),
    path(f"{INSTANCE}calls/<point:ordinal>/steps/", calls.steps, name="call-steps"),
    path(f"{INSTANCE}calls/<point:call>/tables/", moments.then_tables, name="then-tables"),
    path(f"{INSTANCE}calls/<point:call>/tables/<path:node>/<str:table>/", moments.then_rows, name="then-rows"),
    path(f"{INSTANCE}calls/<point:call>/fork/", moments.fork, name="call-fork"),
    path(f"{INSTANCE}calls/<point:call>/rewind/", moments.rewind, name="call-rewind"),
    path(f"{INSTANCE}calls/<point:call>/replay/", moments.replay, name="call-replay"),
    path(f"{INSTANCE}between/<int:number>/", calls.between, name="move-detail"),
    path("replays/<str:replay_id>/", moments.replayed, name="replay-detail"),
    # Its rows.
    path(f"{INSTANCE}tables/", tables.listing, name="table-list"),
    path(f"{INSTANCE}tables/<path:node>/<str:table>/row/", rows.detail, name="row-detail"),
    path(f"{INSTANCE}tables/<path:node>/<str:table>/rows.csv", rows.as_csv, name="table-csv"),
    path(f"{INSTANCE}tables/<path:node>/<str:table>/rows.json", rows.as_json, name="table-json"),
    path(f"{INSTANCE}tables/<path:node>/<str:table>/", tables.detail, name="table-detail"),
    path(f"{INSTANCE}sql/", sql.ask, name="instance-sql"),
    path(f"{INSTANCE}sql/query.csv", sql.as_csv, name="sql-csv"),
    path(f"{INSTANCE}sql/query.json", sql.as_json, name="sql-json"),
    path(f"{INSTANCE}schema/", schema.detail, name="instance-schema"),
    path(f"{INSTANCE}changes/", calls.changes, name="instance-changes"),
    # Fixtures and runs.
    path("fixtures/", fixtures.listing, name="fixture-list"),
    path("fixtures/<str:world>/compare/", contrasts.compare, name="fixture-compare"),
    path("fixtures/<str:world>/<str:fixture>/", fixtures.detail, name="fixture-detail"),
    path("fixtures/<str:world>/<str:fixture>/build/", fixtures.build, name="fixture-build"),
    path("fixtures/<str:world>/<str:fixture>/tables/<path:node>/<str:table>/", fixtures.table, name="fixture-table"),
    path("jobs/<str:job_id>/", jobs.detail, name="job-detail"),
    path("compare/", comparing.runs, name="run-compare"),
]
