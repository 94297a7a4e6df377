"""Do the 22 older tools, and those of a session with one key, work on the embedded account?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module

import pytest

from tests.stripe.conftest import NOW
from worlds.engine import HttpRequest, Instance, World
from worlds.engine.declaring import take_pending as declared_in
from worlds.engine.tools import take_pending as tools_in


def composed(name: str, **embedding: object) -> World:
    """The world of an app that is not among those of the tests."""
    world = World(name, version="1.0.0")
    world.embed("stripe", name="stripe", **embedding)  # type: ignore[arg-type]
    for module in ("tools", "startup") if name == "stripe_toolkit" else ("tools",):
        import_module(f"worlds.{name}.{module}")
    for tool in tools_in(f"worlds.{name}"):
        world.tool(tool)
    for register in declared_in(f"worlds.{name}"):
        register(world)
    return world


@pytest.fixture(scope="module")
def toolkit() -> World:
    return composed("stripe_toolkit", tools=[])


@pytest.fixture
def inst(toolkit: World) -> Iterator[Instance]:
    with toolkit.instance(seed=1, now=NOW) as inst:
        yield inst


def test_the_agent_has_the_22_tools_with_the_toolkits_schemas(inst: Instance) -> None:
    tools = {tool["name"]: tool["input_schema"] for tool in inst.tools()}
    assert len(tools) == 22
    assert tools["create_coupon"]["required"] == ["name", "amount_off"]
    assert tools["create_customer"]["properties"]["email"]["format"] == "email"
    assert "default" not in tools["list_customers"]["properties"]["limit"]
    assert tools["list_disputes"]["properties"]["limit"]["default"] == 10


def test_a_tool_answers_the_fields_the_toolkit_did(inst: Instance) -> None:
    made = inst.call("create_customer", name="Ada", email="ada@example.com")
    assert set(made) == {"id"}
    assert inst.call("list_customers", email="ada@example.com") == [made]
    product = inst.call("create_product", name="Pro")
    price = inst.call("create_price", product=product["id"], unit_amount=1500, currency="USD")
    assert price["currency"] == "usd"
    assert [each["id"] for each in inst.call("list_prices", product=product["id"])] == [price["id"]]
    assert set(inst.call("create_payment_link", price=price["id"], quantity=1)) == {"id", "url"}
    assert inst.call("retrieve_balance")["object"] == "balance"


def test_a_refusal_becomes_one_sentence_and_no_error(inst: Instance) -> None:
    assert inst.call("create_refund", payment_intent="pi_nobody") == '"Failed to create refund"'
    told = json.loads(inst.call("create_coupon", name="Free", amount_off=0, percent_off=120 / 2, duration="repeating"))
    assert told.startswith("Failed to create coupon: ")


def test_the_api_of_the_embedded_account_sees_what_the_tools_did(inst: Instance) -> None:
    made = inst.call("create_customer", name="Ada")
    request = HttpRequest.of("GET", f"/v1/customers/{made['id']}", headers={"authorization": "Bearer sk_test_1"})
    assert inst.http(request, "stripe").json()["name"] == "Ada"


def test_the_customer_of_the_session_stands_in_for_any_other(toolkit: World) -> None:
    with toolkit.instance(seed=1, now=NOW, startup={"toolkit_customer": "cus_nobody"}) as inst:
        other = inst.call("create_customer", name="Ada")
        assert inst.call("create_invoice", customer=other["id"]) == '"Failed to create invoice"'


def test_a_session_with_one_key_has_nine_tools_and_its_accounts_id() -> None:
    world = composed("stripe_key", without_tools=["list_available_accounts_or_orgs", "manage_stripe_accounts"])
    with world.instance(seed=1, now=NOW) as inst:
        assert len(inst.tools()) == 9
        id = inst.call("get_stripe_account_info")["id"]
        found = inst.call("stripe_api_read", stripe_api_operation_id="GetBalance", parameters={}, stripe_context=id,
                          livemode=False)  # fmt: skip
        assert found["object"] == "balance"
