"""Does the other engine serve the same API?"""

import pytest

from tests.openenv.servers import Server
from tests.rest.api import API_KEYS, KEYS, Api


@pytest.fixture(scope="module")
def daphne(fixtures_dir):
    with Server("--server", "daphne", fixtures_dir=fixtures_dir, api_keys=API_KEYS) as running:
        yield running


def test_an_episode_runs_on_daphne(daphne):
    instance = Api(daphne, KEYS["admin"]).opened(fixture="rich")
    assert instance.result("deposit", amount=1) == 101
    assert instance.get("/diff").json["count"] == 1
    assert len(instance.get("/changes.ndjson").body.splitlines()) == 1
    assert instance.post("/rewind", {"call": -1}).json["call_count"] == 0
    assert instance.post("/fork").status == 201
    assert instance.delete().status == 204
    assert instance.get().is_refusal == (409, "instance_over")


def test_refusals_read_the_same_on_daphne(daphne):
    stranger, api = Api(daphne), Api(daphne, KEYS["admin"])
    assert stranger.get("/worlds").is_refusal == (401, "unauthorized")
    assert api.post("/instances", b"{").is_refusal == (400, "invalid_json")
    assert api.ask("PUT", "/instances").is_refusal == (405, "method_not_allowed")
    assert api.post("/instances", b" " * (17 * 2**20)).is_refusal == (413, "too_large")
    assert api.get("/nowhere").is_refusal == (404, "not_found")
    assert stranger.get("/docs").status == 200
