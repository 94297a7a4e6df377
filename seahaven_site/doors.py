"""Which URLs does Seahaven answer in a project that has an admin of its own? Put them before the project's."""

from django.urls import include, path

from openenv_api.rest.pages import root

urlpatterns = [
    path("admin/drafts/", include("console.drafting.urls")),
    path("console/", include("console.urls")),
    path("api/v1", root),
    path("api/v1/", include("openenv_api.rest.urls")),
    path("", include("openenv_api.urls")),
]
