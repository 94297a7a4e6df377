import pytest


def test_a_ticket_begins_with_its_customer_its_message_and_a_number(desk, ticket):
    assert (ticket["number"], ticket["status"], ticket["priority"], ticket["channel"]) == (
        1001,
        "new",
        "normal",
        "email",
    )
    assert ticket["requester"]["email"] == "ada@example.com"
    assert ticket["requester"]["name"] == "Ada Lovelace"
    assert ticket["waiting_since"] == ticket["created_at"]
    (message,) = desk.call("list_messages", ticket_id=ticket["id"])["messages"]
    assert (message["id"], message["author_type"], message["author_id"], message["body"]) == (
        ticket["message_id"],
        "customer",
        ticket["requester_id"],
        "It stops after a minute.",
    )


def test_the_customer_of_an_address_is_found_again_in_any_case(desk, ticket):
    again = desk.call("create_ticket", subject="More", body="x", requester_email=" ADA@example.com ")
    assert (again["requester_id"], again["number"]) == (ticket["requester_id"], 1002)
    assert desk.call("create_ticket", subject="x", body="x", requester_id=ticket["requester_id"])["number"] == 1003


def test_a_name_is_taken_down_only_while_none_is_known(desk):
    first = desk.call("create_ticket", subject="x", body="x", requester_email="bo@example.com")
    assert first["requester"]["name"] == ""
    for name in ("Bo Berg", "Somebody Else"):
        again = desk.call("create_ticket", subject="x", body="x", requester_email="bo@example.com", requester_name=name)
        assert again["requester"]["name"] == "Bo Berg"


def test_a_requester_is_an_address_or_an_id(refused, ticket):
    for arguments in ({}, {"requester_email": "a@example.com", "requester_id": ticket["requester_id"]}):
        error = refused("create_ticket", subject="x", body="x", **arguments)
        assert error.message == "Give exactly one of requester_email or requester_id."
    error = refused("create_ticket", subject="x", body="x", requester_email="nobody")
    assert error.details == {"field": "requester_email"}
    assert refused("create_ticket", subject="x", body="x", requester_id="cust_x").code == "not_found"


@pytest.mark.parametrize("field", ["subject", "body"])
def test_a_ticket_says_something(refused, field):
    given = {"subject": "x", "body": "x", "requester_email": "a@example.com", field: " "}
    assert refused("create_ticket", **given).details == {"field": field}


def test_an_agent_may_write_first(desk, me):
    ticket = desk.call(
        "create_ticket", subject="News", body="Dear Ada", requester_email="ada@example.com", sender="agent"
    )
    assert (ticket["status"], ticket["assignee_id"], ticket["waiting_since"]) == ("open", me, None)
    shown = desk.call("get_ticket", ticket_id=ticket["id"])
    assert shown["latest_message"]["author_id"] == me
    assert [clock["metric"] for clock in shown["sla"]] == ["resolution"]


def test_a_ticket_is_read_by_id_or_by_number(desk, refused, ticket):
    by_id = desk.call("get_ticket", ticket_id=ticket["id"])
    assert by_id == desk.call("get_ticket", number=1001)
    assert (by_id["message_count"], by_id["rating"], by_id["tags"]) == (1, None, [])
    assert refused("get_ticket", number=7).message.startswith("There is no ticket #7.")
    assert refused("get_ticket", ticket_id="tick_x").code == "not_found"
    assert refused("get_ticket").message == "Give exactly one of ticket_id or number."
    assert refused("get_ticket", ticket_id=ticket["id"], number=1001).code == "invalid_input"


def test_fields_are_changed_and_remembered(desk, me, ticket):
    changed = desk.call(
        "update_ticket",
        ticket_id=ticket["id"],
        subject="Engine",
        priority="high",
        team_id="billing",
        tags=["B", "a  c"],
    )
    assert (changed["subject"], changed["priority"], changed["team_id"]) == ("Engine", "high", "billing")
    assert changed["tags"] == ["a c", "b"]
    told = desk.call("list_history", ticket_id=ticket["id"])["history"]
    assert [(entry["kind"], entry["from"], entry["to"], entry["by_id"]) for entry in told] == [
        ("created", None, "email", ticket["requester_id"]),
        ("subject", "The engine stops", "Engine", me),
        ("priority", "normal", "high", me),
        ("team", None, "billing", me),
        ("tags", None, "a c, b", me),
    ]


def test_a_change_to_nothing_leaves_no_trace(desk, me, ticket):
    given = {"subject": "Engine", "status": "pending", "priority": "high", "assignee_id": me, "tags": ["x"]}
    changed = desk.call("update_ticket", ticket_id=ticket["id"], **given)
    before = desk.change_log()
    assert desk.call("update_ticket", ticket_id=ticket["id"], **given) == changed
    assert desk.call("update_ticket", ticket_id=ticket["id"]) == changed
    assert desk.change_log() == before


def test_what_is_assigned_is_new_no_more(desk, me, ticket):
    assert desk.call("update_ticket", ticket_id=ticket["id"], assignee_id=me)["status"] == "open"
    cleared = desk.call("update_ticket", ticket_id=ticket["id"], clear=["assignee_id"])
    assert (cleared["status"], cleared["assignee_id"]) == ("open", None)


