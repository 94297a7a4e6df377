import pytest


@pytest.fixture
def rep(crm):
    return crm.call("create_user", email="rep@example.com", name="Rae")["id"]


def test_named_records_change_hands_and_the_others_stay(crm, rep):
    ids = [crm.call("create_lead", email=f"{n}@example.com")["id"] for n in range(3)]
    crm.call("update_lead", lead_id=ids[0], owner_id=rep)
    answer = crm.call("bulk_reassign", record_type="lead", to_owner_id=rep, ids=ids[:2])
    assert answer == {"record_type": "lead", "to_owner_id": rep, "reassigned_count": 1, "unchanged_count": 1}
    assert [record["key"]["id"] for record in crm.change_log() if record["i"] == crm.call_count - 1] == [ids[1]]
    assert crm.call("get_lead", lead_id=ids[1])["updated_at"] != crm.call("get_lead", lead_id=ids[2])["updated_at"]


def test_unowned_records_can_be_given_away(crm, rep):
    lead = crm.call("create_lead", email="ada@example.com")["id"]
    crm.call("update_lead", lead_id=lead, clear=["owner_id"])
    assert crm.call("bulk_reassign", record_type="lead", to_owner_id=rep, ids=[lead])["reassigned_count"] == 1


def test_one_unknown_id_stops_them_all_and_is_named(crm, refused, rep):
    lead = crm.call("create_lead", email="ada@example.com")["id"]
    error = refused("bulk_reassign", record_type="lead", to_owner_id=rep, ids=[lead, "lead_y", "lead_x"])
    assert error.details == {"resource": "lead", "ids": ["lead_x", "lead_y"]}


@pytest.mark.parametrize("record_type", ["lead", "deal", "company", "task"])
def test_what_somebody_left_behind_is_handed_over(startup, record_type):
    users = {user["name"]: user["id"] for user in startup.call("list_users")["users"]}
    jonas, priya = users["Jonas Weller"], users["Priya Nair"]
    given = {"record_type": record_type, "to_owner_id": priya, "from_owner_id": jonas}
    answer = startup.call("bulk_reassign", **given)
    assert answer["reassigned_count"] > 0
    assert startup.call("bulk_reassign", **given)["reassigned_count"] == 0


def test_closed_records_stay_unless_asked_for(crm, rep):
    me = crm.call("list_users")["current_user_id"]
    crm.call("create_lead", email="a@example.com", status="unqualified")
    crm.call("create_lead", email="b@example.com")
    given = {"record_type": "lead", "to_owner_id": rep, "from_owner_id": me}
    assert crm.call("bulk_reassign", **given)["reassigned_count"] == 1
    assert crm.call("bulk_reassign", **given, include_closed=True)["reassigned_count"] == 1


def test_bulk_changes_are_for_managers(world, refused):
    with world.instance("small_startup", seed=1, startup={"acting_user": "priya@larkspur.app"}) as inst:
        me = inst.call("list_users")["current_user_id"]
        error = refused("bulk_reassign", inst, record_type="lead", to_owner_id=me, from_owner_id=me)
    assert (error.code, error.details) == ("permission_denied", {"role": "rep"})


def test_a_handover_has_two_ends(crm, refused, rep):
    one = "Give exactly one of ids or from_owner_id."
    assert refused("bulk_reassign", record_type="lead", to_owner_id=rep).message == one
    assert refused("bulk_reassign", record_type="lead", to_owner_id=rep, ids=["x"], from_owner_id=rep).message == one
    assert refused("bulk_reassign", record_type="lead", to_owner_id="user_x", from_owner_id=rep).code == "not_found"
    assert refused("bulk_reassign", record_type="lead", to_owner_id=rep, from_owner_id="user_x").code == "not_found"
    crm.call("deactivate_user", user_id=rep)
    me = crm.call("list_users")["current_user_id"]
    assert refused("bulk_reassign", record_type="lead", to_owner_id=rep, from_owner_id=me).code == "conflict"
