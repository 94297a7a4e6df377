"""Do requests go wrong where they are told to, and only there?"""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest

from tests.stripe.conftest import NOW, Api
from worlds.engine import Instance, World, WorldBug


def with_rules(world: World, *rules: dict[str, Any], seed: int = 1) -> Instance:
    return world.instance(seed=seed, now=NOW, startup={"faults": list(rules)})


def test_a_header_makes_one_request_go_wrong(api: Api) -> None:
    error = api.refused("POST", "/v1/customers", {"name": "Ada"}, x_seahaven_fault="rate_limit")
    assert (error["status"], error["code"], error["type"]) == (429, "rate_limit", "invalid_request_error")
    assert api.get("/v1/customers")["data"] == []
    api.post("/v1/customers", {"name": "Ada"})


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [("rate_limit", 429, "rate_limit"), ("lock_timeout", 429, "lock_timeout"), ("api_error", 500, None)],
)
def test_faults_answer_in_stripes_envelope(api: Api, fault: str, status: int, code: str | None) -> None:
    answer = api.send("GET", "/v1/customers", x_seahaven_fault=fault)
    error = json.loads(answer.body)["error"]
    assert (answer.status, error.get("code")) == (status, code)
    assert answer.header("request-id")
    assert (answer.header("stripe-rate-limited-reason") == "global-rate") == (fault == "rate_limit")


def test_a_lost_response_is_to_what_was_done(api: Api) -> None:
    lost = api.send("POST", "/v1/customers", {"name": "Ada"}, x_seahaven_fault="lost_response", idempotency_key="k")
    assert (lost.status, lost.body, lost.header("x-seahaven-connection")) == (504, b"", "broken")
    assert len(api.get("/v1/customers")["data"]) == 1
    again = api.send("POST", "/v1/customers", {"name": "Ada"}, idempotency_key="k")
    assert (again.status, again.header("idempotent-replayed")) == (200, "true")
    assert len(api.get("/v1/customers")["data"]) == 1


def test_a_timeout_is_before_anything_is_done(api: Api) -> None:
    answer = api.send("POST", "/v1/customers", {"name": "Ada"}, x_seahaven_fault="timeout")
    assert (answer.status, answer.header("x-seahaven-connection")) == (504, "broken")
    assert api.get("/v1/customers")["data"] == []


def test_an_unknown_fault_is_refused(api: Api) -> None:
    assert "names no fault" in api.refused("GET", "/v1/customers", x_seahaven_fault="flood")["message"]


def test_a_rule_is_for_the_next_requests_of_its_operation(world: World) -> None:
    rule = {"fault": "rate_limit", "operation": "PostCustomers", "times": 2, "reason": "endpoint-rate"}
    with with_rules(world, rule) as inst:
        api = Api(inst)
        assert api.get("/v1/customers")["data"] == []
        answers = [api.send("POST", "/v1/customers", {"name": "Ada"}) for _ in range(3)]
        assert [answer.status for answer in answers] == [429, 429, 200]
        assert answers[0].header("stripe-rate-limited-reason") == "endpoint-rate"


def test_chance_is_the_instances_own(world: World) -> None:
    def statuses(seed: int) -> list[int]:
        with with_rules(world, {"fault": "api_error", "rate": 0.5}, seed=seed) as inst:
            return [Api(inst).send("GET", "/v1/customers").status for _ in range(40)]

    assert statuses(1) == statuses(1) != statuses(2)
    assert set(statuses(1)) == {200, 500}


@pytest.mark.parametrize(
    "rules",
    [
        "rate_limit",
        [{"fault": "flood"}],
        [{"fault": "timeout", "times": -1}],
        [{"fault": "timeout", "rate": 2}],
        [{"fault": "timeout", "operation": "PostNothing"}],
        [{"fault": "timeout", "when": "now"}],
        [{"fault": "rate_limit", "reason": "mood"}],
    ],
)
def test_what_is_no_rule_is_refused_at_the_start(world: World, rules: Any) -> None:
    with pytest.raises(WorldBug, match="startup keyword faults|choose from|is {"):
        world.instance(seed=1, now=NOW, startup={"faults": rules})


def test_the_official_client_meets_a_broken_connection_and_gets_over_it(server: Any) -> None:
    stripe = pytest.importorskip("stripe")
    base = f"{server.url}/stripe/lossy"
    rule = {"fault": "lost_response", "operation": "PostCustomers", "times": 1}
    body = json.dumps({"startup": {"faults": [rule]}}).encode()
    opening = urllib.request.Request(base, data=body, method="PUT", headers={"Content-Type": "application/json"})
    urllib.request.urlopen(opening).close()

    def client(retries: int) -> Any:
        return stripe.StripeClient("sk_test_1", base_addresses={"api": base}, max_network_retries=retries)

    with pytest.raises(stripe.APIConnectionError):
        client(0).v1.customers.create({"name": "Ada"}, {"idempotency_key": "one"})
    again = client(0).v1.customers.create({"name": "Ada"}, {"idempotency_key": "one"})
    assert [each.id for each in client(0).v1.customers.list().data] == [again.id]
