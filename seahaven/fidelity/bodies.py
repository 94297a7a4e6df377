"""How does the body of a request or a response stand in a cassette, and how is it sent again?"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import dataclass
from typing import Any, Literal, Self
from urllib.parse import parse_qsl, urlencode

from seahaven.fidelity.errors import FidelityError

Kind = Literal["json", "form", "text", "base64", "left_out"]
KINDS: tuple[Kind, ...] = ("json", "form", "text", "base64", "left_out")

#: JSON that is nested deeper stays text.
_DEEPEST = 100

FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Body:
    """A body, decoded as far as it can be and no further than it can be encoded again.

    Shape: `json`, any JSON value; `form`, {name: value, or a list of them for a name that stands there repeatedly};
    `text`, text; `base64`, bytes; `left_out`, the reason why it is not here.
    """

    kind: Kind
    value: Any

    def as_dict(self) -> dict[str, Any]:
        value = base64.b64encode(self.value).decode() if self.kind == "base64" else self.value
        return {self.kind: value}

    @classmethod
    def of(cls, written: Any) -> Self:
        """A body as it stands in a cassette.

        Raises: FidelityError saying what else it must be.
        """
        if not isinstance(written, dict) or len(written) != 1 or next(iter(written)) not in KINDS:
            raise FidelityError(f"a body is a mapping with one of the keys {', '.join(KINDS)}, not {written!r:.80}")
        ((kind, value),) = written.items()
        if kind == "form" and not isinstance(value, dict):
            raise FidelityError(f"the form of a body is a mapping of names to values, not {value!r:.80}")
        if kind in ("text", "base64", "left_out") and not isinstance(value, str):
            raise FidelityError(f"the {kind} of a body is text, not {value!r:.80}")
        if kind == "base64":
            try:
                value = base64.b64decode(value, validate=True)
            except binascii.Error as error:
                raise FidelityError(f"the base64 of a body is none: {error}") from None
        return cls(kind, value)

    def encoded(self) -> bytes:
        """The bytes to send; a body that was left out is empty."""
        if self.kind == "json":
            return json.dumps(self.value, ensure_ascii=False, separators=(",", ":")).encode()
        if self.kind == "form":
            return urlencode(pairs_of(self.value)).encode()
        if self.kind == "text":
            return str(self.value).encode()
        return self.value if self.kind == "base64" else b""


def decoded(data: bytes, content_type: str) -> Body | None:
    """The body that bytes are, or None for none at all."""
    if not data:
        return None
    kind = content_type.partition(";")[0].strip().lower()
    text = _text(data)
    if text is None:
        return Body("base64", data)
    if kind == FORM and (form := _form(text)) is not None:
        return Body("form", form)
    if kind in ("", "text/plain", FORM) or kind.endswith(("/json", "+json")):
        try:
            return Body("json", _strict_json(text))
        except ValueError:
            pass
    return Body("text", text)


def unpacked(data: bytes, encoding: str, most: int) -> bytes | str:
    """What bytes are without their Content-Encoding, or why that cannot be told."""
    for each in reversed([part.strip().lower() for part in encoding.split(",") if part.strip()]):
        if each == "identity":
            continue
        if each not in ("gzip", "x-gzip", "deflate"):
            return f"its Content-Encoding is {each}, which is not read here"
        try:
            data = _inflated(data, each, most + 1)
        except zlib.error as error:
            return f"it is no {each}: {error}"
        if len(data) > most:
            return f"it is longer than the limit of {most} bytes"
    return data


def pairs_of(form: dict[str, Any]) -> list[tuple[str, str]]:
    """A form's names and values, one by one."""
    return [
        (name, str(each)) for name, value in form.items() for each in (value if isinstance(value, list) else [value])
    ]


def _inflated(data: bytes, encoding: str, most: int) -> bytes:
    if encoding != "deflate":
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, most)
    try:
        return zlib.decompressobj().decompress(data, most)
    except zlib.error:  # some servers leave away the envelope that the standard asks for
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, most)


def _text(data: bytes) -> str | None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _form(text: str) -> dict[str, Any] | None:
    """A form as a mapping, unless that would forget something."""
    pairs = parse_qsl(text, keep_blank_values=True)
    form: dict[str, Any] = {}
    for name, value in pairs:
        if name not in form:
            form[name] = value
        elif isinstance(form[name], list):
            form[name].append(value)
        else:
            form[name] = [form[name], value]
    is_whole = sorted(pairs) == sorted(pairs_of(form)) and len(pairs) == len([p for p in text.split("&") if p])
    return form if is_whole and "�" not in "".join(map("".join, pairs)) else None


def _strict_json(text: str) -> Any:
    """A JSON value that can be written again as it was.

    Raises: ValueError for text that is no JSON, repeats a key, holds half a surrogate pair, or is very deep.
    """
    try:
        value = json.loads(text, object_pairs_hook=_once_each, parse_constant=_refuse)
        json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if _depth(value) > _DEEPEST:
        raise ValueError("it is nested too deep")
    return value


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level := [
        inner for each in level if isinstance(each, dict | list)
        for inner in (each.values() if isinstance(each, dict) else each)
    ]:  # fmt: skip
        depth += 1
    return depth


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return made


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")
