"""Which operations does an OpenAPI document have, and what do they take and answer?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from worlds.engine.scaffold.openapi.blueprint import Envelope
from worlds.engine.scaffold.openapi.document import Document, Place
from worlds.engine.scaffold.openapi.schemas import Schemas, Shape
from worlds.engine.scaffold.openapi.words import sentence, words

_METHODS = ("get", "post", "put", "patch", "delete")
_PARAMETER = re.compile(r"\{([^{}/]+)\}")


@dataclass(frozen=True)
class Parameter:
    """A parameter in a path or a query."""

    name: str
    where: str
    shape: Shape
    required: bool


@dataclass(eq=False)
class Raw:
    """An operation as the document has it."""

    method: str
    path: str
    segments: tuple[str, ...]
    id: str
    description: str
    status: int = 200
    path_parameters: dict[str, Parameter] = field(default_factory=dict)
    query: list[Parameter] = field(default_factory=list)
    body: Shape | None = None
    answer: Shape | None = None
    #: Why it cannot be modelled, found while it was read.
    trouble: str = ""

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def ends_in_parameter(self) -> bool:
        return bool(self.segments) and is_parameter(self.segments[-1])

    @property
    def place(self) -> tuple[str, ...]:
        """The segments, however parameters are called."""
        return tuple("{}" if is_parameter(each) else each for each in self.segments)


def is_parameter(segment: str) -> bool:
    return _PARAMETER.fullmatch(segment) is not None


def parameters_of(segments: tuple[str, ...]) -> list[str]:
    """The names of parameters, in order."""
    return [segment[1:-1] for segment in segments if is_parameter(segment)]


def operations(document: Document, schemas: Schemas) -> Iterator[Raw]:
    """Every operation, in the document's order.

    Raises: WorldBug naming the place that is damaged.
    """
    paths = document.root.at("paths")
    for path, item in paths.items():
        if path.startswith("x-"):
            continue
        if not path.startswith("/"):
            raise document.damaged(item, "is no path", 'write one that begins with "/"')
        found = document.object(item, "an object with the operations of this path")
        for method, place in found.items():
            if method.lower() in _METHODS:
                yield _operation(document, schemas, method.upper(), path, found, document.object(place))


def _operation(document: Document, schemas: Schemas, method: str, path: str, item: Place, place: Place) -> Raw:
    segments = tuple(each for each in path.split("?")[0].split("#")[0].split("/") if each)
    said = place.value
    raw = Raw(
        method,
        path,
        segments,
        said["operationId"] if isinstance(said.get("operationId"), str) else "",
        sentence(said.get("summary"), said.get("description")),
    )
    longer = sentence(said.get("description"))
    if raw.description and longer and longer.rstrip(".") != raw.description.rstrip("."):
        raw.description = f"{raw.description} {longer}"
    seen: dict[tuple[str, str], Parameter] = {}
    for each in (*item.at("parameters").elements(), *place.at("parameters").elements()):
        parameter = _parameter(document, schemas, each)
        seen[parameter.where, parameter.name] = parameter
    for name in parameters_of(segments):
        raw.path_parameters[name] = seen.get(("path", name)) or Parameter(name, "path", Shape("text"), True)
    raw.query = [each for (where, _), each in seen.items() if where == "query"]
    if any("{" in each and not is_parameter(each) for each in segments):
        raw.trouble = "a parameter is only a part of a path segment"
    _take_body(document, schemas, raw, place)
    _take_answer(document, schemas, raw, place)
    return raw


def _parameter(document: Document, schemas: Schemas, place: Place) -> Parameter:
    found = document.object(place, "a parameter with name, in and schema")
    name, where = found.value.get("name"), found.value.get("in")
    if not isinstance(name, str) or not isinstance(where, str):
        raise document.damaged(found, "has no name, or no `in`", 'write {"name": …, "in": "query", "schema": …}')
    schema = found.at("schema")
    if schema.value is None:
        schema = _schema_of_content(found)
    shape = schemas.shape(schema)
    description = sentence(found.value.get("description"), shape.description)
    if description != shape.description:
        shape = replace(shape, description=description)
    return Parameter(name, where, shape, found.value.get("required") is True)


def _schema_of_content(place: Place) -> Place:
    """The schema of the first content that is JSON, else of a form, else of any."""
    content = place.at("content")
    kinds = [kind for kind, _ in content.items()]
    kinds.sort(key=lambda kind: 0 if "json" in kind else 1 if "form" in kind else 2 if kind == "*/*" else 3)
    if not kinds or "octet-stream" in kinds[0] or kinds[0].startswith(("image/", "text/")):
        return Place(None, content.pointer)
    return content.at(kinds[0], "schema")


def _take_body(document: Document, schemas: Schemas, raw: Raw, place: Place) -> None:
    body = place.at("requestBody")
    if body.value is not None:
        schema = _schema_of_content(document.object(body, "a request body with content"))
        if schema.value is not None:
            raw.body = schemas.shape(schema)
        else:
            raw.trouble = raw.trouble or "its body is neither JSON nor a form"


def _take_answer(document: Document, schemas: Schemas, raw: Raw, place: Place) -> None:
    answers = dict(place.at("responses").items())
    good = sorted(code for code in answers if re.fullmatch(r"2\d\d|2[Xx][Xx]", code))
    code = good[0] if good else "default" if "default" in answers else ""
    raw.status = int(code) if code.isdigit() else 200
    if code:
        schema = _schema_of_content(document.object(answers[code], "a response with content"))
        if schema.value is not None:
            raw.answer = schemas.shape(schema)


def row_of(schemas: Schemas, shape: Shape | None) -> tuple[str, Shape | None]:
    """The object an answer or a body is, and the member it stands in: {"data": {…}} holds one in `data`."""
    if shape is None or shape.kind != "object" or not shape.properties:
        return "", None
    members = [(name, each) for name, each in schemas.properties(shape) if each.kind == "object" and each.properties]
    if len(members) == 1 and len(shape.properties) <= 3:
        name, inner = members[0]
        rest = [other for other in shape.properties if other != name]
        if not rest or (name in ("data", "result") and "id" not in rest):
            return name, inner
    return "", shape


_ROLES = {
    "has more": "has_more", "has next": "has_more", "more": "has_more", "has next page": "has_more",
    "total": "total", "total count": "total", "count": "count", "total items": "total", "total results": "total",
    "next": "next", "next cursor": "next", "cursor": "next", "next page token": "next", "next token": "next",
    "next page": "next", "limit": "limit", "page size": "limit", "per page": "limit", "offset": "offset",
    "skip": "offset", "page": "page", "page number": "page",
}  # fmt: skip


def rows_of(schemas: Schemas, shape: Shape | None) -> tuple[Envelope | None, Shape | None]:
    """The elements of a list that is answered, and the envelope they come in."""
    if shape is None:
        return None, None
    if shape.kind == "array":
        return None, shape
    if shape.kind != "object":
        return None, None
    arrays = [name for name, each in schemas.properties(shape) if each.kind == "array"]
    named = [name for name in arrays if name in ("data", "items", "results", "records", "values", "entries")]
    if len(arrays) != 1 and len(named) != 1:
        return None, None
    items = (named if len(named) == 1 else arrays)[0]
    others = {}
    for name, each in schemas.properties(shape):
        if name != items:
            others[name] = _role(name, each, is_needed=name in shape.required)
    inner = schemas.shape(shape.properties[items])
    return Envelope(items, {name: role for name, role in others.items() if role}), inner


def _role(name: str, shape: Shape, *, is_needed: bool) -> str:
    """What an envelope's member is; "" for one that can be left out, "=…" for one that is always the same."""
    role = _ROLES.get(" ".join(words(name)), "")
    kinds = {"has_more": ("boolean",), "next": ("text", "uri", "integer", "any")}.get(role, ("integer", "number"))
    if role and shape.kind in kinds and not (role == "next" and shape.kind in ("integer", "uri")):
        return role
    if len(shape.enum) == 1:
        return f"={shape.enum[0]!r}" if isinstance(shape.enum[0], str) else ""
    if not is_needed:
        return ""
    zeros = {"boolean": "=False", "integer": "=0", "number": "=0.0", "array": "=[]", "object": "={}"}
    return "=None" if shape.nullable else zeros.get(shape.kind, "=''")
