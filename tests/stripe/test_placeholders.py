"""What becomes of ids that the documentation writes in its examples?"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.stripe.conftest import NOW, Api
from worlds.engine import World
from worlds.stripe.facts import conforming


@pytest.fixture
def lenient(world: World) -> Iterator[Api]:
    with world.instance(seed=1, now=NOW, startup={"placeholder_ids": True}) as inst:
        yield Api(inst)


def test_they_name_nothing_by_default(api: Api) -> None:
    assert api.refused("GET", "/v1/customers/cus_xxxxxxxxxxxxx")["code"] == "resource_missing"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/v1/customers/cus_xxxxxxxxxxxxx", "customer"),
        ("/v1/charges/ch_123", "charge"),
        ("/v1/checkout/sessions/cs_test_xxxxxxxxxxxxx", "checkout.session"),
        ("/v1/issuing/cards/ic_xxxxxxxxxxxxx", "issuing.card"),
    ],
)
def test_an_account_that_takes_them_answers_from_the_shape(lenient: Api, path: str, name: str) -> None:
    shown = lenient.get(path)
    assert shown["id"] == path.rpartition("/")[2]
    assert conforming.problems(name, shown) == []


def test_it_still_refuses_other_ids(lenient: Api) -> None:
    assert lenient.refused("GET", "/v1/customers/cus_1F7jwWfPx44dRQ")["code"] == "resource_missing"


def test_what_was_given_is_in_the_answer(lenient: Api) -> None:
    assert lenient.post("/v1/customers/cus_xyz", {"name": "Ada"})["name"] == "Ada"
    assert lenient.delete("/v1/customers/cus_xyz") == {"id": "cus_xyz", "object": "customer", "deleted": True}


def test_nothing_of_it_stays(lenient: Api) -> None:
    lenient.post("/v1/payment_intents/pi_xxxxxxxxxxxxx/cancel")
    rows = lenient.inst.inspect().rows("SELECT id FROM payment_intents UNION SELECT id FROM events")
    assert rows == []


def test_an_empty_list_shows_an_example(lenient: Api) -> None:
    (shown,) = lenient.get("/v1/customers")["data"]
    assert conforming.problems("customer", shown) == []
    made = lenient.post("/v1/customers", {"name": "Ada"})
    assert lenient.get("/v1/customers")["data"] == [made]
