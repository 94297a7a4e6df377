"""How is a view of the console written?

A view is a coroutine that reads its query with a form, asks the engine on an instance's lane, and answers a page, or of
it the part that htmx asks for. What the engine refuses is shown in the engine's own words.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec
from urllib.parse import urlencode

from django.conf import settings
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from console.access import Role, address_of, is_open_to, role_in
from console.wording import sentence
from worlds.engine import CallTimeout, Instance, InstanceClosed, SeahavenError, World, installed
from worlds.engine.hosting import HOSTS, Hosted

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], Coroutine[Any, Any, HttpResponseBase]]


class Problem(Exception):
    """What cannot be shown or done, and how that is answered."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.message, self.status = message, status


class Request(HttpRequest):
    """What a view is given: for the type checker alone."""

    htmx: HtmxDetails
    role: Role


def page(needs: Role = Role.VIEWER) -> Callable[[View[P]], View[P]]:
    """A view that somebody of that role may use; others log in, or read why not."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        async def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            role = await role_in(request)
            request.role = role  # type: ignore[attr-defined]
            if role < needs:
                return _kept_out(request, role, needs)
            try:
                answer = await view(request, *args, **kwargs)
            except Problem as problem:
                answer = refused(request, problem.message, problem.status)
            except InstanceClosed as error:
                answer = refused(request, f"{sentence(error)} What it did is gone with it.", 410)
            except CallTimeout as error:
                answer = refused(request, sentence(error), 504)
            except SeahavenError as error:
                answer = refused(request, sentence(error), 422)
            patch_vary_headers(answer, ["HX-Request"])
            return answer

        return guarded

    return decorate


def _kept_out(request: HttpRequest, role: Role, needs: Role) -> HttpResponse:
    if role is Role.NOBODY and not request.user.is_authenticated:
        to = f"{reverse('console:login')}?{urlencode({'next': request.get_full_path()})}"
        return HttpResponseClientRedirect(to) if is_htmx(request) else HttpResponseRedirect(to)
    has = "no role here" if role is Role.NOBODY else f"the role {role.word}"
    return refused(request, f"This needs the role {needs.word}, and you have {has}: ask whoever runs this server.", 403)


def refused(request: HttpRequest, message: str, status: int) -> HttpResponse:
    """The page, or the line for a part of one, that says what cannot be."""
    template = "console/_problem.html" if is_htmx(request) else "console/problem.html"
    return show(request, template, {"message": message, "status": status}, status=status)


def is_htmx(request: HttpRequest) -> bool:
    return bool(request.htmx)  # type: ignore[attr-defined]


def show(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, part: str | None = None, status: int = 200
) -> HttpResponse:
    """A page; to htmx only the part of it that is named, `{% partialdef <part> inline %}` in the page itself."""
    if part is not None and is_htmx(request) and not request.htmx.boosted:  # type: ignore[attr-defined]
        template = f"{template}#{part}"
    common = {
        "role": getattr(request, "role", Role.NOBODY),
        "can_operate": getattr(request, "role", Role.NOBODY) >= Role.OPERATOR,
        "can_curate": getattr(request, "role", Role.NOBODY) >= Role.CURATOR,
        "is_open": is_open_to(address_of(request)) and not request.user.is_authenticated,
    }
    return render(request, template, {**common, **context}, status=status)


def go(request: HttpRequest, to: str, *args: Any) -> HttpResponse:
    """Send the browser on to a page, by the name of its URL."""
    where = reverse(f"console:{to}", args=args) if not to.startswith("/") else to
    return HttpResponseClientRedirect(where) if is_htmx(request) else HttpResponseRedirect(where)


def require_post(request: HttpRequest) -> None:
    """Refuse to change something for a link that was merely followed.

    Raises: Problem.
    """
    if request.method != "POST":
        raise Problem("This changes something, so it is sent by its button.", 405)


def read(form: Form) -> dict[str, Any]:
    """What a form was given.

    Raises: Problem naming each field and what is wrong with it.
    """
    if form.is_valid():
        return form.cleaned_data
    wrong = ((name, str(error)) for name, each in form.errors.items() for error in each)
    raise Problem(" ".join(error if name == "__all__" else f"{name}: {error}" for name, error in wrong))


def world_of(name: str) -> World:
    """An installed world.

    Raises: Http404.
    """
    if name not in installed.names():
        raise Http404(f"There is no world {name!r:.60}; there are: {', '.join(installed.names())}.")
    return installed.get(name)


def hosted_of(instance_id: str) -> Hosted:
    """An instance that is served here.

    Raises: Problem saying how it ended, or that it never was.
    """
    hosted = HOSTS.get(instance_id)
    if hosted is not None:
        return hosted
    reason = HOSTS.end_of(instance_id)
    if reason is not None:
        raise Problem(f"This instance is over: {reason}.", 410)
    raise Problem(f"There is no instance {instance_id!r:.60} on this server; it may have been restarted.", 404)


async def instance_of(instance_id: str) -> tuple[Hosted, Instance]:
    """An instance that is served here, begun if its client only connected so far.

    Raises: Problem.
    """
    hosted = hosted_of(instance_id)
    if hosted.instance is None:
        raise Problem("Its client is connected and has not begun an episode yet.", 409)
    return hosted, hosted.instance


def patience_s() -> float:
    """How long work that builds or replays may take."""
    return float(settings.SEAHAVEN_CALL_TIMEOUT_S) * 5
