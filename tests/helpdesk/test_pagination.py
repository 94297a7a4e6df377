import base64

import pytest

LISTS = [
    ("list_tickets", "tickets", {}),
    ("list_tickets", "tickets", {"order": "least_recently_updated", "unsolved": True}),
    ("list_tickets", "tickets", {"rating": "good", "order": "oldest"}),
    ("list_customers", "customers", {}),
    ("list_agents", "agents", {}),
    ("list_macros", "macros", {}),
    ("list_sla_deadlines", "deadlines", {}),
    ("list_sla_deadlines", "deadlines", {"status": "breached"}),
]


def pages(inst, tool, **arguments):
    """Every page of a list."""
    cursor = None
    while True:
        page = inst.call(tool, **arguments, **({"cursor": cursor} if cursor else {}))
        yield page
        cursor = page["next_cursor"]
        assert page["has_next"] == (cursor is not None)
        if cursor is None:
            return


def key(row):
    return (row["ticket"]["id"], row["metric"]) if "metric" in row else row["id"]


@pytest.mark.parametrize(("tool", "name", "filters"), LISTS)
@pytest.mark.parametrize("limit", [1, 3, 7])
def test_pages_hold_every_row_once_in_one_order(startup, tool, name, filters, limit):
    whole = [key(row) for page in pages(startup, tool, **filters, limit=100) for row in page[name]]
    walked = [key(row) for page in pages(startup, tool, **filters, limit=limit) for row in page[name]]
    assert walked == whole
    assert len(set(whole)) == len(whole) > 0


@pytest.mark.parametrize(("tool", "name"), [("list_messages", "messages"), ("list_history", "history")])
@pytest.mark.parametrize("limit", [1, 4])
def test_a_conversation_is_read_page_by_page(startup, tool, name, limit):
    ticket = startup.call("get_ticket", number=1004)["id"]
    whole = [row["id"] for row in startup.call(tool, ticket_id=ticket, limit=100)[name]]
    walked = [row["id"] for page in pages(startup, tool, ticket_id=ticket, limit=limit) for row in page[name]]
    assert walked == whole
    assert len(whole) > 5


def test_rows_of_one_instant_are_told_apart_by_id(world):
    with world.instance("empty", seed=1, clock_mode="fixed") as inst:
        given = {"subject": "x", "body": "x", "requester_email": "a@example.com"}
        ids = sorted(inst.call("create_ticket", **given)["id"] for _ in range(9))
        for order, expected in (("oldest", ids), ("newest", ids[::-1])):
            walked = [
                row["id"] for page in pages(inst, "list_tickets", order=order, limit=2) for row in page["tickets"]
            ]
            assert walked == expected


def test_a_page_stays_where_it_was_when_rows_come_in_before_it(desk):
    given = {"subject": "x", "body": "x", "requester_email": "a@example.com"}
    ids = [desk.call("create_ticket", **given)["id"] for _ in range(4)]
    first = desk.call("list_tickets", limit=2)
    desk.call("create_ticket", **given)
    second = desk.call("list_tickets", limit=2, cursor=first["next_cursor"])
    assert [ticket["id"] for ticket in second["tickets"]] == [ids[1], ids[0]]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("list_tickets", {"order": "oldest"}),
        ("list_tickets", {"status": "open"}),
        ("list_tickets", {"unsolved": True}),
        ("list_customers", {}),
        ("list_sla_deadlines", {}),
    ],
)
def test_a_cursor_is_refused_by_every_other_list(startup, refused, tool, arguments):
    cursor = startup.call("list_tickets", limit=1)["next_cursor"]
    error = refused(tool, startup, cursor=cursor, **arguments)
    assert (error.code, error.details) == ("invalid_input", {"field": "cursor"})
    assert error.message.startswith("This cursor does not belong to this list.")


@pytest.mark.parametrize("cursor", ["", "x", "ü", "!!!!", "bnVsbA", base64.b64encode(b"[1,2]").decode(), "a" * 400])
def test_what_is_no_cursor_is_refused(refused, cursor):
    assert refused("list_tickets", cursor=cursor).code == "invalid_input"


@pytest.mark.parametrize("limit", [0, -1, 101, "5", True])
def test_a_limit_is_a_number_from_1_to_100(refused, limit):
    assert refused("list_tickets", limit=limit).code == "invalid_arguments"
