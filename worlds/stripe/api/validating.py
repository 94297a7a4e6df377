"""Do the parameters fit the operation, and if not, what does Stripe say?

Unknown parameters are refused before missing ones, and both before values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from worlds.stripe import facts
from worlds.stripe.api import errors
from worlds.stripe.api.decoding import Upload
from worlds.stripe.api.errors import StripeError

#: What "" becomes where it clears a parameter.
CLEARED = ""
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")
#: Larger numbers than that no field holds, and no JSON number carries exactly.
_MOST = 10**15
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}
#: Recorded answers accept ids of these wherever a map of text is asked for.
_METADATA_KEYS, _METADATA_KEY, _METADATA_VALUE = 50, 40, 500


def check(operation: facts.Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as values: int, bool, text, lists, dictionaries.

    Raises: StripeError for the first that does not fit.
    """
    known = {**operation.query, **operation.body}
    unknown = [_outermost(name, value) for name, value in given.items() if name not in known]
    if unknown:
        raise errors.unknown_parameters(unknown)
    values = {name: _value(known[name], value, name) for name, value in given.items()}
    for name in (*operation.query_required, *operation.body_required):
        if name not in values:
            raise errors.missing_parameter(name)
    if isinstance(values.get("metadata"), dict):
        _check_metadata(values["metadata"])
    return values


def _outermost(name: str, value: Any) -> str:
    """How an unknown parameter is named: with the way to its first value."""
    while isinstance(value, dict) and value:
        key, value = next(iter(value.items()))
        name = f"{name}[{key}]"
    return name


def _value(shape: Any, value: Any, path: str) -> Any:
    if value is None:  # as only JSON can say
        return None
    shape = facts.resolved(shape)
    if isinstance(shape, str):
        return _leaf(shape, value, path)
    kind, *rest = shape
    return _COMPOSITE[kind](rest, value, path)


def _leaf(kind: str, value: Any, path: str) -> Any:
    if kind == "any":
        return value
    if kind == "bin":
        if not isinstance(value, Upload):
            raise StripeError(f"Invalid file: {path} must be uploaded as multipart/form-data.", param=path)
        return value
    if isinstance(value, Upload | dict | list):
        raise errors.invalid(_NAMES.get(kind[0], "string"), _shown(value), path)
    if kind in ("i", "ts"):
        return _integer(value, path)
    if kind == "b":
        return _boolean(value, path)
    if kind in ("n", "dec"):
        return _number(kind, value, path)
    text = value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    if text == "":
        raise errors.empty_parameter(path)
    most = int(kind[1:]) if kind[1:].isdigit() else 5000
    if len(text) > most:
        raise StripeError(f"Invalid string: {text[:20]}...{text[-20:]}; must be at most {most} characters", param=path)
    return text.lower() if kind == "cur" else text


_NAMES = {"i": "integer", "t": "integer", "b": "boolean", "n": "number", "d": "decimal"}


def _shown(value: Any) -> str:
    return "{...}" if isinstance(value, dict) else "[...]" if isinstance(value, list) else "file"


def _integer(value: Any, path: str) -> int:
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        raise errors.invalid("integer", value, path)
    if isinstance(value, int | float):
        if abs(value) >= 10**18:
            raise errors.invalid("integer", value, path)
        return int(value)
    if value == "":
        raise errors.empty_parameter(path)
    if not _INTEGER.fullmatch(value.strip()):
        raise errors.invalid("integer", value, path)
    return int(value)


def _boolean(value: Any, path: str) -> bool:
    if isinstance(value, bool):
        return value
    if value == "":
        raise errors.empty_parameter(path)
    found = _BOOLEANS.get(str(value).lower())
    if found is None:
        raise errors.invalid("boolean", value, path)
    return found


