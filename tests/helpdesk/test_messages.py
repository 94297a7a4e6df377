import pytest


def test_a_reply_answers_the_customer_and_makes_the_ticket_mine(desk, me, ticket):
    answer = desk.call("reply_to_ticket", ticket_id=ticket["id"], body=" Have you oiled it? ", status="pending")
    assert (answer["message"]["body"], answer["message"]["author_id"]) == ("Have you oiled it?", me)
    assert (answer["message"]["author_type"], answer["message"]["visibility"]) == ("agent", "public")
    shown = answer["ticket"]
    assert (shown["status"], shown["assignee_id"], shown["waiting_since"]) == ("pending", me, None)
    assert shown["first_replied_at"] == shown["updated_at"] == desk.clock.iso()


def test_a_reply_leaves_the_assignee_and_the_first_time_as_they_are(desk, ticket):
    other = desk.call("create_agent", email="other@example.com", name="Olga")["id"]
    desk.call("update_ticket", ticket_id=ticket["id"], assignee_id=other)
    first = desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x")["ticket"]
    second = desk.call("reply_to_ticket", ticket_id=ticket["id"], body="y")["ticket"]
    assert (second["assignee_id"], second["first_replied_at"]) == (other, first["first_replied_at"])


def test_a_note_is_no_reply(desk, ticket):
    answer = desk.call("add_note", ticket_id=ticket["id"], body="He means the loom.")
    assert answer["message"]["visibility"] == "internal"
    shown = answer["ticket"]
    assert (shown["status"], shown["assignee_id"], shown["first_replied_at"]) == ("new", None, None)
    assert shown["waiting_since"] == ticket["waiting_since"]
    assert shown["updated_at"] == desk.clock.iso()


@pytest.mark.parametrize("status", ["pending", "on_hold", "solved"])
def test_a_ticket_the_customer_writes_on_is_open_again(desk, ticket, status):
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x", status=status)
    answer = desk.call("log_customer_message", ticket_id=ticket["id"], body="Still broken")
    assert (answer["ticket"]["id"], answer["is_follow_up"]) == (ticket["id"], False)
    assert (answer["ticket"]["status"], answer["ticket"]["waiting_since"]) == ("open", desk.clock.iso())
    assert (answer["ticket"]["solved_at"], answer["ticket"]["auto_closes_at"]) == (None, None)
    assert answer["message"]["author_type"] == "customer"


def test_who_waits_waits_from_the_first_message_that_nobody_answered(desk, ticket):
    for _ in range(2):
        shown = desk.call("log_customer_message", ticket_id=ticket["id"], body="Hello?")["ticket"]
    assert (shown["status"], shown["waiting_since"]) == ("new", ticket["created_at"])


def test_somebody_else_may_write_on_a_ticket(desk, refused, ticket):
    answer = desk.call(
        "log_customer_message", ticket_id=ticket["id"], body="I am her clerk", customer_email="clerk@example.com"
    )
    (clerk,) = desk.call("list_customers", email="clerk@example.com")["customers"]
    assert answer["message"]["author_id"] == clerk["id"]
    error = refused("log_customer_message", ticket_id=ticket["id"], body="x", customer_email="clerk")
    assert error.details == {"field": "customer_email"}


def test_what_is_written_on_a_closed_ticket_begins_a_follow_up(desk, ticket):
    desk.call("update_ticket", ticket_id=ticket["id"], team_id="billing")
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x", status="solved")
    desk.call("update_ticket", ticket_id=ticket["id"], status="closed")
    answer = desk.call("log_customer_message", ticket_id=ticket["id"], body="Again")
    shown = answer["ticket"]
    assert (answer["is_follow_up"], shown["number"], shown["status"]) == (True, 1002, "new")
    assert (shown["follow_up_of_id"], shown["subject"], shown["team_id"]) == (
        ticket["id"],
        ticket["subject"],
        "billing",
    )
    assert desk.call("list_messages", ticket_id=ticket["id"])["messages"][-1]["author_type"] == "agent"


def test_messages_are_read_in_order_by_everybody_or_without_notes(desk, ticket):
    desk.call("add_note", ticket_id=ticket["id"], body="two")
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="three")

    def bodies(**filters):
        return [
            message["body"] for message in desk.call("list_messages", ticket_id=ticket["id"], **filters)["messages"]
        ]

    assert bodies() == ["It stops after a minute.", "two", "three"]
    assert bodies(visibility="public", order="newest") == ["three", "It stops after a minute."]
    assert bodies(visibility="internal") == ["two"]


def test_messages_and_history_of_one_instant_read_in_order(world):
    with world.instance("empty", seed=1, clock_mode="fixed") as inst:
        ticket = inst.call("create_ticket", subject="x", body="0", requester_email="a@example.com")["id"]
        for n in range(1, 12):
            inst.call("reply_to_ticket", ticket_id=ticket, body=str(n))
        messages = inst.call("list_messages", ticket_id=ticket)["messages"]
        assert [message["body"] for message in messages] == [str(n) for n in range(12)]
        history = inst.call("list_history", ticket_id=ticket)["history"]
        written = [entry["to"] for entry in history if entry["kind"] == "replied"]
        assert written == [message["id"] for message in messages[1:]]


@pytest.mark.parametrize("tool", ["reply_to_ticket", "add_note", "log_customer_message"])
def test_nothing_is_said_to_nobody(refused, ticket, tool):
    assert refused(tool, ticket_id=ticket["id"], body=" ").message == "body is empty. Give it some text."
    assert refused(tool, ticket_id="tick_x", body="x").code == "not_found"


def test_messages_of_an_unknown_ticket_are_not_found(refused):
    assert refused("list_messages", ticket_id="tick_x").code == "not_found"
    assert refused("list_history", ticket_id="tick_x").code == "not_found"
