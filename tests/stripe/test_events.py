"""Are events looked at as published?"""

import json

import pytest


@pytest.fixture
def told(api):
    """A customer and a product, and what is told of them."""
    api.post("/v1/customers", {"name": "Ada"}, idempotency_key="once")
    api.post("/v1/products", {"name": "Pro"})
    return api


def _types(page):
    return [event["type"] for event in page["data"]]


def test_events_are_listed_newest_first_with_the_request_they_came_of(told):
    events = told.get("/v1/events")["data"]

    assert [event["type"] for event in events] == ["product.created", "customer.created"]
    assert events[1]["request"]["idempotency_key"] == "once"
    assert events[1]["request"]["id"].startswith("req_")
    assert events[1]["data"]["object"]["name"] == "Ada"
    assert (events[1]["pending_webhooks"], events[1]["livemode"]) == (0, False)
    assert told.get(f"/v1/events/{events[1]['id']}") == events[1]


def test_types_are_filtered_by_name_and_by_their_beginning(told):
    told.post("/v1/products", {"name": "Team"})

    assert _types(told.get("/v1/events", {"type": "customer.created"})) == ["customer.created"]
    assert _types(told.get("/v1/events", {"type": "product.*"})) == ["product.created"] * 2
    assert len(_types(told.get("/v1/events", {"type": "*"}))) == 3
    assert len(_types(told.get("/v1/events", {"types": ["customer.created", "product.created"]}))) == 3
    both = told.refused("GET", "/v1/events", {"type": "a", "types": ["b"]})
    assert both["code"] == "parameters_exclusive"


def test_events_are_kept_for_thirty_days(told, account):
    first = told.get("/v1/events")["data"][-1]["id"]

    account.advance(days=29)
    assert len(told.get("/v1/events")["data"]) == 2
    account.advance(days=2)

    assert told.get("/v1/events")["data"] == []
    refused = told.refused("GET", f"/v1/events/{first}")
    assert (refused["status"], refused["message"]) == (404, f"No such event: '{first}'")


def test_what_the_clock_does_came_of_no_request(told, account):
    customer = told.post("/v1/customers")["id"]
    told.post(f"/v1/customers/{customer}/tax_ids", {"type": "eu_vat", "value": "000000000"})
    account.advance(minutes=1)

    event = told.get("/v1/events", {"type": "customer.tax_id.updated"})["data"][0]

    assert event["request"] == {"id": None, "idempotency_key": None}
    assert event["data"]["previous_attributes"]["verification"]["status"] == "pending"


def test_an_event_holds_the_object_as_it_was(told):
    customer = told.get("/v1/customers")["data"][0]["id"]
    told.post(f"/v1/customers/{customer}", {"name": "Bea"})

    created = told.get("/v1/events", {"type": "customer.created"})["data"][0]
    updated = told.get("/v1/events", {"type": "customer.updated"})["data"][0]

    assert created["data"]["object"]["name"] == "Ada"
    assert updated["data"]["previous_attributes"] == {"name": "Ada"}
    assert json.dumps(updated["data"]["object"]["name"]) == '"Bea"'
