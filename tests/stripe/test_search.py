"""How does search answer a query?"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stripe.conftest import NOW, Api
from worlds.engine import World

_PEOPLE: list[dict[str, Any]] = [
    {"name": "Ada Lovelace", "email": "ada@example.com", "metadata": {"plan": "gold", "a key": "x"}},
    {"name": "Ada Byron", "email": "byron@example.com", "phone": "+4412345"},
    {"name": "Grace Hopper", "email": "grace@navy.example.com", "metadata": {"plan": "Silver"}},
    {"email": "nobody@example.com"},
]


@pytest.fixture
def people(api: Api) -> Api:
    for person in _PEOPLE:
        api.post("/v1/customers", person)
    return api


def search(api: Api, query: str, **more: Any) -> list[str]:
    found = api.get("/v1/customers/search", {"query": query, **more})
    return [each["email"].partition("@")[0] for each in found["data"]]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('name:"ada"', ["byron", "ada"]),
        ("name:'ADA LOVELACE'", ["ada"]),
        ('name:"lovelace ada"', []),
        ('name~"opp"', ["grace"]),
        ('email:"grace@navy.example.com"', ["grace"]),
        ('metadata["plan"]:"silver"', ["grace"]),
        ('metadata["a key"]:"x"', ["ada"]),
        ('-metadata["plan"]:null', ["grace", "ada"]),
        ("phone:null", ["nobody", "grace", "ada"]),
        ('name:"ada" -email~"byron"', ["ada"]),
        ('name:"grace" OR phone~"4412"', ["grace", "byron"]),
        ('name:"ada" AND email~"exam"', ["byron", "ada"]),
        ("created>1000", ["nobody", "grace", "byron", "ada"]),
        ("created<=1000", []),
        (r'name:"a\"b"', []),
    ],
)
def test_a_query_finds_what_it_says(people: Api, query: str, found: list[str]) -> None:
    assert search(people, query) == found


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", "empty string"),
        ("name", "unable to parse"),
        ("name:ada", "unable to parse"),
        ('name:"ada', "unable to parse"),
        ('metadata:"x"', "unable to parse"),
        ('colour:"red"', "Field `colour` is an unsupported search field for resource `customers`"),
        ('name>"ada"', "does not support the `>` operator"),
        ('name~"ad"', "too short"),
        ('created:"soon"', "only takes numbers"),
        ('name:"a" OR name:"b" AND name:"c"', "cannot combine AND and OR"),
        (" ".join(['name:"a"'] * 11), "at most 10 clauses"),
    ],
)
def test_what_is_no_query_is_refused(people: Api, query: str, words: str) -> None:
    error = people.refused("GET", "/v1/customers/search", {"query": query})
    assert error["status"] == 400
    assert error["param"] == "query"
    assert words in error["message"]


def test_pages_follow_one_another_and_are_bound_to_their_query(people: Api) -> None:
    first = people.get("/v1/customers/search", {"query": "created>0", "limit": 3, "expand": ["total_count"]})
    assert (first["object"], first["has_more"], first["total_count"]) == ("search_result", True, 4)
    second = people.get("/v1/customers/search", {"query": "created>0", "limit": 3, "page": first["next_page"]})
    assert [each["email"] for each in second["data"]] == ["ada@example.com"]
    assert (second["has_more"], second["next_page"]) == (False, None)
    assert "total_count" not in second
    error = people.refused("GET", "/v1/customers/search", {"query": "created>1", "page": first["next_page"]})
    assert (error["status"], error["param"]) == (400, "page")


def test_what_an_account_has_not_got_is_not_found_in_it(people: Api) -> None:
    connected = people.post("/v1/accounts", {"type": "custom", "country": "US"})["id"]
    found = people.get("/v1/customers/search", {"query": "created>0"}, stripe_account=connected)
    assert found["data"] == []


def test_deleted_customers_are_not_found(people: Api) -> None:
    ada = people.get("/v1/customers/search", {"query": 'name:"lovelace"'})["data"][0]["id"]
    people.delete(f"/v1/customers/{ada}")
    assert search(people, 'name:"lovelace"') == []


def test_prices_and_products_are_found_by_what_they_refer_to(api: Api) -> None:
    product = api.post("/v1/products", {"name": "Pro plan", "shippable": True})["id"]
    price = api.post("/v1/prices", {"product": product, "currency": "usd", "unit_amount": 500})["id"]
    found = api.get("/v1/prices/search", {"query": f'product:"{product}" active:"true"'})
    assert [each["id"] for each in found["data"]] == [price]
    assert api.get("/v1/products/search", {"query": 'shippable:"true" name~"pla"'})["data"][0]["id"] == product
    assert api.get("/v1/products/search", {"query": 'active:"false"'})["data"] == []


_TEXT = st.text(alphabet="abc XYZ\"'\\:~<>=-[].0123456789", max_size=40)


@given(query=st.one_of(_TEXT, st.text(max_size=60), _TEXT.map(lambda text: f'name:"{text}')))
def test_no_text_is_more_than_refused(world: World, query: str) -> None:
    with world.instance(seed=1, now=NOW) as inst:
        api = Api(inst)
        api.post("/v1/customers", {"name": "Ada"})
        answer = api.send("GET", "/v1/customers/search", {"query": query})
        assert answer.status in (200, 400), (query, answer.body)


_WORDS = ["ada", "bea", "cleo", "dora"]
_AMOUNTS = st.integers(min_value=0, max_value=5)


@given(
    people=st.lists(st.tuples(st.sampled_from(_WORDS), st.sampled_from(_WORDS), _AMOUNTS), max_size=12),
    first=st.sampled_from(_WORDS), second=st.sampled_from(_WORDS), level=_AMOUNTS,
    joined=st.sampled_from(["AND", "OR"]), negated=st.booleans(), limit=st.integers(min_value=1, max_value=4),
)  # fmt: skip
def test_search_finds_what_a_plain_filter_finds(
    world: World,
    people: list[tuple[str, str, int]],
    first: str,
    second: str,
    level: int,
    joined: str,
    negated: bool,
    limit: int,
) -> None:
    with world.instance(seed=1, now=NOW) as inst:
        api = Api(inst)
        ids = {}
        for name, family, number in people:
            made = api.post("/v1/customers", {"name": f"{name} {family}", "metadata": {"level": number}})
            ids[made["id"]] = (name, family, number)
        sign = "-" if negated else ""
        query = f'name:"{first} {second}" {joined} {sign}metadata["level"]:"{level}"'
        wanted = []
        for id, (name, family, number) in reversed(ids.items()):
            is_named, is_level = (name, family) == (first, second), (number == level) != negated
            if (is_named and is_level) if joined == "AND" else (is_named or is_level):
                wanted.append(id)
        found: list[str] = []
        page: dict[str, Any] = {}
        while True:
            answer = json.loads(api.send("GET", "/v1/customers/search", {"query": query, "limit": limit, **page}).body)
            found += [each["id"] for each in answer["data"]]
            if not answer["has_more"]:
                break
            page = {"page": answer["next_page"]}
        assert found == wanted
