"""Does what the documentation shows work, and does it name everything there is?"""

import asyncio
import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

import seahaven
from examples import rollouts
from tests.openenv.servers import Server
from worlds.crm.models import Lead
from worlds.engine import ToolError, installed

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def block(word):
    """The one block of the README that holds a word."""
    (found,) = [text for text in BLOCKS if word in text]
    return found


@pytest.fixture(scope="module")
def crm_server():
    with Server(worlds="worlds.crm") as running:
        yield running


def test_the_loop_over_a_server_runs_and_each_episode_is_graded(crm_server):
    rewards = []

    def run_policy(env):
        assert env.call("create_lead", email="ada@example.com").ok

    def grade(document):
        rewards.append(Counter(record["op"] for record in document["state"]["db"]["log"])["insert"])
        return 1.0

    code = block("SeahavenClient").replace("http://127.0.0.1:8000", crm_server.url).replace("range(100)", "range(3)")
    exec(code, {"run_policy": run_policy, "grade": grade})
    assert rewards == [1, 1, 1]


def test_the_loop_in_a_process_runs():
    seen: list[dict[str, Any]] = []

    def run_agent(inst):
        inst.call("create_lead", email="ada@example.com")

    names = {"rollout": 3, "run_agent": run_agent, "grade": seen.append}
    exec(block("run_agent"), names)
    assert seen[0]["seed"] == 3
    assert len(seen[0]["state"]["db"]["log"]) == 1


def test_what_the_readme_shows_of_an_instance_works():
    with seahaven.world("crm").instance("big_co", seed=1) as untouched, untouched.inspecting():
        before = Lead.objects.count()
    exec(block("inst.fork()"), {"world": seahaven.world("crm")})
    with seahaven.world("crm").instance("big_co", seed=1) as again, again.inspecting():
        assert Lead.objects.count() == before


def test_the_tool_in_the_readme_is_a_tool():
    code = block("def lend_book")
    refusal = code[code.index("class NotFound") : code.index("@tool")]
    names: dict[str, Any] = {"ToolError": ToolError}
    exec(refusal, names)
    assert names["NotFound"]("dune").to_dict()["code"] == "not_found"
    compile(code, "README.md", "exec")


def test_the_example_earns_what_its_policy_deserves(crm_server, capsys):
    rewards = asyncio.run(rollouts.rollouts(crm_server.url, "small_startup", 12))
    assert len(rewards) == 12
    assert max(rewards) == 1.0
    assert min(rewards) < 1.0
    assert rewards == asyncio.run(rollouts.rollouts(crm_server.url, "small_startup", 12))


def test_an_episode_runs_with_nothing_but_curl(crm_server):
    (commands,) = [text for text in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) if "curl" in text]
    commands = commands.replace("http://127.0.0.1:8000", crm_server.url)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands], capture_output=True, text=True, timeout=60, check=True
    )
    tools, called, diff, rewound = _documents(done.stdout)
    assert "create_lead" in {tool["name"] for tool in tools["results"]}
    assert (called["result"]["email"], called["changes"][0]["op"]) == ("ada@example.com", "insert")
    assert [change["table"] for change in diff["results"]] == ["leads"]
    assert rewound["call_count"] == 0
    with urlopen(f"{crm_server.url}/api/v1/instances") as response:
        assert json.load(response)["count"] == 0


def _documents(text):
    """The JSON documents that stand one after the other."""
    found, at = [], 0
    while at < len(text):
        document, at = json.JSONDecoder().raw_decode(text, at)
        found.append(document)
    return found


def test_every_setting_is_documented():
    source = (ROOT / "seahaven_site" / "settings.py").read_text()
    named = set(re.findall(r'env\.\w+\(\s*"(SEAHAVEN_\w+)"', source))
    shown = set(re.findall(r"^\| `(SEAHAVEN_\w+)`", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE))
    assert named == shown


def test_every_check_is_documented():
    source = (ROOT / "worlds" / "engine" / "checks.py").read_text()
    raised = set(re.findall(r'"(worlds\.[EW]\d{3})"', source))
    shown = set(re.findall(r"^\| `(worlds\.[EW]\d{3})`", (ROOT / "docs" / "checks.md").read_text(), re.MULTILINE))
    assert raised == shown


def test_every_fixture_the_readme_names_is_there():
    named = re.search(r"Frozen starting states \((.*?)\)", README)
    assert named
    assert set(re.findall(r"`(\w+)`", named[1])) <= set(installed.get("crm").fixture_ids())


def test_every_link_to_a_file_leads_to_one():
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_worlds_of_the_page_on_composition_work(capsys):
    text = (ROOT / "docs" / "composition.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(code, {"__name__": "docs"})
    assert capsys.readouterr().out == "america leads insert\neurope leads insert\n"
