"""Can a run be taken away, and made again from what was taken?"""

import json


def exported(api):
    instance = api.opened(seed=7, now="2026-06-01T09:00:00Z")
    for amount in (1, 20):
        instance.result("deposit", amount=amount)
    instance.post("/calls", {"tool": "boom", "arguments": {"why": "x"}})
    instance.post("/advance", {"hours": 2})
    return instance.get("/export").json


def test_an_exported_episode_replays_equal(api):
    episode = exported(api)
    assert (episode["format"], len(episode["moves"])) == ("seahaven.episode/1", 4)
    answer = api.post("/replays", {"episode": episode})
    assert answer.status == 200
    assert (answer.json["status"], answer.json["moves"], answer.json["made"]) == ("equal", 4, 4)
    assert answer.json["divergences"] == []


def test_a_changed_episode_names_its_first_divergence(api):
    episode = json.loads(json.dumps(exported(api)).replace('"balance": 21', '"balance": 22'))
    answer = api.post("/replays", {"episode": episode}).json
    assert answer["status"] == "diverged"
    assert "balance" in answer["summary"]
    assert len(answer["divergences"]) == 1


def test_what_is_no_episode_cannot_be_replayed(api):
    answer = api.post("/replays", {"episode": {"format": "something/1"}})
    assert (answer.status, answer.json["status"]) == (200, "impossible")
    assert "cannot replay" in answer.json["summary"]


def test_a_body_that_does_not_fit_is_refused(api):
    for body in ({}, {"episode": 7}, {"episode": {}, "thorough": 1}, {"episode": {}, "agianst": "lab"}):
        assert api.post("/replays", body).is_refusal == (422, "invalid")
