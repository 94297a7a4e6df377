"""What comes of a call?"""

from tests.openenv.servers import Server
from tests.rest.api import Api


def test_a_call_answers_what_it_did(api):
    instance = api.opened(fixture="rich")
    answer = instance.call("deposit", amount=4)
    assert answer.status == 200
    told = answer.json
    assert (told["ordinal"], told["result"], told["error"]) == (0, 104, None)
    assert told["ms"] > 0
    (change,) = told["changes"]
    assert (change["i"], change["op"], change["before"], change["after"]) == (
        0, "update", {"balance": 100}, {"balance": 104},
    )  # fmt: skip
    assert instance.call("read_balance").json["changes"] == []
    assert instance.get().json["call_count"] == 2


def test_what_a_tool_refuses_is_an_outcome(api):
    instance = api.opened()
    refused = instance.call("boom", why="I say so")
    assert refused.status == 200
    assert (refused.json["ordinal"], refused.json["result"], refused.json["changes"]) == (0, None, [])
    assert refused.json["error"] == {"code": "boom", "message": "boom: I say so", "details": {}, "incident": None}
    unfit = instance.call("deposit", amount="4")
    assert (unfit.status, unfit.json["error"]["code"]) == (200, "invalid_arguments")
    assert unfit.json["error"]["details"]["violations"][0]["path"] == "amount"
    assert instance.get().json["call_count"] == 2


def test_a_tool_that_is_not_there_leaves_no_trace(api):
    instance = api.opened()
    answer = instance.call("depsit", amount=1)
    assert answer.is_refusal == (404, "unknown_tool")
    assert "Did you mean 'deposit'?" in answer.error["message"]
    assert instance.get().json["call_count"] == 0


def test_a_call_that_is_none_is_refused_and_not_made(api):
    instance = api.opened()
    for body, path in (
        ({}, "tool"),
        ({"tool": ""}, "tool"),
        ({"tool": 3}, "tool"),
        ({"tool": None}, "tool"),
        ({"tool": "nothing", "arguments": []}, "arguments"),
        ({"tool": "nothing", "arguments": None}, "arguments"),
        ({"tool": "nothing", "args": {}}, "args"),
        ([], ""),
        ("nothing", ""),
        (0, ""),
        (None, "tool"),
    ):
        answer = api.post(f"{instance.path}/calls", body)
        assert answer.is_refusal == (422, "invalid"), body
        assert path in {each["path"] for each in answer.error["details"]["violations"]}, body
    assert instance.get().json["call_count"] == 0


def test_a_bug_in_a_tool_is_a_number_in_the_log_and_nothing_more():
    with Server(worlds="tests.worlds.lab") as server:
        instance = Api(server).opened("lab")
        instance.result("make_box", name="before")
        answer = instance.call("fail_after_writing", how="bug")
        assert answer.is_refusal == (500, "internal_error")
        incident = answer.error["incident"]
        assert answer.error["message"] == f"internal error {incident}"
        assert answer.error["details"] == {"ordinal": 1}
        assert b"secret" not in answer.body
        assert b"Traceback" not in answer.body
        log = server.log()
        assert f"incident {incident}" in log
        assert "ValueError: a secret detail" in log
        # The episode goes on: the call is counted, and what it wrote is gone.
        logged = instance.get("/calls").json["results"][1]
        assert (logged["ordinal"], logged["error"]["code"]) == (1, "internal_error")
        assert "secret" not in str(logged)
        assert [box["name"] for box in instance.result("list_boxes")] == ["before"]


def test_a_call_that_takes_too_long_ends_the_instance():
    with Server(call_timeout_s=1) as server:
        instance = Api(server).opened()
        assert instance.call("spin").is_refusal == (504, "timeout")
        after = instance.call("nothing")
        assert after.is_refusal == (409, "instance_over")
        assert "longer than 1 s" in after.error["message"]
        assert Api(server).opened().call("nothing").status == 200


def test_the_calls_are_logged_in_pages_with_results_when_asked_for(api):
    instance = api.opened()
    for amount in range(5):
        instance.result("deposit", amount=amount)
    instance.call("boom")
    page = instance.get("/calls?limit=2&offset=4").json
    assert page["count"] == 6
    first, second = page["results"]
    assert first == {"ordinal": 4, "tool": "deposit", "arguments": {"amount": 4}, "error": None}
    assert second["error"] == {"code": "boom", "message": "boom: ", "details": {}, "incident": None}
    with_results = instance.get("/calls?results=true").json["results"]
    assert [each["result"] for each in with_results] == [0, 1, 3, 6, 10, None]


def test_calls_of_one_instance_run_one_after_the_other(api):
    import threading

    instance = api.opened()
    threads = [threading.Thread(target=instance.call, args=("deposit",), kwargs={"amount": 1}) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert instance.result("read_balance") == {"balance": 20}
    ordinals = [each["i"] for each in instance.get("/changes").json["results"]]
    assert ordinals == sorted(ordinals)
