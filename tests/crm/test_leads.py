import pytest

from worlds.engine import ArgumentError


def test_a_lead_needs_nothing_but_an_address(crm):
    lead = crm.call("create_lead", email="Ada@Example.com")
    assert lead["email"] == "ada@example.com"
    assert lead["id"].startswith("lead_")
    assert (lead["status"], lead["source"], lead["first_name"]) == ("new", "other", "")
    assert lead["created_at"] == lead["updated_at"] == crm.clock.iso()
    assert lead["owner_id"] == crm.call("list_users")["current_user_id"]


def test_a_lead_can_be_created_in_an_account_without_users(world):
    with world.instance(seed=1) as blank:
        assert blank.call("create_lead", email="ada@example.com")["owner_id"] is None


def test_creating_a_lead_changes_one_row(crm):
    crm.call("create_lead", email="ada@example.com", first_name="Ada")
    (record,) = crm.change_log()
    assert (record["table"], record["op"], record["after"]["first_name"]) == ("leads", "insert", "Ada")


def test_every_field_of_a_lead_can_be_given(crm):
    company = crm.call("create_company", name="Analytical Engines")
    owner = crm.call("create_user", email="rep@example.com", name="Rep")
    given = {
        "email": "ada@example.com",
        "first_name": "Ada",
        "last_name": "Lovelace",
        "title": "Countess",
        "phone": "+44 20",
        "company_id": company["id"],
        "company_name": "Engines",
        "source": "event",
        "status": "qualified",
        "owner_id": owner["id"],
        "do_not_email": True,
    }
    lead = crm.call("create_lead", **given)
    assert {name: lead[name] for name in given} == given
    assert crm.call("get_lead", lead_id=lead["id"]) == {**lead, "tags": []}


@pytest.mark.parametrize("email", ["", "ada", "ada@", "@example.com", "ada@example", "a b@example.com", "a@b..com"])
def test_what_is_no_address_is_refused(refused, email):
    error = refused("create_lead", email=email)
    assert error.code == "invalid_input"
    assert error.details == {"field": "email"}
    assert "is not an email address" in error.message


def test_an_address_belongs_to_one_lead(crm, refused):
    first = crm.call("create_lead", email="ada@example.com")
    error = refused("create_lead", email=" ADA@example.com ")
    assert (error.code, error.details) == ("conflict", {"lead_id": first["id"]})
    assert "merge_leads" in error.message


def test_all_violations_are_reported_at_once(crm):
    with pytest.raises(ArgumentError) as caught:
        crm.call("create_lead", email=1, status="converted", nickname="Ada", title="x" * 121)
    assert [violation["path"] for violation in caught.value.violations] == ["email", "title", "status", "nickname"]


@pytest.mark.parametrize(("field", "resource"), [("company_id", "company"), ("owner_id", "user")])
@pytest.mark.parametrize("tool", ["create_lead", "update_lead"])
def test_unknown_references_are_refused(crm, refused, tool, field, resource):
    lead = crm.call("create_lead", email="known@example.com")
    named = {"email": "ada@example.com"} if tool == "create_lead" else {"lead_id": lead["id"]}
    error = refused(tool, **named, **{field: "nobody"})
    assert (error.code, error.details) == ("not_found", {"resource": resource, "ids": ["nobody"]})


def test_somebody_who_has_left_is_given_no_leads(crm, refused):
    rep = crm.call("create_user", email="rep@example.com", name="Rae")
    crm.call("deactivate_user", user_id=rep["id"])
    error = refused("create_lead", email="ada@example.com", owner_id=rep["id"])
    assert (error.code, error.message) == (
        "conflict",
        "Rae is deactivated and cannot be given records. Choose an active user.",
    )


@pytest.mark.parametrize("tool", ["get_lead", "update_lead", "convert_lead"])
def test_a_lead_that_is_not_there_is_not_found(refused, tool):
    error = refused(tool, lead_id="lead_x")
    assert (error.code, error.message) == (
        "not_found",
        "There is no lead with id lead_x. Look ids up with list_leads or search_crm.",
    )


