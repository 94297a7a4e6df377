import pytest

from worlds.engine import Diff


@pytest.fixture
def solved(desk, ticket):
    return desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x", status="solved")["ticket"]


def test_a_solved_ticket_closes_by_itself(desk, solved):
    assert solved["auto_closes_at"] == "2026-06-05T09:00:02.000Z"
    desk.advance(days=3, hours=23)
    assert desk.call("get_ticket", number=1001)["status"] == "solved"
    desk.advance(days=2)
    closed = desk.call("get_ticket", number=1001)
    assert (closed["status"], closed["closed_at"], closed["auto_closes_at"]) == (
        "closed",
        solved["auto_closes_at"],
        None,
    )
    last = desk.call("list_history", ticket_id=solved["id"])["history"][-1]
    assert (last["kind"], last["from"], last["to"], last["by_type"]) == ("status", "solved", "closed", "system")


def test_what_is_open_again_does_not_close(desk, solved):
    desk.advance(days=3)
    desk.call("log_customer_message", ticket_id=solved["id"], body="No")
    desk.advance(days=30)
    assert desk.call("get_ticket", number=1001)["status"] == "open"


def test_solving_again_waits_as_long_again(desk, solved):
    desk.advance(days=3)
    desk.call("log_customer_message", ticket_id=solved["id"], body="No")
    again = desk.call("update_ticket", ticket_id=solved["id"], status="solved")
    desk.advance(days=3)
    assert desk.call("get_ticket", number=1001)["status"] == "solved"
    desk.advance(days=2)
    assert desk.call("get_ticket", number=1001)["closed_at"] == again["auto_closes_at"]


def test_closing_by_hand_leaves_nothing_to_close(desk, solved):
    desk.call("update_ticket", ticket_id=solved["id"], status="closed")
    assert desk.advance(days=30) == 0


def test_an_account_without_settings_closes_too(world):
    with world.instance(seed=1) as inst:
        agent = inst.call("create_agent", email="a@example.com", name="A", role="admin")["id"]
        ticket = inst.call("create_ticket", subject="x", body="x", requester_email="b@example.com", assignee_id=agent)[
            "id"
        ]
        inst.call("update_ticket", ticket_id=ticket, status="solved")
        inst.advance(days=4)
        assert inst.call("get_ticket", ticket_id=ticket)["status"] == "closed"


def test_an_account_without_agents_takes_tickets_and_answers(world):
    with world.instance(seed=1) as inst:
        ticket = inst.call("create_ticket", subject="x", body="x", requester_email="b@example.com", sender="agent")
        assert (ticket["status"], ticket["assignee_id"]) == ("new", None)
        answer = inst.call("reply_to_ticket", ticket_id=ticket["id"], body="x")
        assert (answer["message"]["author_type"], answer["message"]["author_id"]) == ("agent", None)


def play(inst):
    """An episode in which deadlines pass, are met, are moved and stand still, and tickets close."""
    told = []
    for n, priority in enumerate(("urgent", "high", "normal", "low")):
        ticket = inst.call(
            "create_ticket", subject=f"{n}", body="x", requester_email=f"{n}@example.com", priority=priority
        )["id"]
        inst.advance(minutes=45)
        if n % 2:
            inst.call("reply_to_ticket", ticket_id=ticket, body="x", status="pending")
        told.append(ticket)
    inst.advance(hours=9)
    inst.call("update_ticket", ticket_id=told[2], priority="urgent")
    inst.call("log_customer_message", ticket_id=told[1], body="y")
    inst.call("reply_to_ticket", ticket_id=told[0], body="z", status="solved")
    inst.advance(days=8)
    inst.call("log_customer_message", ticket_id=told[0], body="again")
    return [inst.call("get_ticket", ticket_id=ticket) for ticket in told] + [inst.call("sla_report")]


def test_an_episode_with_deadlines_replays_to_the_same_document(world):
    documents = []
    for _ in range(2):
        with world.instance("small_startup", seed=7, episode_id="same") as inst:
            documents.append((play(inst), inst.state("seahaven.state+calls/1", results=True)))
    assert documents[0] == documents[1]
    events = {record.get("by") for record in documents[0][1]["state"]["db"]["log"]}
    assert {"event:note_breach", "event:close_solved"} <= events


def test_a_fork_lives_through_the_same_deadlines(startup):
    startup.advance(minutes=10)
    with startup.fork() as fork:
        assert play(fork) == play(startup)
        assert fork.state() == startup.state()


def test_rewinding_puts_deadlines_back(startup):
    start = startup.checkpoint()
    once = play(startup)
    startup.rewind(start)
    assert play(startup) == once
    startup.rewind(call=0)
    startup.advance(minutes=45)
    assert startup.call("list_sla_deadlines", status="breached", due_before="2026-06-01T09:30:00Z")["deadlines"]


def test_other_seeds_reach_the_same_outcome_with_other_ids(world):
    diffs = []
    for seed in (1, 2):
        with world.instance("small_startup", seed=seed) as inst:
            play(inst)
            diffs.append(Diff.of(inst.state()))
    assert diffs[0].outcome_differences(diffs[1]) == []
