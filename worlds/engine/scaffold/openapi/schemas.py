"""What does a schema of an OpenAPI document let through, as far as a column or an argument can say it?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import SchemaError

from worlds.engine.scaffold.openapi.document import Document, Place
from worlds.engine.scaffold.openapi.words import sentence

#: What SQLite holds in a whole number.
LEAST, MOST = -(2**63), 2**63 - 1
_FORMATS = {
    "date-time": "datetime",
    "date": "date",
    "uuid": "uuid",
    "email": "email",
    "uri": "uri",
    "url": "uri",
}
#: Formats of text that are held to a pattern.
PATTERNS = {"email": r"^[^@\s]+@[^@\s]+$", "uri": r"^[A-Za-z][A-Za-z0-9+.-]*:\S+$"}


@dataclass(frozen=True)
class Shape:
    """What values a schema takes.

    `kind` is one of text, email, uri, uuid, datetime, date, integer, number, boolean, array, object, any.
    """

    kind: str
    description: str = ""
    nullable: bool = False
    enum: tuple[Any, ...] = ()
    default: Any = None
    example: Any = None
    least: float | None = None
    most: float | None = None
    is_above: bool = False
    is_below: bool = False
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    read_only: bool = False
    write_only: bool = False
    #: Of an array: what its elements are.
    element: Shape | None = None
    #: Of an array: where its elements' schema is.
    elements_at: Place | None = None
    #: Of an object: its properties, and the names of those that must be there.
    properties: dict[str, Place] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    #: The component it is, "Pet".
    component: str = ""

    @property
    def is_scalar(self) -> bool:
        return self.kind not in ("array", "object", "any")

    @property
    def is_text(self) -> bool:
        return self.kind in ("text", "email", "uri", "uuid")


class Schemas:
    """The schemas of a document, each read once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._read: dict[str, Shape] = {}

    def shape(self, place: Place) -> Shape:
        """What a schema takes; properties of objects stay unread.

        Raises: WorldBug for one that is no schema, or is made of itself by allOf.
        """
        if place.pointer not in self._read:
            component = _component(place)
            found = self._merged(place, ())
            self._read[place.pointer] = replace(found, component=component or found.component)
        return self._read[place.pointer]

    def properties(self, shape: Shape) -> Iterator[tuple[str, Shape]]:
        """The properties of an object, read."""
        for name, place in shape.properties.items():
            yield name, self.shape(place)

    def _merged(self, place: Place, above: tuple[str, ...]) -> Shape:
        origin, place = place, self.document.followed(place)
        schema = place.value
        if schema is None or isinstance(schema, bool):
            return Shape("any", nullable=True)
        if not isinstance(schema, dict):
            raise self.document.damaged(place, f"is {schema!r:.40}", "write a schema, such as {type: string}")
        if place.pointer in above:
            raise self.document.damaged(place, "is made of itself by allOf", "take one of them out")
        above = (*above, place.pointer)
        # What stands beside a reference says more of it.
        beside = origin.value if isinstance(origin.value, dict) else {}
        own = self._own(place, schema, beside)
        parts = [self._merged(each, above) for each in place.at("allOf").elements()]
        for each in parts:
            own = _both(own, each)
        for word in ("oneOf", "anyOf"):
            options = list(place.at(word).elements())
            if options:
                own = self._either(own, options, above)
        return replace(own, component=own.component or _component(origin))

    def _either(self, own: Shape, options: list[Place], above: tuple[str, ...]) -> Shape:
        """One of several: itself when null is the other, any JSON where they differ."""
        real = []
        nullable = own.nullable
        for each in options:
            if isinstance(each.value, dict) and (each.value.get("type") == "null" or each.value.get("enum") == [None]):
                nullable = True
            elif not (isinstance(each.value, dict) and set(each.value) <= {"required"}):
                real.append(each)
        if not real:
            return replace(own, nullable=nullable)
        # One of them may be the whole again, as in a tree.
        shapes = [
            Shape("any", nullable=True) if self.document.followed(each).pointer in above else self._merged(each, above)
            for each in real
        ]
        if len(shapes) == 1:
            return replace(_both(own, shapes[0]), nullable=nullable or shapes[0].nullable)
        kinds = {shape.kind for shape in shapes}
        if kinds == {"object"}:
            properties = dict(own.properties)
            for shape in shapes:
                properties = {**shape.properties, **properties}
            required = own.required | frozenset.intersection(*(shape.required for shape in shapes))
            return replace(own, kind="object", nullable=nullable, properties=properties, required=required)
        if all(shape.enum for shape in shapes) and len(kinds) == 1:
            values = tuple(dict.fromkeys(value for shape in shapes for value in shape.enum))
            return replace(own, kind=kinds.pop(), nullable=nullable, enum=values)
        if all(shape.is_text or shape.kind in ("datetime", "date") for shape in shapes):
            return replace(own, kind="text", nullable=nullable)
        return replace(own, kind="any", nullable=True)

    def _own(self, place: Place, schema: dict[str, Any], beside: dict[str, Any]) -> Shape:
        types = schema.get("type", [])
        listed = [types] if isinstance(types, str) else types
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            raise self.document.damaged(place.at("type"), f"is {types!r:.40}", "write a type, such as string")
        nullable = schema.get("nullable") is True or "null" in listed
        listed = [each for each in listed if each != "null"]
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if values is not None and not isinstance(values, list):
            raise self.document.damaged(place.at("enum"), f"is {values!r:.40}", "write a list of values")
        enum = tuple(value for value in values or () if value is not None)
        nullable = nullable or (values is not None and None in values)
        kind = self._kind(listed, schema, enum)
        if kind not in ("text", "email", "uri", "uuid", "integer") or not _are_of(enum, kind):
            kind, enum = ("any" if enum and kind not in ("boolean", "number") else kind), ()
        least, is_above = _bound(schema, "minimum", "exclusiveMinimum", max)
        most, is_below = _bound(schema, "maximum", "exclusiveMaximum", min)
        properties = dict(place.at("properties").items()) if kind == "object" else {}
        required = schema.get("required")
        element = self.shape(place.at("items")) if kind == "array" and self._is_flat(place.at("items")) else None
        examples = schema.get("examples")
        return Shape(
            kind=kind,
            description=sentence(beside.get("description"), schema.get("description"), schema.get("title")),
            nullable=nullable,
            enum=tuple(dict.fromkeys(enum)),
            default=schema.get("default"),
            example=schema.get("example", examples[0] if isinstance(examples, list) and examples else None),
            least=least,
            most=most,
            is_above=is_above,
            is_below=is_below,
            min_length=_count(schema, "minItems" if kind == "array" else "minLength"),
            max_length=_count(schema, "maxItems" if kind == "array" else "maxLength"),
            pattern=usable_pattern(schema.get("pattern")),
            read_only=schema.get("readOnly") is True or beside.get("readOnly") is True,
            write_only=schema.get("writeOnly") is True,
            element=element,
            elements_at=place.at("items") if kind == "array" and "items" in schema else None,
            properties=properties,
            required=frozenset(each for each in required if isinstance(each, str))
            if isinstance(required, list)
            else frozenset(),
        )

    def _is_flat(self, place: Place) -> bool:
        """Is it a schema of a text, a number or a truth value? What holds others is not read, it may hold itself."""
        schema = self.document.followed(place).value
        return isinstance(schema, dict) and schema.get("type") in ("string", "integer", "number", "boolean")

    @staticmethod
    def _kind(listed: list[str], schema: dict[str, Any], enum: tuple[Any, ...]) -> str:
        if not listed:
            if "properties" in schema:
                return "object"
            if "items" in schema:
                return "array"
            if enum:
                return "text" if all(isinstance(value, str) for value in enum) else "integer"
            return "any"
        if len(listed) > 1:
            return "number" if set(listed) == {"integer", "number"} else "any"
        if listed[0] == "string":
            return _FORMATS.get(str(schema.get("format")), "text")
        return listed[0] if listed[0] in ("integer", "number", "boolean", "array", "object") else "any"


