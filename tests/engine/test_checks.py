import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from django.core.checks import run_checks

from tests.engine import shelf
from tests.engine.shelf import edit_sidecar
from worlds.engine import checks, fixtures, installed

SHOP = {
    "__init__": "",
    "apps": """
        from worlds.engine import World, WorldConfig

        class Config(WorldConfig):
            name = "shop"
            world = World("shop", version="1")
        """,
    "models": """
        import uuid
        from django.db import models

        class Product(models.Model):
            id = models.TextField(primary_key=True, default=uuid.uuid4)
            name = models.TextField()
            added = models.TextField(default="")

            class Roles:
                bookkeeping = ("aded",)
        """,
    "tools/__init__": """
        import time
        from worlds.engine import Ctx, installed, tool

        @tool
        def look(ctx: Ctx) -> float:
            installed.get("shop").instance()
            return time.time()

        @tool
        def measure(ctx: Ctx) -> None:
            '''Measure.'''
            time.perf_counter()  # worlds.E201: only measured
        """,
    "tools/orphan": "",
    "migrations/__init__": "",
    "migrations/0001_initial": """
        from django.db import migrations, models

        class Migration(migrations.Migration):
            initial = True
            operations = [
                migrations.CreateModel("Product", [
                    ("id", models.TextField(primary_key=True)),
                    ("name", models.TextField()),
                ]),
            ]
        """,
}
CHECK = """
import json, django
django.setup()
from django.core.checks import run_checks
print(json.dumps([[m.id, m.msg, m.hint] for m in run_checks(tags=["worlds"])]))
"""


def test_what_an_author_gets_wrong_in_silence_is_said_with_the_edit_to_make(tmp_path):
    for name, text in SHOP.items():
        file = tmp_path / "shop" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
    run = subprocess.run(
        [sys.executable, "-c", CHECK],
        env={
            "PYTHONPATH": os.pathsep.join(map(str, (tmp_path, Path(__file__).resolve().parents[2]))),
            "DJANGO_SETTINGS_MODULE": "seahaven_site.settings",
            "SEAHAVEN_WORLDS": "shop",
            "SEAHAVEN_VAR_DIR": str(tmp_path / "var"),
            "SEAHAVEN_FIXTURES_DIR": str(tmp_path / "fixtures"),
        },
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    found = {check_id: (message, hint) for check_id, message, hint in json.loads(run.stdout)}
    place = tmp_path / "shop"
    assert found == {
        "worlds.E101": (
            "world shop: its models have changed since its last migration: Add field added to product, "
            "Alter field id on product",
            "run `manage.py makemigrations shop`, then `manage.py seahaven_fixture migrate shop`",
        ),
        "worlds.E102": (
            "shop.Product.Roles.bookkeeping names 'aded', which is no field of the model",
            "name fields of this model, each once",
        ),
        "worlds.E201": (f"{place}/tools/__init__.py:8: time.time reads the host's clock", "use ctx.clock.ms()"),
        "worlds.E202": (f"{place}/models.py:6: uuid.uuid4 draws chance that no seed replays", "use ctx.ids.uuid()"),
        "worlds.W203": (
            "tool look of world shop has no description",
            "write a docstring for shop.tools.look: it is what the agent reads",
        ),
        "worlds.E204": (
            f"{place}/tools/__init__.py:7: an instance cannot be made inside a tool call",
            "work on ctx and the models; tests make instances",
        ),
        "worlds.E301": (
            f"{place}/tools/orphan.py:1: module shop.tools.orphan is never imported",
            "write `from shop.tools import orphan` in its package's __init__.py, or remove the file",
        ),
    }
    assert len(json.loads(run.stdout)) == len(found)


def test_worlds_that_are_in_order_give_no_finding():
    # The committed fixtures among them.
    assert run_checks(tags=[checks.TAG]) == []


@pytest.fixture
def small(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"
    return shelf.freeze()


def findings():
    return [(found.id, found.msg, found.hint) for found in checks.check_fixtures(None)]


def test_a_sound_fixture_gives_no_finding(small):
    assert findings() == []


def test_a_damaged_sidecar_is_found_and_the_other_fixtures_are_still_looked_at(small):
    edit_sidecar(small, now="soon")
    other = shelf.freeze("other")
    other.file("main").write_text("changed")
    (first, second) = findings()
    assert first[0] == "worlds.E402"
    assert f"{other.file('main')}: its SHA-256 is" in first[1]
    assert second == (
        "worlds.E401",
        f"{small.folder}/fixture.yaml: now is 'soon'; write it as 2026-06-01T09:00:00.000Z",
        "restore fixture.yaml, or freeze the fixture again",
    )


def test_rows_of_an_older_schema_are_a_warning_with_the_command(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"
    installed.get("moved").build_fixture("a_visitor")
    edit_sidecar(fixtures.get("moved", "a_visitor"), main__migrations={"moved": "0002_one_name"})
    ((check_id, message, hint),) = findings()
    assert check_id == "worlds.W403"
    assert "its rows are of moved.0002_one_name; each image of it is migrated anew" in message
    assert hint == "run `manage.py seahaven_fixture migrate moved a_visitor`"


def test_only_the_apps_asked_about_are_checked(small):
    from django.apps import apps

    edit_sidecar(small, now="soon")
    assert checks.check_fixtures([apps.get_app_config("bank")]) == []
    assert len(checks.check_fixtures([apps.get_app_config("lab")])) == 1
