from typing import Any

import pytest

from worlds.engine import Instance, WorldBug
from worlds.mail.acting import HOST_ACTS


@pytest.fixture
def as_theo(world):
    """The small company, seen by somebody who is no admin."""
    with world.instance("small_startup", seed=1, startup={"acting_mailbox": "theo@larkspur.app"}) as inst:
        yield inst


def test_the_agent_acts_in_the_first_admins_mailbox(startup):
    assert startup.call("list_mailboxes")["your_address"] == "maren@larkspur.app"
    assert startup.call("get_mailbox")["name"] == "Maren Holt"


def test_startup_chooses_the_mailbox_by_address_or_id(world, startup, as_theo):
    assert as_theo.call("get_mailbox")["name"] == "Theo Albrecht"
    priya = startup.call("get_mailbox", mailbox="priya@larkspur.app")["id"]
    with world.instance("small_startup", startup={"acting_mailbox": priya}) as inst:
        assert inst.call("get_mailbox")["address"] == "priya@larkspur.app"


@pytest.mark.parametrize("somebody", ["nobody@larkspur.app", "jonas@larkspur.app"])
def test_startup_refuses_what_is_not_there_and_says_what_is(world, somebody):
    with pytest.raises(WorldBug, match=rf"'{somebody}', which is no active mailbox.*maren@larkspur.app"):
        world.instance("small_startup", startup={"acting_mailbox": somebody})


def test_shared_mailboxes_are_open_to_everybody_and_others_are_not(as_theo: Instance, refused):
    assert as_theo.call("list_threads", mailbox="support@larkspur.app")["threads"]
    sent = as_theo.call("send_message", to=["ada@example.com"], subject="x", body="x", mailbox="hello@larkspur.app")
    assert sent["from"]["address"] == "hello@larkspur.app"
    tries: list[tuple[str, dict[str, Any]]] = [
        ("list_threads", {}),
        ("search_messages", {"query": "x"}),
        ("send_message", {"to": ["ada@example.com"], "subject": "x", "body": "x"}),
        ("set_out_of_office", {"is_on": False}),
        ("suggest_addresses", {"query": "x"}),
    ]
    for tool, given in tries:
        error = refused(tool, as_theo, mailbox="priya@larkspur.app", **given)
        assert (error.code, error.details) == ("permission_denied", {"mailbox": "priya@larkspur.app"})


def test_what_lies_in_a_mailbox_that_is_closed_to_one_is_not_there(startup, as_theo, refused):
    hers = startup.call("search_messages", query="has:attachment", mailbox="maren@larkspur.app")["messages"][0]
    assert refused("get_message", as_theo, message_id=hers["id"]).code == "not_found"
    assert refused("get_thread", as_theo, thread_id=hers["thread_id"]).code == "not_found"
    assert refused("get_attachment", as_theo, attachment_id=hers["attachments"][0]["id"]).code == "not_found"
    assert refused("mark_messages", as_theo, message_ids=[hers["id"]], is_read=True).code == "not_found"
    assert startup.call("get_message", message_id=hers["id"])["id"] == hers["id"]


def test_a_host_may_act_in_any_mailbox(as_theo):
    with as_theo.bulk() as ctx:
        ctx.state[HOST_ACTS] = True
    sent = as_theo.call("send_message", to=["ada@example.com"], subject="x", body="x", mailbox="priya@larkspur.app")
    assert sent["from"]["name"] == "Priya Nair"


def test_making_and_closing_mailboxes_and_sql_are_for_admins(as_theo, refused):
    tries: list[tuple[str, dict[str, Any]]] = [
        ("create_mailbox", {"address": "new@larkspur.app", "name": "New"}),
        ("close_mailbox", {"mailbox": "priya@larkspur.app"}),
        ("update_mailbox", {"aliases": []}),
        ("run_sql", {"query": "SELECT 1"}),
    ]
    for tool, given in tries:
        assert refused(tool, as_theo, **given).code == "permission_denied"
    assert as_theo.call("update_mailbox", signature="Theo")["signature"] == "Theo"


def test_the_first_mailbox_brings_the_domain_and_is_an_admins(world):
    with world.instance(seed=1) as inst:
        made = inst.call("create_mailbox", address="Ada@Example.com", name="Ada")
        assert (made["address"], made["is_admin"]) == ("ada@example.com", True)
        assert inst.call("list_mailboxes")["your_address"] == "ada@example.com"
        assert inst.inspect().rows("SELECT name FROM domains") == [{"name": "example.com"}]


def test_where_there_is_no_mailbox_there_is_nothing_to_act_in(world, refused):
    with world.instance(seed=1) as inst:
        assert inst.call("list_mailboxes")["your_address"] is None
        error = refused("list_threads", inst)
        assert (error.code, "create_mailbox" in error.message) == ("not_found", True)


