"""What is in the files of a world that is made from an OpenAPI document?"""

from __future__ import annotations

from pathlib import Path

from worlds.engine.scaffold.example import filled, table, words_of
from worlds.engine.scaffold.layout import docstring, laid_out, source, text
from worlds.engine.scaffold.openapi.blueprint import Blueprint, Operation
from worlds.engine.scaffold.openapi.models_code import models_code
from worlds.engine.scaffold.openapi.rows import call, recipe_code
from worlds.engine.scaffold.openapi.tests_code import first_task, http_tests, tools_tests
from worlds.engine.scaffold.openapi.tools_code import clear_name, tools_code
from worlds.engine.scaffold.place import Place

_PARTS = (
    ("apps.py", "its name, version and description"),
    ("models.py", "what it stores; `as_dict()` is how an answer shows a row"),
    ("tools/", "what an agent can do, a module for each resource: one tool for each operation of the document"),
    ("http.py", "the same operations as routes of the product's own HTTP API"),
    ("records.py", "how a row is found, changed and removed"),
    ("listing.py", "how a list is read page by page"),
    ("errors.py", "what it refuses, a class for each refusal"),
    ("fixtures.py", "the recipe of the starting state"),
    ("tasks.py", "an instruction with a grader"),
    ("admin.py", "the lists of the admin"),
    ("migrations/", "Django's migrations"),
)


def world(place: Place, made: Blueprint, description: str) -> dict[Path, str]:
    """Every file of the world but its migration and its fixtures, by its name from the project's root."""
    title = place.name.replace("_", " ").capitalize()
    words = words_of(place, description or made.description, (), _left_out(made))
    recipe, rows = recipe_code(made, place.package, title)
    listed = {
        resource.name.replace("_", " "): resource.of("list")[0].tool
        for resource in made.resources
        if resource.of("list")
    }
    modules = sorted(resource.module for resource in made.resources if resource.operations)
    words |= {
        "listed": source(listed),
        "modules": ", ".join(modules),
        "prefixes": source(tuple(made.prefixes)),
        "routes": "\n".join(
            f"    {_route(resource.module, operation)},"
            for resource in made.resources
            for operation in resource.operations
        ),
    }
    files: dict[Path, str] = {}
    for name in ("apps.py", "__init__.py", "migrations/__init__.py"):
        files |= filled(place, f"app/{name}", words)
    for name in ("__init__.py", "conftest.py", "test_contract.py"):
        files |= filled(place, f"tests/{name}", words)
    for name in ("records.py", "errors.py", "http.py"):
        files |= filled(place, f"app/{name}", words, folder="templates_openapi")
    app, tests = place.app.relative_to(place.root), place.tests.relative_to(place.root)
    code = {
        app / "models.py": models_code(made, place.label, title),
        app / "fixtures.py": recipe,
        app / "admin.py": _admin(made, place.package, title),
        app / "tools/__init__.py": _tools(modules, place.package, title),
        tests / "test_tools.py": tools_tests(made, rows, title),
        tests / "test_http.py": http_tests(made, rows, title),
        tests / "test_fixtures.py": _fixture_test(title),
        **{
            app / "tools" / f"{resource.module}.py": tools_code(made, resource, place.package)
            for resource in made.resources
            if resource.operations
        },
    }
    code |= _task(made, rows, place, title)
    files |= {name: laid_out(content, first_party=place.first_party) for name, content in code.items()}
    # What no tool needs is not there.
    tools = [content for name, content in files.items() if name.parent == app / "tools"]
    for name, word in (("listing.py", "listing.page("), ("tools/arguments.py", "Whole")):
        if any(word in content for content in tools):
            files |= filled(place, f"app/{name}", words, folder="templates_openapi")
    parts = [part for part in _PARTS if part[0].endswith("/") or app / part[0] in files]
    return files | filled(place, "app/AGENTS.md", words | {"files": table(parts)})


def _route(module: str, operation: Operation) -> str:
    options = "".join(
        f", {name}={text(value)}"
        for name, value in (
            ("answer_in", operation.answer_in),
            ("body_in", operation.body_in),
            ("clear", clear_name(operation)),
        )
        if value
    )
    status = f", {operation.status}" if operation.status != 200 else ""
    return f"Route({text(operation.method)}, {text(operation.path)}, {module}.{operation.tool}{status}{options})"


