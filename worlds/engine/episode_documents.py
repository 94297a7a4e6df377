"""Is this an episode document, and what does it say?

It is read whole before anything is replayed, so that what is damaged in it is named and not taken for a divergence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from worlds.engine.chance import MAX_SEED
from worlds.engine.clock import ClockMode, is_canonical
from worlds.engine.composing import ROOT
from worlds.engine.errors import EpisodeError
from worlds.engine.exchange import HttpRequest
from worlds.engine.exporting import FORMAT, reach_of
from worlds.engine.registrations import BUILT_IN_FORMATS, CALLS, LAST_STEP
from worlds.engine.spelling import unspell

_AGAIN = "export the episode again"
_OURS = "seahaven.episode/"


def _instant(text: str) -> str:
    if not is_canonical(text):
        raise ValueError(f"{text!r:.60} is no instant such as 2026-06-01T09:00:00.000Z")
    return text


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, int | float | str) and not isinstance(value, bool)):
        return value
    raise ValueError(f"{value!r:.60} is no cell: a number, text or null")


def _spelled(value: Any) -> Any:
    unspell(value)
    return value


Instant = Annotated[str, AfterValidator(_instant)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]
Row = dict[str, Annotated[Any, AfterValidator(_cell)]]
#: A value as `spelling` writes it.
Spelled = Annotated[Any, AfterValidator(_spelled)]


class Part(BaseModel):
    """A part of the document. Fields are only ever added under one format's name, so unknown ones are passed over."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class Record(Part):
    """A change record of the state document."""

    i: int | None
    world: str
    table: str
    op: Literal["insert", "update", "delete"]
    key: Row
    before: Row | None
    after: Row | None
    seq: int
    by: str = "agent"


class Failure(Part):
    """What the agent saw of a move that failed."""

    code: Any
    message: Any
    details: Any


class DigestOf(Part):
    """What is left of a text that was too large to keep."""

    sha256: Sha256
    bytes: Count


class Response(Part):
    """What a world's HTTP API answered."""

    status: int
    headers: Spelled
    body: Spelled = None
    body_digest: DigestOf | None = None


class _Made(Part):
    """A move, and what came of it."""

    now: Instant
    records: list[Record]
    error: Failure | None = None


class CallMove(_Made):
    """A tool was called."""

    kind: Literal["call"]
    i: int
    tool: str
    arguments: dict[str, Any]
    #: The arguments themselves, where JSON says less than they do.
    given: Spelled = None
    result: Any = None
    result_digest: DigestOf | None = None

    @model_validator(mode="after")
    def _ended_once(self) -> Self:
        if len({"error", "result", "result_digest"} & self.model_fields_set) != 1:
            raise ValueError("a call has one of result, result_digest and error")
        if not isinstance(self.given_arguments, dict):
            raise ValueError("given is no spelled object of arguments")
        return self

    @property
    def given_arguments(self) -> dict[str, Any]:
        """The arguments to call the tool with."""
        given: dict[str, Any] = self.arguments if self.given is None else unspell(self.given)
        return given


class AdvanceMove(_Made):
    """The clock was moved on, and `events` came due."""

    kind: Literal["advance"]
    ms: Count
    events: Count | None


class RequestMove(_Made):
    """A world's own HTTP API was asked."""

    kind: Literal["request"]
    node: str
    method: Spelled
    path: Spelled
    query: Spelled
    headers: Spelled
    body: Spelled
    response: Response | None = None

    @model_validator(mode="after")
    def _can_be_asked(self) -> Self:
        request = self.request
        texts = [request.method, request.path, request.query, *(text for pair in request.headers for text in pair)]
        if not all(isinstance(text, str) for text in texts) or not isinstance(request.body, bytes):
            raise ValueError("method, path, query and headers are text, and the body is text or spelled bytes")
        if (self.response is None) == (self.error is None):
            raise ValueError("a request has one of response and error")
        return self

    @property
    def request(self) -> HttpRequest:
        """The request to make."""
        pairs = unspell(self.headers)
        if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            raise ValueError("headers is a list of pairs, [name, value]")
        body = unspell(self.body)
        return HttpRequest(
            unspell(self.method),
            unspell(self.path),
            unspell(self.query),
            tuple((name, value) for name, value in pairs),
            body.encode() if isinstance(body, str) else body,
        )


class ReportMove(_Made):
    """A world was told what came of a request it wanted sent."""

    kind: Literal["report"]
    node: str
    key: str
    outcome: dict[str, Any]


class BulkMove(_Made):
    """A block of code wrote rows, and no document holds the code."""

    kind: Literal["bulk"]
    by: str


Move = CallMove | AdvanceMove | RequestMove | ReportMove | BulkMove
KINDS = ("call", "advance", "request", "report", "bulk")


class WorldOf(Part):
    name: str
    version: str


class NodeOf(Part):
    world: str
    world_version: str
    schema_hash: str


class FileOf(Part):
    file_sha256: Sha256