def test_an_address_is_taken_once_and_at_the_companys_domain(mail, refused):
    error = refused("create_mailbox", address="theo@firstday.app", name="Again")
    assert (error.code, error.details) == ("conflict", {"mailbox": "theo@firstday.app"})
    assert refused("create_mailbox", address="info@firstday.app", name="x").details == {"mailbox": "hello@firstday.app"}
    assert refused("create_mailbox", address="x@elsewhere.com", name="x").details["domains"] == ["firstday.app"]
    assert refused("create_mailbox", address="x@firstday.app", name=" ").details == {"field": "name"}
    assert refused("update_mailbox", aliases=["theo@firstday.app"]).code == "conflict"
    mail.call("close_mailbox", mailbox="theo@firstday.app")
    assert refused("create_mailbox", address="theo@firstday.app", name="Again").code == "conflict"


def test_aliases_are_replaced_as_a_set(mail):
    def aliases(*names):
        given = [f"{name}@firstday.app" for name in names]
        return mail.call("update_mailbox", mailbox="hello@firstday.app", aliases=given)["aliases"]

    assert aliases("info", "team", "hello") == ["info@firstday.app", "team@firstday.app"]
    before = mail.change_log()
    aliases("team", "info")
    assert mail.change_log() == before
    assert aliases() == []


def test_a_change_to_nothing_leaves_no_trace(mail):
    before = mail.change_log()
    mail.call("update_mailbox", mailbox="ines@firstday.app", name=" Ines  Duarte", signature="Ines | Firstday\n")
    mail.call("update_mailbox")
    assert mail.change_log() == before


def test_a_closed_mailbox_is_read_and_nothing_goes_out(mail, arrive, refused):
    got = arrive(to="theo@firstday.app")
    closed = mail.call("close_mailbox", mailbox="theo@firstday.app")
    assert (closed["is_active"], closed["closed_at"]) == (False, mail.clock.iso())
    assert mail.call("get_thread", thread_id=got["thread_id"])["message_count"] == 1
    for tool, given in [
        ("reply_to_message", {"message_id": got["message_id"], "body": "x"}),
        ("forward_message", {"message_id": got["message_id"], "to": ["ada@example.com"]}),
        ("create_draft", {"mailbox": "theo@firstday.app"}),
        ("create_filter", {"mailbox": "theo@firstday.app", "from_contains": "x", "star": True}),
        ("close_mailbox", {"mailbox": "theo@firstday.app"}),
    ]:
        assert refused(tool, **given).code == "conflict"


def test_nobody_closes_their_own_mailbox_or_one_that_is_not_there(refused):
    assert refused("close_mailbox", mailbox="robin@firstday.app").code == "conflict"
    assert refused("close_mailbox", mailbox="nobody@firstday.app").code == "not_found"
    assert refused("close_mailbox", mailbox="nobody").code == "invalid_input"


def test_mailboxes_are_filtered(mail):
    def listed(**filters):
        return [row["address"] for row in mail.call("list_mailboxes", **filters)["mailboxes"]]

    mail.call("close_mailbox", mailbox="theo@firstday.app")
    assert listed(kind="shared") == ["hello@firstday.app"]
    assert listed(is_active=False) == ["theo@firstday.app"]
    assert listed(is_active=True, kind="personal") == ["robin@firstday.app", "ines@firstday.app"]


def test_addresses_are_suggested_from_colleagues_and_mail(mail, arrive, refused):
    def suggested(query, **more):
        found = mail.call("suggest_addresses", query=query, **more)["suggestions"]
        return [(each["address"], each["name"], each["message_count"]) for each in found]

    for _ in range(2):
        arrive(from_address="ines.moreno@example.com", from_name="Ines Moreno")
    arrive(from_address="no-reply@ines.example.com")
    mail.call("send_message", to=["theo@firstday.app"], subject="x", body="x")
    mail.call("send_message", to=["ada@example.com"], cc=["ines.moreno@example.com"], subject="x", body="x")
    assert suggested("ines") == [
        ("ines.moreno@example.com", "Ines Moreno", 3),
        ("ines@firstday.app", "Ines Duarte", 0),
    ]
    assert suggested("MARSH") == [("theo@firstday.app", "Theo Marsh", 1)]
    assert suggested("example.com", limit=1) == [("ines.moreno@example.com", "Ines Moreno", 3)]
    assert suggested("%") == []
    mail.call("close_mailbox", mailbox="theo@firstday.app")
    assert suggested("marsh") == []
    assert refused("suggest_addresses", query=" ").code == "invalid_input"
