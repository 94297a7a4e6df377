"""Which URL leads to which door?"""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("openenv_api.urls")),
]
handler404 = "openenv_api.views.not_found"
