import pytest


def test_settings_say_how_the_account_works(desk, me):
    found = desk.call("get_settings")
    assert (found["company_name"], found["auto_close_days"]) == ("First Day", 4)
    assert [policy["priority"] for policy in found["sla_policies"]] == ["low", "normal", "high", "urgent"]
    assert [(team["id"], team["agent_ids"]) for team in found["teams"]] == [
        ("billing", []),
        ("engineering", []),
        ("support", []),
    ]
    agent = desk.call("create_agent", email="a@example.com", name="A", team_id="billing")["id"]
    assert desk.call("get_settings")["teams"][0]["agent_ids"] == [agent]
    desk.call("deactivate_agent", agent_id=agent)
    assert desk.call("get_settings")["teams"][0]["agent_ids"] == []


def test_service_levels_are_changed_by_admins(desk, world, refused):
    changed = desk.call("update_sla_policy", priority="urgent", first_reply_minutes=15, resolution_minutes=90)
    assert (changed["first_reply_minutes"], changed["resolution_minutes"]) == (15, 90)
    assert changed["updated_at"] == desk.clock.iso()
    with world.instance("small_startup", startup={"acting_agent": "ingrid@larkspur.app"}) as inst:
        assert refused("update_sla_policy", inst, priority="urgent").code == "permission_denied"


@pytest.mark.parametrize("minutes", [0, -1, 525_601, 2**63, "5", True])
def test_a_target_is_a_minute_to_a_year(refused, minutes):
    assert refused("update_sla_policy", priority="low", resolution_minutes=minutes).code == "invalid_arguments"


def test_an_account_without_service_levels_says_so(world, refused):
    with world.instance(seed=1) as inst:
        assert inst.call("get_settings")["sla_policies"] == []
        assert refused("update_sla_policy", inst, priority="low").details == {
            "resource": "sla_policy",
            "priority": "low",
        }
