import hashlib
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.engine import shelf
from tests.engine.episodes import dump
from tests.engine.racing import race
from tests.engine.shelf import NOW, edit_rows, edit_sidecar, lab
from tests.worlds.lab.models import Item, Tag
from worlds.engine import World, WorldBug, images, installed

moved = installed.get("moved")


@pytest.fixture(autouse=True)
def folder(settings, tmp_path, monkeypatch):
    """Shelves of its own, and no image built yet."""
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"
    monkeypatch.setattr(images, "_built", {})
    monkeypatch.setattr(images, "_starting", {})
    return tmp_path


def files(folder):
    return {file.name: file.read_bytes() for file in (folder / "var" / "images").iterdir()}


def test_an_image_built_anew_has_the_same_bytes_under_the_same_name(folder, settings, monkeypatch):
    shelf.freeze()
    lab.prepare_fixture("small")
    first = files(folder)
    assert sorted(name.rpartition("-")[0] for name in first) == ["lab-blank", "lab-small"]
    for file in (folder / "var" / "images").iterdir():
        file.unlink()
    monkeypatch.setattr(images, "_built", {})
    monkeypatch.setattr(images, "_starting", {})
    lab.prepare_fixture(None)
    lab.prepare_fixture("small")
    assert files(folder) == first


def test_an_image_is_built_once_and_found_again_by_another_process(folder, monkeypatch):
    shelf.freeze()
    lab.prepare_fixture("small")
    monkeypatch.setattr(images, "_built", {})
    monkeypatch.setattr(images, "_starting", {})
    monkeypatch.setattr(images, "_build_fixture", lambda *args: 1 / 0)
    with lab.instance("small") as inst:
        assert len(inst.call("list_boxes")) == 2


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:5000], lambda data: data[: -images.PAGE]])
def test_an_image_that_lost_its_end_is_built_again(folder, monkeypatch, damage):
    shelf.freeze()
    lab.prepare_fixture("small")
    first = files(folder)
    (file,) = (folder / "var" / "images").glob("lab-small-*")
    file.write_bytes(damage(file.read_bytes()))
    monkeypatch.setattr(images, "_built", {})
    monkeypatch.setattr(images, "_starting", {})
    with lab.instance("small") as inst:
        assert len(inst.call("list_boxes")) == 2
    assert files(folder) == first


def test_two_processes_that_build_one_image_at_once_both_get_it(folder):
    shelf.freeze()
    complaints = race(
        "from django.conf import settings\n"
        "from worlds.engine import installed\n"
        "settings.SEAHAVEN_FIXTURES_DIR, settings.SEAHAVEN_VAR_DIR = map(Path, sys.argv[1:])\n",
        "with installed.get('lab').instance('small') as inst: assert len(inst.call('list_boxes')) == 2",
        folder / "fixtures",
        folder / "var",
    )
    assert complaints == ["", ""]
    assert sorted(name.rpartition("-")[0] for name in files(folder)) == ["lab-blank", "lab-small"]


def test_threads_that_want_a_new_image_at_once_build_it_once(monkeypatch):
    shelf.freeze()
    builds, build = [], images._build_fixture

    def counted(*args):
        builds.append(1)
        return build(*args)

    monkeypatch.setattr(images, "_build_fixture", counted)
    together = threading.Barrier(8)

    def start(_):
        together.wait()
        with lab.instance("small") as inst:
            return len(inst.call("list_boxes"))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(start, range(8))) == [2] * 8
    assert builds == [1]


@pytest.mark.parametrize("change", ["rows", "sidecar", "replaced", "gone"])
def test_a_fixture_that_changes_under_a_running_process_is_noticed(change):
    fixture = shelf.freeze()
    with lab.instance("small") as inst:
        assert inst.fixture == "small"
    if change == "rows":
        edit_rows(fixture, lambda rows: [row for row in rows if row["model"] != "engine.scheduledevent"])
    elif change == "sidecar":
        edit_sidecar(fixture, now="2027-01-01T00:00:00.000Z")
    elif change == "replaced":
        with lab.instance(now=NOW) as inst:
            inst.freeze("small", "Nothing.", replace=True)
    else:
        fixture.file("main").unlink()
        with pytest.raises(WorldBug, match="lacks this file"):
            lab.instance("small")
        return
    with lab.instance("small") as inst:
        boxes = inst.inspect().rows("SELECT * FROM boxes")
        events = inst.inspect().rows("SELECT * FROM seahaven_events")
        seen = {"rows": not events, "sidecar": inst.clock.iso() > "2027", "replaced": not boxes}
        assert [kind for kind, changed in seen.items() if changed] == (
            [change] if change != "replaced" else ["rows", change]
        )


