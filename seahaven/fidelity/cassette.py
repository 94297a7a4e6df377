"""How do recorded exchanges stand in a file?

A cassette is a stream of YAML documents: a heading, then one for each exchange, in the order they were completed. Each
ends with a line `...`, so that a document that was cut off is told from a whole one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import yaml

from seahaven.fidelity.bodies import Body
from seahaven.fidelity.errors import FidelityError
from worlds.engine.names import nearest

VERSION = 1
Headers = tuple[tuple[str, str], ...]

_HEADING = ("seahaven_cassette", "recorded_from", "begun_at")
_EXCHANGE = ("exchange", "begun", "at", "took_ms", "request", "response", "failure")
_REQUEST = ("method", "path", "query", "headers", "body")
_RESPONSE = ("status", "headers", "body")


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # the quick one, where it is
    """YAML without a type for instants: those stay text."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in _Loader.yaml_implicit_resolvers.items()
}


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """YAML that repeats what occurs twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Request:
    """A request. `path` is as it was sent, from the API's own root; `query` too, without its "?"."""

    method: str
    path: str
    query: str = ""
    headers: Headers = ()
    body: Body | None = None

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)

    def __str__(self) -> str:
        return f"{self.method} {self.path}" + (f"?{self.query}" if self.query else "")


