"""Which URL leads to which door?"""

from django.contrib import admin
from django.urls import include, path, re_path

from openenv_api.rest.pages import not_found, root

urlpatterns = [
    path("admin/drafts/", include("console.drafting.urls")),
    path("admin/", admin.site.urls),
    path("console/", include("console.urls")),
    path("api/v1", root),
    path("api/v1/", include("openenv_api.rest.urls")),
    re_path(r"^api(/.*)?$", not_found),
    path("", include("openenv_api.urls")),
]
handler400 = "openenv_api.views.bad_request"
handler404 = "openenv_api.views.not_found"
handler500 = "openenv_api.views.broken"
