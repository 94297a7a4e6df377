import pytest

from worlds.engine import WorldBug


def test_the_agent_has_the_tools_of_the_office_and_of_every_system(world):
    names = list(world.surface)
    own = [name for name in names if not name.startswith(("crm_", "helpdesk_", "mail_", "payments_"))]
    assert len(own) == 12
    assert {"crm_get_lead", "helpdesk_create_ticket", "mail_send_message", "payments_stripe_api_write"} <= set(names)
    for tool in world.tools.values():
        assert len(tool.description) > 40
        for name, about in tool.schema["properties"].items():
            assert "description" in about, f"{tool.name}.{name}"


def test_one_employee_acts_in_every_system(world):
    with world.instance("small_startup", seed=1, startup={"acting_employee": "theo@larkspur.app"}) as inst:
        users = inst.call("crm_list_users")
        theo = next(user for user in users["users"] if user["email"] == "theo@larkspur.app")
        assert users["current_user_id"] == theo["id"]
        assert inst.call("mail_list_mailboxes")["your_address"] == "theo@larkspur.app"
        agents = inst.call("helpdesk_list_agents", email="theo@larkspur.app")
        assert agents["current_agent_id"] == agents["agents"][0]["id"]


def test_a_stranger_cannot_act(world):
    with pytest.raises(WorldBug, match="acting_employee is 'x@y.z', and nobody works here under that address; .*theo@"):
        world.instance("small_startup", startup={"acting_employee": "x@y.z"})


def test_the_schedule_of_every_system_goes_on(larkspur):
    ran = larkspur.advance(days=2)
    assert ran > 5
    kinds = {(record["world"], record["by"]) for record in larkspur.change_log()}
    assert ("mail", "event:send_scheduled") in kinds
    assert any(world == "helpdesk" for world, _ in kinds)


def test_an_episode_across_all_systems_replays_and_forks_exactly(world):
    def play(inst):
        inst.call("helpdesk_create_ticket", subject="Help", body="Now", requester_email="a@b.com")
        inst.call("mail_send_message", to=["theo@larkspur.app"], subject="Hi", body="Hello")
        inst.call("hand_over_work", from_email="jonas@larkspur.app", to_email="theo@larkspur.app")
        inst.advance(hours=30)
        inst.call("search_everywhere", query="invoice")

    documents = []
    for _ in range(2):
        with world.instance("small_startup", seed=4) as inst:
            play(inst)
            documents.append(inst.state() | {"episode_id": ""})
            with inst.fork() as twin:
                for each in (inst, twin):
                    each.call("crm_create_lead", email="z@z.com")
                assert inst.state()["state"] == twin.state()["state"]
    assert documents[0] == documents[1]