def test_an_update_changes_what_is_given_and_stamps_the_time(crm):
    lead = crm.call("create_lead", email="ada@example.com", title="Analyst")
    changed = crm.call("update_lead", lead_id=lead["id"], first_name=" Ada ", status="working", title="")
    assert changed == {
        **lead,
        "first_name": "Ada",
        "status": "working",
        "title": "",
        "updated_at": crm.clock.iso(),
    }


def test_an_update_to_what_is_there_already_leaves_no_trace(crm):
    lead = crm.call("create_lead", email="ada@example.com", first_name="Ada")
    before = crm.change_log()
    assert crm.call("update_lead", lead_id=lead["id"], first_name="Ada", email="ADA@example.com") == lead
    assert crm.change_log() == before


def test_references_are_emptied_by_naming_them(crm, refused):
    company = crm.call("create_company", name="Engines")
    lead = crm.call("create_lead", email="ada@example.com", company_id=company["id"])
    error = refused("update_lead", lead_id=lead["id"], company_id=company["id"], clear=["company_id"])
    assert "both set and cleared" in error.message
    changed = crm.call("update_lead", lead_id=lead["id"], clear=["company_id", "owner_id"])
    assert (changed["company_id"], changed["owner_id"]) == (None, None)


def test_a_lead_cannot_take_the_address_of_another(crm, refused):
    crm.call("create_lead", email="ada@example.com")
    lead = crm.call("create_lead", email="grace@example.com")
    assert refused("update_lead", lead_id=lead["id"], email="ada@example.com").code == "conflict"


def test_leads_are_listed_newest_first_and_filtered(crm):
    company = crm.call("create_company", name="Engines")
    ids = [
        crm.call("create_lead", email=f"{n}@example.com", status="working" if n % 2 else "new", source="event")["id"]
        for n in range(4)
    ]
    crm.call("update_lead", lead_id=ids[0], company_id=company["id"])
    crm.call("set_tags", record_type="lead", record_id=ids[3], tags=["hot"])

    def listed(**filters):
        return [lead["id"] for lead in crm.call("list_leads", **filters)["leads"]]

    assert listed() == ids[::-1]
    assert listed(order="oldest") == ids
    assert listed(status="working") == [ids[3], ids[1]]
    assert listed(company_id=company["id"]) == [ids[0]]
    assert listed(tag="Hot") == [ids[3]]
    assert listed(source="referral") == []
    assert listed(owner_id=crm.call("list_users")["current_user_id"], status="new") == [ids[2], ids[0]]


def test_filters_name_what_exists(refused):
    assert refused("list_leads", owner_id="nobody").code == "not_found"
    assert refused("list_leads", company_id="nobody").code == "not_found"
    assert refused("list_stale_leads", owner_id="nobody").code == "not_found"
    assert refused("list_leads", tag="unheard").message == "No record carries the tag 'unheard'. Add it with set_tags."


def test_stale_leads_are_those_nobody_touched(crm):
    ids = {name: crm.call("create_lead", email=f"{name}@example.com")["id"] for name in ("a", "b", "c", "d")}
    crm.call("update_lead", lead_id=ids["d"], status="unqualified")
    crm.advance(days=20)
    crm.call("log_activity", kind="call", subject="Hello", lead_id=ids["b"])
    crm.call("update_lead", lead_id=ids["c"], title="An edit is no touch")
    crm.advance(days=20)

    def stale(days):
        return [lead["id"] for lead in crm.call("list_stale_leads", days=days)["leads"]]

    assert stale(30) == [ids["a"], ids["c"]]
    assert stale(15) == [ids["a"], ids["c"], ids["b"]]
    assert stale(60) == []


def test_a_stale_lead_says_when_it_was_touched_last(crm):
    lead = crm.call("create_lead", email="ada@example.com")
    crm.advance(days=31)
    (found,) = crm.call("list_stale_leads")["leads"]
    assert found["touched_at"] == lead["created_at"]


def test_a_backdated_activity_does_not_make_a_lead_fresher_than_it_is(crm):
    lead = crm.call("create_lead", email="ada@example.com")
    crm.advance(days=60)
    crm.call("log_activity", kind="call", subject="Late entry", lead_id=lead["id"], occurred_at="2026-06-02T10:00:00Z")
    (found,) = crm.call("list_stale_leads", days=50)["leads"]
    assert found["last_activity_at"] == "2026-06-02T10:00:00.000Z"
