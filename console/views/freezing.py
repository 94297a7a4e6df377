"""How does an instance become a fixture that can be opened again?"""

from __future__ import annotations

from functools import partial
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from console.access import Role
from console.heads import head
from console.opening_forms import FreezeForm
from console.pages import go, instance_of, page, patience_s, show
from worlds.engine import FixtureError, fixtures
from worlds.engine.hosting import LANES


@page(Role.CURATOR)
async def freeze(request: HttpRequest, instance_id: str) -> HttpResponse:
    """Write an instance as it stands as a fixture, under an id that is free."""
    hosted, instance = await instance_of(instance_id)
    form = FreezeForm(hosted.world, request.POST if request.method == "POST" else None)
    problem = ""
    if request.method == "POST" and await LANES.lane().run(form.is_valid):
        fixture_id, description = form.cleaned_data["fixture"], form.cleaned_data["description"]
        try:
            await hosted.run(partial(instance.freeze, fixture_id, description), timeout_s=patience_s())
        except FixtureError as error:
            problem = str(error)
        except OSError as error:
            problem = f"The fixture cannot be written: {error}. Let SEAHAVEN_FIXTURES_DIR name a folder that can."
        else:
            to = reverse("console:fixture-detail", args=[hosted.world.name, fixture_id])
            return go(request, f"{to}?{urlencode({'frozen': instance_id})}")
    context = {
        **head(hosted, instance, ""),
        "form": form,
        "problem": problem,
        "folder": fixtures.folders(hosted.world.name)[0],
        "parent": instance.fixture,
    }
    status = 422 if problem or form.errors else 200
    return show(request, "console/instances/freeze.html", context, status=status)
