"""What can be read of a run's changes?"""

import json


def test_the_change_records_are_those_of_the_state_document(api):
    instance = api.opened("lab", seed=1)
    for name in "abcde":
        instance.result("make_box", name=name)
    instance.result("drop_box", name="c")
    log = instance.get("/state").json["state"]["db"]["log"]
    assert len(log) == 6
    assert instance.get("/changes").json["results"] == log
    page = instance.get("/changes?limit=2&offset=2").json
    assert (page["results"], page["count"]) == (log[2:4], 6)
    assert instance.get("/changes?call=5").json["results"] == log[5:]
    streamed = instance.get("/changes.ndjson")
    assert streamed.headers["Content-Type"] == "application/x-ndjson"
    assert [json.loads(line) for line in streamed.body.splitlines()] == log
    assert [json.loads(line) for line in instance.get("/changes.ndjson?start=4").body.splitlines()] == log[4:]


def test_nothing_streams_as_nothing(api):
    answer = api.opened().get("/changes.ndjson")
    assert (answer.status, answer.body) == (200, b"")


def test_the_diff_is_the_net_of_it_all(api):
    instance = api.opened("lab", seed=1)
    for name in "ab":
        instance.result("make_box", name=name)
    instance.result("change_box", name="a", price="9.00")
    instance.result("drop_box", name="b")
    instance.result("tag_box", box="a", code="red")
    diff = instance.get("/diff").json
    assert diff["count"] == len(diff["results"]) == 3
    (box,) = instance.get("/diff?table=boxes").json["results"]
    assert (box["op"], box["before"], box["after"]["name"]) == ("insert", None, "a")
    assert instance.get("/diff?op=delete").json["results"] == []
    assert instance.get("/diff?node=main&op=insert&limit=1").json["count"] == 3
    assert instance.get("/diff?op=upsert").is_refusal == (422, "invalid")


def test_the_state_document_comes_in_any_format(api):
    instance = api.opened(episode_id="e", state_format="seahaven.state+last_step/1")
    for amount in (1, 2):
        instance.result("deposit", amount=amount)
    last = instance.get("/state").json
    assert (last["format"], last["episode_id"], len(last["state"]["db"]["log"])) == (
        "seahaven.state+last_step/1", "e", 1,
    )  # fmt: skip
    whole = instance.get("/state?format=seahaven.state/1").json
    assert len(whole["state"]["db"]["log"]) == 2
    calls = instance.get("/state?format=seahaven.state%2Bcalls/1&results=true").json
    assert [call["result"] for call in calls["state"]["calls"]] == [1, 3]
    refused = instance.get("/state?format=other/1")
    assert refused.is_refusal == (422, "unknown_format")
    assert "it has seahaven.state/1" in refused.error["message"]