def _left_out(made: Blueprint) -> str:
    """What AGENTS.md says of the document."""
    lines = ["", "## What the document says and this world does not do yet", ""]
    lines.append(
        f"It was begun from the OpenAPI document of {made.title}. Rows are kept, found, changed and deleted as it says;"
    )
    lines.append(
        "what happens besides - who is told, what follows, what costs money - is not in such a document: write it."
    )
    lines.append("")
    if made.left_out:
        lines.append(
            "TODO: these operations are no plain create, get, update, delete or list. Write those that matter as tools:"
        )
        lines.append("")
        lines += [f"* `{name}`: {why}" for name, why in made.left_out]
    else:
        lines.append("Every operation of the document has a tool.")
    if made.notes:
        lines += ["", "And smaller things:", "", *(f"* {note}" for note in dict.fromkeys(made.notes))]
    return "\n".join([*lines, ""])


def _admin(made: Blueprint, package: str, title: str) -> str:
    lines = [f'"""Which lists of {title} does the admin show?"""', ""]
    lines.append(f"from {package}.models import {', '.join(resource.class_name for resource in made.resources)}")
    lines.append("from worlds.engine.admin import WorldAdmin, register")
    for resource in made.resources:
        shown = [each for each in resource.columns if each.refers or each.shape.is_scalar][:5]
        names = source((resource.key.name, *(each.name for each in shown)))
        lines += ["", "", f"@register({resource.class_name})", f"class {resource.class_name}Admin(WorldAdmin):"]
        lines.append(f"    list_display = {names}")
    return "\n".join(lines) + "\n"


def _tools(modules: list[str], package: str, title: str) -> str:
    return "\n".join(
        [
            f'"""What can an agent do in {title}? A module that is not imported here has no tools."""',
            "",
            f"from {package}.tools import {', '.join(modules)}",
            "",
            f"__all__ = {source(modules)}",
            "",
        ]
    )


def _fixture_test(title: str) -> str:
    return f'''"""Are the fixtures of {title} what their recipes make?"""

from worlds.engine import World
from worlds.engine.curating import verify


def test_the_recipe_builds_the_same_text_again(world: World) -> None:
    assert verify(world, "small", rebuild=True) == []
'''


_TASKS = '''"""What is an agent asked to do in {title}, and what is that worth?

A grader reads what changed in the database, never what the agent says it did. It gets the state document of a run:
`inst.state()` in this process, `env.state()` over OpenEnv.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worlds.engine import Diff, task


@task(fixture="small")
def first(document: Mapping[str, Any]) -> float:
{instruction}
    # All for one new row with what was asked for in it, and nothing else changed.
    changes = Diff.of(document).typed()
    if len(changes) != 1 or (changes[0].table, changes[0].op) != ({table}, "insert"):
        return 0.0
    row = changes[0].after or {{}}
    wanted = {cells}
    return 1.0 if all(row[name] == value for name, value in wanted.items()) else 0.0
'''
_TASK_TESTS = '''"""Do the graders of {title} pay for what was asked, and for nothing else?"""

import pytest
from worlds.engine import Instance

pytestmark = pytest.mark.seahaven("small", seed=1, task="first")


def test_doing_what_is_asked_earns_all(instance: Instance) -> None:
    {call}
    assert instance.world.tasks["first"].grade(instance.state()) == 1.0


def test_doing_nothing_earns_nothing(instance: Instance) -> None:
    assert instance.world.tasks["first"].grade(instance.state()) == 0.0
'''


def _task(made: Blueprint, rows: dict[str, int], place: Place, title: str) -> dict[Path, str]:
    """A task and its test, where there is a row that an agent can be asked to create."""
    found = first_task(made, rows)
    if found is None:
        return {}
    resource, create, given = found
    columns = {each.wire: each.column for each in create.arguments if each.shape.is_scalar}
    kinds = {each.wire: each.shape.kind for each in create.arguments}
    cells = {
        column.attribute: value
        for wire, value in given.items()
        if (column := columns.get(wire)) is not None and kinds[wire] not in ("datetime", "date", "number")
    }
    said = ", ".join(f"{wire} {source(value)}" for wire, value in given.items())
    instruction = docstring(f"Create one {resource.name.replace('_', ' ')} with {said}. Change nothing else.")
    app, tests = place.app.relative_to(place.root), place.tests.relative_to(place.root)
    tasks = _TASKS.format(title=title, table=text(resource.table), cells=source(cells), instruction=instruction)
    test = _TASK_TESTS.format(title=title, call=call(create.tool, given, "instance"))
    return {app / "tasks.py": tasks, tests / "test_tasks.py": test}
