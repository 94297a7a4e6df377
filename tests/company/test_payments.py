import pytest

from tests.company.conftest import one
from tests.company.test_tickets import ticket_of

DENISE = "denise@whitlowchiro.com"


def ask(inst, verb, operation, **parameters):
    """Use a tool of the payments' own, on the account the company has."""
    (account,) = inst.call("payments_list_available_accounts_or_orgs")["accounts"]
    return inst.call(
        f"payments_stripe_api_{verb}", stripe_api_operation_id=operation, parameters=parameters,
        stripe_context=account["stripe_context"], livemode=False,
    )  # fmt: skip


@pytest.fixture
def charged(larkspur):
    """Denise Whitlow's ticket, and the payment that was taken after she had canceled."""
    ticket = ticket_of(larkspur, DENISE)
    latest = larkspur.call("customer_overview", email=DENISE)["payments"][0]
    assert (latest["amount"], latest["status"], latest["created"][:10]) == (7900, "succeeded", "2026-05-05")
    return ticket, latest["payment_intent"]


def test_a_refund_is_made_in_payments_and_noted_on_the_ticket(larkspur, charged):
    ticket, payment = charged
    done = larkspur.call("refund_for_ticket", ticket_id=ticket["id"], payment_intent=payment)
    assert (done["status"], done["amount"], done["currency"]) == ("succeeded", 7900, "usd")
    kept = ask(larkspur, "read", "GetRefundsRefund", refund=done["refund"])
    assert kept["payment_intent"] == payment
    assert kept["metadata"] == {"ticket": str(ticket["number"])}
    notes = larkspur.call("helpdesk_list_messages", ticket_id=ticket["id"])["messages"]
    assert notes[-1]["visibility"] == "internal"
    assert notes[-1]["body"] == f"Refunded 79.00 USD of {payment}: {done['refund']}."
    assert {record["world"] for record in larkspur.change_log()} == {"payments", "helpdesk"}
    assert larkspur.call("customer_overview", email=DENISE)["payments"][0]["amount_refunded"] == 7900


def test_a_part_can_be_given_back_and_never_more_than_was_paid(larkspur, charged, refused):
    ticket, payment = charged
    asked = {"ticket_id": ticket["id"], "payment_intent": payment}
    assert larkspur.call("refund_for_ticket", **asked, amount=2900)["amount"] == 2900
    error = refused(larkspur, "refund_for_ticket", **asked, amount=5001)
    assert error.code == "payments_refused"
    assert "greater than unrefunded amount on charge ($50.00)" in error.message
    assert larkspur.call("refund_for_ticket", **asked)["amount"] == 5000
    assert refused(larkspur, "refund_for_ticket", **asked).details["stripe_code"] == "charge_already_refunded"


def test_money_is_not_given_back_on_somebody_elses_ticket(larkspur, charged, refused):
    other = one(
        larkspur,
        "SELECT p.id FROM payments.payment_intents p JOIN payments.customers c ON c.id = p.customer "
        "WHERE c.email <> ? AND p.status = 'succeeded' ORDER BY p.x_seq LIMIT 1",
        DENISE,
    )["id"]
    error = refused(larkspur, "refund_for_ticket", ticket_id=charged[0]["id"], payment_intent=other)
    assert error.message.startswith(f"{other} was not paid by {DENISE}.")


def test_an_unknown_payment_is_refused_in_the_words_of_the_api(larkspur, charged, refused):
    error = refused(larkspur, "refund_for_ticket", ticket_id=charged[0]["id"], payment_intent="pi_nothing")
    assert error.message == "No such payment_intent: 'pi_nothing'"
    assert error.details["stripe_code"] == "resource_missing"


@pytest.mark.parametrize("path", ["../v1/balance", "pi_1/cancel", "pi_1?expand[]=x", "cus_1 "])
def test_the_id_of_a_payment_is_no_path(larkspur, charged, refused, path):
    refused(larkspur, "refund_for_ticket", ticket_id=charged[0]["id"], payment_intent=path)


def test_the_agents_tools_and_the_api_of_payments_see_one_account(larkspur):
    made = ask(larkspur, "write", "PostCustomers", email="new@payer.com", name="New Payer")
    assert made["object"] == "customer"
    assert one(larkspur, "SELECT name FROM payments.customers WHERE email = 'new@payer.com'")["name"] == "New Payer"


def test_who_pays_is_a_contact_under_the_name_they_pay_with(larkspur):
    unknown = larkspur.inspect().rows(
        "SELECT c.email FROM payments.customers c LEFT JOIN crm.leads l ON l.email = c.email "
        "WHERE c.deleted = 0 AND c.name IS NOT NULL AND c.description IS NOT NULL "
        "AND (l.id IS NULL OR trim(l.first_name || ' ' || l.last_name) <> c.name)"
    )
    assert unknown == []
