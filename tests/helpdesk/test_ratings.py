import pytest


@pytest.fixture
def solved(desk, ticket):
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x", status="solved")
    return ticket["id"]


def rating(desk, ticket):
    return desk.call("get_ticket", ticket_id=ticket)["rating"]


def test_a_rating_is_offered_when_a_ticket_is_solved(desk, solved):
    assert rating(desk, solved) == {
        "status": "offered",
        "comment": "",
        "offered_at": desk.call("get_ticket", ticket_id=solved)["solved_at"],
        "rated_at": None,
    }


def test_a_customer_rates_and_may_think_again(desk, solved):
    done = desk.call("rate_ticket", ticket_id=solved, score="bad", comment=" Slow ")
    assert (done["status"], done["comment"], done["rated_at"]) == ("bad", "Slow", desk.clock.iso())
    desk.advance(days=10)
    assert desk.call("rate_ticket", ticket_id=solved, score="good")["status"] == "good"
    history = [(e["from"], e["to"], e["by_type"]) for e in desk.call("list_history", ticket_id=solved)["history"]]
    assert ("offered", "bad", "customer") in history
    assert ("bad", "good", "customer") in history


def test_rating_the_same_again_leaves_no_trace(desk, solved):
    done = desk.call("rate_ticket", ticket_id=solved, score="good", comment="x")
    before = desk.change_log()
    assert desk.call("rate_ticket", ticket_id=solved, score="good", comment=" x") == done
    assert desk.change_log() == before


def test_what_is_not_solved_is_not_rated(desk, refused, ticket, me):
    error = refused("rate_ticket", ticket_id=ticket["id"], score="good")
    assert error.message == (
        "Ticket #1001 is new, and no rating was asked for. Customers rate a ticket once it is solved."
    )
    desk.call("update_ticket", ticket_id=ticket["id"], status="solved", assignee_id=me)
    desk.call("update_ticket", ticket_id=ticket["id"], status="open")
    assert refused("rate_ticket", ticket_id=ticket["id"], score="good").code == "conflict"
    assert refused("rate_ticket", ticket_id="tick_x", score="good").code == "not_found"


def test_solving_again_offers_again_until_it_is_rated(desk, solved):
    first = rating(desk, solved)["offered_at"]
    desk.call("log_customer_message", ticket_id=solved, body="No")
    desk.call("update_ticket", ticket_id=solved, status="solved")
    assert rating(desk, solved)["offered_at"] > first
    desk.call("rate_ticket", ticket_id=solved, score="good")
    rated = rating(desk, solved)
    desk.call("log_customer_message", ticket_id=solved, body="No")
    desk.call("update_ticket", ticket_id=solved, status="solved")
    assert rating(desk, solved) == rated


def test_a_merged_ticket_is_not_rated(desk, refused, ticket):
    twin = desk.call("create_ticket", subject="x", body="x", requester_email="a@example.com")["id"]
    desk.call("merge_tickets", keep_id=ticket["id"], duplicate_id=twin)
    assert refused("rate_ticket", ticket_id=twin, score="bad").code == "conflict"
