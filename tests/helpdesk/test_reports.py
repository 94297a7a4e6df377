def test_the_queue_is_counted(desk, refused, me, ticket):
    urgent = desk.call(
        "create_ticket", subject="x", body="x", requester_email="b@example.com", priority="urgent", team_id="billing"
    )["id"]
    solved = desk.call("create_ticket", subject="x", body="x", requester_email="c@example.com", assignee_id=me)["id"]
    desk.call("update_ticket", ticket_id=solved, status="solved")
    report = desk.call("queue_report")
    assert (report["unsolved"], report["unassigned"], report["customer_waits"]) == (2, 2, 2)
    assert report["by_status"] == {"new": 2, "open": 0, "pending": 0, "on_hold": 0}
    assert report["by_priority"] == {"low": 0, "normal": 1, "high": 0, "urgent": 1}
    assert report["longest_waiting"] == {"ticket_id": ticket["id"], "number": 1001, "since": ticket["waiting_since"]}
    assert (report["overdue"], report["due_soon"]) == (0, 1)
    desk.advance(hours=2)
    desk.call("update_ticket", ticket_id=urgent, assignee_id=me)
    report = desk.call("queue_report", team_id="billing")
    assert (report["unsolved"], report["overdue"], report["due_soon"]) == (1, 1, 0)
    assert [(agent["agent_id"], agent["unsolved"], agent["overdue"]) for agent in report["agents"]] == [(me, 1, 1)]
    assert refused("queue_report", team_id="x").code == "not_found"


def test_who_has_left_is_listed_while_tickets_are_theirs(startup):
    agents = {agent["name"]: agent for agent in startup.call("queue_report")["agents"]}
    assert (agents["Jonas Weller"]["is_active"], agents["Jonas Weller"]["customer_waits"]) == (False, 1)
    startup.call(
        "reassign_tickets",
        from_agent_id=agents["Jonas Weller"]["agent_id"],
        to_agent_id=agents["Dov Lerner"]["agent_id"],
    )
    assert "Jonas Weller" not in {agent["name"] for agent in startup.call("queue_report")["agents"]}


def test_the_service_level_is_reported_by_priority(desk, ticket):
    desk.advance(minutes=30)
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x", status="solved")
    desk.call("rate_ticket", ticket_id=ticket["id"], score="good")
    urgent = desk.call("create_ticket", subject="x", body="x", requester_email="b@example.com", priority="urgent")["id"]
    desk.advance(minutes=61)
    desk.call("reply_to_ticket", ticket_id=urgent, body="x")
    report = desk.call("sla_report")
    by_priority = {row["priority"]: row for row in report["priorities"]}
    assert report["ticket_count"] == 2
    assert by_priority["normal"]["first_reply"]["met_percent"] == 100
    assert by_priority["normal"]["resolution"]["met"] == 1
    assert by_priority["normal"]["median_first_reply_minutes"] == 30
    assert by_priority["urgent"]["first_reply"] == {
        "running": 0,
        "paused": 0,
        "met": 0,
        "breached": 1,
        "cancelled": 0,
        "met_percent": 0,
    }
    assert by_priority["urgent"]["resolution"]["met_percent"] is None
    assert by_priority["low"]["median_first_reply_minutes"] is None
    assert report["satisfaction"] == {"offered": 0, "good": 1, "bad": 0, "good_percent": 100}


def test_a_report_is_of_a_span_of_time(startup, refused):
    whole = startup.call("sla_report")["ticket_count"]
    before = startup.call("sla_report", until="2026-05-01T00:00:00Z")["ticket_count"]
    after = startup.call("sla_report", since="2026-05-01T00:00:00Z")["ticket_count"]
    assert before + after == whole == 48
    assert "has no time zone" in refused("sla_report", startup, since="2026-05-01T00:00:00").message


def test_reports_of_nothing_are_whole(world):
    with world.instance(seed=1) as inst:
        assert inst.call("queue_report")["longest_waiting"] is None
        assert inst.call("sla_report")["satisfaction"]["good_percent"] is None
