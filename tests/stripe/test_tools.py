"""Do the agent's tools act on the account as Stripe's own do, and refuse in its words?"""

from __future__ import annotations

from typing import Any

import pytest

from tests.stripe.conftest import NOW, Api
from worlds.engine import ArgumentError, Instance, ToolError, World
from worlds.stripe import facts
from worlds.stripe.access import catalogue
from worlds.stripe.facts import conforming

TEN = {
    "list_available_accounts_or_orgs", "manage_stripe_accounts", "stripe_api_search", "stripe_api_details",
    "stripe_api_read", "stripe_api_write", "stripe_analytics", "search_stripe_documentation",
    "stripe_implementation_planner", "send_stripe_feedback",
}  # fmt: skip


class Agent:
    """Calls tools with the session's own context."""

    def __init__(self, inst: Instance) -> None:
        self.inst = inst
        (known,) = inst.call("list_available_accounts_or_orgs")["accounts"]
        self.context = {"stripe_context": known["stripe_context"], "livemode": known["livemode"]}

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.inst.call(tool, **{**self.context, **arguments})

    def read(self, id: str, /, **parameters: Any) -> Any:
        return self.call("stripe_api_read", stripe_api_operation_id=id, parameters=parameters)

    def write(self, id: str, /, **parameters: Any) -> Any:
        return self.call("stripe_api_write", stripe_api_operation_id=id, parameters=parameters)

    def refused(self, tool: str, **arguments: Any) -> str:
        with pytest.raises(ToolError) as caught:
            self.call(tool, **arguments)
        return caught.value.message

    def ask(self, sql: str) -> Any:
        return self.call("stripe_analytics", intent="execute_query_run", params={"sql": sql})


@pytest.fixture
def agent(account: Instance) -> Agent:
    return Agent(account)


def begun(world: World, **startup: Any) -> Instance:
    return world.instance(seed=1, now=NOW, startup=startup)


def test_the_agent_has_the_ten_tools_of_stripes_own_server(account: Instance) -> None:
    tools = {tool["name"]: tool["input_schema"] for tool in account.tools()}
    assert set(tools) == TEN
    assert tools["stripe_api_search"]["required"] == ["intent", "resource", "stripe_context", "livemode"]
    limit = tools["stripe_api_search"]["properties"]["limit"]
    assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 20, 5)
    assert "human_confirmation" not in tools["stripe_api_write"]["required"]
    assert tools["stripe_analytics"]["properties"]["params"]["default"] == {}


def test_tools_and_the_api_act_on_one_account(agent: Agent, account: Instance) -> None:
    api = Api(account)
    made = agent.write("PostCustomers", name="Ada", metadata={"plan": "pro"})
    assert api.get(f"/v1/customers/{made['id']}") == made
    product = api.post("/v1/products", {"name": "Pro"})
    assert agent.read("GetProductsId", id=product["id"])["name"] == "Pro"
    assert [event["type"] for event in api.events()] == ["customer.created", "product.created"]


def test_an_answer_is_the_bare_object_of_its_published_shape(agent: Agent) -> None:
    found = agent.write("PostCustomers", name="Ada", expand=["tax"])
    assert not list(conforming.problems("customer", found))


def test_an_unknown_context_and_the_wrong_mode_are_refused_before_anything_is_done(agent: Agent) -> None:
    text = agent.refused(
        "stripe_api_read", stripe_api_operation_id="Nonsense", parameters={}, stripe_context="acct_nobody"
    )
    assert "list_available_accounts_or_orgs" in text
    here = agent.context["stripe_context"]
    assert agent.refused("stripe_api_read", stripe_api_operation_id="GetBalance", parameters={}, livemode=True) == (
        f"The provided account {here} is a sandbox account. Retry with livemode set to false."
    )


@pytest.mark.parametrize(
    ("tool", "id"),
    [
        ("stripe_api_read", "PostCustomers"),
        ("stripe_api_write", "GetCustomers"),
        ("stripe_api_write", "PostPaymentIntents"),
        ("stripe_api_read", "Nonsense"),
    ],
)
def test_an_operation_beside_the_catalogue_is_not_available(agent: Agent, tool: str, id: str) -> None:
    assert agent.refused(tool, stripe_api_operation_id=id, parameters={}) == (
        f"Operation '{id}' is not available. Use stripe_api_search to find available operations."
    )


