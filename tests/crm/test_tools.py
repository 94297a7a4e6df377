import os
import subprocess
import sys
from typing import Any

import pytest

from worlds.engine import Diff

SCRIPT: list[tuple[str, dict[str, Any]]] = [
    ("create_company", {"name": "Engines", "domain": "engines.com"}),
    ("create_lead", {"email": "ada@engines.com", "first_name": "Ada"}),
    ("create_lead", {"email": "nobody"}),
    ("list_leads", {"limit": 3}),
    ("search_crm", {"query": "ada"}),
    ("list_stale_leads", {"days": 60}),
    ("pipeline_report", {}),
    ("run_sql", {"query": "SELECT status, count(*) FROM leads GROUP BY status ORDER BY status"}),
]


def play(inst):
    """Run the script and some calls that use what it made; answers every result."""
    results = []
    for tool, arguments in SCRIPT:
        try:
            results.append(inst.call(tool, **arguments))
        except Exception as error:
            results.append(str(error))
    lead = results[1]["id"]
    deal = inst.call("convert_lead", lead_id=lead, amount_cents=100)["deal"]["id"]
    stale = [found["id"] for found in inst.call("list_stale_leads", days=60)["leads"]]
    for tool, arguments in [
        ("log_activity", {"kind": "call", "subject": "Hello", "lead_id": lead, "deal_id": deal}),
        ("set_tags", {"record_type": "deal", "record_id": deal, "tags": ["new", "hot", "spring", "key-account"]}),
        ("move_deal", {"deal_id": deal, "stage_id": "closed_won"}),
        ("merge_leads", {"keep_id": stale[0], "duplicate_id": stale[1]}),
        ("get_lead", {"lead_id": stale[0]}),
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
from tests.crm.test_tools import play
from worlds.engine import installed
with installed.get("crm").instance("small_startup", seed=7, episode_id="same") as inst:
    play(inst)
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
    first = startup.call("create_lead", email="first@example.com")
    with startup.fork() as fork:
        for inst in (fork, startup):
            assert inst.call("get_lead", lead_id=first["id"])["email"] == "first@example.com"
        assert play(fork) == play(startup)
        assert fork.state() == startup.state()


def test_rewinding_and_going_again_is_the_same(startup):
    start = startup.checkpoint()
    once = play(startup)
    startup.rewind(start)
    assert play(startup) == once


def test_other_seeds_reach_the_same_outcome_with_other_ids(world):
    diffs, ids = [], []
    for seed in (1, 2):
        with world.instance("small_startup", seed=seed) as inst:
            ids.append(play(inst)[1]["id"])
            diffs.append(Diff.of(inst.state()))
    assert ids[0] != ids[1]
    assert diffs[0].outcome_differences(diffs[1]) == []


def test_every_change_reads_typed(startup):
    play(startup)
    changes = startup.diff().typed()
    (deal,) = [change for change in changes if change.table == "deals"]
    assert deal.after["amount_cents"] == 100
    assert deal.roles["updated_at"] == "bookkeeping"
    assert deal.roles["last_activity_at"] == "derived"
    assert deal.roles["stage_id"] == "business"


def test_there_are_thirty_tools_and_two_for_sql(world):
    assert len(world.tools) == 32
    assert {"create_lead", "list_stale_leads", "search_crm", "run_sql", "describe_schema"} <= set(world.tools)


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
            if not tool.schema.get("required") and name != "list_notes":
                inst.call(name)
        inst.call("search_crm", query="a")
        assert inst.change_log() == []