def test_what_has_not_changed_is_not_read_again():
    shelf.freeze()
    for fixture_id in (None, "small"):
        first = images.starting_state(lab, fixture_id)
        assert images.starting_state(lab, fixture_id) is first


def test_instances_that_run_go_on_when_their_fixture_changes():
    fixture = shelf.freeze()
    with lab.instance("small") as inst:
        before = dump(inst)
        edit_rows(fixture, lambda rows: [row for row in rows if row["model"] == "lab.tag"])
        assert dump(inst) == before
        inst.call("make_box", name="more")
        inst.rewind(call=-1)
        assert dump(inst) == before


def test_an_instance_starts_where_the_fixture_was_frozen(folder):
    with lab.instance(now=NOW, seed=1) as inst:
        shelf.awkward(inst)
        inst.call("draw")
        fixture, end, seq = inst.freeze("small", "x"), inst.clock.iso(), inst.call("draw")["seq"]
    with lab.instance("small", seed=1) as inst:
        assert inst.clock.iso() == end
        assert (inst.change_log(), inst.call_count, inst.state()["fixture"]) == ([], 0, fixture.reference())
        assert inst.call("draw")["seq"] == seq
        assert inst.composition()["main"]["frozen_world_version"] == "1.0.0"
        digest = inst.state()["fixture"]["nodes"]["main"]["file_sha256"]
    assert hashlib.sha256(fixture.file("main").read_bytes()).hexdigest() == digest


def test_a_scheduled_event_is_frozen_and_runs_in_the_new_instance():
    shelf.freeze()
    with lab.instance("small", seed=2) as inst:
        assert inst.advance(hours=1) == 1
        (record,) = inst.change_log()
        assert (record["by"], record["table"], record["after"]["is_open"]) == ("event:close_box", "boxes", 0)


def test_numbers_are_not_given_out_twice_across_a_freeze():
    shelf.freeze()
    with lab.instance("small") as inst:
        assert inst.call("put_item", box="plain", label="four")["id"] == 4
        with inst.inspecting():
            assert sorted(Item.objects.values_list("id", flat=True)) == [1, 2, 4]


def test_a_fixture_of_a_fixture_names_its_parent_and_keeps_its_rows():
    shelf.freeze()
    with lab.instance("small") as inst:
        inst.call("make_box", name="more")
        child = inst.freeze("child", "One more box.")
    assert child.parent == "small"
    with lab.instance("child") as inst, inst.inspecting():
        assert Tag.objects.count() == 2
        assert len(inst.state()["fixture"]["nodes"]) == 1


def test_a_table_without_a_key_needs_a_word_that_it_is_not_tracked():
    world = World("lab", version="1")
    schema = images.starting_state(lab, None).schemas["main"]
    schema.without_key.append("loose")
    try:
        with pytest.raises(WorldBug, match="table loose has no primary key, .*or name it in untracked_tables"):
            images._require_keys(world, schema)
        images._require_keys(World("lab", version="1", untracked_tables=("loose",)), schema)
    finally:
        schema.without_key.remove("loose")


def test_a_long_build_reports_how_far_it_is():
    reports = []
    moved.build_fixture("a_crowd")
    moved.prepare_fixture("a_crowd", lambda *report: reports.append(report))
    whats, done, totals = zip(*reports, strict=True)
    assert set(whats) == {"moved/a_crowd"}
    assert list(done) == sorted(done)
    assert (done[-1], set(totals)) == (1202, {1202})


def test_whether_an_image_is_there_is_known_without_reading_rows(folder):
    fixture = shelf.freeze()
    assert not images.is_built(lab, fixture)
    lab.prepare_fixture("small")
    assert images.is_built(lab, fixture)
    twin = lab.instance("small")
    with twin:
        assert images.is_built(lab, twin.freeze("again", "The same rows."))
    edit_sidecar(fixture, main__counts={})
    changed = next(each for each in lab.fixtures() if each.id == "small")
    assert not images.is_built(lab, changed)
