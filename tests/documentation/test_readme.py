"""Does what the README shows work?"""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections import Counter
from typing import Any
from urllib.request import urlopen

import pytest

import seahaven
from examples import rollouts
from tests.documentation.blocks import blocks
from tests.openenv.servers import Server
from worlds.crm.models import Lead


def block(word: str, language: str = "python") -> str:
    """The one block of README.md that holds a word."""
    (found,) = [each.text for each in blocks("README.md", language) if word in each.text]
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

    exec(block("run_agent"), {"rollout": 3, "run_agent": run_agent, "grade": seen.append})
    assert seen[0]["seed"] == 3
    assert len(seen[0]["state"]["db"]["log"]) == 1


def test_what_is_shown_of_an_instance_works():
    with seahaven.world("crm").instance("big_co", seed=1) as untouched, untouched.inspecting():
        before = Lead.objects.count()
    exec(block("inst.fork()"), {"world": seahaven.world("crm")})
    with seahaven.world("crm").instance("big_co", seed=1) as again, again.inspecting():
        assert Lead.objects.count() == before


def test_the_world_that_is_shown_is_that_of_the_page_on_authoring():
    pages = "".join(each.text for each in blocks("authoring.md", "python"))
    for each in (each for each in blocks("README.md", "python") if each.text.startswith("# library/")):
        for line in each.text.splitlines()[1:]:
            assert line in pages.splitlines(), line


def test_the_example_earns_what_its_policy_deserves(crm_server):
    rewards = asyncio.run(rollouts.rollouts(crm_server.url, "small_startup", 12))
    assert len(rewards) == 12
    assert max(rewards) == 1.0
    assert min(rewards) < 1.0
    assert rewards == asyncio.run(rollouts.rollouts(crm_server.url, "small_startup", 12))


def test_an_episode_runs_with_nothing_but_curl(crm_server):
    commands = block("curl", "sh").replace("http://127.0.0.1:8000", crm_server.url)
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


def _documents(text: str) -> list[Any]:
    """The JSON documents that stand one after the other."""
    found, at = [], 0
    while at < len(text):
        document, at = json.JSONDecoder().raw_decode(text, at)
        found.append(document)
    return found
