"""Do the operations that nobody wrote by hand remember, relate, refuse and tell?"""

from __future__ import annotations

from typing import Any

import pytest

from tests.stripe.conftest import Api
from worlds.stripe.api.operations import HAND_WRITTEN
from worlds.stripe.facts import conforming
from worlds.stripe.generic import reference

_BILLING = {"address": {"line1": "1 Way", "city": "Town", "country": "US", "postal_code": "10001"}}


@pytest.fixture
def cardholder(api: Api) -> dict[str, Any]:
    return api.post("/v1/issuing/cardholders", {"name": "Ada", "billing": _BILLING, "metadata": {"a": "1"}})


@pytest.fixture
def card(api: Api, cardholder: dict[str, Any]) -> dict[str, Any]:
    shipping = {"name": "Ada", "address": _BILLING["address"]}
    return api.post("/v1/issuing/cards", {
        "cardholder": cardholder["id"], "currency": "usd", "type": "physical", "shipping": shipping})  # fmt: skip


def test_what_is_made_holds_what_was_given_and_how_it_begins(card: dict[str, Any], cardholder: dict[str, Any]) -> None:
    assert card["id"].startswith("ic_")
    assert (card["status"], card["currency"], card["type"]) == ("inactive", "usd", "physical")
    assert card["cardholder"] == cardholder
    assert card["shipping"]["status"] == "pending"
    assert conforming.problems("issuing.card", card) == []


def test_it_is_there_afterwards_and_in_its_list(api: Api, card: dict[str, Any]) -> None:
    assert api.get(f"/v1/issuing/cards/{card['id']}") == card
    assert api.get("/v1/issuing/cards") == {
        "object": "list", "data": [card], "has_more": False, "url": "/v1/issuing/cards"}  # fmt: skip


def test_an_update_merges_and_an_empty_value_clears(api: Api, cardholder: dict[str, Any]) -> None:
    path = f"/v1/issuing/cardholders/{cardholder['id']}"
    changed = api.post(path, {"email": "ada@example.com", "metadata": {"b": "2"}})
    assert (changed["email"], changed["metadata"], changed["name"]) == ("ada@example.com", {"a": "1", "b": "2"}, "Ada")
    assert api.post(path, {"metadata": {"a": ""}})["metadata"] == {"b": "2"}
    event = api.events("issuing_cardholder.updated")[0]
    assert event["previous_attributes"] == {"email": None, "metadata": {"b": None}}
    assert event["object"]["email"] == "ada@example.com"


def test_an_update_that_changes_nothing_tells_nothing(api: Api, cardholder: dict[str, Any]) -> None:
    api.post(f"/v1/issuing/cardholders/{cardholder['id']}", {"metadata": {"a": "1"}})
    assert api.events("issuing_cardholder.updated") == []


def test_lists_are_filtered_by_fields_and_by_what_they_refer_to(api: Api, card: dict[str, Any]) -> None:
    assert api.get("/v1/issuing/cards", {"status": "active"})["data"] == []
    assert len(api.get("/v1/issuing/cards", {"status": "inactive"})["data"]) == 1
    assert len(api.get("/v1/issuing/cards", {"cardholder": card["cardholder"]["id"]})["data"]) == 1
    assert api.get("/v1/issuing/cards", {"created": {"gt": card["created"]}})["data"] == []


def test_lists_are_paged_both_ways(api: Api) -> None:
    ids = [api.post("/v1/radar/value_lists", {"name": f"L{n}", "alias": f"l{n}"})["id"] for n in range(5)]
    first = api.get("/v1/radar/value_lists", {"limit": 2})
    assert ([each["id"] for each in first["data"]], first["has_more"]) == ([ids[4], ids[3]], True)
    second = api.get("/v1/radar/value_lists", {"limit": 3, "starting_after": ids[3]})
    assert ([each["id"] for each in second["data"]], second["has_more"]) == ([ids[2], ids[1], ids[0]], False)
    back = api.get("/v1/radar/value_lists", {"limit": 2, "ending_before": ids[1]})
    assert ([each["id"] for each in back["data"]], back["has_more"]) == ([ids[3], ids[2]], True)
    error = api.refused("GET", "/v1/radar/value_lists", {"starting_after": "rsl_none"})
    assert (error["status"], error["code"], error["param"]) == (400, "resource_missing", "starting_after")


def test_what_belongs_to_something_is_found_under_it_alone(api: Api) -> None:
    one, other = (api.post("/v1/accounts", {"type": "custom"})["id"] for _ in range(2))
    person = api.post(
        f"/v1/accounts/{one}/persons", {"first_name": "Ada", "dob": {"day": 10, "month": 12, "year": 1990}}
    )
    assert (person["account"], person["dob"]) == (one, {"day": 10, "month": 12, "year": 1990})
    assert [each["id"] for each in api.get(f"/v1/accounts/{one}/persons")["data"]] == [person["id"]]
    assert api.get(f"/v1/accounts/{other}/persons")["data"] == []
    assert api.refused("GET", f"/v1/accounts/{other}/persons/{person['id']}")["status"] == 404
    assert api.refused("GET", "/v1/accounts/acct_none/persons")["status"] in (403, 404)


def test_deleting_answers_a_stub_and_leaves_nothing(api: Api) -> None:
    made = api.post("/v1/radar/value_lists", {"name": "Bad", "alias": "bad"})["id"]
    assert api.delete(f"/v1/radar/value_lists/{made}") == {"id": made, "object": "radar.value_list", "deleted": True}
    error = api.refused("GET", f"/v1/radar/value_lists/{made}")
    assert (error["status"], error["code"], error["param"]) == (404, "resource_missing", "value_list")
    assert api.get("/v1/radar/value_lists")["data"] == []
    assert api.refused("DELETE", f"/v1/radar/value_lists/{made}")["status"] == 404