def test_of_an_error_an_agent_reads_the_message_and_where_to_look(agent: Agent) -> None:
    assert agent.refused(
        "stripe_api_read", stripe_api_operation_id="GetCustomersCustomer", parameters={"customer": "cus_nobody"}
    ) == (
        "Stripe API error: No such customer: 'cus_nobody'\n\nUse stripe_api_details with stripe_api_operation_id: "
        '"GetCustomersCustomer" to see all required and optional parameters.'
    )
    assert "Missing required param: customer." in agent.refused(
        "stripe_api_read", stripe_api_operation_id="GetCustomersCustomer", parameters={}
    )
    assert "Received unknown parameter: colour" in agent.refused(
        "stripe_api_write", stripe_api_operation_id="PostCustomers", parameters={"colour": "red"}
    )


def test_every_catalogued_operation_is_published_and_described(agent: Agent) -> None:
    assert len(catalogue.offered()) == 123
    for id in catalogue.offered():
        found = agent.call("stripe_api_details", stripe_api_operation_id=id)
        assert len(found) == 10
        assert found["path"] == facts.operations()[id].path


def test_details_tell_the_parameters_with_their_kinds(agent: Agent) -> None:
    found = agent.call("stripe_api_details", stripe_api_operation_id="PostCustomersCustomer")
    assert found["required_permissions"] == []
    assert found["parameters"]["path"]["customer"]["required"] is True
    body = found["parameters"]["body"]
    assert body["business_name"]["enum"] == [""]
    assert body["metadata"]["type"] == "object | string"
    refund = agent.call("stripe_api_details", stripe_api_operation_id="GetRefunds")
    assert set(refund["parameters"]["query"]) >= {"charge", "limit", "starting_after"}


@pytest.mark.parametrize(
    ("intent", "resource", "first"),
    [
        ("create", "customer", "PostCustomers"),
        ("list", "payout methods", "GetPayouts"),
        ("refund", "charge", "PostRefunds"),
        ("cancel", "subscription", "DeleteSubscriptionsSubscriptionExposedId"),
        ("list", "issuing card transactions", "GetIssuingTransactions"),
        ("search", "customers", "GetCustomersSearch"),
        ("void", "invoice", "PostInvoicesInvoiceVoid"),
        ("update", "dispute", "PostDisputesDispute"),
    ],
)
def test_the_search_finds_the_operation_that_is_meant(agent: Agent, intent: str, resource: str, first: str) -> None:
    found = agent.call("stripe_api_search", intent=intent, resource=resource)
    assert found["data"][0]["id"] == first
    assert set(found["data"][0]) == {"id", "method", "path", "summary"}
    assert len(found["data"]) <= 5


def test_a_search_for_something_else_finds_nothing(agent: Agent) -> None:
    assert agent.call("stripe_api_search", intent="brew", resource="coffee")["data"] == []


def test_with_the_open_catalogue_a_decline_is_refused_and_its_traces_stay(world: World) -> None:
    with begun(world, mcp_catalogue="open") as inst:
        agent = Agent(inst)
        text = agent.refused(
            "stripe_api_write", stripe_api_operation_id="PostPaymentIntents",
            parameters={"amount": 500, "currency": "usd", "confirm": True, "payment_method_types": ["card"],
                        "payment_method": "pm_card_visa_chargeDeclined"},
        )  # fmt: skip
        assert text.startswith("Stripe API error: Your card was declined.\n\n")
        assert [charge["status"] for charge in agent.read("GetCharges")["data"]] == ["failed"]


def test_a_refused_write_leaves_nothing(agent: Agent, account: Instance) -> None:
    agent.refused("stripe_api_write", stripe_api_operation_id="PostPrices",
                  parameters={"currency": "usd", "unit_amount": 5, "product": "prod_nobody"})  # fmt: skip
    assert account.diff().of_table("prices") == []


def test_a_product_that_is_not_set_up_says_so_over_every_door(world: World) -> None:
    with begun(world, inactive_products=["issuing", "sigma"]) as inst:
        agent, api = Agent(inst), Api(inst)
        text = agent.refused("stripe_api_read", stripe_api_operation_id="GetIssuingCards", parameters={})
        assert text.startswith("Stripe API error: Your account is not set up to use Issuing. Please visit https://")
        assert text.endswith(" to get started.")
        assert "Issuing" in api.refused("GET", "/v1/issuing/cards")["message"]
        assert "Sigma" in agent.refused("stripe_analytics", intent="search_query_tables")


def test_a_session_without_the_permission_is_told_which(world: World) -> None:
    with begun(world, mcp_permissions=["customer_write", "rak_charge_read"]) as inst:
        agent = Agent(inst)
        made = agent.write("PostCustomers", name="Ada")
        assert agent.read("GetCustomersCustomer", customer=made["id"])["name"] == "Ada"
        assert agent.read("GetRefunds")["data"] == []
        assert agent.refused("stripe_api_read", stripe_api_operation_id="GetProducts", parameters={}) == (
            "Stripe API error: You don't have the required permissions to perform this action. Required permissions: "
            "product_read."
        )


