"""What does `manage.py seahaven_check` write, and what does it mend?"""

import ast
import json
import re
from io import StringIO
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.engine import shelf
from tests.engine.broken_worlds import EMBEDS, SYSTEMS, tool, write
from tests.engine.shelf import edit_sidecar
from tests.engine.test_checks_table import check
from worlds.engine.checking.findings import RULES
from worlds.engine.checking.linting import lint

#: Of SARIF 2.1.0's published schema, the objects that are written here: their properties, and which are required.
SARIF = {
    "$defs": {
        "message": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "location": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "physicalLocation": {
                    "type": "object",
                    "required": ["artifactLocation"],
                    "additionalProperties": False,
                    "properties": {
                        "artifactLocation": {
                            "type": "object",
                            "required": ["uri"],
                            "additionalProperties": False,
                            "properties": {
                                "uri": {"type": "string", "format": "uri-reference"},
                                "uriBaseId": {"const": "SRCROOT"},
                            },
                        },
                        "region": {
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {"startLine": {"type": "integer", "minimum": 1}},
                        },
                    },
                },
                "logicalLocations": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"fullyQualifiedName": {"type": "string"}}},
                },
            },
        },
        "result": {
            "type": "object",
            "required": ["message"],
            "additionalProperties": False,
            "properties": {
                "ruleId": {"type": "string"},
                "ruleIndex": {"type": "integer", "minimum": 0},
                "level": {"$ref": "#/$defs/level"},
                "message": {"$ref": "#/$defs/message"},
                "locations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                "suppressions": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["kind"],
                        "additionalProperties": False,
                        "properties": {
                            "kind": {"enum": ["inSource", "external"]},
                            "justification": {"type": "string"},
                        },
                    },
                },
            },
        },
    },
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "properties": {"shortDescription": {"$ref": "#/$defs/message"}},
                                        },
                                    }
                                },
                            }
                        },
                    },
                    "originalUriBaseIds": {"type": "object"},
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": {"$ref": "#/$defs/result"}},
                },
            },
        },
    },
}