def test_a_deleted_one_is_shown_as_its_stub_where_the_answer_may_be_one(api: Api) -> None:
    made = api.post("/v1/terminal/locations", {"display_name": "Shop", "address": _BILLING["address"]})["id"]
    stub = api.delete(f"/v1/terminal/locations/{made}")
    assert api.get(f"/v1/terminal/locations/{made}") == stub
    assert stub["deleted"] is True


def test_an_id_that_names_nothing_is_refused(api: Api) -> None:
    error = api.refused("POST", "/v1/issuing/cards", {"cardholder": "ich_none", "currency": "usd", "type": "virtual"})
    assert (error["status"], error["code"], error["param"]) == (400, "resource_missing", "cardholder")
    assert error["message"] == "No such issuing cardholder: 'ich_none'"


def test_an_action_moves_an_object_and_is_refused_afterwards(api: Api, card: dict[str, Any]) -> None:
    ship = f"/v1/test_helpers/issuing/cards/{card['id']}/shipping/ship"
    assert api.post(ship)["shipping"]["status"] == "shipped"
    error = api.refused("POST", ship)
    assert (error["status"], error["code"]) == (400, "status_transition_invalid")
    assert "cannot be shipped because its shipping.status is shipped" in error["message"]
    assert api.get(f"/v1/issuing/cards/{card['id']}")["shipping"]["status"] == "shipped"


@pytest.mark.skipif("PostBillingMeters" in HAND_WRITTEN, reason="meters have behaviour of their own")
def test_an_action_notes_when_and_tells(api: Api) -> None:
    meter = api.post("/v1/billing/meters", {
        "event_name": "calls", "display_name": "Calls", "default_aggregation": {"formula": "sum"}})  # fmt: skip
    done = api.post(f"/v1/billing/meters/{meter['id']}/deactivate")
    assert (done["status"], done["status_transitions"]["deactivated_at"]) == ("inactive", done["updated"])
    assert [event["type"] for event in api.events()] == [
        "billing.meter.created", "billing.meter.updated", "billing.meter.deactivated"]  # fmt: skip


def test_what_there_is_one_of_is_there_before_it_is_changed(api: Api) -> None:
    assert api.get("/v1/tax/settings")["status"] == "pending"
    assert api.post("/v1/tax/settings", {"defaults": {"tax_behavior": "inclusive"}})["defaults"]["tax_behavior"]
    assert api.get("/v1/tax/settings")["defaults"]["tax_behavior"] == "inclusive"


def test_what_is_published_is_the_same_for_everybody_and_is_paged(api: Api) -> None:
    assert api.get("/v1/tax_codes/txcd_10103001")["name"] == "Software as a service (SaaS) - business use"
    assert api.get("/v1/country_specs/DE")["default_currency"] == "eur"
    ids: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = api.get("/v1/country_specs", {"limit": 20, **after})
        ids += [each["id"] for each in page["data"]]
        if not page["has_more"]:
            break
        after = {"starting_after": ids[-1]}
    assert ids == sorted(set(ids))
    assert len(ids) == len(reference.all_of("country_spec"))
    assert api.refused("GET", "/v1/country_specs/XX")["message"] == "No such country spec: 'XX'"


@pytest.mark.parametrize("name", sorted(reference.names()))
def test_what_is_published_has_its_shape(name: str) -> None:
    assert [conforming.problems(name, each) for each in reference.all_of(name) if conforming.problems(name, each)] == []


def test_rates_agree_with_one_another(api: Api) -> None:
    euro, dollar = (api.get(f"/v1/exchange_rates/{id}")["rates"] for id in ("eur", "usd"))
    assert euro["usd"] == pytest.approx(1 / dollar["eur"], rel=1e-4)
    assert euro["jpy"] == pytest.approx(dollar["jpy"] / dollar["eur"], rel=1e-4)


def test_references_are_expanded_and_a_preview_leaves_nothing(api: Api) -> None:
    made = api.post("/v1/radar/value_lists", {"name": "Bad", "alias": "bad"})
    error = api.refused("GET", "/v1/radar/value_lists", {"expand": ["data.name"]})
    assert error["message"] == "This property cannot be expanded (data.name)."
    assert api.get("/v1/radar/value_lists", {"expand": ["data"]})["data"] == [made]


def test_a_secret_takes_the_place_of_the_one_before_it(api: Api) -> None:
    of = {"name": "key", "scope": {"type": "account"}}
    api.post("/v1/apps/secrets", {**of, "payload": "one"})
    second = api.post("/v1/apps/secrets", {**of, "payload": "two"})
    assert api.get("/v1/apps/secrets/find", of)["id"] == second["id"]
    assert len(api.get("/v1/apps/secrets", {"scope": of["scope"]})["data"]) == 1
    assert api.post("/v1/apps/secrets/delete", of)["deleted"] is True
    assert api.refused("GET", "/v1/apps/secrets/find", of)["status"] == 404


def test_the_same_calls_make_the_same_objects(api: Api, world: Any) -> None:
    from tests.stripe.conftest import NOW

    def made() -> list[dict[str, Any]]:
        with world.instance(seed=7, now=NOW) as inst:
            caller = Api(inst)
            return [caller.post("/v1/radar/value_lists", {"name": "Bad", "alias": "bad"}),
                    caller.post("/v1/identity/verification_sessions", {"type": "document"})]  # fmt: skip

    assert made() == made()
