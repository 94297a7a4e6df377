"""How is a view of the REST API written?

The framework's views run on threads, one at a time for each request and none of them free for others. These run on the
event loop and await the lanes, with the framework's requests, parsers and serializers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from openenv_api.access import Grant, Scope
from openenv_api.errors import NoWorld
from openenv_api.http import is_foreign
from openenv_api.rest.authentication import BySecret
from openenv_api.rest.errors import Problem, problem_of
from openenv_api.rest.fields import Query, Strict
from openenv_api.rest.parsing import StrictJson
from worlds.engine import Instance, World, WorldBug, installed
from worlds.engine.hosting import HOSTS, Hosted

Given = dict[str, Any]
V = TypeVar("V", bound="ApiView")
P = ParamSpec("P")
Handler = Callable[Concatenate[V, Given, P], Awaitable[HttpResponseBase]]

#: A body over so many bytes is not read on the event loop.
LONG_BODY = 100_000
#: What every operation may be refused with; what is asked of one instance, and what brings a body.
ALWAYS, OF_INSTANCE, WITH_BODY = (400, 401, 403, 422, 500), (404, 409, 504), (413, 415)


def operation(
    name: str,
    *,
    needs: Scope,
    to: str,
    answer: Any,
    status: int = 200,
    query: type[Query] | None = None,
    body: type[Strict] | None = None,
    refuses: tuple[int, ...] = (),
) -> Callable[[Handler[V, P]], Callable[..., Awaitable[HttpResponseBase]]]:
    """A method of a view: who may use it, what it takes, what it answers.

    `to` completes the sentence "This secret is not good to …"; `answer` describes the response, by status and media
    type if it is no JSON. The handler is given what was asked as one dictionary.
    """

    def decorate(handler: Handler[V, P]) -> Callable[..., Awaitable[HttpResponseBase]]:
        @extend_schema(
            operation_id=name,
            parameters=[query] if query else [],
            request=body,
            responses=answer if isinstance(answer, dict) else {status: answer},
        )
        @wraps(handler)
        async def operate(view: V, request: Request, *args: P.args, **places: P.kwargs) -> HttpResponseBase:
            left: Any = view.admit(needs, to, places)
            given: Given = {}
            if query is not None or request.META["QUERY_STRING"]:
                given = _valid((query or Query).of(request.query_params))
            if body is not None:
                data = await _data(request)
                given |= body.at_a_glance(data) or _valid(body(data=data))
            return await handler(view, given, *args, **left)

        operate.needs = needs  # type: ignore[attr-defined]
        operate.refuses = (*refuses, *(WITH_BODY if body else ()))  # type: ignore[attr-defined]
        return operate

    return decorate


def _valid(serializer: Strict) -> Given:
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


async def _data(request: Request) -> Any:
    if int(request.META.get("CONTENT_LENGTH") or 0) > LONG_BODY:
        return await asyncio.to_thread(lambda: request.data)
    return {} if isinstance(request.data, QueryDict) else request.data  # it is an empty form's


class ApiView(APIView):
    """One resource. Its methods are operations; an error becomes a problem, in the one shape."""

    authentication_classes = [BySecret]
    parser_classes = [StrictJson]
    http_method_names = ["get", "post", "delete", "options"]
    #: The heading it stands under in the document.
    tag = ""
    refuses: tuple[int, ...] = ALWAYS

    @property
    def grant(self) -> Grant:
        grant: Any = self.request.auth
        return cast(Grant, grant)

    def admit(self, needs: Scope, to: str, places: Mapping[str, Any]) -> Mapping[str, Any]:
        """Refuse who may not; answers what of the path is left for the handler."""
        if self.grant.hosted is None:
            self.grant.require(needs, to)
        return places

    def setup(self, request: HttpRequest, *args: Any, **places: Any) -> None:
        # Django's own keeps a method of the view in it, a cycle that the garbage collector would have to come for.
        self.request = request  # type: ignore[assignment]  # until it is the framework's

    async def dispatch(self, request: HttpRequest, *args: Any, **places: Any) -> HttpResponseBase:  # type: ignore[override]
        self.args, self.kwargs = args, places
        self.headers: dict[str, str] = {}
        self.request = self.initialize_request(request, *args, **places)
        try:
            self.initial(self.request, *args, **places)
            method = {"head": "get"}.get(name := (request.method or "").lower(), name)
            handler = getattr(self, method, None) if method in self.http_method_names else None
            return await (handler or self._not_allowed)(self.request, *args, **places)
        except Exception as error:
            return problem_of(error).response()
        finally:
            self.request.parser_context = {}  # it holds this view and the request itself: two cycles more

    def initial(self, request: Request, *args: Any, **places: Any) -> None:
        if is_foreign(request.headers.get("Origin")):
            raise Problem(403, "forbidden", "Pages of other hosts may not use this server.")
        if int(request.META.get("CONTENT_LENGTH") or 0) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            limit = settings.SEAHAVEN_MAX_MESSAGE_MIB
            raise Problem(413, "too_large", f"The body is larger than {limit} MiB, the most this server reads.")
        self.perform_authentication(request)

    async def options(self, request: Request, *args: Any, **places: Any) -> HttpResponse:  # type: ignore[override]
        return HttpResponse(status=204, headers={"Allow": self._allow})

    async def _not_allowed(self, request: Request, *args: Any, **places: Any) -> HttpResponse:
        message = f"{request.method} is no method of this resource; it has {self._allow}."
        raise Problem(405, "method_not_allowed", message, headers={"Allow": self._allow})

    @property
    def _allow(self) -> str:
        names = [name for name in self.http_method_names if hasattr(self, name)]
        return ", ".join(name.upper() for name in [*names, *(["head"] if "get" in names else [])])


class WorldView(ApiView):
    """Something of one world, which `world` in the path names."""

    tag = "worlds"
    refuses = (*ALWAYS, 404)
    world: World

    def admit(self, needs: Scope, to: str, places: Mapping[str, Any]) -> Mapping[str, Any]:
        left = dict(super().admit(needs, to, places))
        self.world = world_named(left.pop("world"))
        return left


class InstanceView(ApiView):
    """Something of one instance, which `instance` in the path names."""

    tag = "instances"
    refuses = (*ALWAYS, *OF_INSTANCE)
    hosted: Hosted

    def admit(self, needs: Scope, to: str, places: Mapping[str, Any]) -> Mapping[str, Any]:
        left = dict(places)
        self.hosted = found_for(self.grant, left.pop("instance"), to)
        self.grant.require(needs, to, self.hosted)
        return left

    @property
    def instance(self) -> Instance:
        instance = self.hosted.instance
        assert instance is not None, "it is registered once it has one"
        return instance


def world_named(name: str) -> World:
    """An installed world.

    Raises: NoWorld with the nearest name.
    """
    try:
        found: World = installed.get(name)
    except WorldBug as error:
        raise NoWorld(str(error)) from None
    return found


def found_for(grant: Grant, instance_id: str, to: str) -> Hosted:
    """The instance of that id.

    Raises: Problem for one that never was or is over, and before that Forbidden for a token of another.
    """
    hosted = HOSTS.get(instance_id)
    if hosted is not None:
        return hosted
    if grant.hosted is not None:
        grant.require(Scope.AGENT, to)
    if reason := HOSTS.end_of(instance_id):
        raise Problem(409, "instance_over", f"instance {instance_id} is over: {reason}")
    near = _nearest(instance_id) if grant.scope is Scope.ADMIN else None
    hint = f" Did you mean {near!r}?" if near else ""
    raise Problem(404, "unknown_instance", f"There is no instance {instance_id!r:.80}.{hint}")


def _nearest(instance_id: str) -> str | None:
    """An instance whose id begins alike: ids are random, so a few characters tell."""
    if len(instance_id) < 8:
        return None
    return next((hosted.id for hosted in HOSTS if hosted.id[:8] == instance_id[:8]), None)
