"""Where are the rows of drafts?"""

from django.urls import path

from console.drafting import rows

app_name = "drafting"
urlpatterns = [
    path("<uuid:draft_id>/", rows.begin, name="begin"),
    path("<uuid:draft_id>/<slug:node>/", rows.rows, name="rows"),
    path("<uuid:draft_id>/<slug:node>/<path:rest>", rows.rows, name="row"),
]
