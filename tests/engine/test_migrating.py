import hashlib
import json
from typing import Any

import pytest
from django.db.migrations.executor import MigrationExecutor

from tests.worlds.moved.models import Greeting, Person, Visit
from worlds.engine import FixtureError, WorldBug, fixtures, installed, migrating
from worlds.engine.db.pages import Pages
from worlds.engine.migrating import Migrations, workshop

moved = installed.get("moved")

OLDEST: list[dict[str, Any]] = [
    {"model": "moved.person", "pk": "p1", "fields": {"first_name": "Ada", "last_name": "L", "born_on": "1815-12-10"}},
    {"model": "moved.person", "pk": "p2", "fields": {"first_name": "Grace", "last_name": "H", "born_on": None}},
    {"model": "moved.visit", "pk": 1, "fields": {"person": "p1", "at": "2026-06-01T08:00:00Z"}},
    {"model": "moved.visit", "pk": 4, "fields": {"person": "p2", "at": "2026-06-01T08:30:00.250Z"}},
]


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"
    return tmp_path / "fixtures" / "moved"


@pytest.fixture
def old(folder):
    """Put a fixture on the shelf that was frozen under an older schema."""

    def write(rows=OLDEST, migration="0001_initial", sequences=None, **more):
        text = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
        counts: dict[str, int] = {}
        for row in rows:
            counts[row["model"]] = counts.get(row["model"], 0) + 1
        node = fixtures.NodeSidecar(
            world="moved",
            world_version="1.0.0",
            file="main.jsonl",
            sha256=hashlib.sha256(text).hexdigest(),
            migrations={"engine": "0001_initial", "moved": migration, **more},
            counts=counts,
            sequences={"visits": 7} if sequences is None else sequences,
        )
        sidecar = fixtures.Sidecar(
            format=1, id="old", world="moved", description="Old.", parent=None,
            now="2026-06-01T09:00:00.000Z", seq=3, nodes={"main": node},
        )  # fmt: skip
        return fixtures.write(folder / "old", sidecar, {"main": text})

    return write


def test_a_fixture_of_an_older_schema_is_carried_forward_and_keeps_its_data(old):
    old()
    with moved.instance("old") as inst, inst.inspecting():
        people = [(p.id, p.name, str(p.born_on), p.settings) for p in Person.objects.order_by("id")]
        assert people == [("p1", "Ada L", "1815-12-10", {}), ("p2", "Grace H", "None", {})]
        assert [(v.id, v.person_id, v.remark, v.at.isoformat()) for v in Visit.objects.order_by("id")] == [
            (1, "p1", "", "2026-06-01T08:00:00+00:00"),
            (4, "p2", "", "2026-06-01T08:30:00.250000+00:00"),
        ]
        assert inst.composition()["main"]["frozen_world_version"] == "1.0.0"
        assert inst.composition()["main"]["world_version"] == "3.0.0"


def test_every_older_schema_is_carried_forward(old):
    rows = [
        {"model": "moved.person", "pk": "p1", "fields": {"name": "Ada", "born_on": None, "settings": {"a": 1}}},
        {"model": "moved.visit", "pk": 1, "fields": {"person": "p1", "at": "2026-06-01T08:00:00Z"}},
    ]
    old(rows, "0002_one_name")
    with moved.instance("old") as inst, inst.inspecting():
        assert Person.objects.get().settings == {"a": 1}


def test_the_schema_is_the_same_whether_carried_forward_or_made_anew(old):
    old()
    with moved.instance("old") as carried, moved.instance() as blank:
        assert carried.composition()["main"]["schema_hash"] == blank.composition()["main"]["schema_hash"]


def test_numbers_given_out_before_the_schema_moved_are_not_given_out_again(old):
    old()
    with moved.instance("old") as inst:
        assert inst.call("visit", name="Ada L") == {"visit": 8}


