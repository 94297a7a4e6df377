import pytest


@pytest.fixture
def macro(desk):
    return desk.call(
        "create_macro",
        title="Oil",
        text="Dear {{ customer.name }},\nplease oil #{{ticket.number}}, {{ticket.subject}}.\n{{agent.first_name}}",
        status="pending",
        priority="high",
        team_id="engineering",
        add_tags=["Oil"],
        remove_tags=["dry"],
    )


def test_a_macro_writes_and_changes(desk, me, ticket, macro):
    desk.call("update_ticket", ticket_id=ticket["id"], tags=["dry", "old"])
    done = desk.call("apply_macro", ticket_id=ticket["id"], macro_id=macro["id"])
    assert done["message"]["body"] == "Dear Ada Lovelace,\nplease oil #1001, The engine stops.\nRobin"
    assert (done["message"]["macro_id"], done["message"]["visibility"]) == (macro["id"], "public")
    shown = done["ticket"]
    assert (shown["status"], shown["priority"], shown["team_id"]) == ("pending", "high", "engineering")
    assert (shown["assignee_id"], shown["tags"]) == (me, ["oil", "old"])
    kinds = [entry["kind"] for entry in desk.call("list_history", ticket_id=ticket["id"])["history"]]
    assert kinds == ["created", "tags", "macro_applied", "tags", "priority", "team", "replied", "assignee", "status"]


def test_an_internal_macro_writes_a_note(desk, ticket):
    (macro,) = [m for m in desk.call("list_macros")["macros"] if m["title"] == "Escalate to engineering"]
    done = desk.call("apply_macro", ticket_id=ticket["id"], macro_id=macro["id"])
    assert (done["message"]["visibility"], done["ticket"]["first_replied_at"]) == ("internal", None)
    assert (done["ticket"]["team_id"], done["ticket"]["tags"]) == ("engineering", ["escalated"])


def test_a_macro_without_text_says_nothing_and_without_effect_leaves_no_trace(desk, ticket):
    macro = desk.call("create_macro", title="Loud", priority="high", add_tags=["loud"])
    done = desk.call("apply_macro", ticket_id=ticket["id"], macro_id=macro["id"])
    assert (done["message"], done["ticket"]["priority"], done["ticket"]["tags"]) == (None, "high", ["loud"])
    assert done["ticket"]["status"] == "new"
    before = desk.change_log()
    assert desk.call("apply_macro", ticket_id=ticket["id"], macro_id=macro["id"]) == done
    assert desk.change_log() == before


def test_a_macro_without_text_can_solve(desk, refused, me, ticket):
    macro = desk.call("create_macro", title="Done", status="solved")
    assert refused("apply_macro", ticket_id=ticket["id"], macro_id=macro["id"]).code == "conflict"
    desk.call("update_ticket", ticket_id=ticket["id"], assignee_id=me)
    assert desk.call("apply_macro", ticket_id=ticket["id"], macro_id=macro["id"])["ticket"]["status"] == "solved"


def test_who_has_no_name_is_still_addressed(desk, macro):
    ticket = desk.call("create_ticket", subject="x", body="x", requester_email="bo@example.com")["id"]
    assert "bo@example.com" in desk.call("apply_macro", ticket_id=ticket, macro_id=macro["id"])["message"]["body"]
    hello = desk.call("create_macro", title="Hello", text="Hi {{customer.first_name}}, {{company.name}}")["id"]
    body = desk.call("apply_macro", ticket_id=ticket, macro_id=hello)["message"]["body"]
    assert body == "Hi there, First Day"


def test_what_a_customer_is_called_is_not_filled_in_again(desk, macro):
    ticket = desk.call(
        "create_ticket",
        subject="{{agent.name}}",
        body="x",
        requester_email="x@example.com",
        requester_name="{{company.name}}",
    )["id"]
    body = desk.call("apply_macro", ticket_id=ticket, macro_id=macro["id"])["message"]["body"]
    assert body.startswith("Dear {{company.name}},\nplease oil #1001, {{agent.name}}.")


def test_a_placeholder_that_is_none_is_refused_with_those_there_are(refused, macro):
    error = refused("create_macro", title="x", text="Hi {{customer.nickname}}")
    assert error.message.startswith("{{customer.nickname}} is no placeholder. These are: {{customer.name}}, ")
    assert error.details["placeholder"] == "{{customer.nickname}}"
    assert refused("update_macro", macro_id=macro["id"], text="{{x}}").code == "invalid_input"


def test_a_macro_does_something_and_not_its_opposite(desk, refused, macro):
    assert refused("create_macro", title="x").message.startswith("A macro writes something or changes something.")
    assert refused("create_macro", title="x", add_tags=["a"], remove_tags=["A"]).details == {"field": "remove_tags"}
    assert refused("create_macro", title=" ", text="x").details == {"field": "title"}
    loud = desk.call("create_macro", title="Loud", priority="high")["id"]
    assert refused("update_macro", macro_id=loud, clear=["priority"]).code == "invalid_input"


def test_a_title_is_taken_once(desk, refused, macro):
    assert refused("create_macro", title=" Oil ", text="x").details == {"macro_id": macro["id"]}
    other = desk.call("create_macro", title="Water", text="x")["id"]
    assert refused("update_macro", macro_id=other, title="Oil").code == "conflict"
    assert desk.call("update_macro", macro_id=macro["id"], title="Oil") == macro


def test_macros_are_changed_emptied_and_switched_off(desk, refused, ticket, macro):
    changed = desk.call(
        "update_macro", macro_id=macro["id"], text="Oil it", clear=["status", "priority", "team_id"], add_tags=[]
    )
    assert (changed["status"], changed["priority"], changed["team_id"]) == (None, None, None)
    assert (changed["add_tags"], changed["updated_at"]) == ([], desk.clock.iso())
    desk.call("update_macro", macro_id=macro["id"], is_active=False)
    error = refused("apply_macro", ticket_id=ticket["id"], macro_id=macro["id"])
    assert error.message == ("The macro 'Oil' is switched off. Choose another, or switch it on with update_macro.")
    assert [m["title"] for m in desk.call("list_macros", is_active=False)["macros"]] == ["Oil"]
    assert "Oil" not in [m["title"] for m in desk.call("list_macros", is_active=True)["macros"]]


def test_unknown_macros_and_teams_are_not_found(refused, ticket):
    assert refused("apply_macro", ticket_id=ticket["id"], macro_id="macro_x").code == "not_found"
    assert refused("update_macro", macro_id="macro_x").code == "not_found"
    assert refused("create_macro", title="x", text="x", team_id="x").code == "not_found"


def test_the_priority_of_a_solved_ticket_stays_with_a_macro_too(desk, refused, ticket, macro):
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x", status="solved")
    assert refused("apply_macro", ticket_id=ticket["id"], macro_id=macro["id"]).code == "conflict"


def test_agents_use_macros_and_do_not_write_them(world, refused):
    with world.instance("small_startup", seed=1, startup={"acting_agent": "theo@larkspur.app"}) as inst:
        error = refused("create_macro", inst, title="x", text="x")
        assert error.message == "Creating macros needs the role admin or lead; yours is agent. Ask somebody who has it."
        macro = inst.call("list_macros")["macros"][0]["id"]
        assert refused("update_macro", inst, macro_id=macro, text="x").code == "permission_denied"
        ticket = inst.call("get_ticket", number=1041)["id"]
        assert inst.call("apply_macro", ticket_id=ticket, macro_id=macro)["message"]
