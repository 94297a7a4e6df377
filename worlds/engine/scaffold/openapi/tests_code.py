"""Which tests come with a world that is made from an OpenAPI document?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from worlds.engine.scaffold.layout import source, text
from worlds.engine.scaffold.openapi.blueprint import Blueprint, Operation, Resource
from worlds.engine.scaffold.openapi.rows import Name, arguments, call, creation, written
from worlds.engine.scaffold.openapi.words import one

#: So many resources get tests of their own; the contract calls the tools of all.
_MOST = 20

_HEAD = '''"""What do the tools of {title} do, and what do they refuse?"""

from typing import Any

import pytest
from seahaven.testing import assert_changes, delete, insert
from worlds.engine import Instance, ToolError

pytestmark = pytest.mark.seahaven("small", seed=1)


def key_in(instance: Instance, table: str, key: str) -> Any:
    """The key of a table's first row."""
    return instance.inspect().rows(f'SELECT "{{key}}" AS key FROM "{{table}}" ORDER BY place')[0]["key"]


def refusal(instance: Instance, tool: str, **arguments: object) -> ToolError:
    """The error of a call that is to be refused and change nothing."""
    before = instance.change_log()
    with pytest.raises(ToolError) as caught:
        instance.call(tool, **arguments)
    assert instance.change_log() == before
    return caught.value
