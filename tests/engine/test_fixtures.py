import threading

import pytest
import yaml
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.engine import shelf
from tests.engine.racing import race
from tests.engine.shelf import NOW, edit_sidecar, lab
from worlds.engine import FixtureError, WorldBug, fixtures


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = tmp_path / "var"
    return tmp_path / "fixtures" / "lab"


# On disk


def test_a_fixture_is_a_folder_of_two_readable_files(folder):
    fixture = shelf.freeze()
    assert fixture.folder == folder / "small"
    assert sorted(file.name for file in fixture.folder.iterdir()) == ["fixture.yaml", "main.jsonl"]
    assert [entry.name for entry in folder.iterdir()] == ["small"]
    sidecar = yaml.safe_load((fixture.folder / "fixture.yaml").read_text())
    assert list(sidecar) == ["format", "id", "world", "description", "parent", "now", "seq", "nodes"]
    assert sidecar | {"nodes": None} == {
        "format": 1,
        "id": "small",
        "world": "lab",
        "description": "A box with things in it.",
        "parent": None,
        "now": "2026-06-01T09:00:07.000Z",
        "seq": 1,
        "nodes": None,
    }
    assert sidecar["nodes"]["main"]["counts"] == {
        "engine.scheduledevent": 1, "lab.box": 2, "lab.item": 2, "lab.tag": 2, "lab.tag_boxes": 1,
    }  # fmt: skip
    assert sidecar["nodes"]["main"]["sequences"]["items"] == 3


def test_rows_are_one_json_object_a_line_sorted_by_model_and_key():
    lines = shelf.freeze().read_rows("main")
    places = [(line.split('"')[3], line.split('"pk": ')[1].split(",")[0]) for line in lines]
    assert places == sorted(places)
    assert len(lines) == 8


def test_a_fixture_says_what_it_holds():
    shelf.freeze()
    (fixture,) = lab.fixtures()
    assert (fixture.id, fixture.parent, fixture.now) == ("small", None, "2026-06-01T09:00:07.000Z")
    assert (fixture.description, fixture.counts["lab.box"]) == ("A box with things in it.", 2)


@given(st.text(min_size=1, max_size=60).filter(str.strip))
@hypothesis_settings(max_examples=150)
def test_any_description_is_read_as_it_was_written(tmp_path_factory, description):
    sidecar = fixtures.Sidecar(
        format=1, id="x", world="lab", description=description, parent=None, now=NOW, seq=0,
        nodes={"main": fixtures.NodeSidecar(
            world="lab", world_version="1", file="main.jsonl", sha256="0" * 64, migrations={}, counts={}
        )},
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("d") / "x"
    fixtures.write(folder, sidecar, {"main": b""})
    assert fixtures.load(folder, "lab").description == description


def test_a_description_of_several_lines_is_a_block_a_person_can_read(folder):
    with lab.instance(now=NOW) as inst:
        inst.freeze("told", "A story.\n\nIn two parts: the é, and the rest.\n")
    text = (folder / "told" / "fixture.yaml").read_text()
    assert "description: |-\n  A story.\n\n  In two parts: the é, and the rest.\n" in text
    assert lab.fixtures()[0].description == "A story.\n\nIn two parts: the é, and the rest."


@pytest.mark.parametrize("fixture_id", ["on", "123", "1e3", "null", "my fixture", "v1.0-b_2", "2026-06-01"])
def test_ids_that_yaml_would_read_as_something_else_stay_text(fixture_id):
    with lab.instance(now=NOW) as inst:
        inst.freeze(fixture_id, "x")
    assert lab.fixture_ids() == [fixture_id]
    with lab.instance(fixture_id) as inst:
        assert inst.fixture == fixture_id


@pytest.mark.parametrize("fixture_id", ["", "a/b", "..", "é", "con.txt", " x", "x" * 129, 5])
def test_an_id_that_is_no_folders_name_is_refused(fixture_id):
    with pytest.raises(WorldBug, match="is not a fixture id: "):
        lab.instance(fixture_id)
    with lab.instance() as inst, pytest.raises(WorldBug, match="is not a fixture id: "):
        inst.freeze(fixture_id, "x")


def test_listing_reads_sidecars_only_and_passes_over_hidden_and_empty_folders(folder):
    fixture = shelf.freeze()
    fixture.file("main").write_text("damaged")
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "fixture.yaml").write_text("")
    (folder / "empty").mkdir()
    (folder / "a_file").write_text("")
    assert [each.id for each in lab.fixtures()] == ["small"]


def test_a_world_without_a_folder_has_no_fixtures():
    assert lab.fixtures() == []
    assert lab.fixture_ids() == []


