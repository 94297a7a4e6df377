"""Do the protocol's own inspector and its conformance suite find what they expect?"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.openenv.servers import ROOT, Server

PACKAGES = ("node@22", "@modelcontextprotocol/inspector@2.12.0", "@modelcontextprotocol/conformance@0.1.16")
#: The others ask for tools, prompts and resources that no world has, and for what a world has no use for.
SCENARIOS = (
    "server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams",
    "dns-rebinding-protection",
)  # fmt: skip


@pytest.fixture(scope="module")
def programs():
    """The folder of the programs."""
    if shutil.which("npx") is None:
        pytest.skip("npx is missing; nodejs and npm bring it")
    command = ["npx", "--yes", *(f"--package={package}" for package in PACKAGES), "--", "sh", "-c", "command -v node"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        pytest.skip(f"npx cannot have {', '.join(PACKAGES)}: {done.stderr.strip().splitlines()[-1:]}")
    return Path(done.stdout.strip()).parent


@pytest.fixture(scope="module")
def bank():
    with Server(worlds="tests.worlds.bank") as running:
        yield f"{running.url}/mcp/bank"


def run(programs, tmp_path, program, *options):
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    command = [str(programs / program), *options]
    return subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def inspect(programs, tmp_path, *options):
    done = run(programs, tmp_path, "mcp-inspector", "--cli", *options)
    return json.loads(done.stdout) if done.stdout else done.stderr


def test_the_inspector_lists_and_calls_over_http(programs, bank, tmp_path):
    tools = inspect(programs, tmp_path, bank, "--transport", "http", "--method", "tools/list")["tools"]
    assert [tool["name"] for tool in tools][:2] == ["deposit", "read_balance"]
    call = (bank, "--transport", "http", "--method", "tools/call", "--tool-name")
    result = inspect(programs, tmp_path, *call, "deposit", "--tool-arg", "amount=5")
    assert result["structuredContent"] == {"result": 5}
    assert inspect(programs, tmp_path, *call, "boom")["isError"]


def test_the_inspector_starts_the_command_itself(programs, tmp_path):
    command = (sys.executable, str(ROOT / "manage.py"), "seahaven_mcp", "--world", "bank")
    variables = ("DJANGO_SETTINGS_MODULE=seahaven_site.settings", "SEAHAVEN_WORLDS=tests.worlds.bank")
    options = ("-e", variables[0], "-e", variables[1], "--method", "resources/list")
    resources = inspect(programs, tmp_path, *command, *options)["resources"]
    assert [resource["uri"] for resource in resources] == [
        "seahaven://bank/description", "seahaven://bank/fixtures", "seahaven://bank/schema",
    ]  # fmt: skip


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_conformance_suite_passes_what_concerns_a_world(programs, bank, tmp_path, scenario):
    done = run(programs, tmp_path, "conformance", "server", "--url", bank, "--scenario", scenario)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