@pytest.fixture
def small(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"
    return shelf.freeze()


def run(*arguments):
    """What the command writes, and how it ends."""
    out = StringIO()
    try:
        call_command("seahaven_check", *arguments, stdout=out, stderr=out)
    except SystemExit as end:
        return out.getvalue(), end.code
    return out.getvalue(), 0


def test_a_world_in_order_ends_well_and_says_what_is_silenced(small):
    assert run("lab") == ("0 errors, 0 warnings; 1 silenced with a reason\n", 0)


def test_a_line_says_where_what_and_the_edit_and_an_error_ends_with_1(small):
    edit_sidecar(small, now="soon")
    line, counted = run("lab")[0].splitlines()
    file = small.folder / "fixture.yaml"
    assert line == (
        f"{file}:6 worlds.E401 error {file}: now is 'soon'; write it as 2026-06-01T09:00:00.000Z"
        f" / fix: restore fixture.yaml, or freeze the fixture again"
    )
    assert counted == "1 error, 0 warnings; 1 silenced with a reason"
    assert run("lab")[1] == 1


def test_a_warning_ends_well(small):
    edit_sidecar(small, description="TODO")
    text, code = run("lab")
    assert "worlds.W405 warning" in text
    assert code == 0


def test_only_the_worlds_asked_for_are_checked_and_an_unknown_one_is_refused_with_the_nearest(small):
    edit_sidecar(small, now="soon")
    assert run("bank") == ("0 errors, 0 warnings\n", 0)
    with pytest.raises(CommandError, match="world 'labb' is not installed; did you mean 'lab'"):
        run("labb")


def test_json_has_every_finding_with_its_rule_and_what_was_silenced_with_the_reason(small):
    edit_sidecar(small, description="TODO")
    document = json.loads(run("lab", "--format", "json")[0])
    (found,), (silenced,) = document["findings"], document["silenced"]
    assert (document["format"], document["errors"], document["warnings"]) == ("seahaven.findings/1", 0, 1)
    assert {key: found[key] for key in ("id", "severity", "world", "rule", "line", "subject", "fixable")} == {
        "id": "worlds.W405",
        "severity": "warning",
        "world": "lab",
        "rule": RULES["worlds.W405"],
        "line": 4,
        "subject": "lab/small",
        "fixable": False,
    }
    assert (silenced["id"], silenced["reason"]) == ("worlds.E208", "what the engine makes of it is tried")
    assert silenced["path"] == "tests/worlds/lab/tools.py"


def test_sarif_is_of_the_published_shape_and_tells_what_is_suppressed_and_why(small):
    edit_sidecar(small, now="soon")
    document = json.loads(run("lab", "--format", "sarif")[0])
    jsonschema.validate(document, SARIF)
    (one_run,) = document["runs"]
    first, second = one_run["results"]
    assert [one_run["tool"]["driver"]["rules"][each["ruleIndex"]]["id"] for each in (first, second)] == [
        "worlds.E401",
        "worlds.E208",
    ]
    assert "suppressions" not in first
    assert first["locations"][0]["physicalLocation"]["region"] == {"startLine": 6}
    assert second["suppressions"] == [{"kind": "inSource", "justification": "what the engine makes of it is tried"}]
    uri = {"uri": "tests/worlds/lab/tools.py", "uriBaseId": "SRCROOT"}
    assert second["locations"][0]["physicalLocation"]["artifactLocation"] == uri


def test_what_has_no_line_is_silenced_in_the_settings_with_a_reason(small, settings):
    edit_sidecar(small, now="soon")
    settings.SEAHAVEN_SILENCED_CHECKS = {"worlds.E401 lab/small": "broken on purpose"}
    assert run("lab") == ("0 errors, 0 warnings; 2 silenced with a reason\n", 0)
    settings.SEAHAVEN_SILENCED_CHECKS = {"worlds.E401 lab/small": ""}
    found = lint([apps.get_app_config("lab")]).findings
    assert [each.id for each in found] == ["worlds.E001", "worlds.E401"]
    assert "without a reason" in found[0].message


def test_a_silence_in_the_settings_that_silences_nothing_is_told_when_all_worlds_are_checked(small, settings):
    settings.SEAHAVEN_SILENCED_CHECKS = {"worlds.E401 lab/small": "it was broken once", "worlds.E999": "why not"}
    found = {each.message for each in lint().findings if each.id == "worlds.W002"}
    assert found == {
        "settings.SEAHAVEN_SILENCED_CHECKS: 'worlds.E401 lab/small' silences nothing",
        "settings.SEAHAVEN_SILENCED_CHECKS: 'worlds.E999' is no rule",
    }


MENDABLE = (
    (
        "tools/lending.py",
        "from worlds.engine import Ctx",
        "import random\nimport time\nimport uuid\nfrom datetime import UTC, datetime\n\n"
        "from worlds.engine import WorldHandle, Worlds, Ctx",
    ),
    tool(
        'at, ü = datetime.now(UTC), "é"; by = uuid.uuid4()\n'
        "    began = 2 * time.time()\n"
        "    rows = [b.id for b in Book.objects.filter(copies=random.randint(1, 3))]\n"
        '    shelves = list(Shelf.objects.order_by("-id").values("name"))\n'
        "    ties = Book.objects.order_by(\n"
        '        "-copies",  # the most first\n'
        "    )[:5]\n"
        "    return [str(at), str(by), began, rows, shelves, len(ties), ü, list({b.id for b in ties})]",
        returns="list",
    ),
    (
        "tools/lending.py",
        "",
        "+\n\ndef stamp(at=datetime.now):\n    return at() or uuid.uuid4().hex\n"
        + SYSTEMS.replace("library: WorldHandle", "pass"),
    ),
    ("models.py", "default=timezone.now", "default=timezone.now()"),
    ("tools/orphan.py", "", '"""Nobody imports this."""\n'),
    ("apps.py", 'world = World("WORLD", version="1.0.0")', EMBEDS),
)


def test_what_is_mechanical_is_mended_once_and_the_files_stay_python(tmp_path):
    write(tmp_path, "sound")
    write(tmp_path, "torn", MENDABLE)
    first = check(tmp_path, ["sound", "torn"], "--fix", "--format", "json")
    texts = {file: file.read_text() for file in (tmp_path / "torn").rglob("*.py")}
    for text in texts.values():
        ast.parse(text)
    lending = texts[tmp_path / "torn" / "tools" / "lending.py"]
    for line in (
        'at, ü = ctx.clock.now(), "é"; by = ctx.ids.uuid()',
        "began = 2 * (ctx.clock.ms() / 1000)",
        'rows = [b.id for b in Book.objects.filter(copies=ctx.random.randint(1, 3)).order_by("pk")]',
        'shelves = list(Shelf.objects.order_by("-id").values("name"))',
        "list(sorted({b.id for b in ties}))",
        "library: WorldHandle",
    ):
        assert line in lending
    assert 'Book.objects.order_by(\n        "-copies", "-pk",  # the most first\n    )[:5]' in lending
    assert "default=timezone.now)" in texts[tmp_path / "torn" / "models.py"]
    tools = texts[tmp_path / "torn" / "tools" / "__init__.py"]
    assert "from torn.tools import orphan\n" in tools
    assert '__all__ = ["lending", "listing", "orphan"]' in tools
    # It shows what it did, and tells what is left for the author.
    assert "-    began = 2 * time.time()" in first.stderr
    assert "+    began = 2 * (ctx.clock.ms() / 1000)" in first.stderr
    left = [(each["id"], each["fixable"]) for each in json.loads(first.stdout)["findings"]]
    assert left == [("worlds.E201", False), ("worlds.E202", False)]  # stamp() has no context
    second = check(tmp_path, ["sound", "torn"], "--fix", "--format", "json")
    assert (second.stderr, json.loads(second.stdout)["findings"]) == ("", json.loads(first.stdout)["findings"])
    assert {file: file.read_text() for file in texts} == texts


def test_the_examples_of_code_in_the_documentation_are_found_and_left_alone_as_it_says(tmp_path):
    page = (Path(__file__).resolve().parents[2] / "docs" / "checks.md").read_text(encoding="utf-8")
    examples = {}
    for check_id, section in re.findall(
        r"^## worlds\.([EW]\d{3})[^\n]*\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE
    ):
        for kind, text in re.findall(r"^(Bad|Good):\n\n```python\n(.*?)```", section, re.DOTALL | re.MULTILINE):
            if "@tool" in text:
                examples[f"{kind}_{check_id}".lower()] = f"worlds.{check_id}"
                write(tmp_path, f"{kind}_{check_id}".lower(), (("tools/lending.py", "", f"+\n\n{text}"),))
    assert len(examples) == 16
    for text in re.findall(r"^```python\n(.*?)```", page, re.DOTALL | re.MULTILINE):
        ast.parse(text)  # of what is not about a tool, each is tried in the table
    document = json.loads(check(tmp_path, list(examples), "--format", "json").stdout)
    found = {name: {each["id"] for each in document["findings"] if each["world"] == name} for name in examples}
    assert found == {name: {check_id} if name.startswith("bad") else set() for name, check_id in examples.items()}
