import pytest


@pytest.fixture
def lead(crm):
    company = crm.call("create_company", name="Engines")
    return crm.call("create_lead", email="ada@example.com", first_name="Ada", company_id=company["id"])


def test_logging_touches_the_lead_the_deal_and_their_company(crm, lead):
    deal = crm.call("create_deal", name="One", contact_id=lead["id"])
    call = crm.call(
        "log_activity", kind="call", subject="Hello", lead_id=lead["id"], deal_id=deal["id"], outcome="connected"
    )
    assert (call["occurred_at"], call["direction"], call["company_id"]) == (
        crm.clock.iso(),
        "outbound",
        lead["company_id"],
    )
    assert crm.call("get_lead", lead_id=lead["id"])["last_activity_at"] == call["occurred_at"]
    assert crm.call("get_deal", deal_id=deal["id"])["last_activity_at"] == call["occurred_at"]
    assert crm.call("get_lead", lead_id=lead["id"])["updated_at"] == lead["updated_at"]


def test_an_activity_is_about_something(refused):
    error = refused("log_activity", kind="call", subject="Hello")
    assert error.message == "Give at least one of lead_id, company_id or deal_id."
    for about in ("lead_id", "company_id", "deal_id"):
        assert refused("log_activity", kind="call", subject="Hello", **{about: "x"}).code == "not_found"
        assert refused("create_task", subject="Do", due_at="2026-06-02T09:00:00Z", **{about: "x"}).code == "not_found"


def test_what_has_not_happened_cannot_be_logged(refused, lead):
    error = refused("log_activity", kind="call", subject="x", lead_id=lead["id"], occurred_at="2026-06-09T09:00:00Z")
    assert (error.code, "create_task" in error.message) == ("invalid_input", True)


def test_an_instant_has_a_time_zone(crm, refused, lead):
    given = {"kind": "call", "subject": "x", "lead_id": lead["id"]}
    assert "has no time zone" in refused("log_activity", **given, occurred_at="2026-05-09T09:00:00").message
    call = crm.call("log_activity", **given, occurred_at="2026-05-09T11:00:00.1239+02:00")
    assert call["occurred_at"] == "2026-05-09T09:00:00.123Z"


def test_who_asked_not_to_be_emailed_is_not(crm, refused, lead):
    crm.call("update_lead", lead_id=lead["id"], do_not_email=True)
    error = refused("log_activity", kind="email", subject="Offer", lead_id=lead["id"])
    assert (error.code, error.message) == ("conflict", "Ada has asked not to be emailed. Call or meet instead.")
    assert crm.call("log_activity", kind="email", subject="Question", lead_id=lead["id"], direction="inbound")
    assert crm.call("log_activity", kind="call", subject="Offer", lead_id=lead["id"])


def test_a_subject_says_something(refused, lead):
    assert refused("log_activity", kind="call", subject=" ", lead_id=lead["id"]).code == "invalid_input"
    assert (
        refused("create_task", subject=" ", due_at="2026-06-02T09:00:00Z", lead_id=lead["id"]).code == "invalid_input"
    )


def test_what_somebody_did_who_has_left_can_be_logged_and_new_tasks_cannot(crm, refused, lead):
    rep = crm.call("create_user", email="rep@example.com", name="Rae")["id"]
    crm.call("deactivate_user", user_id=rep)
    assert crm.call("log_activity", kind="call", subject="x", lead_id=lead["id"], owner_id=rep)["owner_id"] == rep
    task = {"subject": "x", "due_at": "2026-06-02T09:00:00Z", "lead_id": lead["id"]}
    assert refused("create_task", **task, owner_id=rep).code == "conflict"
    assert refused("create_task", **task, owner_id="user_x").code == "not_found"


def test_a_task_is_done_once_and_then_counts_as_touch(crm, refused, lead):
    task = crm.call("create_task", subject="Call Ada", due_at="2026-06-02T09:00:00Z", lead_id=lead["id"])
    assert (task["is_done"], task["occurred_at"], task["due_at"]) == (False, None, "2026-06-02T09:00:00.000Z")
    assert crm.call("list_activities")["activities"] == []
    done = crm.call("complete_task", task_id=task["id"])
    assert (done["is_done"], done["occurred_at"]) == (True, crm.clock.iso())
    assert crm.call("get_lead", lead_id=lead["id"])["last_activity_at"] == done["occurred_at"]
    assert crm.call("list_activities")["activities"] == [done]
    assert refused("complete_task", task_id=task["id"]).code == "conflict"


def test_only_tasks_are_completed(crm, refused, lead):
    call = crm.call("log_activity", kind="call", subject="x", lead_id=lead["id"])
    assert refused("complete_task", task_id=call["id"]).details == {"resource": "task", "ids": [call["id"]]}


def test_tasks_are_listed_by_when_they_are_due(crm, refused, lead):
    def task(day, **more):
        due_at = f"2026-06-{day:02}T09:00:00Z"
        return crm.call("create_task", subject=f"{day}", due_at=due_at, lead_id=lead["id"], **more)["id"]

    late, soon, early = task(9), task(5), task(3)
    crm.call("complete_task", task_id=early)

    def listed(**filters):
        return [found["id"] for found in crm.call("list_tasks", **filters)["tasks"]]

    assert listed() == [soon, late]
    assert listed(is_done=True) == [early]
    assert listed(due_before="2026-06-06T00:00:00Z") == [soon]
    assert listed(company_id=lead["company_id"]) == [soon, late]
    assert refused("list_tasks", lead_id="lead_x").code == "not_found"


def test_activities_are_listed_latest_first_by_when_they_happened(crm, lead):
    def call(day, kind):
        at = f"2026-05-{day:02}T09:00:00Z"
        return crm.call("log_activity", kind=kind, subject="x", lead_id=lead["id"], occurred_at=at)["id"]

    middle, latest, first = call(10, "call"), call(20, "email"), call(1, "meeting")

    def listed(**filters):
        return [found["id"] for found in crm.call("list_activities", **filters)["activities"]]

    assert listed() == [latest, middle, first]
    assert listed(kind="email") == [latest]
    assert listed(since="2026-05-10T09:00:00Z") == [latest, middle]
    assert listed(company_id=lead["company_id"]) == [latest, middle, first]
    assert crm.call("get_lead", lead_id=lead["id"])["last_activity_at"] == "2026-05-20T09:00:00.000Z"
