"""How does an instance begin, branch off and end?"""

import threading
import time
from typing import Any

import pytest

from tests.openenv.servers import Server
from tests.rest.api import Api

START = {
    "fixture": "rich",
    "seed": 7,
    "now": "2026-07-01T09:00:00Z",
    "clock_mode": "fixed",
    "state_format": "seahaven.state+calls/1",
    "episode_id": "e-1",
    "task": {"id": "save", "goal": [1, None]},
    "setup_sql": "UPDATE accounts SET balance = balance + 5",
}


def test_an_instance_begins_as_it_was_asked_to(api):
    answer = api.post("/instances", {"world": "bank", **START})
    assert answer.status == 201
    told = answer.json
    assert answer.headers["Location"] == f"/api/v1/instances/{told['id']}"
    for name in ("fixture", "seed", "clock_mode", "state_format", "episode_id", "task"):
        assert told[name] == START[name]
    assert (told["now"], told["door"], told["call_count"]) == ("2026-07-01T09:00:00.000Z", "rest", 0)
    assert told["agent_token"].startswith(f"agent-{told['id']}.")
    assert told["owner_token"].startswith(f"owner-{told['id']}.")
    seen = api.get(f"/instances/{told['id']}").json
    assert set(told) - set(seen) == {"agent_token", "owner_token"}
    assert api.post(f"/instances/{told['id']}/calls", {"tool": "read_balance"}).json["result"] == {"balance": 105}
    state = api.get(f"/instances/{told['id']}/state").json
    assert (state["setup_sql"], state["task"], state["seed"]) == (START["setup_sql"], START["task"], 7)


def test_nothing_has_to_be_said(api):
    nothing: list[Any] = [None, b"", {}]
    for body in nothing:
        answer = api.post("/instances", body)
        assert answer.status == 201
        assert (answer.json["world"], answer.json["fixture"], answer.json["seed"]) == ("bank", None, None)
    assert api.opened("lab", startup={"owner": "Ada"}).result("list_boxes")[0]["name"] == "Ada's box"
    assert api.opened(fixture=None, seed=None, startup=None, now=None, task=None).told["fixture"] is None


def test_the_default_world_and_fixture_are_the_servers(fixtures_dir):
    with Server("--fixture", "rich", fixtures_dir=fixtures_dir) as server:
        api = Api(server)
        assert api.post("/instances").json["fixture"] == "rich"
        assert api.post("/instances", {"fixture": None}).json["fixture"] is None
        assert api.post("/instances", {"world": "lab"}).json["fixture"] is None
        assert api.get("/worlds/bank").json["default_fixture"] == "rich"


@pytest.mark.parametrize(
    ("start", "code", "hint"),
    [
        ({"fixture": "ritch"}, "cannot_begin", "did you mean 'rich'?"),
        ({"world": "bnk"}, "unknown_world", "did you mean 'bank'?"),
        ({"state_format": "x/1"}, "cannot_begin", "it has seahaven.state/1"),
        ({"now": "yesterday"}, "cannot_begin", "yesterday"),
        ({"fixture": "rich", "now": "1999-01-01T00:00:00Z"}, "cannot_begin", "before fixture"),
        ({"setup_sql": "DELETE FROM nowhere"}, "cannot_begin", "statement 1 of 1"),
        ({"startup": {"onwer": 1}}, "cannot_begin", "onwer"),
        ({"world": "lab", "startup": {"fail": True}}, "refused", "the shop stays shut"),
        ({"clock_mode": "sideways"}, "invalid", "not a valid choice"),
        ({"episode_id": ""}, "invalid", "may not be blank"),
        ({"seed": "7"}, "invalid", "seed: must be a whole number, not text"),
        ({"seed": True}, "invalid", "must be a whole number, not true or false"),
        ({"fixtur": "rich", "sed": 1}, "invalid", "did you mean 'fixture'?"),
        ({"startup": [1]}, "invalid", "must be an object, not a list"),
    ],
)
def test_a_start_that_does_not_fit_is_refused_with_what_does(api, start, code, hint):
    before = api.get("/instances").json["count"]
    answer = api.post("/instances", start)
    assert answer.is_refusal == (422, code)
    assert hint in answer.error["message"]
    assert api.get("/instances").json["count"] == before


def test_every_violation_is_told_at_once(api):
    error = api.post("/instances", {"seed": 1.5, "fixtur": 1, "startup": 3}).error
    assert {each["path"] for each in error["details"]["violations"]} == {"seed", "fixtur", "startup"}
    assert all(set(each) == {"path", "message", "type"} for each in error["details"]["violations"])


