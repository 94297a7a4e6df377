"""Does what docs/fidelity.md shows work, from the first command to the last?"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from seahaven.fidelity import differences
from tests.fidelity.standing_in import exchanges, served

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "fidelity.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)


def block(language, word):
    """The one block of a language that holds a word."""
    (found,) = [text for kind, text in BLOCKS if kind == language and word in text]
    return found


def manage(command, folder, **options) -> tuple[Any, Any]:
    arguments = command.split()[1:]
    return [sys.executable, str(ROOT / "manage.py"), *arguments], {"cwd": folder, "text": True, **options}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fidelity")


@pytest.fixture(scope="module")
def tape(folder):
    """What the page records, of a world that stands for Stripe."""
    pytest.importorskip("stripe")
    import seahaven

    with seahaven.world("stripe").instance(seed=4, clock_mode="running") as real, served(real) as url:
        command = block("sh", "seahaven_record").strip().replace("https://api.stripe.com", url).replace("9000", "0")
        arguments, options = manage(command, folder, stdout=subprocess.PIPE, env={**os.environ})
        with subprocess.Popen(arguments, **options) as process:
            assert process.stdout
            here = re.search(r" at (http://\S+) to customers.yaml$", process.stdout.readline().strip())
            assert here
            exec(block("python", "StripeClient").replace("http://127.0.0.1:9000", here[1]), {})
            process.send_signal(signal.SIGINT)
            assert process.stdout.read() == "6 exchanges in customers.yaml\n"
        assert process.returncode == 0
    return folder / "customers.yaml"


def test_the_recording_is_as_the_page_shows_one(tape, tmp_path):
    shown = tmp_path / "shown.yaml"
    heading = tape.read_text().partition("---\nexchange")[0]
    shown.write_text(heading + block("yaml", "exchange: 1 "))
    (one,) = exchanges(shown)
    first = exchanges(tape)[0]
    assert (first.request.path, first.response.status) == (one.request.path, one.response.status)
    assert first.request.header("authorization") == one.request.header("authorization")
    assert one.request.body.value.items() <= first.request.body.value.items()


def test_the_commands_report_and_exit_as_the_page_says(tape, folder):
    (folder / "allowed.yaml").write_text(block("yaml", "risk_score"))
    plain = block("sh", "--seed 1").strip()
    declared = block("sh", "--differences").strip()
    script = (
        "import sys; from django.core.management import execute_from_command_line as run\n"
        "import django; django.setup()\n"
        "for line in sys.argv[1:]:\n"
        "    try: run(line.split()); print('exit 0', flush=True)\n"
        "    except SystemExit as end: print(f'exit {end.code}', flush=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, plain, declared, f"{plain} --json", declared.replace("customers", "others")],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "seahaven_site.settings"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    first, second, third, last = re.split(r"(?<=exit \d)\n", done.stdout.strip() + "\n")[:4]
    shape = [re.sub(r"ch_\w+|recorded.*", "…", line) for line in block("text", "undeclared").splitlines()]
    assert [re.sub(r"ch_\w+|recorded.*", "…", line) for line in first.splitlines()] == [*shape, "exit 1"]
    assert "0 undeclared differences, 2 declared" in second
    assert second.endswith("exit 0")
    assert '"faithful": false' in third
    assert last == "exit 2"
    assert "others.yaml cannot be read" in done.stderr


def test_the_test_of_a_world_passes(tape, folder, monkeypatch):
    (folder / "allowed.yaml").write_text(block("yaml", "risk_score"))
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    exec(block("python", "assert_faithful"), names)
    names["test_customers_are_as_stripe_has_them"]()


def test_the_tools_of_the_page_are_declared_as_it_says():
    routes = differences.of(yaml.safe_load(block("yaml", "create_lead"))).tools
    assert [route.tool for route in routes] == ["create_lead", "get_lead"]


def test_every_option_is_in_the_page():
    for name in ("seahaven_record", "seahaven_fidelity"):
        source = (ROOT / "seahaven" / "fidelity" / "management" / "commands" / f"{name}.py").read_text()
        for option in re.findall(r'"(--[\w-]+)"', source):
            assert option in PAGE, option