def _number(kind: str, value: Any, path: str) -> Any:
    if value == "":
        raise errors.empty_parameter(path)
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        raise errors.invalid("decimal", value, path) from None
    if not number.is_finite() or abs(number) > _MOST:
        raise errors.invalid("decimal", value, path)
    if kind == "dec":
        return str(value)
    return int(number) if number == number.to_integral_value() and abs(number) < 2**53 else float(number)


def _enum(rest: list[Any], value: Any, path: str) -> Any:
    (words,) = rest
    if value not in words:
        if value == "":
            raise errors.empty_parameter(path)
        raise errors.not_one_of(path, words)
    return value


def _array(rest: list[Any], value: Any, path: str) -> list[Any]:
    if value == "":
        return []
    if not isinstance(value, list):
        raise StripeError("Invalid array", param=path)
    return [_value(rest[0], item, f"{path}[{index}]") for index, item in enumerate(value)]


def _object(rest: list[Any], value: Any, path: str) -> dict[str, Any]:
    fields, required = rest[0], rest[1] if len(rest) > 1 else ()
    if value == [] or value == {}:
        value = {}
    if not isinstance(value, dict):
        if value == "":
            raise errors.empty_parameter(path)
        raise StripeError("Invalid object", param=path)
    unknown = [_outermost(f"{path}[{name}]", item) for name, item in value.items() if name not in fields]
    if unknown:
        raise errors.unknown_parameters(unknown)
    found = {name: _value(fields[name], item, f"{path}[{name}]") for name, item in value.items()}
    for name in required:
        if name not in found:
            raise errors.missing_parameter(f"{path}[{name}]")
    return found


def _map(rest: list[Any], value: Any, path: str) -> dict[str, Any]:
    if isinstance(value, list):
        value = {str(index): item for index, item in enumerate(value)}
    if not isinstance(value, dict):
        raise StripeError("Invalid object", param=path)
    # An empty value takes the key away.
    return {
        name: "" if item in ("", None) else _value(rest[0], item, f"{path}[{name}]") for name, item in value.items()
    }


def _any_of(rest: list[Any], value: Any, path: str) -> Any:
    """The first choice of the value's own kind; its refusal is the answer when no other choice fits."""
    refusal: StripeError | None = None
    for choice in sorted(rest[0], key=lambda shape: not _is_alike(shape, value)):
        try:
            return _value(choice, value, path)
        except StripeError as error:
            refusal = refusal or error
    assert refusal is not None
    raise refusal


def _is_alike(shape: Any, value: Any) -> bool:
    shape = facts.resolved(shape)
    kind = shape if isinstance(shape, str) else shape[0]
    if isinstance(value, dict):
        return kind in ("object", "map", "clearable")
    if isinstance(value, list):
        return kind in ("array", "clearable")
    return kind not in ("object", "map", "array")


def _clearable(rest: list[Any], value: Any, path: str) -> Any:
    return CLEARED if value == "" else _value(rest[0], value, path)


def _null(rest: list[Any], value: Any, path: str) -> Any:
    return None if value is None else _value(rest[0], value, path)


_COMPOSITE = {
    "enum": _enum,
    "array": _array,
    "object": _object,
    "map": _map,
    "any_of": _any_of,
    "clearable": _clearable,
    "null": _null,
}


def _check_metadata(metadata: dict[str, str]) -> None:
    if len(metadata) > _METADATA_KEYS:
        raise StripeError(f"Metadata can have at most {_METADATA_KEYS} keys.", param="metadata")
    for key, value in metadata.items():
        if len(key) > _METADATA_KEY:
            raise StripeError(
                f"Metadata keys can have up to {_METADATA_KEY} characters. The key `{key}` has {len(key)}.",
                param="metadata",
            )
        if "[" in key or "]" in key:
            raise StripeError("Metadata keys can't contain square brackets.", param="metadata")
        if len(value) > _METADATA_VALUE:
            raise StripeError(
                f"Metadata values can have up to {_METADATA_VALUE} characters, but you passed in a value that is "
                f"{len(value)} characters. Invalid value: {value[:30]}...",
                param=f"metadata[{key}]",
            )
