"""How does the published OpenAPI document become the rows that are kept here?"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from worlds.stripe.facts import Shape

_METHODS = ("delete", "get", "post")
_FORMATS = {"unix-time": "ts", "decimal": "dec", "currency": "cur", "binary": "bin"}
_LEAVES = {"integer": "i", "number": "n", "boolean": "b"}
#: The length that texts have when the document says nothing better.
_USUAL_LENGTH = 5000
#: Shapes that are shorter than this are written out wherever they occur.
_SHORTEST_SHARED = 15
_EMPTY = ["enum", [""]]
_BODIES = ("application/x-www-form-urlencoded", "multipart/form-data", "application/json")


def rebuilt(document: dict[str, Any]) -> dict[str, str]:
    """The files of facts by their names; the same document makes the same text.

    Raises: KeyError for a document that is no OpenAPI document of this API.
    """
    operations = [
        _operation(path, method, item[method])
        for path, item in document["paths"].items()
        for method in _METHODS
        if method in item
    ]
    objects = [_object(name, schema) for name, schema in sorted(document["components"]["schemas"].items())]
    types = _Shared([*operations, *objects])
    rows = {"operations.jsonl": operations, "objects.jsonl": objects}
    found = {name: _lines([_with(row, types) for row in each]) for name, each in rows.items()}
    return found | {"types.jsonl": _lines(types.rows)}


def _lines(rows: list[Any]) -> str:
    return "".join(f"{_text(row)}\n" for row in rows)


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _operation(path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"id": operation["operationId"], "method": method.upper(), "path": path}
    query = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
    content = operation.get("requestBody", {}).get("content", {})
    body: dict[str, Any] = next((content[kind]["schema"] for kind in _BODIES if kind in content), {})
    if query:
        row["query"] = {each["name"]: shape(each["schema"]) for each in sorted(query, key=lambda each: each["name"])}
    if body.get("properties"):
        row["body"] = {name: shape(inner) for name, inner in sorted(body["properties"].items())}
    if needed := sorted(each["name"] for each in query if each.get("required")):
        row["query_required"] = needed
    if needed := sorted(body.get("required", ())):
        row["body_required"] = needed
    return {**row, "answer": _answer(operation["responses"])}


def _answer(responses: dict[str, Any]) -> Any:
    content = responses["200"].get("content", {})
    if "application/json" not in content:
        return f"binary:{next(iter(content))}" if content else None
    schema = content["application/json"]["schema"]
    kind = _envelope(schema)
    if kind is not None:
        return {kind: _names(schema["properties"]["data"]["items"])}
    return _names(schema)


def _names(schema: dict[str, Any]) -> Any:
    """The object a schema refers to, or the several."""
    choices = schema.get("anyOf", schema.get("oneOf"))
    return [_name(each) for each in choices] if choices else _name(schema)


def _name(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _envelope(schema: dict[str, Any]) -> str | None:
    """Is it a page of objects? "list", "search_result" or None."""
    words = schema.get("properties", {}).get("object", {}).get("enum", [])
    return words[0] if words and words[0] in ("list", "search_result") and "data" in schema["properties"] else None


def _object(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"name": name}
    properties = schema.get("properties", {})
    if not properties and (choices := schema.get("anyOf", schema.get("oneOf"))):
        row["one_of"] = [_name(each) for each in choices]
    else:
        row["fields"] = {field: shape(inner) for field, inner in sorted(properties.items())}
        optional = sorted(properties.keys() - set(schema.get("required", ())))
        if optional:
            row["optional"] = "*" if len(optional) == len(properties) else optional
        if expandable := sorted(schema.get("x-expandableFields", ())):
            row["expandable"] = expandable
    if "x-resourceId" in schema:
        row["resource"] = schema["x-resourceId"]
    return row


def shape(schema: dict[str, Any]) -> Shape:
    """A schema in the notation of the facts."""
    if schema.get("nullable"):
        return ["null", shape({key: value for key, value in schema.items() if key != "nullable"})]
    if "x-expansionResources" in schema:
        return ["ref", sorted(_name(each) for each in schema["x-expansionResources"]["oneOf"])]
    if "$ref" in schema:
        return f"@{_name(schema)}"
    if choices := schema.get("anyOf", schema.get("oneOf")):
        return _choice(choices)
    if schema.get("enum"):
        return ["enum", sorted(schema["enum"], key=str)]
    match schema.get("type"):
        case "object":
            return _composite(schema)
        case "array":
            return ["array", shape(schema["items"])]
        case "string" | "integer" | "number" | "boolean" as kind:
            return _leaf(kind, schema)
    return "any"


def _choice(choices: list[dict[str, Any]]) -> Shape:
    """One of several; of a shape and "", the shape that can be cleared."""
    shapes: list[Shape] = []
    for each in choices:
        if (found := shape(each)) not in shapes:
            shapes.append(found)
    if _EMPTY in shapes and len(shapes) == 2:
        return ["clearable", next(each for each in shapes if each != _EMPTY)]
    return shapes[0] if len(shapes) == 1 else ["any_of", shapes]


def _composite(schema: dict[str, Any]) -> Shape:
    properties = schema.get("properties")
    if properties is None:
        inner = schema.get("additionalProperties")
        return ["map", shape(inner) if isinstance(inner, dict) else "any"]
    if _envelope(schema) == "list":
        pattern = properties.get("url", {}).get("pattern")
        return ["list", shape(properties["data"]["items"]), *([pattern] if pattern else [])]
    fields = {name: shape(inner) for name, inner in sorted(properties.items())}
    return ["object", fields, *([sorted(schema["required"])] if schema.get("required") else [])]


def _leaf(kind: str, schema: dict[str, Any]) -> str:
    if schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]]
    if kind != "string":
        return _LEAVES[kind]
    most = schema.get("maxLength", _USUAL_LENGTH)
    return "s" if most == _USUAL_LENGTH else f"s{most}"


class _Shared:
    """Shapes that occur more than once, numbered in the order in which they first do, inner ones first."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows: list[Shape] = []
        self._numbers: dict[str, int] = {}
        counts: Counter[str] = Counter()
        shapes = [each for row in rows for part in ("query", "body", "fields") for each in row.get(part, {}).values()]
        for each in shapes:
            self._count(each, counts)
        self._frequent = {text for text, times in counts.items() if times > 1 and len(text) >= _SHORTEST_SHARED}
        for each in shapes:
            self.short(each)

    def _count(self, found: Shape, counts: Counter[str]) -> None:
        """Count a shape; what is in one that came before was counted there."""
        if isinstance(found, list):
            text = _text(found)
            counts[text] += 1
            for inner in _inner(found) if counts[text] == 1 else ():
                self._count(inner, counts)

    def short(self, found: Shape) -> Shape:
        """The shape with "#n" for what is shared."""
        if not isinstance(found, list):
            return found
        text = _text(found)
        if text in self._numbers:
            return f"#{self._numbers[text]}"
        written = _rewritten(found, self.short)
        if text not in self._frequent:
            return written
        self._numbers[text] = len(self.rows)
        self.rows.append(written)
        return f"#{self._numbers[text]}"


def _inner(found: list[Any]) -> list[Shape]:
    inside: list[Shape] = []
    _rewritten(found, lambda each: inside.append(each) or each)  # type: ignore[func-returns-value]
    return inside


def _rewritten(found: list[Any], fn: Any) -> list[Any]:
    """A composite shape with something else for each shape in it."""
    match found:
        case ["object", fields, *rest]:
            return ["object", {name: fn(inner) for name, inner in fields.items()}, *rest]
        case ["any_of", choices]:
            return ["any_of", [fn(inner) for inner in choices]]
        case ["null" | "array" | "map" | "clearable" as kind, inner]:
            return [kind, fn(inner)]
        case ["list", inner, *rest]:
            return ["list", fn(inner), *rest]
    return found


def _with(row: dict[str, Any], types: _Shared) -> dict[str, Any]:
    """A row with its shapes shortened."""
    shaped = ("query", "body", "fields")
    return {
        key: {name: types.short(each) for name, each in value.items()} if key in shaped else value
        for key, value in row.items()
    }
