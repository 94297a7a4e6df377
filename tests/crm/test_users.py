import pytest

from worlds.engine import WorldBug


@pytest.fixture
def as_rep(world):
    """The small account, seen by a sales rep."""
    with world.instance("small_startup", seed=1, startup={"acting_user": "theo@larkspur.app"}) as inst:
        yield inst


def test_the_agent_acts_as_the_first_admin(startup):
    page = startup.call("list_users")
    me = next(user for user in page["users"] if user["id"] == page["current_user_id"])
    assert (me["name"], me["role"]) == ("Maren Holt", "admin")


def test_startup_chooses_who_the_agent_is(as_rep):
    page = as_rep.call("list_users")
    me = next(user for user in page["users"] if user["id"] == page["current_user_id"])
    assert me["name"] == "Theo Albrecht"
    assert as_rep.call("create_lead", email="ada@example.com")["owner_id"] == me["id"]


def test_startup_takes_an_id_as_well(world, startup):
    priya = next(user for user in startup.call("list_users")["users"] if user["name"] == "Priya Nair")
    with world.instance("small_startup", startup={"acting_user": priya["id"]}) as inst:
        assert inst.call("list_users")["current_user_id"] == priya["id"]


@pytest.mark.parametrize("somebody", ["nobody@larkspur.app", "jonas@larkspur.app"])
def test_startup_refuses_who_is_not_there_and_says_who_is(world, somebody):
    with pytest.raises(WorldBug, match=rf"'{somebody}', which is no active user.*maren@larkspur.app"):
        world.instance("small_startup", startup={"acting_user": somebody})


def test_users_are_created_by_admins(crm, as_rep, refused):
    user = crm.call("create_user", email="NEW@example.com", name="New", role="manager")
    assert (user["email"], user["role"], user["is_active"]) == ("new@example.com", "manager", True)
    error = refused("create_user", as_rep, email="new@example.com", name="New")
    assert (error.code, error.message) == (
        "permission_denied",
        "Adding users needs the role admin; yours is rep. Ask somebody who has it.",
    )


def test_a_users_address_is_taken_once(crm, refused):
    user = crm.call("create_user", email="new@example.com", name="New")
    assert refused("create_user", email="new@example.com", name="Again").details == {"user_id": user["id"]}
    assert refused("create_user", email="no address", name="Again").code == "invalid_input"
    assert refused("create_user", email="other@example.com", name=" ").code == "invalid_input"


def test_deactivating_says_what_is_left_to_hand_over(crm, refused):
    rep = crm.call("create_user", email="rep@example.com", name="Rae")["id"]
    company = crm.call("create_company", name="Engines", owner_id=rep)["id"]
    crm.call("create_lead", email="a@example.com", owner_id=rep)
    crm.call("create_lead", email="b@example.com", owner_id=rep, status="unqualified")
    crm.call("create_deal", name="One", company_id=company, owner_id=rep)
    crm.call("create_task", subject="Call", due_at="2026-07-01T09:00:00Z", company_id=company, owner_id=rep)
    gone = crm.call("deactivate_user", user_id=rep)
    assert not gone["is_active"]
    assert gone["still_owns"] == {"leads": 1, "companies": 1, "deals": 1, "tasks": 1}
    assert refused("deactivate_user", user_id=rep).code == "conflict"


def test_nobody_deactivates_themselves_or_a_stranger(crm, as_rep, refused):
    assert refused("deactivate_user", user_id=crm.call("list_users")["current_user_id"]).code == "conflict"
    assert refused("deactivate_user", user_id="user_x").code == "not_found"
    assert refused("deactivate_user", as_rep, user_id="user_x").code == "permission_denied"


def test_users_are_filtered(startup):
    def names(**filters):
        return [user["name"] for user in startup.call("list_users", **filters)["users"]]

    assert names(is_active=False) == ["Jonas Weller"]
    assert names(role="admin") == ["Maren Holt"]
    assert names(role="rep", is_active=True) == ["Theo Albrecht", "Priya Nair"]