'''


def tools_tests(made: Blueprint, rows: dict[str, int], title: str) -> str:
    """The source of test_tools.py."""
    lines = _HEAD.format(title=title).rstrip("\n").split("\n")
    for resource in made.resources[:_MOST]:
        if rows.get(resource.name):
            for test in _tests(resource, rows):
                lines += ["", "", *test]
    return "\n".join(lines) + "\n"


def _known(resource: Resource, operations: list[Operation], rows: dict[str, int]) -> tuple[list[str], dict[str, Any]]:
    """The lines that look up the keys of rows that are referred to, and the names they have then."""
    lines: list[str] = []
    known: dict[str, Any] = {"": []}
    for operation in operations:
        for argument in operation.arguments:
            other = argument.column.refers if argument.column else None
            if other is not None and other.name not in known and rows.get(other.name):
                variable = f"{other.name}_key"
                lines.append(f"    {variable} = key_in(instance, {text(other.table)}, {text(other.key.name)})")
                known[other.name] = [Name(variable)]
    return lines, known


def _tests(resource: Resource, rows: dict[str, int]) -> Iterator[list[str]]:
    noun = resource.name
    a_noun = one(noun).replace(" ", "_")
    create, gets, updates, deletes, lists = (
        creation(resource),
        *(resource.of(v) for v in ("get", "update", "delete", "list")),
    )
    key = text(resource.key.wire)
    if create is not None:
        lookups, known = _known(resource, [create], rows)
        given = arguments(resource, create, 9, known)
        if given is not None and noun not in known:
            lines = [f"def test_{a_noun}_is_created(instance: Instance) -> None:", *lookups]
            lines.append(f"    row = {call(create.tool, given, 'instance')}")
            lines.append("")
            got = _row_call(resource, gets, "row", rows, known, create)
            if got:
                lines.append(f"    assert {got} == row")
            lines.append(f"    assert_changes(instance, insert({text(resource.table)}, row[{key}]))")
            yield lines
            gone = _row_call(resource, deletes, "row", rows, known, create)
            if gone:
                lines = [f"def test_{a_noun}_is_deleted(instance: Instance) -> None:", *lookups]
                lines.append(f"    row = {call(create.tool, given, 'instance')}")
                lines += [f"    {gone}", "", "    assert_changes(instance)"]
                yield lines
    missing = {"integer": 987654321}.get(resource.key.shape.kind, "no_such_key")
    for operation in gets[:1]:
        if all(each.role == "key" for each in operation.arguments if each.required):
            wire = operation.arguments[0].wire
            asked = call(operation.tool, {wire: missing}).replace("inst.call(", "refusal(instance, ")
            yield [
                f"def test_{a_noun}_that_is_not_there_is_refused(instance: Instance) -> None:",
                f"    error = {asked}",
                "",
                '    assert error.code == "not_found"',
            ]
    for operation in lists[:1]:
        if any(each.required for each in operation.arguments):
            continue
        rows_of = f"[{text(operation.envelope.items)}]" if operation.envelope else ""
        limit = next((each for each in operation.arguments if each.role == "limit"), None)
        lines = [f"def test_{resource.table}_are_listed(instance: Instance) -> None:"]
        lines.append(f"    rows = {call(operation.tool, {}, 'instance')}{rows_of}")
        lines += ["", f"    assert len(rows) == {rows[noun]}"]
        if limit is not None and (limit.shape.least or 1) <= 1:
            lines.append(f"    assert {call(operation.tool, {limit.wire: 1}, 'instance')}{rows_of} == rows[:1]")
        yield lines
    for operation in updates[:1]:
        yield from _update_test(resource, operation, gets)


def _row_call(
    resource: Resource,
    operations: list[Operation],
    row: str,
    rows: dict[str, int],
    known: dict[str, Any],
    create: Operation,
) -> str:
    """A call about a row that has just been made; "" where it takes more than can be told."""
    made_with = {each.column for each in create.arguments}
    for operation in operations:
        given: dict[str, Any] = {}
        for argument in operation.arguments:
            if argument.role == "key":
                given[argument.wire] = Name(f"{row}[{text(resource.key.wire)}]")
            elif argument.required:
                other = argument.column.refers if argument.column else None
                keys = known.get(other.name) if other else None
                if not keys or argument.column not in made_with:
                    break
                given[argument.wire] = keys[0]
        else:
            return call(operation.tool, given, "instance")
    return ""


def _update_test(resource: Resource, operation: Operation, gets: list[Operation]) -> Iterator[list[str]]:
    if any(each.role == "path" for each in operation.arguments):
        return
    key = next(each for each in operation.arguments if each.role == "key")
    given = arguments(resource, operation, 7, {"": []}, only_required=True)
    changeable = [
        each
        for each in operation.arguments
        if each.role == "body" and each.shape.kind == "text" and each.column and not each.column.refers
        and not each.shape.enum and not each.shape.pattern and each.column.is_shown
        and each.column.shape.kind == "text"
    ]  # fmt: skip
    if given is None or not changeable:
        return
    argument = changeable[0]
    value = arguments(resource, operation, 7, {"": []})
    if value is None or argument.wire not in value or any(isinstance(each, Name) for each in given.values()):
        return
    given |= {key.wire: Name("key"), argument.wire: value[argument.wire]}
    lines = [f"def test_{one(resource.name).replace(' ', '_')}_is_changed(instance: Instance) -> None:"]
    lines.append(f"    key = key_in(instance, {text(resource.table)}, {text(resource.key.name)})")
    lines.append(f"    row = {call(operation.tool, given, 'instance')}")
    lines += ["", f"    assert row[{text(argument.wire)}] == {written(value[argument.wire])}"]
    lines.append(f'    assert [each.op for each in instance.diff().of_table({text(resource.table)})] == ["update"]')
    yield lines


def http_tests(made: Blueprint, rows: dict[str, int], title: str) -> str:
    """The source of test_http.py."""
    lines = [
        f'"""Does {title} answer on its own HTTP API as its document says?"""',
        "",
        "import json",
        "",
        "import pytest",
        "from worlds.engine import HttpRequest, Instance",
        "",
        'pytestmark = pytest.mark.seahaven("small", seed=1)',
        "",
        "",
        "def test_what_is_not_there_is_told(instance: Instance) -> None:",
        '    answer = instance.http(HttpRequest.of("GET", "/no/such/path"))',
        "",
        '    assert (answer.status, answer.json()["error"]["code"]) == (404, "not_found")',
    ]
    for resource in made.resources:
        create = creation(resource)
        if create is None or "{" in create.path or not rows.get(resource.name):
            continue
        given = arguments(resource, create, 9, {"": []}, only_required=True)
        if given is None or any(isinstance(each, Name) for each in given.values()):
            continue
        lines += ["", "", *_http_test(resource, create, given)]
        break
    return "\n".join(lines) + "\n"


def _http_test(resource: Resource, create: Operation, given: dict[str, Any]) -> Iterator[str]:
    body: Any = {create.body_in: given} if create.body_in else given
    inner = f"[{text(create.answer_in)}]" if create.answer_in else ""
    yield f"def test_{one(resource.name).replace(' ', '_')}_is_created_and_got(instance: Instance) -> None:"
    yield f"    body = json.dumps({source(body)})"
    yield f'    made = instance.http(HttpRequest.of("POST", {text(create.path)}, body=body))'
    yield ""
    yield f"    assert made.status == {create.status}"
    for get in resource.of("get"):
        if get.path.count("{") == 1:
            path = get.path.replace("{" + get.path.partition("{")[2].partition("}")[0] + "}", "{key}")
            same = f"[{text(get.answer_in)}]" if get.answer_in else ""
            yield f"    key = made.json(){inner}[{text(resource.key.wire)}]"
            yield f'    got = instance.http(HttpRequest.of("GET", f{text(path)}))'
            yield f"    assert got.json(){same} == made.json(){inner}"
            break
    bad = text("not json")
    yield f'    refused = instance.http(HttpRequest.of("POST", {text(create.path)}, body={bad}))'
    yield '    assert (refused.status, refused.json()["error"]["code"]) == (400, "invalid_input")'


def first_task(made: Blueprint, rows: dict[str, int]) -> tuple[Resource, Operation, dict[str, Any]] | None:
    """A row that an agent can be asked to create: its resource, the tool, the arguments."""
    for resource in made.resources:
        create = creation(resource)
        if create is None or not rows.get(resource.name):
            continue
        given = arguments(resource, create, 9, {"": []}, only_required=True)
        if given is None or any(isinstance(each, Name) for each in given.values()):
            continue
        more = arguments(resource, create, 9, {"": []}) or {}
        scalars = {
            each.wire: each for each in create.arguments if each.role in ("body", "key") and each.shape.is_scalar
        }
        wanted = {**given, **{name: value for name, value in more.items() if name in scalars and len(given) < 2}}
        cells = {
            scalars[name].column: value
            for name, value in wanted.items()
            if name in scalars and scalars[name].shape.kind not in ("datetime", "date", "number")
        }
        if cells:
            return resource, create, wanted
    return None
