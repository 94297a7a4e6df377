"""What did the client send? Form, JSON and multipart bodies as nested values."""

from __future__ import annotations

from email.parser import BytesParser
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qsl

import orjson

from worlds.engine import HttpRequest
from worlds.stripe.api.errors import StripeError

_DEPTH = 20
_PAIRS = 10_000


def query_of(request: HttpRequest) -> dict[str, Any]:
    """The parameters of the query string."""
    return nested(_pairs(request.query))


def body_of(request: HttpRequest) -> dict[str, Any]:
    """The parameters of the body: text, lists and dictionaries; from JSON also numbers and booleans.

    Raises: StripeError for a body that is not what its Content-Type says.
    """
    if not request.body:
        return {}
    kind = (request.header("content-type") or "").partition(";")[0].strip().lower()
    if kind == "application/json":
        return _json(request.body)
    if kind == "multipart/form-data":
        return nested(_multipart(request))
    try:
        return nested(_pairs(request.body.decode()))
    except UnicodeDecodeError:
        raise StripeError("Invalid request body: it is not UTF-8.") from None


def _pairs(text: str) -> list[tuple[str, Any]]:
    try:
        return list(parse_qsl(text, keep_blank_values=True, max_num_fields=_PAIRS))
    except ValueError:
        raise StripeError("Too many parameters in one request.") from None


def _json(body: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(body)
    except ValueError:
        raise StripeError("Invalid JSON in the request body.") from None
    if not isinstance(value, dict):
        raise StripeError("The request body must be a JSON object.")
    return value


def _multipart(request: HttpRequest) -> list[tuple[str, Any]]:
    head = b"Content-Type: " + (request.header("content-type") or "").encode() + b"\r\n\r\n"
    message = BytesParser(policy=HTTP).parsebytes(head + request.body)
    found: list[tuple[str, Any]] = []
    for part in message.iter_parts():
        name = part.get_param("name", header="content-disposition")
        if not isinstance(name, str):
            continue
        data = part.get_payload(decode=True)
        assert isinstance(data, bytes)
        filename = part.get_filename()
        if filename is None:
            found.append((name, data.decode(errors="replace")))
        else:
            found.append((name, Upload(filename, part.get_content_type(), data)))
    return found


class Upload:
    """A file of a multipart body."""

    __slots__ = ("content_type", "data", "filename")

    def __init__(self, filename: str, content_type: str, data: bytes) -> None:
        self.filename, self.content_type, self.data = filename, content_type, data


def nested(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """`a[b][0][c]=v` as {"a": {"b": [{"c": "v"}]}}; `a[]` appends, and begins a new element when a field comes again.

    Raises: StripeError for a parameter given both as a value and as a structure.
    """
    root: dict[str, Any] = {}
    for key, value in pairs:
        _put(root, _steps(key), value, key)
    return {name: _as_lists(value) for name, value in root.items()}


def _steps(key: str) -> list[str]:
    name, bracket, rest = key.partition("[")
    if not bracket or not name or not rest.endswith("]"):
        return [key]
    steps = [name, *rest[:-1].split("][")]
    if len(steps) > _DEPTH:
        raise StripeError(f"Invalid parameter {key:.100}: it is nested too deeply.")
    return steps


class _Appended(dict[str, Any]):
    """The elements of `a[]`, in their order."""


def _put(root: dict[str, Any], steps: list[str], value: Any, key: str) -> None:
    here = root
    for step, following in zip(steps, steps[1:], strict=False):
        step = _place(here, step, following)
        below = here.get(step)
        if below is None:
            below = here[step] = _Appended() if following == "" else {}
        elif not isinstance(below, dict):
            raise StripeError(f"Invalid parameter {key:.100}: it is given as a value and as a hash.", param=step)
        here = below
    last = _place(here, steps[-1], None)
    if isinstance(here.get(last), dict):
        raise StripeError(f"Invalid parameter {key:.100}: it is given as a value and as a hash.", param=steps[0])
    here[last] = value


def _place(here: dict[str, Any], step: str, following: str | None) -> str:
    """Where in `here` a step leads: a blank one to a new element, or to the last while it lacks what follows."""
    if step != "" or not isinstance(here, _Appended):
        return step
    last = str(len(here) - 1)
    if following is not None and here and isinstance(here[last], dict) and following not in here[last]:
        return last
    return str(len(here))


def _as_lists(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    below = {key: _as_lists(item) for key, item in value.items()}
    if isinstance(value, _Appended) or (below and all(key.isdigit() and key.isascii() for key in below)):
        return [below[key] for key in sorted(below, key=int)]
    return below