def test_fixtures_built_on_demand_are_found_beside_the_committed_ones_which_come_first(folder, settings):
    on_demand = settings.SEAHAVEN_VAR_DIR / "fixtures" / "lab"
    shelf.freeze("committed")
    shelf.freeze("both", folder=on_demand)
    shelf.freeze("huge", folder=on_demand)
    assert fixtures.get("lab", "both").folder == on_demand / "both"
    shelf.freeze("both", folder=folder)
    assert lab.fixture_ids() == ["both", "committed", "huge"]
    assert fixtures.get("lab", "both").folder == folder / "both"
    assert fixtures.get("lab", "huge").folder == on_demand / "huge"


# Refusals


def refused(match, fixture_id="small"):
    with pytest.raises(FixtureError, match=match) as error:
        lab.instance(fixture_id)
    return str(error.value)


def test_a_missing_fixture_is_named_with_the_nearest_and_all_there_are():
    assert "it has: none" in refused("world lab has no fixture 'small'")
    shelf.freeze()
    shelf.freeze("other")
    refused("world lab has no fixture 'smal'; did you mean 'small'\\? it has: other, small", "smal")


def test_a_fixture_that_only_has_a_recipe_is_refused_with_the_command_that_builds_it():
    from worlds.engine import installed

    with pytest.raises(FixtureError, match="not built yet; run `manage.py seahaven_fixture build moved a_crowd`"):
        installed.get("moved").instance("a_crowd")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1", "fixture.yaml: cannot be read as YAML: .*line 1"),
        ("", "fixture.yaml: the document: "),
        ("- 1", "fixture.yaml: the document: "),
        ("!!python/object:os.system {}", "fixture.yaml: cannot be read as YAML"),
        ("\x00", "fixture.yaml: cannot be read as YAML"),
    ],
)
def test_a_sidecar_that_is_no_yaml_document_is_refused_by_file_and_line(text, message):
    (shelf.freeze().folder / "fixture.yaml").write_text(text)
    assert "restore" in refused(message)
    with pytest.raises(FixtureError, match=message):
        lab.fixtures()


def test_a_sidecar_that_is_no_utf_8_is_refused():
    (shelf.freeze().folder / "fixture.yaml").write_bytes(b"\xff\xfe\x00")
    refused("fixture.yaml: cannot be read as YAML")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stray": 1}, "fixture.yaml: stray: "),
        ({"main__stray": 1}, "fixture.yaml: nodes.main.stray: "),
        ({"format": 2}, "fixture.yaml: format: "),
        ({"seq": -1}, "fixture.yaml: seq: "),
        ({"seq": "1"}, "fixture.yaml: seq: "),
        ({"nodes": {}}, "fixture.yaml: nodes: "),
        ({"description": ""}, "fixture.yaml: description: "),
        ({"main__sha256": "x"}, "fixture.yaml: nodes.main.sha256: "),
        ({"main__file": "../../etc/passwd.jsonl"}, "fixture.yaml: nodes.main.file: "),
        ({"main__counts": {"lab.box": "2"}}, "fixture.yaml: nodes.main.counts.lab.box: "),
        ({"id": "other"}, "fixture.yaml: id is 'other' in a folder named 'small'; make them equal"),
        ({"world": "bank"}, "fixture.yaml: it belongs to world 'bank', not 'lab'; move it to"),
        ({"main__world": "bank"}, "fixture.yaml: nodes.main.world is 'bank', not 'lab'; freeze it again"),
        ({"now": "2026-06-01 09:00"}, "fixture.yaml: now is '2026-06-01 09:00'; write it as 2026-06-01T09:00:00.000Z"),
        ({"now": "2026-13-01T09:00:00.000Z"}, "fixture.yaml: now is '2026-13-01T09:00:00.000Z'; write it as"),
    ],
)
def test_a_sidecar_that_does_not_fit_is_refused_by_file_and_field(changes, message):
    edit_sidecar(shelf.freeze(), **changes)
    refused(message)


def test_a_sidecar_of_other_nodes_is_refused():
    fixture = shelf.freeze()
    text = (fixture.folder / "fixture.yaml").read_text()
    (fixture.folder / "fixture.yaml").write_text(text.replace("  main:\n", "  payments:\n"))
    refused("fixture.yaml: it holds rows of nodes.payments, which world lab does not embed; embed it again")


def test_rows_that_changed_after_freezing_are_refused():
    fixture = shelf.freeze()
    fixture.file("main").write_bytes(fixture.file("main").read_bytes().replace(b"12345.67", b"12345.68"))
    refused("main.jsonl: its SHA-256 is [0-9a-f]{12}…, fixture.yaml says .*restore the file from version control")


