"""What does the API tell of the worlds of a server?"""

from tests.rest.api import Api


def test_the_worlds_are_listed_and_told(api):
    answer = api.get("/worlds").json
    assert [each["name"] for each in answer["results"]] == ["bank", "lab"]
    assert (answer["count"], answer["next"], answer["previous"]) == (2, None, None)
    bank = api.get("/worlds/bank").json
    assert bank == answer["results"][0]
    assert (bank["version"], bank["is_default"], bank["default_fixture"]) == ("1.0.0", True, None)
    assert bank["description"] == "One account, to put money in."
    (root,) = bank["composition"]
    assert root == {"path": "main", "world": "bank", "world_version": "1.0.0", "scope": None, "aliases": []}
    assert set(api.get("/worlds/lab").json["startup_keywords"]) == {"owner", "fail"}
    assert "seahaven.state+calls/1" in bank["state_formats"]


def test_the_tools_are_those_an_agent_reads(api):
    tools = {tool["name"]: tool for tool in api.get("/worlds/bank/tools").json["results"]}
    assert tools["deposit"]["description"].startswith("Put an amount into the account")
    assert tools["deposit"]["input_schema"]["required"] == ["amount"]
    assert set(tools["deposit"]) == {"name", "description", "input_schema"}
    instance = api.opened()
    assert instance.get("/tools").json["results"] == list(tools.values())


def test_a_fixture_tells_what_it_holds_and_what_it_was_made_from(api):
    listed = api.get("/worlds/bank/fixtures").json
    assert [each["id"] for each in listed["results"]] == ["rich", "richer"]
    richer = api.get("/worlds/bank/fixtures/richer").json
    assert richer == listed["results"][1]
    assert richer["lineage"] == ["rich"]
    assert richer["counts"] == {"bank.account": 1}
    assert richer["now"] == "2026-06-01T09:00:00.000Z"
    (node,) = richer["nodes"]
    assert (node["path"], node["world"], len(node["sha256"])) == ("main", "bank", 64)
    assert node["sha256"] != api.get("/worlds/bank/fixtures/rich").json["nodes"][0]["sha256"]


def test_lists_come_in_pages(api):
    first = api.get("/worlds/bank/fixtures?limit=1").json
    assert ([each["id"] for each in first["results"]], first["count"]) == (["rich"], 2)
    second = api.get(first["next"]).json
    assert ([each["id"] for each in second["results"]], second["next"]) == (["richer"], None)
    assert api.get(second["previous"]).json == first
    assert api.get("/worlds/bank/fixtures?offset=9").json["results"] == []


def test_what_is_not_there_comes_with_the_nearest_that_is(api):
    for path, code, hint in (
        ("/worlds/bnk", "unknown_world", "did you mean 'bank'?"),
        ("/worlds/bnk/tools", "unknown_world", "did you mean 'bank'?"),
        ("/worlds/bank/fixtures/ritch", "unknown_fixture", "did you mean 'rich'?"),
        ("/worlds/bank/fixtures/..", "unknown_fixture", "must not begin or end with"),
    ):
        answer = api.get(path)
        assert answer.is_refusal == (404, code)
        assert hint in answer.error["message"]


def test_the_root_says_where_things_are(api, server):
    for path in ("/api/v1", "/api/v1/"):
        found = api.get(path).json
        for name in ("worlds", "instances", "openapi.json"):
            assert api.get(found[name]).status == 200
    assert Api(server).get(found["docs"]).status == 200