class FixtureOf(Part):
    id: str
    nodes: dict[str, FileOf]


class StartOf(Part):
    now: Instant
    state_format: str
    draws_as: str


class EpisodeDocument(Part):
    """A document that was read."""

    format: Literal["seahaven.episode/1"]
    seahaven_version: str
    world: WorldOf
    composition: dict[str, NodeOf]
    fixture: FixtureOf | None
    episode_id: str
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None
    now: Instant
    clock_mode: ClockMode
    startup: dict[str, Any]
    setup_sql: str | None
    call_count: Count
    task: Any
    start: StartOf
    made_with: dict[str, str]
    moves: list[Annotated[Move, Field(discriminator="kind")]]
    _raw: dict[str, Any] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        root = self.composition.get(ROOT)
        if root is None or (root.world, root.world_version) != (self.world.name, self.world.version):
            raise ValueError(f"composition.{ROOT} is not the world {self.world.name} {self.world.version}")
        calls = records = 0
        for number, move in enumerate(self.moves):
            call = calls if isinstance(move, CallMove) else None
            if isinstance(move, CallMove) and move.i != calls:
                raise ValueError(f"moves.{number} is call {move.i}, and call {calls} comes next")
            for record in move.records:
                if (record.i, record.seq) != (call, records):
                    raise ValueError(
                        f"moves.{number}.records holds the record i={record.i} seq={record.seq}, and i={call} "
                        f"seq={records} comes next"
                    )
                records += 1
            calls += isinstance(move, CallMove)
        if calls != self.call_count:
            raise ValueError(f"call_count is {self.call_count}, and moves has {calls} calls")
        return self

    @property
    def reach(self) -> tuple[int, str | None]:
        """How many moves a replay can make, and what it cannot get past."""
        return reach_of(self.clock_mode, (move.kind for move in self.moves))

    def state(self) -> dict[str, Any]:
        """The state document a grader would have read at the end, made of what is stored.

        Raises: EpisodeError for a format that a world makes, which takes the rows.
        """
        chosen, raw = self.start.state_format, self._raw
        if chosen not in BUILT_IN_FORMATS:
            raise EpisodeError(f"state format {chosen} is made of rows, which only a replay has; leave out --no-replay")
        log = [record for move in raw["moves"] for record in move["records"]]
        if chosen == LAST_STEP:
            last = self.call_count - 1
            log = [record for record in log if record["i"] == last and last >= 0]
        state: dict[str, Any] = {"db": {"log": log}}
        if chosen == CALLS:
            state["calls"] = list(self._calls())
        return {"format": chosen} | {name: raw[name] for name in _ENVELOPE} | {"state": state}

    def _calls(self) -> Iterator[dict[str, Any]]:
        for move in self._raw["moves"]:
            if move["kind"] == "call":
                error = move["error"]["message"] if "error" in move else None
                yield {"tool": move["tool"], "arguments": move["arguments"], "error": error}


#: What the two documents have in common, in its order.
_ENVELOPE = (
    "seahaven_version", "world", "composition", "fixture", "episode_id", "seed", "now", "clock_mode", "startup",
    "setup_sql", "call_count", "task",
)  # fmt: skip


def read(data: bytes) -> EpisodeDocument:
    """An episode document from its bytes.

    Raises: EpisodeError saying what is wrong with it, where, and what to do.
    """
    if not data.strip():
        raise EpisodeError(f"it is empty; {_AGAIN}")
    try:
        raw = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise EpisodeError(f"it is no JSON: {error}; {_AGAIN}") from None
    found = raw.get("format") if isinstance(raw, dict) else None
    if found != FORMAT:
        raise EpisodeError(_other_format(raw, found))
    try:
        document = EpisodeDocument.model_validate(raw)
    except ValidationError as error:
        raise EpisodeError(_first(error)) from None
    except RecursionError:
        raise EpisodeError(f"it is nested too deeply to be an episode; {_AGAIN}") from None
    document._raw = raw
    return document


def _other_format(raw: Any, found: Any) -> str:
    if not isinstance(raw, dict):
        return f"it holds a JSON {type(raw).__name__}, and an episode document is an object; {_AGAIN}"
    if isinstance(found, str) and found.startswith(_OURS):
        return f"its format is {found!r:.60}, and this version reads {FORMAT}; use the version that wrote it"
    if isinstance(found, str) and "state" in raw:
        return f"it is a state document ({found:.60}), which cannot be replayed; export the episode instead"
    return f"its format is {found!r:.60}, and an episode document says {FORMAT!r}; {_AGAIN}"


def _first(error: ValidationError) -> str:
    errors = error.errors(include_url=False)
    place = list(errors[0]["loc"])
    if place[:1] == ["moves"] and place[2:3] and place[2] in KINDS:
        del place[2]
    where = ".".join(map(str, place))
    what = errors[0]["msg"].removeprefix("Value error, ")
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{where}: {what}{more}; {_AGAIN}" if where else f"{what}{more}; {_AGAIN}"