def test_missing_rows_are_refused():
    fixture = shelf.freeze()
    fixture.file("main").unlink()
    refused("main.jsonl: fixture 'small' lacks this file; restore it")


@pytest.mark.parametrize("name", ["main.jsonl", "fixture.yaml"])
def test_a_link_in_the_place_of_a_file_is_refused(tmp_path, name):
    file = shelf.freeze().folder / name
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    refused(f"{name}: it is a link; put the file itself there")


def test_rows_that_are_no_utf_8_are_refused():
    import hashlib

    fixture = shelf.freeze()
    fixture.file("main").write_bytes(b'{"\xff')
    edit_sidecar(fixture, main__sha256=hashlib.sha256(b'{"\xff').hexdigest())
    refused("main.jsonl: byte 2 is no UTF-8; restore")


def test_a_start_before_the_fixture_is_refused_and_one_after_it_is_not():
    shelf.freeze()
    with pytest.raises(WorldBug, match="now is 2026-06-01T09:00:06.999Z, before fixture 'small' was frozen at 2026"):
        lab.instance("small", now="2026-06-01T09:00:06.999Z")
    with lab.instance("small", now="2026-06-04T09:00:00Z") as inst:
        assert inst.clock.iso() == "2026-06-04T09:00:00.000Z"
        assert inst.advance(seconds=0) == 1, "what came due while nobody played runs first"


# Writing


def test_an_id_of_a_fixture_built_on_demand_is_taken_too(folder, settings):
    shelf.freeze("huge", folder=settings.SEAHAVEN_VAR_DIR / "fixtures" / "lab")
    with lab.instance() as inst, pytest.raises(FixtureError, match="fixture 'huge' exists already"):
        inst.freeze("huge", "Another.")


def test_a_fixture_is_not_overwritten(folder):
    fixture = shelf.freeze()
    before = fixture.file("main").read_bytes()
    with lab.instance() as inst, pytest.raises(FixtureError, match="fixture 'small' exists already; choose another id"):
        inst.freeze("small", "Another.")
    assert fixture.file("main").read_bytes() == before
    assert [entry.name for entry in folder.iterdir()] == ["small"]


def test_a_writer_that_was_not_told_to_replace_gives_way_to_a_quicker_one(folder):
    fixture = shelf.freeze()
    before = fixture.file("main").read_bytes()
    with pytest.raises(FixtureError, match="fixture 'small' exists already"):
        fixtures.write(fixture.folder, fixture.sidecar, {"main": b""})
    assert fixture.file("main").read_bytes() == before
    assert [entry.name for entry in folder.iterdir()] == ["small"]


def test_a_fixture_may_be_replaced_and_the_old_one_is_gone(folder):
    shelf.freeze()
    with lab.instance(now=NOW) as inst:
        inst.freeze("small", "Empty now.", replace=True)
    assert lab.fixtures()[0].counts == {}
    assert [entry.name for entry in folder.iterdir()] == ["small"]


def test_a_fixture_that_cannot_be_written_leaves_the_old_one_and_nothing_half_done(folder, monkeypatch):
    before = shelf.freeze().file("main").read_bytes()
    monkeypatch.setattr(fixtures.yaml, "dump", lambda *args, **options: 1 / 0)
    with lab.instance(now=NOW) as inst, pytest.raises(ZeroDivisionError):
        inst.freeze("small", "x", replace=True)
    assert (folder / "small" / "main.jsonl").read_bytes() == before
    assert [entry.name for entry in folder.iterdir()] == ["small"]


def test_what_a_killed_writer_left_behind_is_in_nobodys_way(folder, monkeypatch):
    monkeypatch.setattr(fixtures.os, "getpid", lambda: 7)
    folder.mkdir(parents=True)
    (folder / f".small.7.{threading.get_ident()}.pending").mkdir()
    shelf.freeze()
    assert lab.fixture_ids() == ["small"]


def test_two_processes_that_write_one_fixture_at_once_leave_it_whole(folder):
    with lab.instance(now=NOW) as inst:
        fixture = inst.freeze("small", "Empty.")
    complaints = race(
        "from worlds.engine import fixtures\n"
        "target = Path(sys.argv[1])\n"
        "sidecar = fixtures.load(target, 'lab').sidecar\n",
        "for _ in range(200): fixtures.write(target, sidecar, {'main': b''}, replace=True)",
        fixture.folder,
    )
    assert complaints == ["", ""]
    assert [entry.name for entry in folder.iterdir()] == ["small"]
    assert fixtures.load(fixture.folder, "lab").read_rows("main") == []
