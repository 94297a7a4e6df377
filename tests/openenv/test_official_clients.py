"""Do the clients and the validator of the official `openenv` package work with this server, unchanged?"""

import subprocess

import pytest

from tests.openenv.servers import ROOT

BIN = ROOT / ".venv-openenv" / "bin"


def run(*command):
    assert BIN.is_dir(), "the official client is not installed; run `make setup`"
    done = subprocess.run([BIN / command[0], *command[1:]], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("script", ["generic", "tool_client", "auto", "harness"])
def test_the_official_clients_drive_the_server(server, script):
    run("python", str(ROOT / "tests" / "openenv" / "official" / f"{script}.py"), server.url)


def test_they_find_a_world_under_its_own_path(server):
    run("python", str(ROOT / "tests" / "openenv" / "official" / "generic.py"), f"{server.url}/worlds/bank")


def test_the_official_validator_passes_every_item(server):
    report = run("openenv", "validate", "--url", server.url)
    assert report.count("PASS  ") == 6
    assert "Verdict: PASS" in report
