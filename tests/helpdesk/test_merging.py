import pytest


@pytest.fixture
def twin(desk):
    return desk.call(
        "create_ticket",
        subject="Engine again",
        body="Still stops.",
        requester_email="lovelace@example.com",
        requester_name="A. Lovelace",
        tags=["engine"],
    )


def merge(desk, ticket, twin, **more):
    return desk.call("merge_tickets", keep_id=ticket["id"], duplicate_id=twin["id"], **more)


def test_the_duplicate_is_closed_and_the_other_goes_on(desk, ticket, twin):
    done = merge(desk, ticket, twin)
    assert (done["duplicate"]["status"], done["duplicate"]["merged_into_id"]) == ("closed", ticket["id"])
    assert (done["ticket"]["status"], done["ticket"]["tags"]) == ("new", ["engine"])
    assert (done["note"]["ticket_id"], done["note"]["visibility"]) == (ticket["id"], "internal")
    assert done["note"]["body"] == (
        "#1002 “Engine again” from A. Lovelace <lovelace@example.com> was merged into this ticket. They last wrote:"
        "\n\nStill stops."
    )
    assert desk.call("get_ticket", ticket_id=ticket["id"])["merged_ids"] == [twin["id"]]
    kinds = [entry["kind"] for entry in desk.call("list_history", ticket_id=twin["id"])["history"]]
    assert kinds[-2:] == ["merged_into", "status"]


def test_a_merged_ticket_owes_nothing_any_more(desk, ticket, twin, clocks):
    merge(desk, ticket, twin)
    assert {clock["status"] for clock in clocks(twin["id"]).values()} == {"cancelled"}
    assert desk.call("get_ticket", ticket_id=twin["id"])["waiting_since"] is None
    assert desk.advance(days=60) == 2


def test_who_waits_longest_keeps_waiting(desk, ticket, twin):
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x", status="pending")
    assert merge(desk, ticket, twin)["ticket"]["waiting_since"] == twin["created_at"]


def test_a_solved_ticket_waits_for_nobody(desk, ticket, twin):
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x", status="solved")
    done = merge(desk, ticket, twin)
    assert (done["ticket"]["status"], done["ticket"]["waiting_since"]) == ("solved", None)


def test_the_requester_of_the_duplicate_can_be_told(desk, ticket, twin):
    done = merge(desk, ticket, twin, message_to_requester="We answer in the other one.")
    public = desk.call("list_messages", ticket_id=twin["id"], visibility="public")["messages"]
    assert public[-1]["body"] == "We answer in the other one."
    assert done["duplicate"]["first_replied_at"] is not None
    assert done["ticket"]["waiting_since"] == ticket["created_at"]


def test_what_is_written_on_the_duplicate_arrives_at_the_other(desk, ticket, twin):
    third = desk.call("create_ticket", subject="x", body="x", requester_email="ada@example.com")
    merge(desk, ticket, twin)
    desk.call("merge_tickets", keep_id=third["id"], duplicate_id=ticket["id"])
    answer = desk.call("log_customer_message", ticket_id=twin["id"], body="Me again")
    assert (answer["ticket"]["id"], answer["is_follow_up"]) == (third["id"], False)
    assert answer["message"]["author_id"] == third["requester_id"]


def test_what_cannot_be_merged(desk, refused, ticket, twin):
    assert refused("merge_tickets", keep_id=ticket["id"], duplicate_id=ticket["id"]).code == "invalid_input"
    assert refused("merge_tickets", keep_id=ticket["id"], duplicate_id="tick_x").code == "not_found"
    assert refused("merge_tickets", keep_id="tick_x", duplicate_id=ticket["id"]).code == "not_found"
    merge(desk, ticket, twin)
    error = refused("merge_tickets", keep_id=ticket["id"], duplicate_id=twin["id"])
    assert error.message == "Ticket #1002 is closed and stays as it is. Work on #1001, which it was merged into."
    assert error.details == {"merged_into_number": 1001}
    assert refused("merge_tickets", keep_id=twin["id"], duplicate_id=ticket["id"]).code == "conflict"
    assert refused("merge_tickets", keep_id=ticket["id"], duplicate_id=twin["id"], message_to_requester=" ")


def test_two_customers_become_one_with_both_addresses(desk, ticket, twin):
    keep, duplicate = ticket["requester_id"], twin["requester_id"]
    desk.call("update_customer", customer_id=keep, name="", about="one")
    desk.call("update_customer", customer_id=duplicate, phone="1", about="two", email="al@example.com")
    done = desk.call("merge_customers", keep_id=keep, duplicate_id=duplicate)
    assert (done["name"], done["phone"], done["about"]) == ("A. Lovelace", "1", "one\ntwo")
    assert done["other_emails"] == ["al@example.com", "lovelace@example.com"]
    assert done["moved"] == {"tickets": 1, "messages": 1, "addresses": 2}
    for email in ("ada@example.com", "al@example.com", "lovelace@example.com"):
        again = desk.call("create_ticket", subject="x", body="x", requester_email=email)
        assert again["requester_id"] == keep
    history = desk.call("list_history", ticket_id=twin["id"])["history"]
    assert {entry["by_id"] for entry in history} == {keep}


def test_customers_that_cannot_be_merged(refused, ticket):
    customer = ticket["requester_id"]
    assert refused("merge_customers", keep_id=customer, duplicate_id=customer).details == {"field": "duplicate_id"}
    assert refused("merge_customers", keep_id=customer, duplicate_id="cust_x").code == "not_found"
    assert refused("merge_customers", keep_id="cust_x", duplicate_id=customer).code == "not_found"
