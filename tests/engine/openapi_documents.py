"""Which OpenAPI documents are worlds made from in the tests? A small one, one with all of 3.1, and a nasty one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def answers(schema: Any, code: str = "200") -> dict[str, Any]:
    """Responses with one that is JSON."""
    return {code: {"description": "ok", "content": {"application/json": {"schema": schema}}}}


def takes(schema: Any, kind: str = "application/json") -> dict[str, Any]:
    """A request body."""
    return {"required": True, "content": {kind: {"schema": schema}}}


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def document(paths: dict[str, Any], schemas: dict[str, Any] | None = None, version: str = "3.0.3") -> dict[str, Any]:
    """A whole document."""
    return {
        "openapi": version,
        "info": {"title": "Tried", "version": "1", "description": "An API to try things with."},
        "servers": [{"url": "https://api.example.com/v2"}],
        "paths": paths,
        "components": {"schemas": schemas or {}},
    }


def crud(noun: str, schema: dict[str, Any], body: dict[str, Any] | None = None, key: str = "id") -> dict[str, Any]:
    """The five operations on rows of a schema."""
    parameter = {"name": key, "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        f"/{noun}": {
            "get": {"responses": answers({"type": "array", "items": schema})},
            "post": {"requestBody": takes(body or schema), "responses": answers(schema, "201")},
        },
        f"/{noun}/{{{key}}}": {
            "parameters": [parameter],
            "get": {"responses": answers(schema)},
            "patch": {"requestBody": takes(body or schema), "responses": answers(schema)},
            "delete": {"responses": {"204": {"description": "gone"}}},
        },
    }


def pet_hotel() -> dict[str, Any]:
    """OpenAPI 3.0: three resources, one of them below another; a natural key; an action and a count."""
    new_pet = {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 60, "description": "What it answers to."},
            "status": ref("Status"),
            "photoUrls": {"type": "array", "items": {"type": "string"}},
            "weight": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
            "contact": {"type": "string", "format": "email"},
            "class": {"type": "string"},
            "owner_id": {"type": "string"},
        },
    }
    pet = {
        "allOf": [
            ref("NewPet"),
            {
                "type": "object",
                "required": ["id", "status", "createdAt"],
                "properties": {
                    "id": {"type": "integer", "format": "int64", "readOnly": True},
                    "createdAt": {"type": "string", "format": "date-time", "readOnly": True},
                    "updatedAt": {"type": "string", "format": "date-time", "readOnly": True},
                },
            },
        ]
    }
    owner = {
        "type": "object",
        "required": ["username"],
        "properties": {
            "username": {"type": "string"},
            "email": {"type": "string", "format": "email"},
            "password": {"type": "string", "writeOnly": True},
            "is_vip": {"type": "boolean", "default": False},
        },
    }
    invoice = {
        "type": "object",
        "required": ["id", "amount_cents", "due_on", "status"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "amount_cents": {"type": "integer"},
            "due_on": {"type": "string", "format": "date"},
            "status": {"type": "string", "enum": ["open", "paid"], "readOnly": True},
            "lines": {"type": "array", "items": {"type": "object"}},
            "pet_id": {"type": "integer", "nullable": True},
        },
    }
    page = {
        "type": "object",
        "required": ["data", "has_more", "total"],
        "properties": {
            "data": {"type": "array", "items": ref("Invoice")},
            "has_more": {"type": "boolean"},
            "total": {"type": "integer"},
            "next_cursor": {"type": "string", "nullable": True},
        },
    }
    new_invoice = {
        "type": "object",
        "required": ["amount_cents", "due_on"],
        "properties": {
            "amount_cents": {"type": "integer", "minimum": 1},
            "due_on": {"type": "string", "format": "date"},
            "petId": {"type": "integer"},
            "lines": {"type": "array", "items": {"type": "object"}},
        },
    }
    pet_id = {"name": "petId", "in": "path", "required": True, "schema": {"type": "integer"}}
    username = {"name": "username", "in": "path", "required": True, "schema": {"type": "string"}}
    paths: dict[str, Any] = {
        "/pets": {
            "get": {
                "operationId": "listPets",
                "summary": "List the guests",
                "parameters": [
                    {"name": "limit", "in": "query", "schema": {"type": "integer", "maximum": 50, "default": 10}},
                    {"name": "offset", "in": "query", "schema": {"type": "integer", "minimum": 0}},
                    {"name": "status", "in": "query", "schema": ref("Status")},
                    {"name": "sort", "in": "query", "schema": {"type": "string"}},
                ],
                "responses": answers({"type": "array", "items": ref("Pet")}),
            },
            "post": {
                "operationId": "addPet",
                "summary": "Check a guest in",
                "requestBody": takes(ref("NewPet")),
                "responses": answers(ref("Pet"), "201"),
            },
        },
        "/pets/{petId}": {
            "parameters": [pet_id],
            "get": {"operationId": "showPetById", "responses": answers(ref("Pet"))},
            "patch": {
                "operationId": "updatePet",
                "requestBody": takes(ref("NewPet")),
                "responses": answers(ref("Pet")),
            },
            "delete": {"operationId": "deletePet", "responses": {"204": {"description": "gone"}}},
        },
        "/pets/{petId}/photo": {"post": {"operationId": "uploadPhoto", "responses": {"200": {"description": "ok"}}}},
        "/owners": {
            "post": {
                "operationId": "addOwner",
                "requestBody": takes(ref("Owner")),
                "responses": answers(ref("Owner")),
            }
        },
        "/owners/{username}": {
            "parameters": [username],
            "get": {"operationId": "getOwner", "responses": answers(ref("Owner"))},
            "put": {
                "operationId": "replaceOwner",
                "requestBody": takes(ref("Owner")),
                "responses": answers(ref("Owner")),
            },
            "delete": {"operationId": "removeOwner", "responses": {"204": {"description": "gone"}}},
        },
        "/owners/{username}/invoices": {
            "parameters": [username],
            "get": {
                "operationId": "listInvoices",
                "parameters": [
                    {"name": "cursor", "in": "query", "schema": {"type": "string"}},
                    {"name": "per_page", "in": "query", "schema": {"type": "integer"}},
                ],
                "responses": answers(page),
            },
            "post": {
                "operationId": "createInvoice",
                "requestBody": takes(new_invoice),
                "responses": answers(ref("Invoice"), "201"),
            },
        },
        "/store/inventory": {
            "get": {
                "operationId": "getInventory",
                "responses": answers({"type": "object", "additionalProperties": {"type": "integer"}}),
            }
        },
    }
    status = {"type": "string", "enum": ["arriving", "here", "gone"], "description": "Where the guest is."}
    return document(paths, {"Status": status, "NewPet": new_pet, "Pet": pet, "Owner": owner, "Invoice": invoice})


def everything() -> dict[str, Any]:
    """OpenAPI 3.1: null among types, const, anyOf, envelopes around rows and bodies, shared parameters, filters."""
    project = {
        "type": "object",
        "title": "A project that people work on",
        "required": ["id", "object", "name", "tags", "settings", "created"],
        "properties": {
            "id": {"type": "string", "readOnly": True},
            "object": {"const": "project"},
            "name": {"type": "string", "pattern": "^[A-Z]{2,4}-[0-9]+$", "examples": ["AB-1"]},
            "summary": {"type": ["string", "null"], "maxLength": 40},
            "priority": {"type": "integer", "enum": [1, 2, 3], "default": 2},
            "budget": {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "null"}]},
            "tags": {"type": "array", "items": {"enum": ["red", "green"], "type": "string"}, "maxItems": 3},
            "settings": {"type": "object", "properties": {"deep": ref("Project")}},
            "lead": {"oneOf": [{"type": "string"}, {"type": "object", "properties": {"id": {"type": "string"}}}]},
            "starts_at": {"type": ["string", "null"], "format": "date-time"},
            "homepage": {"type": "string", "format": "uri"},
            "created": {"type": "integer", "readOnly": True, "description": "Seconds since 1970."},
            "parent_project_id": {"type": ["string", "null"]},
        },
    }
    member = {
        "type": "object",
        "required": ["uuid", "email", "role"],
        "properties": {
            "uuid": {"type": "string", "format": "uuid", "readOnly": True},
            "email": {"type": "string", "format": "email"},
            "role": {"$ref": "#/components/schemas/Role", "description": "What the member may do."},
        },
    }
    page = {
        "type": "object",
        "required": ["items", "total", "page", "page_size", "links"],
        "properties": {
            "items": {"type": "array", "items": ref("Project")},
            "total": {"type": "integer"},
            "page": {"type": "integer"},
            "page_size": {"type": "integer"},
            "links": {"type": "object"},
        },
    }
    wrapped = {"type": "object", "properties": {"project": ref("Project")}}
    members = crud("projects/{project_id}/members", ref("Member"), key="uuid")
    paths: dict[str, Any] = {
        "/projects": {
            "get": {
                "summary": "List projects",
                "parameters": [
                    {"$ref": "#/components/parameters/Page"},
                    {"name": "page_size", "in": "query", "schema": {"type": "integer", "maximum": 3}},
                    {"name": "priority", "in": "query", "schema": {"type": "array", "items": {"type": "integer"}}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                ],
                "responses": answers(page),
            },
            "post": {"requestBody": takes(wrapped), "responses": answers(wrapped, "201")},
        },
        "/projects/{id}": {
            "get": {"responses": answers(wrapped)},
            "put": {"requestBody": takes(wrapped), "responses": answers(wrapped)},
            "delete": {"responses": answers(ref("Project"))},
        },
        **members,
        "/regions": {"get": {"responses": answers({"type": "array", "items": ref("Region")})}},
        "/regions/{code}": {"get": {"responses": answers(ref("Region"))}},
        "/me": {"get": {"responses": answers(ref("Member"))}},
    }
    region = {"type": "object", "required": ["code", "label"], "properties": {"code": {"type": "string"}}}
    region["properties"]["label"] = {"type": "string"}  # type: ignore[index]
    role = {"enum": ["owner", "guest", None], "type": ["string", "null"]}
    made = document(paths, {"Project": project, "Member": member, "Region": region, "Role": role}, "3.1.0")
    made["components"]["parameters"] = {"Page": {"name": "page", "in": "query", "schema": {"type": "integer"}}}
    return made


def nasty(things: int = 40) -> dict[str, Any]:
    """200 operations with every awkward name, and schemas that hold each other."""
    words = (
        "class", "import", "_private", "trailing_", "double__under", "pk", "objects", "save", "delete", "clean", "id_",
        "x-y z", "2nd", "Ünïcode", "self", "ctx", "cls", "model_config", "copy", "json", "tool", "rows", "now", "type",
        "dict", "str", "place", "as_dict", "check", "camelCase", "camel_case", "日本", "$ref_like", "a.b", "true",
        "null",
    )  # fmt: skip
    nouns = ("reset", "state", "close", "errors", "records", "sqlite_stat", "order", "group", "index", "select", "data")
    odd = {word: {"type": "string", "description": 'A "quoted" \\ text\nof two lines.'} for word in words}
    schemas: dict[str, Any] = {
        "Left": {
            "type": "object",
            "properties": {"id": {"type": "string"}, "right": ref("Right"), "left": ref("Left")},
        },
        "Right": {"allOf": [{"type": "object", "properties": {"id": {"type": "string"}, "left": ref("Left")}}]},
        "Tree": {"oneOf": [{"type": "string"}, {"type": "array", "items": ref("Tree")}, ref("Tree")]},
    }
    paths: dict[str, Any] = {**crud("lefts", ref("Left")), **crud("rights", ref("Right"))}
    for number in range(things - 2):
        noun = nouns[number] if number < len(nouns) else f"thing-{number}.v2"
        name = f"Thing{number}"
        schemas[name] = {
            "type": "object",
            "required": ["id", *(["amount"] if number % 3 else [])],
            "properties": {
                "id": {"type": ("string", "integer", "string")[number % 3]},
                **(odd if number < 3 else {}),
                "amount": {"type": "integer", "maximum": 10**30, "minimum": -5},
                "code": {"type": "string", "pattern": "(?<=x)y", "maxLength": 3},
                "tree": ref("Tree"),
                f"thing_{(number + 1) % (things - 2)}_id": {"type": ("string", "integer", "string")[(number + 1) % 3]},
                "any": True if number % 2 else {},
                "long": {"type": "string", "description": "word " * 300, "enum": [f"value {i}" for i in range(60)]},
            },
        }
        key = "id" if number % 2 else f"{noun}-Id"
        paths |= crud(noun, ref(name), key=key)
        paths[f"/{noun}"]["get"]["operationId"] = ("list", "list things!", "class", "step", "日本")[number % 5]
    return document(paths, schemas)


def written(folder: Path, made: dict[str, Any], name: str = "api.json") -> Path:
    """A document in a file."""
    file = folder / name
    file.write_text(json.dumps(made), encoding="utf-8")
    return file