def test_migrating_a_fixture_writes_it_under_the_present_schema_without_running_anything(old):
    before = old()
    assert not moved.is_current(before)
    assert moved.migrate_fixture("old")
    after = fixtures.get("moved", "old")
    assert moved.is_current(after)
    assert after.counts == {"moved.person": 2, "moved.visit": 2, "moved.greeting": 1}
    assert '"pk": "welcome"' in after.read_rows("main")[0], "the migration's greeting, and none of the startup hook"
    assert after.sidecar.nodes["main"].sequences["visits"] == 7
    assert after.sidecar.nodes["main"].world_version == "3.0.0"
    for name in ("id", "description", "parent", "now", "seq"):
        assert getattr(after.sidecar, name) == getattr(before.sidecar, name)
    assert json.loads(after.read_rows("main")[1]) == {
        "model": "moved.person",
        "pk": "p1",
        "fields": {"name": "Ada L", "born_on": "1815-12-10", "settings": {}},
    }
    assert not moved.migrate_fixture("old")
    with moved.instance("old") as inst:
        assert inst.call("visit", name="Ada L") == {"visit": 8}


def test_rows_of_a_migration_are_in_a_fixture_as_they_were_when_it_was_frozen():
    with moved.instance(now="2026-06-01T09:00:00Z") as inst:
        assert {row["id"] for row in inst.inspect().rows("SELECT id FROM greetings")} == {"welcome", "hello"}
        inst.freeze("both", "x")
        with inst.bulk():
            Greeting.objects.all().delete()
        inst.freeze("neither", "x")
    for fixture_id, greetings in (("both", {"welcome", "hello"}), ("neither", {"hello"})):
        with moved.instance(fixture_id) as inst:
            assert {row["id"] for row in inst.inspect().rows("SELECT id FROM greetings")} == greetings


def test_a_migration_the_project_does_not_have_is_refused_by_file_and_name(old):
    old(migration="0009_gone")
    with pytest.raises(FixtureError, match=r"fixture.yaml: nodes.main.migrations: migration moved.0009_gone is not in"):
        moved.instance("old")


def test_an_app_the_sidecar_does_not_name_is_made_on_the_way(old):
    fixture = old()
    text = (fixture.folder / "fixture.yaml").read_text()
    (fixture.folder / "fixture.yaml").write_text(text.replace("      engine: 0001_initial\n", ""))
    with moved.instance("old") as inst:
        assert inst.inspect().rows("SELECT * FROM seahaven_events") == []


def test_rows_of_another_schema_than_the_sidecar_says_are_refused_by_line(old):
    old(migration="0003_clubs")
    with pytest.raises(FixtureError, match=r"main.jsonl:1: moved.person has no field 'first_name'; "):
        moved.instance("old")


def test_an_old_row_that_refers_to_nothing_is_refused_by_line(old):
    rows = [*OLDEST, {"model": "moved.visit", "pk": 5, "fields": {"person": "p9", "at": "2026-06-01T08:00:00Z"}}]
    old(rows)
    with pytest.raises(FixtureError, match="main.jsonl:5: moved.visit.person is 'p9', and persons has no such row"):
        moved.instance("old")


def test_rows_the_migrations_cannot_carry_are_refused_by_file(old):
    twin = {"model": "moved.person", "pk": "p3", "fields": OLDEST[0]["fields"]}
    old([*OLDEST[:2], twin, *OLDEST[2:]])
    with pytest.raises(
        FixtureError, match="main.jsonl: its rows do not pass the migrations .*UNIQUE constraint failed"
    ):
        moved.instance("old")


def test_an_edit_to_a_migration_makes_a_new_image(tmp_path, monkeypatch):
    before = migrating.sources_digest(moved)
    assert migrating.sources_digest(moved) == before
    file = tmp_path / "0001_initial.py"
    file.write_text("changed")
    monkeypatch.setattr(migrating, "_folder", lambda label: tmp_path)
    changed = migrating.sources_digest(moved)
    file.write_text("changed again")
    assert len({before, changed, migrating.sources_digest(moved)}) == 3


def test_an_app_with_models_and_no_migrations_is_named_with_the_command(monkeypatch):
    world = installed.get("lab")

    class WithoutLeaves(MigrationExecutor):
        def __init__(self, connection):
            super().__init__(connection)
            self.loader.graph.leaf_nodes = lambda label: []

    monkeypatch.setattr(migrating, "MigrationExecutor", WithoutLeaves)
    with workshop(world, Pages()) as shop, pytest.raises(WorldBug, match="has models and no migrations; run"):
        Migrations(shop)


def test_no_table_of_djangos_own_is_in_a_store():
    with moved.instance() as inst:
        tables = {row["name"] for row in inst.inspect().rows("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        own = {"people", "visits", "memberships", "greetings", "seahaven_events"}
        assert tables - {"sqlite_sequence"} == own
