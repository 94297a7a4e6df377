"""What does OpenEnv's HTTP side answer?

`/reset`, `/step` and `/state` hold an episode for whoever sends the `X-Session-ID` that `/reset` answered. Without it
each works on a world that is thrown away, as the reference server does.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern

from openenv_api import answers as session_answers
from openenv_api import jsonrpc, openapi, protocol, schema
from openenv_api.access import Scope
from openenv_api.episodes import world_of
from openenv_api.errors import InvalidFrame, NotJson, Refusal, violation
from openenv_api.http import answers, body_of, grant_for, json_response
from openenv_api.rest.errors import answer_to
from openenv_api.sessions import Scratch, sessions
from worlds.engine import installed

SESSION_HEADER = "X-Session-ID"


# Discovery.


@answers("GET")
async def health(request: HttpRequest, world: str | None = None) -> HttpResponse:
    """Is the server up?"""
    return json_response({"status": "healthy"})


@answers("GET")
async def metadata(request: HttpRequest, world: str | None = None) -> HttpResponse:
    """What is this world?"""
    about = world_of(world)
    return json_response(
        {
            "name": about.name,
            "description": about.description,
            "readme_content": None,
            "version": about.version,
            "author": None,
            "documentation_url": None,
        }
    )


@answers("GET")
async def schemas(request: HttpRequest, world: str | None = None) -> HttpResponse:
    """What do actions, observations, the state and the arguments of a reset look like?"""
    return json_response(schema.document(world_of(world)))


@answers("GET")
async def openapi_document(
    request: HttpRequest, routes: Sequence[URLPattern], world: str | None = None
) -> HttpResponse:
    """This API, as an OpenAPI document."""
    world_of(world)
    return json_response(openapi.document(routes, request.path.removesuffix("/openapi.json")))


@answers("GET")
async def docs(request: HttpRequest, routes: Sequence[URLPattern], world: str | None = None) -> HttpResponse:
    """This API, as a page."""
    return HttpResponse(openapi.page(routes, world_of(world)))


# Episodes.


@answers("POST")
async def reset(request: HttpRequest, world: str | None = None) -> HttpResponse:
    """Begin an episode; the X-Session-ID answered holds it."""
    grant = grant_for(request)
    grant.require(Scope.AGENT, "begin an episode")
    data = body_of(request)
    data = {} if data is None else data
    _check_seed(data)
    session_id = request.headers.get(SESSION_HEADER)
    session = sessions().held(session_id) if session_id else sessions().draft(world_of(world), opened_by=grant.key)
    try:
        response = json_response(await session_answers.reset(session, data, always=True))
    except Refusal:
        if not session_id:
            sessions().end(session, "it did not begin")
        raise
    if isinstance(session, Scratch):
        session.episode.end("there was no place to keep it")
    else:
        response[SESSION_HEADER] = session.id
    return response


@answers("POST")
async def step(request: HttpRequest, world: str | None = None) -> HttpResponse:
    """Carry out an action: call a tool, or list the tools."""
    grant_for(request).require(Scope.AGENT, "step an episode")
    body = body_of(request)
    if not isinstance(body, dict) or "action" not in body:
        raise InvalidFrame("Field required", [violation("missing", "Field required", "body", "action")])
    session_id = request.headers.get(SESSION_HEADER)
    if session_id:
        return json_response(await session_answers.step(sessions().held(session_id), body["action"], always=True))
    scratch = Scratch(world_of(world))
    try:
        return json_response(await session_answers.step(scratch, body["action"], always=True))
    finally:
        scratch.episode.end("it was for one request")


@answers("GET")
async def state(request: HttpRequest, world: str | None = None) -> HttpResponse:
    """The state document of the episode."""
    grant_for(request).require(Scope.EVALUATOR, "read the state of an episode")
    session_id = request.headers.get(SESSION_HEADER)
    session = sessions().held(session_id) if session_id else Scratch(world_of(world))
    return json_response(await session_answers.state(session))


@answers("POST")
async def rpc(request: HttpRequest, world: str | None = None) -> HttpResponse:
    """OpenEnv's private JSON-RPC; always 200, errors are in the body."""
    try:
        body = body_of(request)
    except (NotJson, InvalidFrame):
        return json_response(jsonrpc.unparsable())
    try:
        grant_for(request).require(Scope.AGENT, "call tools")
    except Refusal as refusal:
        id = body.get("id") if isinstance(body, dict) else None
        return json_response(protocol.rpc_error(id, refusal.rpc_code, refusal.message))
    return json_response(await jsonrpc.Endpoint(sessions(), world_of(world)).answer(body))


def _check_seed(data: object) -> None:
    """Over HTTP, though not over a WebSocket, the reference refuses a negative seed."""
    if isinstance(data, dict) and isinstance(data.get("seed"), int) and data["seed"] < 0:
        message = "Input should be greater than or equal to 0"
        raise InvalidFrame(message, [violation("greater_than_equal", message, "body", "seed", value=data["seed"])])


# Tasks: which environments there are is told, sets of tasks are not served.


@answers("GET")
async def environments(request: HttpRequest, world: str | None = None) -> HttpResponse:
    """The names of the worlds of this server, or the one of this path."""
    return json_response(installed.names() if world is None else [world_of(world).name])


@answers("GET")
async def splits(request: HttpRequest, env: str, world: str | None = None) -> HttpResponse:
    """The splits of a world's tasks."""
    return _unsupported(env, "list_splits")


@answers("POST")
async def tasks(request: HttpRequest, env: str, world: str | None = None) -> HttpResponse:
    """The tasks of a split."""
    return _unsupported(env, "list_tasks")


@answers("POST")
async def num_tasks(request: HttpRequest, env: str, world: str | None = None) -> HttpResponse:
    """How many tasks a split has."""
    return _unsupported(env, "num_tasks")


@answers("POST")
async def task(request: HttpRequest, env: str, world: str | None = None) -> HttpResponse:
    """One task of a split."""
    return _unsupported(env, "get_task")


@answers("POST")
async def task_range(request: HttpRequest, env: str, world: str | None = None) -> HttpResponse:
    """Some tasks of a split."""
    return _unsupported(env, "get_task_range")


def _unsupported(env: str, what: str) -> HttpResponse:
    if env.lower() not in (name.lower() for name in installed.names()):
        return _not_found()
    return json_response({"detail": f"{what} is not supported for this environment"}, 501)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Nothing is here."""
    return _not_found()


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """The request is not for this server, or no HTTP."""
    return _said_of(request, 400, "Bad Request: is this host named in SEAHAVEN_ALLOWED_HOSTS?")


def broken(request: HttpRequest) -> HttpResponse:
    """A bug outside every view; its traceback is in the log."""
    return _said_of(request, 500, "Internal Server Error")


def _said_of(request: HttpRequest, status: int, message: str) -> HttpResponse:
    if request.path.startswith("/api/"):
        return answer_to(request, status, message)
    return json_response({"detail": message}, status)


def _not_found() -> HttpResponse:
    return json_response({"detail": "Not Found"}, 404)
