"""Does `seahaven_new --from-openapi` write a world that does what the document says, or say what is wrong with it?"""

from __future__ import annotations

import ast
import copy
import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine import openapi_documents as documents
from tests.engine.fresh_project import Project
from worlds.engine.errors import WorldBug
from worlds.engine.scaffold.beginning import modelled
from worlds.engine.scaffold.openapi.blueprint import Blueprint, Resource
from worlds.engine.scaffold.openapi.document import Document, read
from worlds.engine.scaffold.openapi.reading import blueprint
from worlds.engine.scaffold.openapi.rows import recipe_code
from worlds.engine.scaffold.openapi.words import column_name, plural, singular, snake
from worlds.engine.scaffold.openapi.world import world
from worlds.engine.scaffold.place import place_of

HERE = Path(__file__).resolve().parent


def made_of(made: dict[str, Any]) -> Blueprint:
    return blueprint(Document(made, "api.json"))


def resources(made: dict[str, Any]) -> dict[str, Resource]:
    return {resource.name: resource for resource in made_of(made).resources}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with three worlds made from documents, made at the same time."""
    made = Project(tmp_path_factory.mktemp("fresh"))
    worlds = {"hotel": documents.pet_hotel(), "every": documents.everything(), "nasty": documents.nasty(14)}
    running = {
        name: made.start(
            "manage.py", "seahaven_new", name, "--from-openapi",
            str(documents.written(made.root / "mysite", document, f"{name}.json")),
        )
        for name, document in worlds.items()
    }  # fmt: skip
    made.said = {name: process.communicate(timeout=120)[0] for name, process in running.items()}
    for name, process in running.items():
        assert process.returncode == 0, made.said[name]
    made.install(*worlds)
    shutil.copy(HERE / "openapi_story.py", made.root / "tests" / "hotel" / "test_story.py")
    return made


def test_the_worlds_pass_their_own_tests_and_behave_as_documented(project: Project) -> None:
    # The contract of the nasty one alone takes long; its tools were called once, by its recipe.
    own = ["tests/hotel", "tests/every", "tests/nasty/test_fixtures.py", "tests/nasty/test_http.py"]
    tests = project.start("-m", "pytest", *own)
    assert project.ruff("hotel", "every", "nasty", "tests/hotel/test_tools.py", "tests/every", "tests/nasty") == ""
    output, _ = tests.communicate(timeout=120)

    assert tests.returncode == 0, output


def test_what_was_modelled_and_what_was_not_is_told(project: Project) -> None:
    said = project.said["hotel"]
    agents = (project.root / "hotel" / "AGENTS.md").read_text()

    assert "modelled: 11 operations on 3 resources" in said
    assert "not modelled: 2 operations" in said
    assert "POST /pets/{petId}/photo: it takes no JSON object with properties" in said
    assert "* `GET /store/inventory`: it answers no list of objects" in agents
    assert "* GET /pets: its parameter `sort` is not modelled" in agents
    assert "modelled: 70 operations on 14 resources" in project.said["nasty"]


# What the document says.


def test_references_are_found_by_their_names_and_by_their_paths() -> None:
    found = resources(documents.pet_hotel())
    columns = {
        (resource.name, column.attribute): (column.refers and column.refers.name, column.nullable, column.is_part_of)
        for resource in found.values()
        for column in resource.columns
    }

    assert columns["pet", "owner_id"] == ("owner", True, False)
    assert columns["invoice", "pet_id"] == ("pet", True, False)
    assert columns["invoice", "owner_id"] == ("owner", False, True)


def test_keys_are_minted_as_their_type_says_unless_the_caller_names_the_row() -> None:
    found = resources(documents.pet_hotel())
    minted = {name: (resource.key.wire, resource.minted) for name, resource in found.items()}

    assert minted == {"pet": ("id", "integer"), "owner": ("username", ""), "invoice": ("id", "uuid")}


def test_rows_that_need_each_other_are_not_kept_from_being_made() -> None:
    left = {"type": "object", "required": ["right_id"], "properties": {"right_id": {"type": "string"}}}
    right = {"type": "object", "required": ["left_id"], "properties": {"left_id": {"type": "string"}}}
    found = resources(documents.document({**documents.crud("lefts", left), **documents.crud("rights", right)}))
    refers = [column.refers for resource in found.values() for column in resource.columns]

    assert sorted(each.name for each in refers if each) in (["left"], ["right"])


@pytest.mark.parametrize(
    ("schema", "kind", "nullable"),
    [
        ({"type": ["integer", "null"]}, "integer", True),
        ({"type": "string", "nullable": True}, "text", True),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, "boolean", True),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "any", True),
        ({"oneOf": [{"type": "string", "format": "email"}, {"type": "string"}]}, "text", False),
        ({"allOf": [{"type": "string"}, {"maxLength": 5}]}, "text", False),
        ({"type": "object", "properties": {"a": {"type": "object"}}}, "object", False),
        ({"type": "array", "items": {"type": "array"}}, "array", False),
        ({"enum": ["a", "b", None]}, "text", True),
        ({"enum": ["a", 1]}, "any", False),
        ({"const": "a"}, "text", False),
        ({}, "any", False),
        (True, "any", True),
    ],
)
def test_a_schema_becomes_a_column_of_its_kind(schema: Any, kind: str, nullable: bool) -> None:
    thing = {"type": "object", "properties": {"id": {"type": "string"}, "value": schema}}
    (column,) = resources(documents.document(documents.crud("things", thing), version="3.1.0"))["thing"].columns

    assert (column.shape.kind, column.shape.nullable) == (kind, nullable)


def test_a_list_is_left_out_that_would_have_to_ignore_what_it_is_asked() -> None:
    def listing(**parameter: Any) -> dict[str, Any]:
        said = {"name": "tags", "in": "query", "schema": {"type": "string"}, **parameter}
        return {"get": {"parameters": [said], "responses": documents.answers({"type": "array", "items": pet})}}

    pet = documents.ref("Pet")
    made = documents.document(
        {
            **documents.crud("pets", pet),
            "/pets/findByStatus": listing(name="status"),
            "/pets/findByTags": listing(),
            "/pets/nearby": listing(name="place", required=True),
            "/owners": listing(required=True),
        },
        {"Pet": {"type": "object", "properties": {"id": {"type": "string"}, "status": {"type": "string"}}}},
    )
    read_as = made_of(made)
    paths = [operation.path for resource in read_as.resources for operation in resource.operations]

    assert "/pets/findByStatus" in paths
    assert [resource.name for resource in read_as.resources] == ["pet"]
    assert dict(read_as.left_out) == {
        "GET /pets/findByTags": "which pet rows its path means is not understood",
        "GET /pets/nearby": "it must be given `place`, and no column is called that",
        "GET /owners": "it must be given `tags`, and no column is called that",
    }


def test_names_that_python_django_and_the_engine_keep_are_written_otherwise() -> None:
    taken: set[str] = set()
    for name in ("class", "trailing_", "double__under", "objects", "2nd", "日本", "x-y", "xY"):
        column = column_name(name, taken)
        taken.add(column)
        assert column.isidentifier()
        assert not column.endswith("_")
        assert "__" not in column
    assert "class" not in taken
    assert len(taken) == 8
    assert [snake("photoUrls"), snake("HTTPServer"), plural("category"), singular("addresses")] == [
        "photo_urls", "http_server", "categories", "address",
    ]  # fmt: skip


def test_a_large_document_becomes_python_whose_lines_fit() -> None:
    files = world(place_of("nasty"), made_of(documents.nasty()), "")
    code = {name: content for name, content in files.items() if name.suffix == ".py"}

    assert len(code) == 60
    for name, content in code.items():
        ast.parse(content)
        assert [line for line in content.split("\n") if len(line) > 120] == [], name


def test_a_tool_has_no_name_of_the_protocol_and_no_name_twice() -> None:
    tools = [operation.tool for each in made_of(documents.nasty()).resources for operation in each.operations]

    assert len(set(tools)) == len(tools) == 200
    assert not {"reset", "step", "state", "close", "list", "class"} & set(tools)


# Documents that are damaged.


def broken(**changes: Any) -> dict[str, Any]:
    return documents.pet_hotel() | changes


PETS = {"/pets/{id}": {"get": {"responses": documents.answers(documents.ref("Nobody"))}}}
LOOP = {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}
SELF = {"A": {"allOf": [{"$ref": "#/components/schemas/A"}]}}


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ([], "api.json: # is an array, not an object"),
        ({"swagger": "2.0"}, "#/swagger is '2.0': version 2; convert the document to OpenAPI 3"),
        (broken(openapi="4.0.0"), "#/openapi is '4.0.0'; OpenAPI 3.0 and 3.1 are read"),
        (broken(openapi=3.1), "#/openapi is 3.1"),
        (broken(paths=None), "#/paths is missing; write paths"),
        (broken(paths={}), "#/paths has nothing that can be modelled"),
        (broken(paths={"pets": {}}), '#/paths/pets is no path; write one that begins with "/"'),
        (broken(paths={"/pets": []}), "#/paths/~1pets is an array; write an object with the operations"),
        (broken(paths={"/pets": {"get": "no"}}), "#/paths/~1pets/get is text"),
        (
            broken(paths=PETS),
            "#/paths/~1pets~1{id}/get/responses/200/content/application~1json/schema/$ref is "
            "'#/components/schemas/Nobody', where there is nothing",
        ),
        (
            broken(paths={"/a/{id}": {"get": {"responses": documents.answers({"$ref": "other.json#/A"})}}}),
            "is 'other.json#/A'; bundle the document into one file first",
        ),
        (
            documents.document({"/a/{id}": {"get": {"responses": documents.answers(documents.ref("A"))}}}, LOOP),
            "is a reference that leads back to itself",
        ),
        (
            documents.document({"/a/{id}": {"get": {"responses": documents.answers(documents.ref("A"))}}}, SELF),
            "#/components/schemas/A is made of itself by allOf",
        ),
        (
            broken(paths={"/a/{id}": {"get": {"parameters": [{"in": "query"}], "responses": {}}}}),
            "#/paths/~1a~1{id}/get/parameters/0 has no name, or no `in`",
        ),
        (
            broken(paths={"/a/{id}": {"get": {"responses": documents.answers("Pet")}}}),
            "schema is 'Pet'; write a schema, such as {type: string}",
        ),
    ],
)
def test_a_damaged_document_is_refused_with_the_place_and_the_fix(made: Any, said: str) -> None:
    with pytest.raises(WorldBug) as caught:
        made_of(made)

    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{\n  nonsense", r"api.json:2: Expecting property name"),
        (b"openapi: 3.1.0\npaths: [", r"api.json:3: .*; correct the YAML"),
        (b"openapi: '\xff'", r"byte 10 is no UTF-8"),
        (b"openapi: 3.1.0\npaths:\n  /a: 1", r"#/paths/~1a is 1; write an object"),
    ],
)
def test_a_file_that_is_no_document_is_refused_with_the_line(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "api.json"
    file.write_bytes(content)

    with pytest.raises(WorldBug, match=said):
        made_of(read(str(file)).root.value)


def test_a_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(WorldBug, match="no/such.yaml cannot be read: No such file or directory; name another file"):
        read("no/such.yaml")


def test_yaml_is_read_with_the_types_of_json(tmp_path: Path) -> None:
    file = tmp_path / "api.yaml"
    file.write_text("openapi: 3.0.0\npaths: {}\nx: {200: no, y: 2026-06-01, z: true, n: 1.5, off: null}\n")

    assert read(str(file)).root.value["x"] == {"200": "no", "y": "2026-06-01", "z": True, "n": 1.5, "off": None}


ODD: tuple[Any, ...] = (
    None, 1, -1.5, True, "", "object", [], {}, [1], ["a"], {"a": 1}, {"$ref": 5}, {"type": ["null"]}, {"enum": []},
    {"type": "object", "properties": {"id": {}}}, 10**40, {"$ref": "#/components/schemas/Pet"},
)  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a document with every key or index of it."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


@pytest.mark.parametrize("seed", range(30))
def test_whatever_is_put_anywhere_is_refused_or_becomes_python(seed: int) -> None:
    chance = random.Random(seed)
    document = chance.choice([documents.pet_hotel, documents.everything])()
    for _ in range(chance.choice([1, 3])):
        container, key = chance.choice(list(places(document)))
        container[key] = copy.deepcopy(chance.choice(ODD))
    files: dict[Path, str] = {}
    refusal = ""
    try:
        files = world(place_of("odd"), made_of(document), "")
    except WorldBug as error:
        refusal = str(error)

    assert files or refusal.startswith("api.json: #")
    for name, content in files.items():
        if name.suffix == ".py":
            ast.parse(content)


# The page of the documentation.


def test_the_page_shows_what_comes_of_its_document_and_of_a_mistake_in_it(tmp_path: Path) -> None:
    page = (HERE.parents[1] / "docs" / "authoring-openapi.md").read_text()
    (text,) = re.findall(r"```yaml title=\"kiosk.yaml\"\n(.*?)```", page, re.DOTALL)
    written, broken = re.findall(r"```console\n\$ [^\n]+\n(.*?)```", page, re.DOTALL)
    file = tmp_path / "kiosk.yaml"
    file.write_text(text)
    made = blueprint(read(str(file)))

    assert written.endswith("\n".join([*modelled(made), ""]))
    assert f"small ({sum(recipe_code(made, 'kiosk', 'Kiosk')[1].values())} rows)" in written

    paths, _, rest = text.partition("/orders:")
    file.write_text(f"{paths}/orders:{rest.replace('schemas/Order', 'schemas/Ordre', 1)}")
    with pytest.raises(WorldBug) as caught:
        blueprint(read(str(file)))
    assert f"CommandError: {str(caught.value).replace(str(file), 'broken.yaml')}\n" == broken