def test_instances_of_every_door_are_listed(api, server):
    with server.socket("/worlds/lab/ws") as socket:
        begun = socket.reset(episode_id="over-openenv")["data"]["metadata"]
        mine = api.opened("lab")
        labs = api.get("/instances?world=lab").json
        assert {"openenv", "rest"} <= {each["door"] for each in labs["results"]}
        (found,) = [each for each in labs["results"] if each["episode_id"] == "over-openenv"]
        assert found["id"] == begun["instance_id"]
        assert mine.id in {each["id"] for each in labs["results"]}
        assert all(each["world"] == "lab" for each in labs["results"])
        only = api.get("/instances?world=lab&door=openenv&limit=1000").json["results"]
        assert {each["door"] for each in only} == {"openenv"}
        # And it is the very instance: a call over the one door is seen through the other.
        made = api.post(f"/instances/{found['id']}/calls", {"tool": "make_box", "arguments": {"name": "a"}})
        assert made.status == 200
        boxes = socket.step("list_boxes")["data"]["observation"]["result"]["data"]
        assert [box["name"] for box in boxes] == ["a"]
        assert socket.state()["call_count"] == 2
        assert api.delete(f"/instances/{found['id']}").status == 204
        assert "it was deleted" in socket.step("list_boxes")["data"]["message"]


def test_a_list_of_instances_comes_in_pages(server):
    api = Api(server)
    made = [api.opened("lab").id for _ in range(5)]
    seen, path = [], "/instances?world=lab&door=rest&limit=2"
    while path:
        page = api.get(path).json
        seen += [each["id"] for each in page["results"]]
        path = page["next"]
    assert [each for each in seen if each in made] == made


def test_a_fork_goes_its_own_way_from_the_same_point(api):
    instance = api.opened(fixture="rich", seed=3)
    instance.result("deposit", amount=1)
    answer = instance.post("/fork")
    assert answer.status == 201
    twin = api.get(f"/instances/{answer.json['id']}")
    assert twin.json["call_count"] == 1
    assert answer.json["owner_token"] != instance.told["owner_token"]
    instance.result("deposit", amount=10)
    path = f"/instances/{answer.json['id']}"
    assert api.post(f"{path}/calls", {"tool": "read_balance"}).json["result"] == {"balance": 101}
    assert instance.result("read_balance") == {"balance": 111}
    assert api.get(f"{path}/changes").json["results"] == instance.get("/changes?limit=1").json["results"]


def test_what_is_over_is_told_to_be_over_and_why(api):
    instance = api.opened()
    assert instance.delete().status == 204
    for answer in (instance.get(), instance.call("nothing"), instance.get("/state"), instance.delete()):
        assert answer.is_refusal == (409, "instance_over")
        assert "it was deleted" in answer.error["message"]
    owner = api.having(instance.told["owner_token"])
    assert owner.get(instance.path).is_refusal == (409, "instance_over")


def test_an_unknown_instance_is_no_instance(api):
    instance = api.opened()
    answer = api.get("/instances/nobody")
    assert answer.is_refusal == (404, "unknown_instance")
    mistyped = api.get(f"/instances/{instance.id[:-1]}")
    assert mistyped.is_refusal == (404, "unknown_instance")
    assert f"Did you mean '{instance.id}'?" in mistyped.error["message"]


def test_one_that_nobody_uses_ends(fixtures_dir):
    with Server(instance_idle_s=2) as server:
        api = Api(server)
        idle, used = api.opened(), api.opened()
        assert idle.told["expires_after_s"] == 2
        for _ in range(8):
            time.sleep(0.5)
            used.result("nothing")
        assert idle.get().is_refusal == (409, "instance_over")
        assert "nobody used it for 2 s" in idle.get().error["message"]
        assert [each["id"] for each in api.get("/instances").json["results"]] == [used.id]


def test_a_full_server_says_so_and_takes_no_more(fixtures_dir):
    with Server(max_instances=3) as server:
        api = Api(server)
        answers = []

        def open_one():
            answers.append(api.post("/instances"))

        threads = [threading.Thread(target=open_one) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer.status for answer in answers) == [201] * 3 + [503] * 9
        (refused, *_) = [answer for answer in answers if answer.status == 503]
        assert refused.is_refusal == (503, "at_capacity")
        assert refused.headers["Retry-After"]
        assert "3 of 3" in refused.error["message"]
        opened = next(answer.json for answer in answers if answer.status == 201)
        assert api.post(f"/instances/{opened['id']}/fork").is_refusal == (503, "at_capacity")
        assert api.delete(f"/instances/{opened['id']}").status == 204
        assert api.post("/instances").status == 201
