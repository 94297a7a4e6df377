import pytest

from worlds.engine import WorldBug


@pytest.fixture
def as_agent(world):
    """The small account, seen by somebody who answers tickets."""
    with world.instance("small_startup", seed=1, startup={"acting_agent": "theo@larkspur.app"}) as inst:
        yield inst


def by_name(inst, name):
    return next(agent for agent in inst.call("list_agents")["agents"] if agent["name"] == name)


def test_the_agent_acts_as_the_first_admin(startup):
    assert startup.call("list_agents")["current_agent_id"] == by_name(startup, "Maren Holt")["id"]


def test_startup_chooses_who_the_agent_is(as_agent):
    theo = by_name(as_agent, "Theo Albrecht")
    assert as_agent.call("list_agents")["current_agent_id"] == theo["id"]
    ticket = as_agent.call("get_ticket", number=1048)["id"]
    assert as_agent.call("reply_to_ticket", ticket_id=ticket, body="x")["message"]["author_id"] == theo["id"]


def test_startup_takes_an_id_as_well(world, startup):
    priya = by_name(startup, "Priya Nair")["id"]
    with world.instance("small_startup", startup={"acting_agent": priya}) as inst:
        assert inst.call("list_agents")["current_agent_id"] == priya


@pytest.mark.parametrize("somebody", ["nobody@larkspur.app", "jonas@larkspur.app"])
def test_startup_refuses_who_is_not_there_and_says_who_is(world, somebody):
    with pytest.raises(WorldBug, match=rf"'{somebody}', which is no active agent.*maren@larkspur.app"):
        world.instance("small_startup", startup={"acting_agent": somebody})


def test_agents_are_created_by_admins(desk, as_agent, refused):
    agent = desk.call("create_agent", email="NEW@example.com", name="New", role="lead", team_id="billing")
    assert (agent["email"], agent["role"], agent["team_id"]) == ("new@example.com", "lead", "billing")
    error = refused("create_agent", as_agent, email="new@example.com", name="New")
    assert error.message == "Adding agents needs the role admin; yours is agent. Ask somebody who has it."
    assert refused("create_agent", email="x@example.com", name="x", team_id="x").code == "not_found"


def test_an_agents_address_is_taken_once(desk, refused):
    agent = desk.call("create_agent", email="new@example.com", name="New")
    assert refused("create_agent", email="New@example.com", name="Again").details == {"agent_id": agent["id"]}
    assert refused("create_agent", email="no address", name="Again").code == "invalid_input"
    assert refused("create_agent", email="other@example.com", name=" ").code == "invalid_input"


def test_agents_are_filtered_and_found_by_address(startup, refused):
    def names(**filters):
        return [agent["name"] for agent in startup.call("list_agents", **filters)["agents"]]

    assert names(email=" THEO@larkspur.app") == ["Theo Albrecht"]
    assert names(email="theo") == []
    assert names(is_active=False) == ["Jonas Weller"]
    assert names(role="admin") == ["Maren Holt"]
    assert names(team_id="billing") == ["Priya Nair"]
    assert refused("list_agents", startup, team_id="x").code == "not_found"


def test_deactivating_says_what_is_left_to_hand_over(desk, refused, ticket):
    agent = desk.call("create_agent", email="new@example.com", name="New")["id"]
    desk.call("update_ticket", ticket_id=ticket["id"], assignee_id=agent)
    gone = desk.call("deactivate_agent", agent_id=agent)
    assert not gone["is_active"]
    assert gone["still_assigned"] == {"new": 0, "open": 1, "pending": 0, "on_hold": 0}
    error = refused("deactivate_agent", agent_id=agent)
    assert error.message == "New is deactivated already. Hand over their tickets with reassign_tickets."
    other = desk.call("create_ticket", subject="x", body="x", requester_email="a@example.com")["id"]
    assert refused("update_ticket", ticket_id=other, assignee_id=agent).message == (
        "New is deactivated and cannot be given tickets. Choose an active agent."
    )


def test_nobody_deactivates_themselves_or_a_stranger(refused, as_agent, me):
    assert refused("deactivate_agent", agent_id=me).code == "conflict"
    assert refused("deactivate_agent", agent_id="agent_x").code == "not_found"
    assert refused("deactivate_agent", as_agent, agent_id="agent_x").code == "permission_denied"


def test_what_somebody_leaves_behind_is_handed_over(startup):
    jonas, theo = by_name(startup, "Jonas Weller")["id"], by_name(startup, "Theo Albrecht")["id"]
    left = startup.call("list_tickets", assignee_id=jonas, unsolved=True)["tickets"]
    done = startup.call("reassign_tickets", from_agent_id=jonas, to_agent_id=theo)
    assert done["reassigned_ids"] == [ticket["id"] for ticket in left]
    assert (done["reassigned_count"], done["unchanged_count"]) == (1, 0)
    assert startup.call("list_tickets", assignee_id=jonas, unsolved=True)["tickets"] == []
    assert startup.call("list_tickets", assignee_id=jonas)["tickets"]


def test_named_tickets_are_handed_over_all_or_none(desk, refused, me, ticket):
    other = desk.call("create_ticket", subject="x", body="x", requester_email="a@example.com", assignee_id=me)["id"]
    given = {"to_agent_id": me}
    assert refused("reassign_tickets", **given, ticket_ids=[ticket["id"], "tick_y", "tick_x"]).details == {
        "resource": "ticket",
        "ids": ["tick_x", "tick_y"],
    }
    done = desk.call("reassign_tickets", **given, ticket_ids=[ticket["id"], other])
    assert (done["reassigned_ids"], done["unchanged_count"]) == ([ticket["id"]], 1)
    assert desk.call("get_ticket", ticket_id=ticket["id"])["status"] == "open"
    desk.call("update_ticket", ticket_id=other, status="solved")
    desk.call("update_ticket", ticket_id=other, status="closed")
    assert "is closed and stays" in refused("reassign_tickets", **given, ticket_ids=[other]).message


def test_reassigning_asks_for_one_way_and_a_role(refused, as_agent, me):
    assert refused("reassign_tickets", to_agent_id=me).code == "invalid_input"
    assert refused("reassign_tickets", to_agent_id=me, ticket_ids=["x"], from_agent_id=me).code == "invalid_input"
    assert refused("reassign_tickets", to_agent_id=me, from_agent_id="agent_x").code == "not_found"
    assert refused("reassign_tickets", to_agent_id="agent_x", from_agent_id=me).code == "not_found"
    assert refused("reassign_tickets", as_agent, to_agent_id="x", from_agent_id="y").code == "permission_denied"
