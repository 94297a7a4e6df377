"""Which arguments might an agent give a tool that it has never called?

They are drawn from the tool's JSON Schema, and ids and names from the rows of the instance, so that a good part of the
calls comes through. The draws come from a seed: the same instance is asked the same.
"""

from __future__ import annotations

from typing import Any

from worlds.engine.chance import SeededRandom, Stream
from worlds.engine.inspector import Inspector
from worlds.engine.instance import Instance
from worlds.engine.names import quoted, schema_name
from worlds.engine.tables import listed

#: From each column so many values are known.
_KNOWN = 12
#: An object within objects is left empty at that depth.
_DEEPEST = 5
_TEXTS = ("Harbour", "north", "a", "Ada Lovelace", "2026-06-02", "new", "ada@example.com", "Ünïcode ✓", "10", "")
#: A value of each JSON type; what a schema does not take is chosen among them.
_ANY_TYPE: dict[str, Any] = {
    "object": {"no": "such"},
    "array": [["no"]],
    "boolean": True,
    "null": None,
    "string": "no such value \x00",
    "number": 1.5e300,
}


class Guesses:
    """Arguments for the tools of one instance."""

    def __init__(self, inst: Instance, seed: int) -> None:
        self._chance = SeededRandom(Stream(str(seed).encode(), "guesses"))
        self._clock = inst.clock.iso()
        self._optional = 0.0
        #: Values that rows have, by the column's name: `email`, `lead_id`.
        self._known = _values(inst)

    def arguments(self, schema: dict[str, Any], *, optional: float = 0.35) -> dict[str, Any]:
        """Arguments that fit a tool's schema, as far as the schema says what fits; so many of the optional ones."""
        self._optional = optional
        found: dict[str, Any] = self._object(schema, schema.get("$defs", {}), 0)
        return found

    def _object(self, schema: dict[str, Any], defs: dict[str, Any], depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        return {
            name: self._value(name, each, defs, depth + 1)
            for name, each in schema.get("properties", {}).items()
            if name in required or (depth < _DEEPEST and self._chance.random() < self._optional)
        }

    def _value(self, name: str, schema: Any, defs: dict[str, Any], depth: int) -> Any:
        schema = resolved(schema, defs)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._chance.choice(schema["enum"])
        for either in ("anyOf", "oneOf"):
            if schema.get(either):
                options = [resolved(each, defs) for each in schema[either]]
                real = [each for each in options if each.get("type") != "null"]
                return self._value(name, self._chance.choice(real or options), defs, depth)
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next((each for each in kind if each != "null"), "null")
        match kind:
            case "null":
                return None
            case "boolean":
                return self._chance.random() < 0.5
            case "integer":
                return self._integer(name, schema)
            case "number":
                return float(self._integer(name, schema))
            case "array":
                return self._array(name, schema, defs, depth)
            case "object":
                return self._object(schema, defs, depth)
            case "string":
                return self._text(name, schema)
        return self._chance.choice((None, 1, "x"))

    def _integer(self, name: str, schema: dict[str, Any]) -> int:
        known = [each for each in self._known.get(name, ()) if isinstance(each, int)]
        if known and self._chance.random() < 0.85:
            return self._chance.choice(known)
        least = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
        most = schema.get("maximum", schema.get("exclusiveMaximum", max(least, 0) + 101) - 1)
        least, most = int(least), int(most)
        return self._chance.randint(least, max(least, min(most, least + 50)))

    def _array(self, name: str, schema: dict[str, Any], defs: dict[str, Any], depth: int) -> list[Any]:
        least = schema.get("minItems", 0)
        count = least if depth >= _DEEPEST else max(least, min(schema.get("maxItems", 3), self._chance.randint(0, 2)))
        # The items of `lead_ids` are each a `lead_id`.
        single = name[:-1] if name.endswith("s") else name
        return [self._value(single, schema.get("items", {}), defs, depth + 1) for _ in range(count)]

    def _text(self, name: str, schema: dict[str, Any]) -> str:
        match schema.get("format"):
            case "date-time":
                return self._clock
            case "date":
                return self._clock[:10]
            case "time":
                return "09:00:00"
        known = [each for each in self._known.get(name, ()) if isinstance(each, str)]
        text: str = (
            self._chance.choice(known) if known and self._chance.random() < 0.85 else self._chance.choice(_TEXTS)
        )
        return text[: schema.get("maxLength", len(text))].ljust(schema.get("minLength", 0), "x")


def resolved(schema: Any, defs: dict[str, Any]) -> dict[str, Any]:
    """A schema with its `$ref` followed; what is no schema object takes anything."""
    seen = set()
    while isinstance(schema, dict) and "$ref" in schema and schema["$ref"] not in seen:
        seen.add(schema["$ref"])
        schema = defs.get(schema["$ref"].rpartition("/")[2], {})
    return schema if isinstance(schema, dict) else {}


def misfit(schema: Any, defs: dict[str, Any]) -> tuple[bool, Any]:
    """Is there a value of a JSON type that a schema does not take, and which?"""
    taken = _types(schema, defs)
    if taken is None:
        return False, None
    return next(((True, value) for kind, value in _ANY_TYPE.items() if kind not in taken), (False, None))


def _types(schema: Any, defs: dict[str, Any]) -> set[str] | None:
    """The JSON types that a schema takes, `number` for `integer` too; None when it takes any, or does not say."""
    schema = resolved(schema, defs)
    if "enum" in schema or "const" in schema:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        return {_type_of(value) for value in values}
    for either in ("anyOf", "oneOf"):
        if either in schema:
            found: set[str] = set()
            for each in schema[either]:
                types = _types(each, defs)
                if types is None:
                    return None
                found |= types
            return found
    kind = schema.get("type")
    if kind is None:
        return None
    return {"number" if each == "integer" else each for each in ([kind] if isinstance(kind, str) else kind)}


def _type_of(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def _values(inst: Instance) -> dict[str, list[str | int]]:
    """Texts and whole numbers that rows have, by the names of arguments that are likely to mean them."""
    known: dict[str, list[str | int]] = {}
    inspector = inst.inspect()
    for table in listed(inst):
        if not table["row_count"]:
            continue
        keys = [column["name"] for column in table["columns"] if column["key"]]
        for column in table["columns"]:
            name = column["name"]
            found = _column(inspector, table, name)
            known.setdefault(name, []).extend(found)
            if keys == [name]:
                # `leads.id` is what an argument `lead_id`, or `lead`, or `id` means.
                for singular in _singulars(table["name"]):
                    for alias in (f"{singular}_id", singular):
                        known.setdefault(alias, []).extend(found)
    return known


def _singulars(table: str) -> set[str]:
    """What one row of a table may be called: that of `crm_companies` a company, or a crm_company."""
    parts = table.split("_")
    found = set()
    for start in range(len(parts)):
        name = "_".join(parts[start:])
        found.add(name)
        if name.endswith("ies"):
            found.add(f"{name[:-3]}y")
        elif name.endswith(("ches", "ses", "shes", "xes", "zes")):
            found.add(name[:-2])
        elif name.endswith("s"):
            found.add(name[:-1])
    return found


def _column(inspector: Inspector, table: dict[str, Any], column: str) -> list[str | int]:
    """The texts and whole numbers of a column in the first rows that have one."""
    place = f"{quoted(schema_name(table['node']))}.{quoted(table['name'])}"
    order = ", ".join(quoted(each["name"]) for each in table["columns"] if each["key"]) or quoted(column)
    value = quoted(column)
    query = (
        f"SELECT {value} AS found FROM {place} WHERE typeof({value}) IN ('text', 'integer') ORDER BY {order} LIMIT ?"
    )
    values = [row["found"] for row in inspector.rows(query, _KNOWN)]
    return [each for each in values if isinstance(each, int) or len(each) <= 200]
