"""Does the time to a resolution run exactly while somebody is to work on the ticket, whatever happens to it?"""

from contextlib import suppress
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from worlds.engine import ToolError, installed

TARGETS = {"urgent": 480, "high": 2880, "normal": 10_080, "low": 20_160}  # minutes, in the empty account

moves = st.one_of(
    st.tuples(st.just("status"), st.sampled_from(["open", "pending", "on_hold", "solved"])),
    st.tuples(st.just("priority"), st.sampled_from(sorted(TARGETS))),
    st.tuples(st.just("customer"), st.none()),
    st.tuples(st.just("wait"), st.sampled_from([1, 30, 200, 1000, 4000])),
)


class Model:
    """How long the clock has run, and when that was too long."""

    def __init__(self, now):
        self.since, self.ran, self.runs, self.target = now, timedelta(), True, TARGETS["normal"]
        self.breached_at = None

    def reach(self, now):
        """Time has come this far."""
        if self.runs and self.breached_at is None:
            due = self.since + timedelta(minutes=self.target) - self.ran
            if due <= now:
                self.breached_at = max(due, self.since)
        self.ran += now - self.since if self.runs else timedelta()
        self.since = now

    def change(self, now, *, runs=None, target=None):
        self.reach(now)
        self.runs = self.runs if runs is None else runs
        self.target = self.target if target is None or self.breached_at else target
        self.reach(now)


def move(inst, ticket, model, kind, value):
    if kind == "wait":
        inst.advance(minutes=value)
    elif kind == "customer":
        inst.call("log_customer_message", ticket_id=ticket, body="x")
        model.change(inst.clock.now(), runs=True)
    elif kind == "status":
        inst.call("update_ticket", ticket_id=ticket, status=value)
        model.change(inst.clock.now(), runs=value == "open")
    else:
        with suppress(ToolError):  # of a solved ticket it stays
            inst.call("update_ticket", ticket_id=ticket, priority=value)
            model.change(inst.clock.now(), target=TARGETS[value])


@settings(max_examples=60)
@given(st.lists(moves, max_size=14))
def test_a_breach_comes_after_as_much_work_time_as_was_allowed(steps):
    with installed.get("helpdesk").instance("empty", seed=1) as inst:
        me = inst.call("list_agents")["current_agent_id"]
        given = {"subject": "x", "body": "x", "requester_email": "a@example.com", "assignee_id": me}
        ticket = inst.call("create_ticket", **given)["id"]
        model = Model(inst.clock.now())
        for kind, value in steps:
            if inst.call("get_ticket", ticket_id=ticket)["status"] != "closed":
                move(inst, ticket, model, kind, value)
        shown = inst.call("get_ticket", ticket_id=ticket)
        model.reach(inst.clock.now())
        clock = next(clock for clock in shown["sla"] if clock["metric"] == "resolution")
        expected = model.breached_at and f"{model.breached_at:%Y-%m-%dT%H:%M:%S}.000Z"
        assert clock["breached_at"] == expected
        assert (clock["status"] == "breached") == (expected is not None)
