import os
import subprocess
import sys
from typing import Any

import pytest

from worlds.engine import Diff

SCRIPT: list[tuple[str, dict[str, Any]]] = [
    ("create_customer", {"email": "ada@engines.com", "name": "Ada"}),
    ("create_ticket", {"subject": "x", "body": "y", "requester_email": "ada@engines.com", "tags": ["b", "a", "c"]}),
    ("create_customer", {"email": "nobody"}),
    ("list_tickets", {"limit": 3}),
    ("search_helpdesk", {"query": "refund"}),
    ("list_sla_deadlines", {}),
    ("queue_report", {}),
    ("run_sql", {"query": "SELECT status, count(*) FROM tickets GROUP BY status ORDER BY status"}),
]


def play(inst):
    """Run the script and some calls that use what it made; answers every result."""
    results = []
    for tool, arguments in SCRIPT:
        try:
            results.append(inst.call(tool, **arguments))
        except Exception as error:
            results.append(str(error))
    ticket = results[1]["id"]
    one, two = (inst.call("get_ticket", number=number) for number in (1036, 1044))
    macro = inst.call("list_macros")["macros"][0]["id"]
    for tool, arguments in [
        ("apply_macro", {"ticket_id": ticket, "macro_id": macro}),
        ("update_ticket", {"ticket_id": ticket, "priority": "high", "tags": ["d", "b", "e", "a"]}),
        ("reply_to_ticket", {"ticket_id": ticket, "body": "z", "status": "solved"}),
        ("rate_ticket", {"ticket_id": ticket, "score": "good"}),
        ("merge_tickets", {"keep_id": one["id"], "duplicate_id": two["id"]}),
        ("merge_customers", {"keep_id": one["requester_id"], "duplicate_id": two["requester_id"]}),
        ("get_ticket", {"ticket_id": one["id"]}),
    ]:
        results.append(inst.call(tool, **arguments))
    return results


def test_two_runs_of_one_seed_give_equal_documents(world):
    documents = []
    for _ in range(2):
        with world.instance("small_startup", seed=7, episode_id="same") as inst:
            results = play(inst)
            documents.append((results, inst.state("seahaven.state+calls/1", results=True)))
    assert documents[0] == documents[1]


ELSEWHERE = """
import hashlib, django
django.setup()
from tests.helpdesk.test_tools import play
from worlds.engine import installed
with installed.get("helpdesk").instance("small_startup", seed=7, episode_id="same") as inst:
    play(inst)
    inst.advance(days=9)
    print(hashlib.sha256(inst.state_json()).hexdigest())
"""


def test_two_processes_give_equal_documents_however_they_hash():
    documents = set()
    for hash_seed in ("1", "2", "3"):
        env = {**os.environ, "PYTHONHASHSEED": hash_seed, "DJANGO_SETTINGS_MODULE": "tests.settings"}
        ran = subprocess.run([sys.executable, "-c", ELSEWHERE], env=env, capture_output=True, text=True, check=True)
        documents.add(ran.stdout)
    assert len(documents) == 1


def test_a_fork_goes_the_way_its_parent_goes(startup):
    with startup.fork() as fork:
        assert play(fork) == play(startup)
        assert fork.state() == startup.state()


def test_other_seeds_reach_the_same_outcome_with_other_ids(world):
    diffs, ids = [], []
    for seed in (1, 2):
        with world.instance("small_startup", seed=seed) as inst:
            ids.append(play(inst)[1]["id"])
            diffs.append(Diff.of(inst.state()))
    assert ids[0] != ids[1]
    assert diffs[0].outcome_differences(diffs[1]) == []


def test_every_change_reads_typed(startup):
    ticket = startup.call("get_ticket", number=1041)["id"]
    startup.call("reply_to_ticket", ticket_id=ticket, body="x", status="solved")
    changes = startup.diff().typed()
    (change,) = [change for change in changes if change.table == "tickets"]
    assert change.after["status"] == "solved"
    assert {change.roles[name] for name in ("number", "updated_at", "auto_close_event")} == {"bookkeeping"}
    assert {change.roles[name] for name in ("waiting_since", "auto_closes_at")} == {"derived"}
    assert {change.roles[name] for name in ("status", "assignee_id", "subject")} == {"business"}
    (message,) = [change for change in changes if change.table == "messages"]
    assert message.after["body"] == "x"


def test_there_are_thirty_tools_and_two_for_sql(world):
    assert len(world.tools) == 32
    assert {"create_ticket", "apply_macro", "sla_report", "run_sql", "describe_schema"} <= set(world.tools)


def test_every_tool_and_every_parameter_says_what_it_is(world):
    for tool in world.tools.values():
        assert len(tool.description) > 15, tool.name
        assert tool.description[0].isupper(), tool.name
        for name, schema in tool.schema.get("properties", {}).items():
            if tool.name != "run_sql":
                assert schema.get("description"), f"{tool.name}.{name}"


@pytest.mark.parametrize("fixture", [None, "empty", "small_startup"])
def test_tools_that_read_change_nothing(world, fixture):
    with world.instance(fixture, seed=1) as inst:
        for name, tool in world.tools.items():
            if not tool.schema.get("required") and name != "get_ticket":
                inst.call(name)
        inst.call("search_helpdesk", query="a")
        assert inst.change_log() == []
