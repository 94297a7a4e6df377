"""What may stand in one field of a request?

The framework's own fields take a number for text, text for a number and 1 for true. These take what they say.
"""

from __future__ import annotations

import re
from typing import Any

from django.http import QueryDict
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from worlds.engine.names import nearest

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
_WHOLE = re.compile(r"-?[0-9]{1,19}")
_FLAGS = {"true": True, "false": False}


class Strict(serializers.Serializer[Any]):
    """An object that has no fields but its own."""

    def to_internal_value(self, data: Any) -> Any:
        errors: dict[str, Any] = {}
        if isinstance(data, dict):
            errors = {name: [self._unknown(name)] for name in data if name not in self.fields}
        try:
            value = super().to_internal_value(data)
        except ValidationError as error:
            errors |= error.detail if isinstance(error.detail, dict) else {"non_field_errors": error.detail}
        if errors:
            raise ValidationError(errors)
        return value

    @classmethod
    def at_a_glance(cls, data: Any) -> dict[str, Any] | None:
        """What was asked, where that takes no serializer to see: for what is asked often. None: read it in full."""
        return None

    def _unknown(self, name: str) -> ErrorDetail:
        near = nearest(name, self.fields)
        hint = f"did you mean {near!r}? " if near else ""
        known = ", ".join(self.fields) or "none"
        return ErrorDetail(f"there is no such field; {hint}There are: {known}", code="unknown_field")


class Query(Strict):
    """The parameters of a URL."""

    @classmethod
    def of(cls, given: QueryDict) -> Query:
        """Read a query; `key` is the secret, and read elsewhere."""
        fields = cls().fields
        data: dict[str, Any] = {}
        for name, values in given.lists():
            if name == "key":
                continue
            data[name] = values if isinstance(fields.get(name), serializers.ListField) else values[-1]
            if len(values) > 1 and data[name] is not values:
                raise ValidationError({name: [ErrorDetail("give it once", code="given_twice")]})
        return cls(data=data)


class Text(serializers.CharField):
    """Text as it stands."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            raise ValidationError(f"must be text, not {_kind(data)}", code="type")
        return data


class Whole(serializers.IntegerField):
    """A whole number of 64 bits."""

    def __init__(self, *, min_value: int = INT_MIN, max_value: int = INT_MAX, **options: Any) -> None:
        super().__init__(min_value=min_value, max_value=max_value, **options)

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            raise ValidationError(f"must be a whole number, not {_kind(data)}", code="type")
        return data


class WholeInText(Whole):
    """The same in a query."""

    def to_internal_value(self, data: Any) -> int:
        if not _WHOLE.fullmatch(data):
            raise ValidationError(f"must be a whole number, not {data!r:.40}", code="type")
        return int(data)


class Number(serializers.FloatField):
    """A number."""

    def to_internal_value(self, data: Any) -> float:
        if type(data) not in (int, float):
            raise ValidationError(f"must be a number, not {_kind(data)}", code="type")
        return float(data)


class FlagInText(serializers.BooleanField):
    """Yes or no in a query."""

    def to_internal_value(self, data: Any) -> bool:
        if data not in _FLAGS:
            raise ValidationError(f"must be true or false, not {data!r:.40}", code="type")
        return _FLAGS[data]


class Flag(serializers.BooleanField):
    """true or false."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise ValidationError(f"must be true or false, not {_kind(data)}", code="type")
        return data


@extend_schema_field({"type": "object", "additionalProperties": {}})
class Object(serializers.Field[Any, Any, Any, Any]):
    """Any JSON object."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise ValidationError(f"must be an object, not {_kind(data)}", code="type")
        return data


@extend_schema_field({})
class Anything(serializers.Field[Any, Any, Any, Any]):
    """Any JSON, null too."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return super().run_validation(data) if data is serializers.empty else data


@extend_schema_field({"type": "array", "items": {"type": ["string", "number", "null"]}})
class Scalars(serializers.Field[Any, Any, Any, Any]):
    """A list of values that SQL knows."""

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            raise ValidationError(f"must be a list, not {_kind(data)}", code="type")
        for index, value in enumerate(data):
            if isinstance(value, bool) or not isinstance(value, str | int | float | None):
                raise ValidationError(f"[{index}] must be text, a number or null, not {_kind(value)}", code="type")
        return data


def _kind(value: Any) -> str:
    """What JSON calls a value."""
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "null")
