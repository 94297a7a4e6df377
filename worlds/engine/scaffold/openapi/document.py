"""What does an OpenAPI document say at a place, references followed; and where is it damaged?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import yaml

from worlds.engine.errors import WorldBug

_VERSION = re.compile(r"3\.[01](\.\d+.*)?")


class Place(NamedTuple):
    """A value of the document and the JSON pointer to it."""

    value: Any
    pointer: str

    def at(self, *steps: str | int) -> Place:
        """What is below, None where there is nothing; references are not followed."""
        value, pointer = self
        for step in steps:
            pointer += f"/{str(step).replace('~', '~0').replace('/', '~1')}"
            if isinstance(value, dict):
                value = value.get(step)
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                value = None
        return Place(value, pointer)

    def items(self) -> Iterator[tuple[str, Place]]:
        """The members of an object, or nothing where there is none."""
        if isinstance(self.value, dict):
            for key in self.value:
                yield key, self.at(key)

    def elements(self) -> Iterator[Place]:
        """The elements of an array, or nothing where there is none."""
        if isinstance(self.value, list):
            for index in range(len(self.value)):
                yield self.at(index)


class Document:
    """An OpenAPI document that was read."""

    def __init__(self, value: Any, name: str) -> None:
        """Raises: WorldBug for what is no OpenAPI 3.0 or 3.1 document."""
        self.name = name
        self.root = Place(value, "#")
        if not isinstance(value, dict):
            raise self.damaged(self.root, f"is {_kind(value)}, not an object", "is it the right file?")
        if "swagger" in value:
            raise self.damaged(
                self.root.at("swagger"), f"is {value['swagger']!r}: version 2", "convert the document to OpenAPI 3"
            )
        version = value.get("openapi")
        if not isinstance(version, str) or not _VERSION.fullmatch(version):
            raise self.damaged(self.root.at("openapi"), f"is {version!r}", 'OpenAPI 3.0 and 3.1 are read: "3.1.0"')
        self.object(self.root.at("paths"), 'paths, such as {"/pets": …}')

    def damaged(self, place: Place, what: str, fix: str) -> WorldBug:
        """The error for a place that is not as it must be."""
        return WorldBug(f"{self.name}: {place.pointer} {what}; {fix}")

    def object(self, place: Place, what: str = "an object") -> Place:
        """The place, references followed, if an object is there.

        Raises: WorldBug.
        """
        found = self.followed(place)
        if not isinstance(found.value, dict):
            raise self.damaged(place, f"is {_kind(found.value)}", f"write {what}")
        return found

    def followed(self, place: Place) -> Place:
        """What a reference stands for, or the place itself.

        Raises: WorldBug for one that leads nowhere, out of the document or round in a circle.
        """
        seen = [place.pointer]
        while isinstance(place.value, dict) and "$ref" in place.value:
            reference = place.value["$ref"]
            if not isinstance(reference, str) or not reference.startswith("#"):
                fix = "bundle the document into one file first: only references that begin with #/ are followed"
                raise self.damaged(place.at("$ref"), f"is {reference!r:.120}", fix)
            found = self.root
            for step in reference.removeprefix("#").split("/")[1:]:
                name = unquote(step).replace("~1", "/").replace("~0", "~")
                found = found.at(int(name) if isinstance(found.value, list) and name.isdigit() else name)
            if found.value is None:
                raise self.damaged(
                    place.at("$ref"),
                    f"is {reference!r:.120}, where there is nothing",
                    "correct it, or add what it names",
                )
            if found.pointer in seen:
                raise self.damaged(place, "is a reference that leads back to itself", "give one of them a schema")
            seen.append(found.pointer)
            place = found
        return place


def read(file: str) -> Document:
    """An OpenAPI document, JSON or YAML.

    Raises: WorldBug naming the file, the place in it and the fix.
    """
    path = Path(file)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise WorldBug(f"--from-openapi: {file} cannot be read: {error.strerror or error}; name another file") from None
    try:
        content = data.decode("utf-8-sig")
        value = json.loads(content) if content.lstrip().startswith("{") else yaml.load(content, Loader=_Yaml)
    except UnicodeDecodeError as error:
        raise WorldBug(f"{file}: byte {error.start} is no UTF-8; save the document as UTF-8") from None
    except json.JSONDecodeError as error:
        raise WorldBug(f"{file}:{error.lineno}: {error.msg}, at column {error.colno}; correct the JSON") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{file}:{mark.line + 1}" if mark else file
        reason = " ".join(str(getattr(error, "problem", None) or error).split())
        raise WorldBug(f"{place}: {reason}; correct the YAML") from None
    except RecursionError:
        raise WorldBug(f"{file}: it is nested too deep; is it the right file?") from None
    return Document(value, file)


class _Yaml(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML with the types of JSON: `no` is text, and so is 2026-06-01."""


_Yaml.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in found
        if tag.rpartition(":")[2] not in ("timestamp", "bool") or (tag.endswith(":bool") and first in "tTfF")
    ]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _text_keys(loader: Any, node: yaml.MappingNode) -> dict[str, Any]:
    """An object; `200:` is a key of text."""
    loader.flatten_mapping(node)
    return {
        key.value if isinstance(key, yaml.ScalarNode) else str(loader.construct_object(key)): loader.construct_object(
            value, deep=True
        )
        for key, value in node.value
    }


_Yaml.add_constructor("tag:yaml.org,2002:map", _text_keys)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "an array", str: "text", bool: "a truth value", type(None): "missing"}
    return names.get(type(value), f"{value!r:.40}")
