"""Does `manage.py seahaven_new` write a world that works at once, in a project of one's own, or else nothing?"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from seahaven.openenv import SeahavenClient
from tests.engine.fresh_project import CHECKOUT, Project
from worlds.engine.errors import WorldBug
from worlds.engine.scaffold.example import example
from worlds.engine.scaffold.layout import laid_out
from worlds.engine.scaffold.place import Place, place_of
from worlds.engine.scaffold.writing import write


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with a world named library, written and listed as the command says."""
    made = Project(tmp_path_factory.mktemp("fresh"))
    said = made.run("manage.py", "seahaven_new", "library", "--description", 'It lends "books".')
    assert 'add "library" to the worlds of add_seahaven' in said
    assert "small (12 rows)" in said
    made.install("library")
    return made


def test_a_world_is_written_whole(project: Project) -> None:
    parts = {"admin", "apps", "errors", "events", "fixtures", "models", "tasks", "migrations/0001_initial"}
    files = project.files()

    assert {f"library/{part}.py" for part in parts} <= files
    assert {"library/AGENTS.md", "fixtures/library/small/fixture.yaml", "tests/library/test_contract.py"} <= files
    assert not [name for name in files if "pending" in name]
    agents = (project.root / "library" / "AGENTS.md").read_text()
    assert "python manage.py check --tag worlds" in agents
    assert 'It lends "books".' in agents


def test_it_passes_its_tests_the_checks_and_the_linter(project: Project) -> None:
    tests = project.start("-m", "pytest", "tests/library")
    assert project.ruff("library", "tests") == ""
    assert "no issues" in project.run("manage.py", "check", "--fail-level", "WARNING")
    output, _ = tests.communicate(timeout=120)

    assert tests.returncode == 0, output
    assert re.search(r"2\d passed", output)


def test_it_is_served_over_openenv(project: Project) -> None:
    server = project.start("manage.py", "seahaven_serve", "--port", "0")
    try:
        assert server.stdout is not None
        url = next(found for line in server.stdout if (found := re.search(r"http://[\d.]+:\d+", line)))[0]
        with SeahavenClient(base_url=url) as env:
            begun = env.reset(fixture="small", seed=1)
            made = env.call("create_item", name="Label printer").result
            log = env.state()["state"]["db"]["log"]
    finally:
        server.terminate()
        server.communicate(timeout=30)

    assert begun.metadata["world"] == "library"
    assert [(record["table"], record["op"], record["after"]["name"]) for record in log] == [
        ("items", "insert", made["name"])
    ]


def test_nothing_is_overwritten(project: Project) -> None:
    before = project.files()
    project.install()  # the app is there, and not installed
    try:
        said = project.run("manage.py", "seahaven_new", "library", fails=True)
    finally:
        project.install("library")

    assert re.search(r"CommandError: \S+/library exists already; nothing is overwritten: remove it", said)
    assert project.files() == before


def test_a_world_that_does_not_pass_its_trial_leaves_nothing_behind(tmp_path: Path) -> None:
    place = Place(
        "broken", "broken", "broken", tmp_path, tmp_path / "broken", tmp_path / "tests/broken", tmp_path / "f", False
    )
    files = example(place, "It is broken.")
    models = Path("broken/models.py")
    files[models] = files[models].replace("max_length=100", 'max_length="long"')

    with pytest.raises(WorldBug, match=r"(?s)nothing was written.*max_length"):
        write(place, files)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Library", "write library"),
        ("my-library", "write my_library"),
        ("parcelService", "write parcel_service"),
        ("2nd", "letters a to z"),
        ("a__b", "write a_b"),
        ("ünder", "write nder"),
        ("", "choose a short noun"),
        ("x" * 41, "more than 40 characters"),
        ("class", "a keyword of Python; write class_world"),
        ("match", "a keyword of Python"),
        ("json", "Python's own module json has it; write json_world"),
        ("engine", "a word of the framework; write engine_world"),
        ("crm", "a world named crm is installed already"),
        ("sessions", "django.contrib.sessions has the label sessions; choose another name, or --label"),
        ("stripe_key", "stripe_key exists already; nothing is overwritten"),
    ],
)
def test_a_name_that_does_not_do_is_refused_with_what_would(name: str, said: str) -> None:
    with pytest.raises(WorldBug, match=re.escape(said)):
        place_of(name)


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("no/such", "there is no folder"),
        ("..", "is outside of"),
        (".ci", "'.ci' cannot be a Python package"),
    ],
)
def test_a_folder_that_does_not_do_is_refused_with_what_would(folder: str, said: str) -> None:
    with pytest.raises(WorldBug, match=re.escape(said)):
        place_of("library", folder=folder)


def test_a_name_that_hides_a_module_is_refused_outside_of_packages() -> None:
    assert place_of("yaml").package == "worlds.yaml"
    with pytest.raises(WorldBug, match="Python has a module yaml already"):
        place_of("yaml", folder=".")


def test_a_label_keeps_an_app_apart_from_another_of_its_name() -> None:
    assert place_of("sessions", label="sessions_world").label == "sessions_world"


def test_in_this_checkout_a_world_goes_beside_the_others_in_the_order_of_its_linter(tmp_path: Path) -> None:
    place = place_of("library")
    assert place.app == Path(settings.BASE_DIR) / "worlds" / "library"

    for name, content in example(place, "It lends books.").items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    ruff = [str(Path(sys.executable).with_name("ruff")), "check", "-q", "--config", str(CHECKOUT / "pyproject.toml")]
    done = subprocess.run([*ruff, str(tmp_path)], capture_output=True, text=True, check=False)

    assert done.stdout == ""
    conftest = (tmp_path / "tests/library/conftest.py").read_text()
    assert "DJANGO_SETTINGS_MODULE" not in conftest


def test_two_worlds_share_no_name_that_django_wants_but_once() -> None:
    names = [
        set(
            re.findall(
                r'(?:(?<!_)name=|Status, )"(\w+)"', example(place, "")[place.app.relative_to(place.root) / "models.py"]
            )
        )
        for place in (place_of("library"), place_of("a_library_that_is_named_at_great_length"))
    ]

    assert len(names[0]) == len(names[1]) == 4
    assert not names[0] & names[1]
    assert max(len(name) for found in names for name in found if name.endswith("_created")) <= 30


def test_long_statements_are_folded_and_unused_imports_dropped() -> None:
    long = ", ".join(f"argument_{number}={number}" for number in range(12))
    code = f'import os\nimport json\nfrom b import c, A, d\nfrom a import e\nx = json.make(c({long}), A, e)["key"]\n'

    assert laid_out(code, first_party={"a"}).split("\n")[:6] == [
        "import json",
        "",
        "from b import A, c",
        "",
        "from a import e",
        "",
    ]
    assert laid_out(code, first_party={"a"}).endswith('    A,\n    e,\n)["key"]\n')
