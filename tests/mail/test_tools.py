import os
import subprocess
import sys
from typing import Any

import pytest

from tests.mail.conftest import scheduled
from worlds.engine import Diff

NADIA = "nadia.okoye@brightseedcapital.com"
SCRIPT: list[tuple[str, dict[str, Any]]] = [
    ("send_message", {"to": ["theo@larkspur.app", NADIA], "subject": "Tea", "body": "At four?"}),
    ("send_message", {"to": ["nobody"], "subject": "Tea", "body": "x"}),
    ("send_message", {"to": ["jonas@larkspur.app"], "subject": "Tea", "body": "And you?"}),
    ("set_out_of_office", {"is_on": True, "text": "Away.", "ends_at": "2026-06-01T18:00:00Z"}),
    ("send_message", {"to": [NADIA], "subject": "Later", "body": "x", "send_at": "2026-06-01T12:00:00Z"}),
    ("deliver_external", {"from_address": NADIA, "to": ["maren@larkspur.app"], "subject": "Re: Tea", "body": "Yes"}),
    ("search_messages", {"query": "tea in:anywhere"}),
    ("list_threads", {"limit": 3}),
    ("run_sql", {"query": "SELECT folder, count(*) FROM messages GROUP BY folder ORDER BY folder"}),
]


def play(inst):
    """Run the script and some calls that use what it made, with time passing; answers every result."""
    results = []
    for tool, arguments in SCRIPT:
        try:
            results.append(inst.call(tool, **arguments))
        except Exception as error:
            results.append(str(error))
    sent, arrived = results[0], results[5]["delivered"][0]
    for tool, arguments in [
        ("reply_to_message", {"message_id": arrived["message_id"], "body": "Good."}),
        ("label_messages", {"thread_ids": [arrived["thread_id"]], "add": ["Tea", "Friends", "Monday"]}),
        ("snooze_thread", {"thread_id": arrived["thread_id"], "until": "2026-06-01T15:00:00Z"}),
        ("forward_message", {"message_id": sent["id"], "to": ["priya@larkspur.app"]}),
        ("mark_messages", {"thread_ids": [sent["thread_id"]], "is_starred": True}),
    ]:
        results.append(inst.call(tool, **arguments))
    results.append(inst.advance(days=1))
    results.append(inst.call("list_threads", folder="all", limit=10))
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
from tests.mail.test_tools import play
from worlds.engine import installed
with installed.get("mail").instance("small_startup", seed=7, episode_id="same") as inst:
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


def test_what_is_due_runs_in_the_course_of_an_episode(startup):
    play(startup)
    handlers = {record.get("by") for record in startup.change_log()}
    assert handlers == {None, "event:answer_absent", "event:send_scheduled", "event:wake_thread", "event:end_absence"}
    assert [handler for handler, _ in scheduled(startup)] == ["begin_absence"]


def test_a_fork_goes_the_way_its_parent_goes(startup):
    first = startup.call(
        "send_message", to=["theo@larkspur.app"], subject="x", body="x", send_at="2026-06-01T11:00:00Z"
    )
    with startup.fork() as fork:
        for inst in (fork, startup):
            assert first["id"] in [draft["id"] for draft in inst.call("list_drafts")["drafts"]]
        assert play(fork) == play(startup)
        assert fork.state() == startup.state()
        assert scheduled(fork) == scheduled(startup)


def test_rewinding_and_going_again_is_the_same(startup):
    start = startup.checkpoint()
    once = play(startup)
    startup.rewind(start)
    assert play(startup) == once


def test_rewinding_to_a_call_takes_events_back_too(startup):
    play(startup)
    whole = startup.change_log()
    startup.rewind(call=3)
    assert {record.get("by") for record in startup.change_log()} == {None}
    startup.rewind(call=-1)
    play(startup)
    assert startup.change_log() == whole


def test_other_seeds_reach_the_same_outcome_with_other_ids(world):
    diffs, ids = [], []
    for seed in (1, 2):
        with world.instance("small_startup", seed=seed) as inst:
            ids.append(play(inst)[0]["id"])
            diffs.append(Diff.of(inst.state()))
    assert ids[0] != ids[1]
    assert diffs[0].outcome_differences(diffs[1]) == []


def test_every_change_reads_typed(startup):
    play(startup)
    changes = startup.diff().typed()
    inserted = [change for change in changes if (change.table, change.op) == ("messages", "insert")]
    sent = next(change for change in inserted if change.after["body"].startswith("At four?"))
    assert sent.after["to_addresses"] == ["theo@larkspur.app", NADIA]
    assert sent.roles["received_at"] == "bookkeeping"
    assert sent.roles["folder"] == "business"
    thread = next(change for change in changes if change.table == "threads")
    assert (thread.roles["last_message_at"], thread.roles["event_id"]) == ("derived", "bookkeeping")


def test_there_are_thirty_tools_and_two_for_sql(world):
    assert len(world.tools) == 32
    assert {"send_message", "search_messages", "deliver_external", "run_sql", "describe_schema"} <= set(world.tools)


def test_every_tool_and_every_parameter_says_what_it_is(world):
    for tool in world.tools.values():
        assert len(tool.description) > 15, tool.name
        assert tool.description[0].isupper(), tool.name
        for name, schema in tool.schema.get("properties", {}).items():
            assert schema.get("description"), f"{tool.name}.{name}"


@pytest.mark.parametrize("fixture", ["empty", "small_startup"])
def test_tools_that_read_change_nothing(world, fixture):
    with world.instance(fixture, seed=1) as inst:
        for name, tool in world.tools.items():
            if name.startswith(("list_", "get_", "describe_")) and not tool.schema.get("required"):
                inst.call(name)
        inst.call("search_messages", query="a")
        inst.call("suggest_addresses", query="a")
        for thread in inst.call("list_threads")["threads"][:3]:
            inst.call("get_thread", thread_id=thread["id"])
        assert inst.change_log() == []
