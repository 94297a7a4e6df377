import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine import breaks_of_code, breaks_of_worlds
from tests.engine.broken_worlds import write

BREAKS = [*breaks_of_code.BREAKS, *breaks_of_worlds.BREAKS]
ROOT = Path(__file__).resolve().parents[2]


def check(folder, worlds, *options, command="seahaven_check"):
    """What a command says of worlds in a folder, in a process of its own."""
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), command, *options],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(map(str, (folder, ROOT))),
            "SEAHAVEN_WORLDS": ",".join(worlds),
            "SEAHAVEN_VAR_DIR": str(folder / "var"),
            "SEAHAVEN_FIXTURES_DIR": str(folder / "fixtures"),
        },
        cwd=folder,
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """Every broken world beside a sound one, checked together: (their folder, the findings by world)."""
    folder = tmp_path_factory.mktemp("worlds")
    write(folder, "sound")
    for each in BREAKS:
        write(folder, each.name, each.edits)
    found: dict[str, list] = {name: [] for name in ("sound", *(each.name for each in BREAKS))}
    for is_apart in (False, True):
        names = [each.name for each in BREAKS if each.is_apart == is_apart]
        run = check(folder, ["sound", *names], "--format", "json")
        assert run.returncode == 1, run.stderr
        for finding in json.loads(run.stdout)["findings"]:
            found[finding["world"]].append(finding)
    return folder, found


@pytest.mark.parametrize("case", BREAKS, ids=lambda case: case.name)
def test_a_broken_world_gets_this_id_at_this_place_with_this_edit_and_nothing_else(broken, case):
    folder, found = broken
    ((finding),) = found[case.name]
    file = Path(case.name) / case.file if not case.file.endswith((".yaml", ".jsonl", "-wal")) else None
    file = file or Path("fixtures") / case.name / "full" / case.file
    file = Path(os.path.normpath(file))
    assert (finding["id"], finding["path"]) == (case.id, str(file))
    if case.at:
        text = (folder / file).read_text()
        assert finding["line"] == text[: text.index(case.at.replace("WORLD", case.name))].count("\n") + 1
    assert finding["hint"].startswith(case.hint.replace("WORLD", case.name)), finding["hint"]
    assert case.says in finding["message"]
    assert finding["severity"] == ("error" if case.id.startswith("worlds.E") else "warning")


def test_djangos_own_check_tells_it_too_with_no_traceback(broken):
    run = check(broken[0], ["sound", "no_such_module"], command="check")
    line = (broken[0] / "no_such_module" / "tools" / "lending.py").read_text().splitlines().index("import requets") + 1
    assert (
        f"no_such_module/tools/lending.py:{line}: (worlds.E302) world no_such_module cannot be loaded: "
        "ModuleNotFoundError: No module named 'requets'\n\tHINT: correct the name, or install what provides requets"
    ) in run.stderr
    assert "Traceback" not in run.stderr
    assert run.returncode == 1


def test_a_world_that_is_not_there_is_named_with_the_setting(broken):
    run = check(broken[0], ["sound", "nowhere"])
    assert run.stdout.splitlines()[0] == (
        "nowhere worlds.E302 error world nowhere cannot be loaded: Python finds no app nowhere"
        " / fix: correct its name in settings.WORLDS, or write it with `manage.py seahaven_new nowhere`"
    )


def test_any_other_command_ends_with_what_was_raised(broken):
    run = check(broken[0], ["no_such_module"], "list", command="seahaven_fixture")
    assert run.returncode == 1
    assert "ModuleNotFoundError: No module named 'requets'" in run.stderr


def test_a_sound_world_beside_them_gets_no_finding(broken):
    assert broken[1]["sound"] == []


def test_forty_ways_and_more_are_tried_each_once():
    assert len({each.name for each in BREAKS}) == len(BREAKS) >= 40