def _component(place: Place) -> str:
    if isinstance(place.value, dict) and isinstance(place.value.get("$ref"), str):
        head, _, name = place.value["$ref"].rpartition("/")
        return str(name) if head == "#/components/schemas" else ""
    head, _, name = place.pointer.rpartition("/")
    return name if head == "#/components/schemas" else ""


def _both(one: Shape, other: Shape) -> Shape:
    """What two schemas take that must both be met; where they say the same, the first says it."""
    if one.kind == "any" and not one.enum:
        return replace(
            other,
            description=one.description or other.description,
            default=other.default if one.default is None else one.default,
            nullable=other.nullable or one.nullable,
            read_only=one.read_only or other.read_only,
            write_only=one.write_only or other.write_only,
        )
    return replace(
        one,
        description=one.description or other.description,
        default=other.default if one.default is None else one.default,
        enum=one.enum or other.enum,
        pattern=one.pattern or other.pattern,
        properties=one.properties
        | {name: each for name, each in other.properties.items() if name not in one.properties},
        required=one.required | other.required,
        read_only=one.read_only or other.read_only,
        write_only=one.write_only or other.write_only,
    )


def _are_of(enum: tuple[Any, ...], kind: str) -> bool:
    wanted = int if kind == "integer" else str
    return all(type(value) is wanted for value in enum)


def _bound(schema: dict[str, Any], word: str, beyond: str, choose: Any) -> tuple[float | None, bool]:
    """A bound, and whether it is not met itself; 3.0 and 3.1 say that in different ways."""
    value, excluded = schema.get(word), schema.get(beyond)
    value = value if _is_number(value) else None
    if excluded is True:
        return value, value is not None
    if _is_number(excluded) and (value is None or choose(value, excluded) == excluded):
        return excluded, True
    return value, False


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _count(schema: dict[str, Any], word: str) -> int | None:
    value = schema.get(word)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def usable_pattern(pattern: object) -> str | None:
    """The pattern, if it can be held against text here; look-around cannot."""
    if not isinstance(pattern, str) or not pattern.isprintable():
        return None
    try:
        from typing import Annotated

        from pydantic import Field

        TypeAdapter(Annotated[str, Field(pattern=pattern)])
    except (SchemaError, ValidationError, ValueError):
        return None
    return pattern