def test_a_write_waits_for_a_persons_word_where_that_is_wanted(world: World) -> None:
    with begun(world, mcp_confirms_writes=True) as inst:
        agent = Agent(inst)
        asked = agent.write("PostCustomers", name="Ada")
        assert asked["status"] == "needs_confirmation"
        assert agent.read("GetCustomers")["data"] == []
        word = {"approval_token": asked["approval_token"]}

        def again(name: str) -> Any:
            return agent.call("stripe_api_write", stripe_api_operation_id="PostCustomers", parameters={"name": name},
                              human_confirmation=word)  # fmt: skip

        with pytest.raises(ToolError, match="approval token is not valid"):
            again("Bea")
        assert again("Ada")["object"] == "customer"
        with pytest.raises(ToolError, match="approval token is not valid"):
            again("Ada")


def test_sql_sees_the_accounts_rows_and_no_more(agent: Agent) -> None:
    agent.write("PostCustomers", name="Ada", email="ada@example.com")
    run = agent.ask("SELECT name, email FROM customers")
    assert run["status"] == "succeeded"
    assert (run["result"]["columns"], run["result"]["rows"]) == (["name", "email"], [["Ada", "ada@example.com"]])
    assert agent.call("stripe_analytics", intent="retrieve_query_run", params={"id": run["id"]}) == run
    with_own = agent.ask("-- mine\nWITH named AS (SELECT * FROM customers) SELECT count(*) FROM named")
    assert with_own["result"]["rows"] == [[1]]
    assert not [name for name in agent.ask("SELECT * FROM customers")["result"]["columns"] if name.startswith("x_")]


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM customers",
        "INSERT INTO customers (id) VALUES ('cus_1')",
        "SELECT x_account FROM customers",
        "SELECT * FROM main.customers",
        "SELECT * FROM idempotency_keys",
        "SELECT sql FROM sqlite_schema",
        "SELECT 1; SELECT 2",
        "PRAGMA table_info(customers)",
        "nonsense",
    ],
)
def test_sql_that_reaches_further_fails_and_is_kept_as_failed(agent: Agent, sql: str) -> None:
    run = agent.ask(sql)
    assert (run["status"], run["result"]) == ("failed", None)
    assert run["error"]["message"]


def test_tables_and_templates_can_be_found_and_every_template_runs(world: World) -> None:
    with world.instance("small_startup", seed=1) as inst:
        agent = Agent(inst)
        names = [each["name"] for each in agent.call("stripe_analytics", intent="search_query_tables")["data"]]
        assert {"charges", "customers", "disputes"} - set(names) == set() or len(names) == 10
        table = agent.call("stripe_analytics", intent="retrieve_query_table", params={"name": "charges"})
        assert {"name": "customer", "type": "text", "nullable": True, "references": "customers"} in table["columns"]
        (buyer,) = agent.read("GetCustomers", limit=1)["data"]
        for template in agent.call("stripe_analytics", intent="retrieve_query_template")["data"]:
            needed = {each["name"]: buyer["id"] for each in template["parameters"] if each["required"]}
            run = agent.call(
                "stripe_analytics", intent="execute_query_template",
                params={"name": template["name"], "parameters": needed},
            )  # fmt: skip
            assert run["error"] is None, template["name"]
        assert "needs 'customer'" in agent.refused(
            "stripe_analytics", intent="execute_query_template", params={"name": "customer_payments"}
        )


def test_the_documentation_answers_offline(account: Instance) -> None:
    found = account.call("search_stripe_documentation", question="How do I refund a payment?")["sources"]
    assert found[0]["title"] == "Refund and cancel payments"
    assert any(each["type"] == "api_reference" for each in found)
    plan = account.call("stripe_implementation_planner", description="A SaaS with monthly plans")
    assert plan["recommended"] == ["Subscriptions with Billing"]
    known = facts.operations()
    assert all(id in known for step in plan["steps"] for id in step["operations"])


def test_feedback_is_kept(account: Instance) -> None:
    account.call("send_stripe_feedback", feedback="More examples, please.")
    assert account.inspect().one("SELECT feedback FROM feedback") == {"feedback": "More examples, please."}


def test_arguments_of_the_wrong_kind_are_refused(agent: Agent) -> None:
    with pytest.raises(ArgumentError):
        agent.call("stripe_analytics", intent="guess")