@dataclass(frozen=True, slots=True)
class Response:
    """What was answered."""

    status: int
    headers: Headers = ()
    body: Body | None = None

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key == name), None)


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and what came of it.

    Shape: `number` counts them as they were completed, `begun` as they began; `failure` says what went wrong on the
    way: no answer when there is no response, else an answer that did not reach its end.
    Units: `at` is when it began, by the clock of whoever recorded it.
    """

    number: int
    begun: int
    at: datetime
    took_ms: int
    request: Request
    response: Response | None = None
    failure: str | None = None

    def as_dict(self) -> dict[str, Any]:
        asked, answer = self.request, self.response
        document: dict[str, Any] = {
            "exchange": self.number,
            "begun": self.begun,
            "at": instant(self.at),
            "took_ms": self.took_ms,
            "request": {"method": asked.method, "path": asked.path}
            | ({"query": asked.query} if asked.query else {})
            | _rest_as_dict(asked.headers, asked.body),
        }
        if answer is not None:
            document["response"] = {"status": answer.status} | _rest_as_dict(answer.headers, answer.body)
        if self.failure is not None:
            document["failure"] = self.failure
        return document


@dataclass(frozen=True, slots=True)
class Cassette:
    """Exchanges with one API, in the order they were completed; `warnings` says what of the file was not read."""

    recorded_from: str
    begun_at: datetime
    exchanges: Sequence[Exchange]
    name: str = "the cassette"
    warnings: Sequence[str] = ()


@dataclass(slots=True)
class Writer:
    """Writes a cassette; every exchange is in the file when `add` returns.

    Raises: FidelityError for a file that is there already, OSError for one that cannot be written.
    """

    path: Path
    recorded_from: str
    begun_at: datetime
    _file: Any = field(init=False)

    def __post_init__(self) -> None:
        try:
            self._file = self.path.open("xb", buffering=0)
        except FileExistsError:
            raise FidelityError(f"{self.path} is there already; record to another file, or delete it first") from None
        self._write(
            {"seahaven_cassette": VERSION, "recorded_from": self.recorded_from, "begun_at": instant(self.begun_at)}
        )

    def add(self, exchange: Exchange) -> None:
        self._write(exchange.as_dict())

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _write(self, document: dict[str, Any]) -> None:
        text = yaml.dump(
            document,
            Dumper=_Dumper,
            sort_keys=False,
            allow_unicode=True,
            width=120,
            explicit_start=True,
            explicit_end=True,
        )
        rest = memoryview(text.encode())
        while rest:
            rest = rest[self._file.write(rest) :]


def read(path: str | Path) -> Cassette:
    """The cassette of a file; what stands after the place where it was cut off is left out, with a warning.

    Raises: FidelityError naming the file and the line.
    """
    name = str(path)
    try:
        text = Path(path).read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise FidelityError(f"{name} cannot be read: {error.strerror or error}") from None
    heading: dict[str, Any] | None = None
    exchanges: list[Exchange] = []
    warnings: list[str] = []
    for line, end, source, is_whole in _documents(text):
        if not is_whole:
            warnings.append(
                f"{name}:{end}: the file ends in the middle of the document that begins in line {line}; it is "
                f"left out, {len(exchanges)} exchanges are whole (a document ends with a line `...`)"
            )
            break
        where = f"{name}:{line}"
        document = _loaded(source, name, line)
        try:
            if heading is None:
                heading = _heading(document)
            else:
                exchanges.append(_exchange(document))
        except FidelityError as error:
            raise FidelityError(f"{where}: {error}") from None
    if heading is None:
        raise FidelityError(f"{name} is no cassette: it begins with no whole document `seahaven_cassette: {VERSION}`")
    return Cassette(heading["recorded_from"], _instant(heading["begun_at"]), exchanges, name, warnings)


def instant(moment: datetime) -> str:
    """An instant as a cassette has it, `2026-06-01T09:00:00.000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _documents(text: str) -> Iterator[tuple[int, int, str, bool]]:
    """The documents of a stream: first and last line, text, and whether its end is there."""
    start, held = 1, list[str]()
    at = 0
    for at, line in enumerate(text.split("\n"), 1):
        if line.rstrip() in ("---", "..."):
            if any(each.strip() and not each.lstrip().startswith("#") for each in held):
                yield start, at, "\n".join(held), True
            start, held = at + 1, []
        else:
            held.append(line)
    if any(each.strip() for each in held):
        yield start, at, "\n".join(held), False


def _loaded(source: str, name: str, line: int) -> Any:
    try:
        return yaml.load(source, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = line + (mark.line if mark else 0)
        raise FidelityError(f"{name}:{at}: {getattr(error, 'problem', None) or error}") from None


def _heading(document: Any) -> dict[str, Any]:
    if not isinstance(document, dict) or "seahaven_cassette" not in document:
        raise FidelityError(f"a cassette begins with `seahaven_cassette: {VERSION}`, not {document!r:.60}")
    if document["seahaven_cassette"] != VERSION:
        raise FidelityError(
            f"this is version {document['seahaven_cassette']!r:.20} of a cassette, and version {VERSION} is read here; "
            f"record it again, or read it with the release that wrote it"
        )
    return _fields(document, "heading", _HEADING, recorded_from=str, begun_at=str)


def _exchange(document: Any) -> Exchange:
    given = _fields(document, "exchange", _EXCHANGE, exchange=int, at=str, request=dict)
    asked = _fields(given["request"], "request", _REQUEST, method=str, path=str)
    if given.get("response") is None and given.get("failure") is None:
        raise FidelityError("an exchange has a response, or says in `failure` why it has none")
    answer = None
    if given.get("response") is not None:
        said = _fields(given["response"], "response", _RESPONSE, status=int)
        answer = Response(said["status"], _headers(said.get("headers")), _body(said.get("body")))
    return Exchange(
        given["exchange"],
        given.get("begun", given["exchange"]),
        _instant(given["at"]),
        given.get("took_ms", 0),
        Request(
            asked["method"].upper(),
            asked["path"],
            asked.get("query", ""),
            _headers(asked.get("headers")),
            _body(asked.get("body")),
        ),
        answer,
        given.get("failure"),
    )


def _fields(document: Any, what: str, names: Sequence[str], **demanded: type) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise FidelityError(f"the {what} is a mapping, not {document!r:.60}")
    for name in document:
        if name not in names:
            near = nearest(str(name), names)
            raise FidelityError(f"the {what} has no {name!r}" + (f"; is it {near!r}?" if near else ""))
    for name, kind in demanded.items():
        if not isinstance(document.get(name), kind) or isinstance(document[name], bool):
            was = repr(document[name])[:60] if name in document else "missing"
            raise FidelityError(f"`{name}` of the {what} must be {_SAID[kind]}; it is {was}")
    return document


_SAID = {str: "text", int: "a whole number", dict: "a mapping"}


def _headers(written: Any) -> Headers:
    if written is None:
        return ()
    if not isinstance(written, dict):
        raise FidelityError(f"headers are a mapping of names to values, not {written!r:.60}")
    return tuple(
        (str(name).lower(), str(value))
        for name, values in written.items()
        for value in (values if isinstance(values, list) else [values])
    )


def _body(written: Any) -> Body | None:
    return None if written is None else Body.of(written)


def _instant(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise FidelityError(f"{text!r:.40} is no instant; write 2026-06-01T09:00:00.000Z")
    return moment


def _rest_as_dict(headers: Headers, body: Body | None) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for name, value in headers:
        merged[name] = value if name not in merged else [*_listed(merged[name]), value]
    return ({"headers": merged} if merged else {}) | ({} if body is None else {"body": body.as_dict()})


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
