import pytest

FIRST, RESOLUTION = 4320, 10_080  # minutes, for normal priority in the empty account


def due_in(inst, clock):
    """Whole minutes until a clock is due."""
    row = inst.inspect().one(
        "SELECT (julianday(?) - julianday(?)) * 1440 AS minutes", clock["due_at"], inst.clock.iso()
    )
    return round(row["minutes"])


def test_two_clocks_run_from_the_first_message(desk, ticket, clocks):
    found = clocks(ticket["id"])
    assert {metric: (clock["status"], clock["target_minutes"]) for metric, clock in found.items()} == {
        "first_reply": ("running", FIRST),
        "resolution": ("running", RESOLUTION),
    }
    assert due_in(desk, found["first_reply"]) == FIRST
    assert desk.inspect().one("SELECT count(*) AS n FROM seahaven_events") == {"n": 2}


def test_a_breach_is_noted_when_its_time_comes_and_nobody_looks(desk, ticket):
    assert desk.advance(minutes=FIRST + 60) == 1
    (change,) = [
        record for record in desk.change_log() if record.get("by") == "event:note_breach" and record["op"] == "update"
    ]
    assert change["table"] == "sla_clocks"
    assert change["after"]["status"] == "breached"
    noted = desk.inspect().one("SELECT breached_at, due_at FROM sla_clocks WHERE status = 'breached'")
    assert noted["breached_at"] == noted["due_at"]
    (entry,) = [e for e in desk.call("list_history", ticket_id=ticket["id"])["history"] if e["kind"] == "sla_breached"]
    assert (entry["to"], entry["by_type"], entry["happened_at"]) == ("first_reply", "system", noted["due_at"])


def test_a_breach_between_two_calls_is_there_for_the_second(desk, ticket, clocks):
    desk.advance(minutes=FIRST)
    assert clocks(ticket["id"])["first_reply"]["status"] == "breached"


def test_an_answer_in_time_keeps_the_first_reply(desk, ticket, clocks):
    desk.advance(minutes=FIRST - 5)
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x")
    desk.advance(minutes=60)
    clock = clocks(ticket["id"])["first_reply"]
    assert (clock["status"], clock["due_at"], clock["remaining_minutes"], clock["breached_at"]) == (
        "met",
        None,
        4,
        None,
    )


def test_a_late_answer_ends_the_wait_and_not_the_breach(desk, ticket, clocks):
    desk.advance(minutes=FIRST + 5)
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x")
    clock = clocks(ticket["id"])["first_reply"]
    assert (clock["status"], clock["stopped_at"]) == (
        "breached",
        desk.call("get_ticket", number=1001)["first_replied_at"],
    )


def test_a_note_answers_nobody(desk, ticket, clocks):
    desk.call("add_note", ticket_id=ticket["id"], body="x")
    assert clocks(ticket["id"])["first_reply"]["status"] == "running"


@pytest.mark.parametrize("status", ["pending", "on_hold"])
def test_the_time_to_the_resolution_stands_still_while_a_ticket_waits(desk, ticket, clocks, status):
    desk.advance(minutes=1000)
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x", status=status)
    paused = clocks(ticket["id"])["resolution"]
    assert (paused["status"], paused["due_at"]) == ("paused", None)
    assert paused["remaining_minutes"] == RESOLUTION - 1001
    assert desk.advance(days=300) == 0
    desk.call("log_customer_message", ticket_id=ticket["id"], body="Here I am")
    again = clocks(ticket["id"])["resolution"]
    assert again["status"] == "running"
    assert due_in(desk, again) == RESOLUTION - 1000
    assert desk.advance(minutes=RESOLUTION - 999) == 1
    assert clocks(ticket["id"])["resolution"]["status"] == "breached"


def test_waiting_for_others_is_no_excuse_for_not_answering(desk, ticket, clocks):
    desk.call("update_ticket", ticket_id=ticket["id"], status="on_hold")
    desk.advance(minutes=FIRST + 1)
    found = clocks(ticket["id"])
    assert (found["first_reply"]["status"], found["resolution"]["status"]) == ("breached", "paused")


def test_solving_in_time_meets_and_reopening_goes_on_from_there(desk, ticket, clocks):
    desk.advance(minutes=600)
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x", status="solved")
    met = clocks(ticket["id"])["resolution"]
    assert (met["status"], met["stopped_at"]) == ("met", desk.call("get_ticket", number=1001)["solved_at"])
    desk.advance(days=2)
    desk.call("log_customer_message", ticket_id=ticket["id"], body="No")
    again = clocks(ticket["id"])["resolution"]
    assert (again["status"], again["stopped_at"], due_in(desk, again)) == ("running", None, RESOLUTION - 600)


def test_from_solved_to_waiting_the_clock_is_paused(desk, ticket, clocks):
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x", status="solved")
    desk.call("update_ticket", ticket_id=ticket["id"], status="pending")
    clock = clocks(ticket["id"])["resolution"]
    assert (clock["status"], clock["stopped_at"]) == ("paused", None)
    desk.call("update_ticket", ticket_id=ticket["id"], status="solved")
    assert clocks(ticket["id"])["resolution"]["status"] == "met"


def test_solving_without_an_answer_owes_one_again_when_reopened(desk, me, ticket, clocks):
    desk.call("update_ticket", ticket_id=ticket["id"], status="solved", assignee_id=me)
    assert clocks(ticket["id"])["first_reply"]["status"] == "cancelled"
    desk.call("log_customer_message", ticket_id=ticket["id"], body="Nobody answered me")
    assert clocks(ticket["id"])["first_reply"]["status"] == "running"
    desk.advance(minutes=FIRST + 1)
    assert clocks(ticket["id"])["first_reply"]["status"] == "breached"


