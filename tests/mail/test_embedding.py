"""Does mail work inside another world, which acts in anybody's mailbox and lets the agent act in one?"""

import pytest

from worlds.engine import Ctx, ToolError, World, installed
from worlds.mail.acting import HOST_ACTS


def welcome(ctx: Ctx, name: str) -> dict:
    """Write to somebody in Theo's name, whoever the agent is."""
    mail = ctx.worlds.mail
    mail.state[HOST_ACTS] = True
    try:
        given = {"to": [f"{name}@firstday.app"], "subject": "Welcome", "body": "See you on Monday."}
        return mail.call("send_message", mailbox="theo@firstday.app", **given)
    finally:
        del mail.state[HOST_ACTS]


@pytest.fixture
def office():
    """A world that embeds mail; the agent is Ines, who is no admin, and has no gateway."""
    world = World("office", version="1.0.0")
    world.tool(welcome)
    world.embed(installed.get("mail"), name="mail", tool_prefix="mail_", without_tools=["deliver_external"])
    with world.instance(seed=1, now="2026-06-01T09:00:00Z") as inst:
        for name in ("robin", "theo", "ines"):
            address = f"{name}@firstday.app"
            inst.call("mail_create_mailbox", address=address, name=name.title(), is_admin=name == "robin")
        ines = inst.call("mail_get_mailbox", mailbox="ines@firstday.app")["id"]
        with inst.bulk() as ctx:
            ctx.worlds.mail.state["acting_mailbox_id"] = ines
        yield inst


def test_a_host_acts_in_any_mailbox_and_the_agent_does_not(office):
    with pytest.raises(ToolError, match="somebody else's mailbox"):
        office.call("mail_send_message", mailbox="theo@firstday.app", to=["x@example.com"], subject="x", body="x")
    office.call("welcome", name="ines")
    (thread,) = office.call("mail_list_threads")["threads"]
    assert [person["name"] for person in thread["participants"]] == ["Theo"]
    with pytest.raises(ToolError, match="somebody else's mailbox"):
        office.call("mail_list_threads", mailbox="theo@firstday.app")


def test_what_is_due_in_an_embedded_mailbox_runs(office):
    office.call("mail_set_out_of_office", is_on=True, text="Away.", ends_at="2026-06-03T09:00:00Z")
    office.call("mail_send_message", to=["theo@firstday.app"], subject="x", body="x", send_at="2026-06-02T09:00:00Z")
    office.call("welcome", name="ines")
    assert office.advance(days=3) == 2
    assert [thread["subject"] for thread in office.call("mail_list_threads", folder="sent")["threads"]] == [
        "x",
        "Welcome",
    ]
    assert {record.get("by") for record in office.change_log() if record["i"] is None} >= {
        "event:send_scheduled",
        "event:end_absence",
    }


def test_the_gateway_can_be_kept_for_the_host(office):
    assert "mail_deliver_external" not in [tool["name"] for tool in office.tools()]
