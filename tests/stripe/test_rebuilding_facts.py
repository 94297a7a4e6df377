"""Does a published OpenAPI document become the facts that are kept?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from worlds.stripe import facts
from worlds.stripe.facts.rebuilding import rebuilt, shape

_REF = "#/components/schemas/"
_LINES = {"city": {"type": "string", "maxLength": 5000}, "line1": {"type": "string", "maxLength": 40}}
_ADDRESS = {"type": "object", "properties": _LINES, "required": ["line1"]}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.0",
    "paths": {
        "/v1/things": {
            "get": {
                "operationId": "GetThings",
                "parameters": [
                    {"in": "query", "name": "limit", "schema": {"type": "integer"}},
                    {"in": "query", "name": "created", "required": True, "schema": {"anyOf": [
                        {"type": "object", "properties": {"gt": {"type": "integer"}}}, {"type": "integer"}]}},
                ],
                "responses": {"200": {"content": {"application/json": {"schema": {
                    "properties": {"object": {"enum": ["list"]}, "data": {"type": "array", "items": {
                        "$ref": f"{_REF}thing"}}}}}}}},
            },
            "post": {
                "operationId": "PostThings",
                "requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {
                    "properties": {"name": {"type": "string", "maxLength": 5000}, "from": _ADDRESS, "to": _ADDRESS,
                                   "note": {"anyOf": [{"type": "string"}, {"enum": [""]}]}},
                    "required": ["name"]}}}},
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": f"{_REF}thing"}}}}},
            },
        },
        "/v1/things/{thing}": {
            "get": {
                "operationId": "GetThingsThing",
                "parameters": [{"in": "path", "name": "thing", "schema": {"type": "string"}}],
                "responses": {"200": {"content": {"application/json": {"schema": {"anyOf": [
                    {"$ref": f"{_REF}thing"}, {"$ref": f"{_REF}deleted_thing"}]}}}}},
            }
        },
        "/v1/things/{thing}/pdf": {
            "get": {"operationId": "GetThingsThingPdf", "responses": {"200": {"content": {"application/pdf": {}}}}}
        },
    },
    "components": {"schemas": {
        "thing": {
            "properties": {"id": {"type": "string"}, "object": {"enum": ["thing"]},
                           "owner": {"anyOf": [{"type": "string"}, {"$ref": f"{_REF}owner"}], "nullable": True,
                                     "x-expansionResources": {"oneOf": [{"$ref": f"{_REF}owner"}]}}},
            "required": ["id", "object"], "x-expandableFields": ["owner"], "x-resourceId": "thing",
        },
        "deleted_thing": {"properties": {"deleted": {"enum": [True]}, "id": {"type": "string"}},
                          "required": ["deleted", "id"]},
        "any_thing": {"anyOf": [{"$ref": f"{_REF}thing"}, {"$ref": f"{_REF}owner"}]},
        "owner": {"properties": {"name": {"type": "string"}}},
    }},
}  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"type": "string", "maxLength": 5000}, "s"),
        ({"type": "string", "maxLength": 22}, "s22"),
        ({"type": "string", "format": "decimal"}, "dec"),
        ({"type": "string", "format": "currency"}, "cur"),
        ({"type": "string", "format": "binary"}, "bin"),
        ({"type": "integer", "format": "unix-time"}, "ts"),
        ({"type": "integer", "nullable": True}, ["null", "i"]),
        ({"type": "number"}, "n"),
        ({"type": "boolean"}, "b"),
        ({}, "any"),
        ({"type": "string", "enum": ["b", "a"]}, ["enum", ["a", "b"]]),
        ({"type": "array", "items": {"type": "string"}}, ["array", "s"]),
        ({"type": "object", "additionalProperties": {"type": "string", "maxLength": 500}}, ["map", "s500"]),
        (
            {"type": "object", "properties": {"b": {"type": "boolean"}}, "required": ["b"]},
            ["object", {"b": "b"}, ["b"]],
        ),
        ({"anyOf": [{"type": "string"}, {"enum": [""]}]}, ["clearable", "s"]),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, ["any_of", ["s", "i"]]),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}, {"enum": [""]}]}, ["any_of", ["s", "i", ["enum", [""]]]]),
        ({"anyOf": [{"$ref": f"{_REF}thing"}], "nullable": True}, ["null", "@thing"]),
        (
            {"type": "object", "properties": {
                "object": {"enum": ["list"]}, "data": {"type": "array", "items": {"$ref": f"{_REF}thing"}},
                "url": {"type": "string", "pattern": "^/v1/things"}}},
            ["list", "@thing", "^/v1/things"],
        ),
    ],
)  # fmt: skip
def test_each_kind_of_schema_has_its_shape(schema: dict[str, Any], found: Any) -> None:
    assert shape(schema) == found


def _rows(name: str) -> list[Any]:
    return [json.loads(line) for line in rebuilt(DOCUMENT)[name].splitlines()]


def test_operations_say_what_they_take_and_answer() -> None:
    listing, creating, reading, pdf = _rows("operations.jsonl")
    assert listing == {
        "id": "GetThings", "method": "GET", "path": "/v1/things", "answer": {"list": "thing"},
        "query": {"created": ["any_of", [["object", {"gt": "i"}], "i"]], "limit": "i"},
        "query_required": ["created"]}  # fmt: skip
    assert creating["body"] == {"from": "#0", "name": "s", "note": ["clearable", "s"], "to": "#0"}
    assert (creating["body_required"], creating["answer"]) == (["name"], "thing")
    assert reading["answer"] == ["thing", "deleted_thing"]
    assert "query" not in reading
    assert pdf["answer"] == "binary:application/pdf"


def test_shapes_that_come_again_are_kept_once() -> None:
    assert _rows("types.jsonl") == [["object", {"city": "s", "line1": "s40"}, ["line1"]]]


def test_objects_say_what_may_be_missing_and_expanded() -> None:
    choice, deleted, owner, thing = _rows("objects.jsonl")
    assert choice == {"name": "any_thing", "one_of": ["thing", "owner"]}
    assert deleted == {"name": "deleted_thing", "fields": {"deleted": ["enum", [True]], "id": "s"}}
    assert owner == {"name": "owner", "fields": {"name": "s"}, "optional": "*"}
    assert thing == {
        "name": "thing", "fields": {"id": "s", "object": ["enum", ["thing"]], "owner": ["null", ["ref", ["owner"]]]},
        "optional": ["owner"], "expandable": ["owner"], "resource": "thing"}  # fmt: skip


def test_the_same_document_makes_the_same_bytes(tmp_path: Path) -> None:
    source, one, other = tmp_path / "spec3.json", tmp_path / "one", tmp_path / "other"
    source.write_text(json.dumps(DOCUMENT), encoding="utf-8")
    for to in (one, other):
        to.mkdir()
        call_command("stripe_facts", str(source), to=str(to))
    for name in ("operations.jsonl", "objects.jsonl", "types.jsonl"):
        assert (one / name).read_bytes() == (other / name).read_bytes() == rebuilt(DOCUMENT)[name].encode()


def test_what_is_no_document_is_refused(tmp_path: Path) -> None:
    odd = tmp_path / "odd.json"
    odd.write_text("{}", encoding="utf-8")
    with pytest.raises(CommandError, match="is no OpenAPI document"):
        call_command("stripe_facts", str(odd), to=str(tmp_path))


def test_a_document_that_says_what_the_kept_facts_say_makes_them_again() -> None:
    kept = {name: (facts.HERE / name).read_text(encoding="utf-8") for name in ("operations.jsonl", "objects.jsonl")}
    types = [json.loads(line) for line in (facts.HERE / "types.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = {name: [_whole(json.loads(line), types) for line in text.splitlines()] for name, text in kept.items()}
    made = rebuilt(_document(rows["operations.jsonl"], rows["objects.jsonl"]))
    new_types = [json.loads(line) for line in made["types.jsonl"].splitlines()]
    for name in kept:
        found = [_whole(json.loads(line), new_types) for line in made[name].splitlines()]
        assert sorted(found, key=_named) == sorted(rows[name], key=_named)


def _named(row: dict[str, Any]) -> str:
    return str(row.get("id", row.get("name")))


def _whole(value: Any, types: list[Any]) -> Any:
    """A row with everything that is kept once written out."""
    if isinstance(value, str) and value[:1] == "#" and value[1:].isdigit():
        return _whole(types[int(value[1:])], types)
    if isinstance(value, dict):
        return {key: _whole(item, types) for key, item in value.items()}
    return [_whole(item, types) for item in value] if isinstance(value, list) else value


def _document(operations: list[Any], objects: list[Any]) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for row in operations:
        query, needed = row.get("query", {}), row.get("query_required", [])
        paths.setdefault(row["path"], {})[row["method"].lower()] = {
            "operationId": row["id"],
            "parameters": [{"in": "query", "name": name, "schema": _schema(each), "required": name in needed}
                           for name, each in query.items()],
            "requestBody": {"content": {"application/x-www-form-urlencoded": {
                "schema": _properties(row.get("body", {}), row.get("body_required", []))}}},
            "responses": {"200": {"content": _content(row["answer"])}},
        }  # fmt: skip
    return {"paths": paths, "components": {"schemas": {row["name"]: _component(row) for row in objects}}}


def _component(row: dict[str, Any]) -> dict[str, Any]:
    fields = row.get("fields", {})
    optional = fields if row.get("optional") == "*" else row.get("optional", [])
    schema = _properties(fields, [name for name in fields if name not in optional])
    if "one_of" in row:
        schema = _several(row["one_of"])
    said = {"resource": "x-resourceId", "expandable": "x-expandableFields"}
    return schema | {said[key]: row[key] for key in said if key in row}


def _content(answer: Any) -> dict[str, Any]:
    if isinstance(answer, str) and answer.startswith("binary:"):
        return {answer.removeprefix("binary:"): {}}
    schema = _page(*next(iter(answer.items()))) if isinstance(answer, dict) else _several(answer)
    return {"application/json": {"schema": schema}}


def _several(names: Any) -> dict[str, Any]:
    return {"anyOf": [{"$ref": _REF + name} for name in names]} if isinstance(names, list) else {"$ref": _REF + names}


def _page(kind: str, names: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"object": {"enum": [kind]}, "data": {"items": _several(names)}}}


def _properties(fields: dict[str, Any], needed: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": {name: _schema(each) for name, each in fields.items()}, "required": needed}


_LEAVES: dict[str, dict[str, Any]] = {
    "i": {"type": "integer"}, "n": {"type": "number"}, "b": {"type": "boolean"}, "any": {},
    "ts": {"type": "integer", "format": "unix-time"}, "dec": {"type": "string", "format": "decimal"},
    "cur": {"type": "string", "format": "currency"}, "bin": {"type": "string", "format": "binary"},
}  # fmt: skip


def _schema(found: Any) -> dict[str, Any]:
    """A shape as OpenAPI would have said it."""
    match found:
        case str() if found.startswith("@"):
            return {"$ref": _REF + found[1:]}
        case str():
            return _LEAVES[found] if found in _LEAVES else {"type": "string", "maxLength": int(found[1:] or 5000)}
        case ["null", inner]:
            return {"anyOf": [_schema(inner)], "nullable": True}
        case ["enum", words]:
            return {"enum": words}
        case ["array", inner]:
            return {"type": "array", "items": _schema(inner)}
        case ["map", inner]:
            return {"type": "object", "additionalProperties": _schema(inner)}
        case ["object", fields, *needed]:
            return _properties(fields, needed[0] if needed else [])
        case ["any_of", choices]:
            return {"anyOf": [_schema(each) for each in choices]}
        case ["clearable", inner]:
            return {"anyOf": [_schema(inner), {"enum": [""]}]}
        case ["ref", names]:
            return {"x-expansionResources": {"oneOf": [{"$ref": _REF + name} for name in names]}}
        case ["list", inner, *url]:
            page = {"object": {"enum": ["list"]}, "data": {"items": _schema(inner)}}
            return {"type": "object", "properties": page | ({"url": {"pattern": url[0]}} if url else {})}
    raise AssertionError(found)