def test_a_breach_stays_through_solving_and_reopening(desk, ticket, clocks):
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x")
    desk.advance(minutes=RESOLUTION + 1)
    desk.call("update_ticket", ticket_id=ticket["id"], status="solved")
    assert clocks(ticket["id"])["resolution"]["stopped_at"] is not None
    desk.call("log_customer_message", ticket_id=ticket["id"], body="No")
    clock = clocks(ticket["id"])["resolution"]
    assert (clock["status"], clock["stopped_at"]) == ("breached", None)


def test_another_priority_moves_the_deadlines_by_what_is_left(desk, ticket, clocks):
    desk.advance(minutes=30)
    desk.call("update_ticket", ticket_id=ticket["id"], priority="urgent")
    found = clocks(ticket["id"])
    assert found["first_reply"]["target_minutes"] == 60
    assert (due_in(desk, found["first_reply"]), due_in(desk, found["resolution"])) == (30, 450)
    desk.call("update_ticket", ticket_id=ticket["id"], priority="low")
    assert due_in(desk, clocks(ticket["id"])["first_reply"]) == 5730
    assert desk.inspect().one("SELECT count(*) AS n FROM seahaven_events") == {"n": 2}


def test_a_priority_whose_time_is_up_already_is_breached_on_the_spot(desk, ticket, clocks):
    desk.advance(minutes=61)
    desk.call("update_ticket", ticket_id=ticket["id"], priority="urgent")
    found = clocks(ticket["id"])
    assert (found["first_reply"]["status"], found["resolution"]["status"]) == ("breached", "running")
    assert found["first_reply"]["breached_at"] == found["first_reply"]["due_at"]


def test_a_paused_clock_takes_another_target_too(desk, ticket, clocks):
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x", status="pending")
    desk.call("update_ticket", ticket_id=ticket["id"], priority="urgent")
    clock = clocks(ticket["id"])["resolution"]
    assert (clock["status"], clock["target_minutes"], clock["remaining_minutes"]) == ("paused", 480, 479)


def test_without_a_service_level_nothing_is_due(world):
    with world.instance(seed=1) as inst:
        ticket = inst.call("create_ticket", subject="x", body="x", requester_email="a@example.com")["id"]
        assert inst.call("get_ticket", ticket_id=ticket)["sla"] == []
        inst.call("update_ticket", ticket_id=ticket, priority="high")
        assert inst.advance(days=400) == 0


def test_a_new_target_holds_for_what_comes_from_now_on(desk, refused, ticket, clocks):
    desk.call("update_sla_policy", priority="normal", first_reply_minutes=10)
    later = desk.call("create_ticket", subject="x", body="x", requester_email="a@example.com")["id"]
    assert clocks(ticket["id"])["first_reply"]["target_minutes"] == FIRST
    assert clocks(later)["first_reply"]["target_minutes"] == 10
    before = desk.change_log()
    desk.call("update_sla_policy", priority="normal", first_reply_minutes=10)
    assert desk.change_log() == before
    error = refused("update_sla_policy", priority="normal", first_reply_minutes=RESOLUTION + 1)
    assert error.details == {"field": "resolution_minutes"}


def test_deadlines_are_listed_the_earliest_first(desk, refused, me, ticket):
    def create(priority, **more):
        return desk.call(
            "create_ticket", subject="x", body="x", requester_email="a@example.com", priority=priority, **more
        )["id"]

    urgent, mine = create("urgent"), create("low", assignee_id=me, team_id="billing")

    def listed(**filters):
        page = desk.call("list_sla_deadlines", **filters)
        return [(found["ticket"]["id"], found["metric"]) for found in page["deadlines"]]

    assert listed(metric="first_reply") == [
        (urgent, "first_reply"),
        (ticket["id"], "first_reply"),
        (mine, "first_reply"),
    ]
    assert listed()[:2] == [(urgent, "first_reply"), (urgent, "resolution")]
    assert listed(due_before="2026-06-01T10:30:00Z") == [(urgent, "first_reply")]
    assert listed(assignee_id=me) == listed(team_id="billing") == [(mine, "first_reply"), (mine, "resolution")]
    desk.advance(hours=2)
    assert listed(status="breached") == [(urgent, "first_reply")]
    desk.call("reply_to_ticket", ticket_id=urgent, body="x")
    assert listed(status="breached") == []
    assert refused("list_sla_deadlines", team_id="x").code == "not_found"


def test_the_schedule_holds_one_event_for_each_running_clock_and_each_solved_ticket(startup):
    for number in (1022, 1028, 1036, 1048):
        ticket = startup.call("get_ticket", number=number)["id"]
        startup.call("reply_to_ticket", ticket_id=ticket, body="x", status="solved" if number == 1028 else "on_hold")
    startup.advance(days=3)
    rows = startup.inspect().one(
        "SELECT (SELECT count(*) FROM seahaven_events) AS events, "
        "(SELECT count(*) FROM sla_clocks WHERE status = 'running') AS running, "
        "(SELECT count(*) FROM sla_clocks c JOIN seahaven_events e ON e.id = c.event AND e.at = c.due_at) AS kept, "
        "(SELECT count(*) FROM tickets WHERE status = 'solved') AS solved, "
        "(SELECT count(*) FROM tickets t JOIN seahaven_events e ON e.id = t.auto_close_event "
        "AND e.at = t.auto_closes_at) AS closing"
    )
    assert rows["running"] == rows["kept"] > 0
    assert rows["solved"] == rows["closing"] > 0
    assert rows["events"] == rows["running"] + rows["solved"]