def test_a_field_is_not_set_and_cleared_at_once(refused, ticket):
    error = refused("update_ticket", ticket_id=ticket["id"], team_id="billing", clear=["team_id"])
    assert error.message == "team_id is both set and cleared. Leave it out of one of the two."


def test_solving_needs_an_assignee(desk, refused, me, ticket):
    assert "assigned to nobody" in refused("update_ticket", ticket_id=ticket["id"], status="solved").message
    solved = desk.call("update_ticket", ticket_id=ticket["id"], status="solved", assignee_id=me)
    assert (solved["status"], solved["solved_at"], solved["waiting_since"]) == ("solved", desk.clock.iso(), None)
    assert refused("update_ticket", ticket_id=ticket["id"], clear=["assignee_id"]).code == "conflict"


def test_only_a_solved_ticket_is_closed_and_then_stays_as_it_is(desk, refused, me, ticket):
    error = refused("update_ticket", ticket_id=ticket["id"], status="closed")
    assert error.message == "Ticket #1001 is new; only a solved ticket is closed. Set its status to solved first."
    desk.call("update_ticket", ticket_id=ticket["id"], status="solved", assignee_id=me)
    closed = desk.call("update_ticket", ticket_id=ticket["id"], status="closed")
    assert (closed["closed_at"], closed["auto_closes_at"]) == (desk.clock.iso(), None)
    for tool, arguments in (
        ("update_ticket", {"priority": "low"}),
        ("update_ticket", {"status": "open"}),
        ("reply_to_ticket", {"body": "x"}),
        ("add_note", {"body": "x"}),
    ):
        error = refused(tool, ticket_id=ticket["id"], **arguments)
        assert error.message == (
            "Ticket #1001 is closed and stays as it is. Open a new ticket with create_ticket and its id as "
            "follow_up_of_id."
        )


def test_the_priority_of_a_solved_ticket_stays(desk, refused, me, ticket):
    desk.call("update_ticket", ticket_id=ticket["id"], status="solved", assignee_id=me)
    assert refused("update_ticket", ticket_id=ticket["id"], priority="low").code == "conflict"
    assert desk.call("update_ticket", ticket_id=ticket["id"], priority="normal")["status"] == "solved"


def test_a_follow_up_goes_on_from_a_closed_ticket(desk, refused, me, ticket):
    given = {"subject": "x", "body": "x", "requester_email": "ada@example.com", "follow_up_of_id": ticket["id"]}
    assert "needs no follow-up" in refused("create_ticket", **given).message
    desk.call("update_ticket", ticket_id=ticket["id"], status="solved", assignee_id=me)
    desk.call("update_ticket", ticket_id=ticket["id"], status="closed")
    follow_up = desk.call("create_ticket", **given)
    assert follow_up["follow_up_of_id"] == ticket["id"]
    assert desk.call("get_ticket", ticket_id=ticket["id"])["follow_up_ids"] == [follow_up["id"]]


def test_references_that_name_nothing_are_refused(refused, ticket):
    given = {"ticket_id": ticket["id"]}
    assert refused("update_ticket", ticket_id="tick_x").code == "not_found"
    assert refused("update_ticket", **given, team_id="sales").details == {"resource": "team", "ids": ["sales"]}
    assert refused("update_ticket", **given, assignee_id="agent_x").code == "not_found"
    assert refused("update_ticket", **given, subject=" ").details == {"field": "subject"}
    assert refused("list_tickets", tag="nowhere").message == (
        "No ticket carries the tag 'nowhere'. Add it with update_ticket."
    )
    for name in ("assignee_id", "team_id", "requester_id"):
        assert refused("list_tickets", **{name: "x"}).code == "not_found"


def test_tickets_are_listed_and_filtered(desk, me, ticket):
    def create(**more):
        given = {"subject": "x", "body": "x", "requester_email": "bo@example.com", **more}
        return desk.call("create_ticket", **given)["id"]

    first, mine, phone = ticket["id"], create(assignee_id=me, tags=["a"]), create(channel="phone", priority="urgent")
    desk.call("reply_to_ticket", ticket_id=mine, body="x", status="solved")

    def listed(**filters):
        return [found["id"] for found in desk.call("list_tickets", **filters)["tickets"]]

    assert listed() == [phone, mine, first]
    assert listed(order="oldest") == [first, mine, phone]
    assert listed(order="recently_updated") == [mine, phone, first]
    assert listed(order="least_recently_updated") == [first, phone, mine]
    assert listed(status="new") == [phone, first]
    assert listed(unsolved=True) == [phone, first]
    assert listed(unsolved=False) == listed(assignee_id=me) == listed(tag=" A ") == listed(is_assigned=True) == [mine]
    assert listed(is_assigned=False) == listed(customer_waits=True) == [phone, first]
    assert listed(customer_waits=False) == listed(rating="offered") == [mine]
    assert listed(channel="phone") == listed(priority="urgent") == [phone]
    assert listed(requester_id=ticket["requester_id"]) == [first]
    assert listed(created_since=desk.call("get_ticket", ticket_id=phone)["created_at"]) == [phone]
