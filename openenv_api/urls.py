"""Which URL leads to which view? The same ones stand at the root, for the default world, and under each world."""

from django.urls import URLPattern, include, path

from openenv_api import views

app_name = "openenv"

endpoints: list[URLPattern] = [
    path("health", views.health, name="health"),
    path("metadata", views.metadata, name="metadata"),
    path("schema", views.schemas, name="schema"),
    path("reset", views.reset, name="reset"),
    path("step", views.step, name="step"),
    path("state", views.state, name="state"),
    path("mcp", views.rpc, name="mcp"),
    path("list_environments", views.environments, name="environment-list"),
    path("<str:env>/splits", views.splits, name="split-list"),
    path("<str:env>/tasks", views.tasks, name="task-list"),
    path("<str:env>/num_tasks", views.num_tasks, name="task-count"),
    path("<str:env>/task", views.task, name="task-detail"),
    path("<str:env>/task_range", views.task_range, name="task-range"),
]
routes = [
    *endpoints,
    path("openapi.json", views.openapi_document, {"routes": endpoints}, name="openapi"),
    path("docs", views.docs, {"routes": endpoints}, name="docs"),
]
urlpatterns = [
    path("worlds/<str:world>/", include(routes)),
    *routes,
]
