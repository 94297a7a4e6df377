from datetime import UTC, datetime

import pytest

from worlds.engine import installed
from worlds.engine.models import ScheduledEvent
from worlds.helpdesk.fixtures.setting import NOW
from worlds.helpdesk.models import Agent, HistoryEntry, Macro, Message, SlaClock, Ticket

#: The day after the last one of those who have left.
LAST_DAY = datetime(2026, 5, 16, tzinfo=UTC)
COMMITTED = ("big_co", "empty", "small_startup")


@pytest.fixture(params=["small_startup", "big_co"])
def account(world, request):
    """Each fixture with people in it, its models readable."""
    with world.instance(request.param, seed=1) as inst, inst.inspecting():
        yield request.param


@pytest.fixture
def larkspur(world):
    with world.instance("small_startup", seed=1) as inst, inst.inspecting():
        yield


@pytest.fixture
def corvid(world):
    with world.instance("big_co", seed=1) as inst, inst.inspecting():
        yield


def about(subject):
    """The one ticket with a subject that begins like this."""
    return Ticket.objects.get(subject__startswith=subject)


def said(ticket, words, **by):
    """The one message on a ticket with these words."""
    return Message.objects.get(ticket=ticket, body__contains=words, **by)


def test_the_committed_fixtures_are_those_with_a_recipe(world):
    assert tuple(world.fixture_ids()) == COMMITTED
    assert set(world.recipes) == set(COMMITTED)


def test_every_fixture_is_of_one_moment_and_says_what_is_in_it(world):
    for fixture in world.fixtures():
        assert fixture.now == "2026-06-01T09:00:00.000Z"
        assert len(fixture.description) > 80
        assert fixture.description == world.recipes[fixture.id].description


@pytest.mark.parametrize("fixture", ["empty", "small_startup"])
def test_a_rebuild_gives_the_same_bytes(world, settings, tmp_path, fixture):
    committed = next(found for found in world.fixtures() if found.id == fixture)
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path
    rebuilt = world.build_fixture(fixture)
    assert rebuilt.folder != committed.folder
    for file in sorted(committed.folder.iterdir()):
        assert (rebuilt.folder / file.name).read_bytes() == file.read_bytes(), file.name


def test_fixtures_are_as_large_as_they_say(world):
    counts = {fixture.id: fixture.counts for fixture in world.fixtures()}
    small, big = counts["small_startup"], counts["big_co"]
    assert (small["helpdesk.agent"], small["helpdesk.customer"], small["helpdesk.ticket"]) == (6, 26, 48)
    assert (big["helpdesk.agent"], 345 <= big["helpdesk.ticket"] <= 360) == (17, True)
    assert 130 <= big["helpdesk.customer"] <= 150
    assert big["helpdesk.message"] > 1_000
    assert set(counts["empty"]) == {f"helpdesk.{name}" for name in ("agent", "macro", "settings", "slapolicy", "team")}


def test_the_committed_text_stays_small(world):
    for fixture in world.fixtures():
        assert fixture.file("main").stat().st_size < 2_500_000


def test_nothing_happens_after_the_moment_of_the_fixture(account):
    assert not Ticket.objects.filter(updated_at__gt=NOW).exists()
    assert not Message.objects.filter(created_at__gt=NOW).exists()
    assert not HistoryEntry.objects.filter(happened_at__gt=NOW).exists()
    assert not SlaClock.objects.filter(breached_at__gt=NOW).exists()


def test_what_is_due_is_on_the_schedule(account):
    waiting = set(ScheduledEvent.objects.values_list("id", "at"))
    clocks = set(SlaClock.objects.filter(status="running").values_list("event", "due_at"))
    solved = set(Ticket.objects.filter(status="solved").values_list("auto_close_event", "auto_closes_at"))
    assert clocks | solved == waiting
    assert all(at > NOW for _, at in waiting)


def test_numbers_are_in_order_of_arrival(account):
    tickets = list(Ticket.objects.order_by("created_at", "number"))
    assert [ticket.number for ticket in tickets] == list(range(1001, 1001 + len(tickets)))


def test_texts_are_written_out(account):
    for text in (*Message.objects.values_list("body", flat=True), *Ticket.objects.values_list("subject", flat=True)):
        assert not set("{}") & set(text)
        assert "  " not in text
        assert "\n\n\n" not in text


def test_who_did_something_is_who_wrote_it(account):
    for message in Message.objects.all():
        entry = HistoryEntry.objects.filter(to_value=message.id).first()
        if entry is not None:
            assert (entry.agent_id, entry.customer_id) == (message.agent_id, message.customer_id)


def test_nobody_works_before_coming_or_after_leaving(account):
    for agent in Agent.objects.all():
        mine = Message.objects.filter(agent=agent)
        assert not mine.filter(created_at__lt=agent.created_at).exists()
        if not agent.is_active:
            last = mine.order_by("-created_at").first()
            assert last is not None
            assert last.created_at < LAST_DAY


def test_somebody_has_left_and_customers_still_wait_for_them(account):
    for agent in Agent.objects.filter(is_active=False):
        assert Ticket.objects.filter(assignee=agent, status="open", waiting_since__isnull=False).exists()
        assert agent.name in installed.get("helpdesk").recipes[account].description


def test_deadlines_are_missed_and_others_come_up(account):
    assert SlaClock.objects.filter(status="breached", stopped_at=None).count() >= 5
    soon = SlaClock.objects.filter(status="running", metric="first_reply", ticket__priority="urgent")
    due_at = soon.get().due_at
    assert due_at
    assert 0 < (due_at - NOW).total_seconds() < 1800


def test_ratings_are_mostly_good(account):
    bad, good = (Ticket.objects.filter(rating__status=score).count() for score in ("bad", "good"))
    assert 0 < bad < good / 4


def test_a_login_ticket_is_due_before_half_past_nine_and_nobodys(larkspur):
    ticket = about("None of us can log in")
    assert (ticket.status, ticket.assignee, ticket.priority) == ("new", None, "urgent")
    assert f"{ticket.sla_clocks.get(metric='first_reply').due_at:%H:%M}" == "09:24"


def test_an_import_waits_for_who_has_left(larkspur):
    ticket = about("Import of our client list")
    assert ticket.assignee
    assert (ticket.assignee.name, ticket.assignee.is_active, ticket.status) == ("Jonas Weller", False, "open")
    assert Message.objects.filter(ticket=ticket, customer__isnull=False).count() == 5


def test_one_customer_wrote_from_two_addresses(larkspur):
    one, two = about("Rendez-vous one hour too early"), about("wrong hour in calendar")
    assert one.requester.name == "Colette Marchand"
    assert (one.requester == two.requester, two.requester.name) == (False, "")
    assert said(two, "C. Marchand")


def test_a_note_contradicts_a_reply(larkspur):
    ticket = about("Reminders do not reach Swedish numbers")
    told = said(ticket, "it has been fixed since Wednesday", visibility="public")
    known = said(ticket, "this is NOT fixed", visibility="internal")
    assert told.created_at < known.created_at
    assert ticket.status == "pending"


def test_a_lost_saturday_was_rated_bad_and_nobody_has_written_since(larkspur):
    ticket = about("BOOKING PAGE DOWN")
    assert (ticket.rating.status, "renews on 15 June" in ticket.rating.comment) == ("bad", True)
    assert ticket.sla_clocks.filter(status="breached").count() == 2
    later = Message.objects.filter(ticket__requester=ticket.requester, created_at__gt=ticket.rating.rated_at)
    assert not later.exists()


def test_a_refund_was_promised_and_not_made(larkspur):
    ticket = about("Charged after cancelling!")
    assert said(ticket, "I have put the refund of $79.00 through", visibility="public")
    assert said(ticket, "Maren has to click it", visibility="internal")
    assert said(ticket, "No refund on my card", customer=ticket.requester)
    assert (ticket.status, ticket.waiting_since is not None) == ("open", True)


def test_an_erasure_with_a_deadline_in_law_has_low_priority(larkspur):
    ticket = about("Erasure request")
    assert (ticket.status, ticket.priority) == ("on_hold", "low")
    assert said(ticket, "Legal deadline is 4 June", visibility="internal")


def test_one_incident_has_three_answers(larkspur):
    credit = said(about("Everyone got the reminder twice"), "back as credit", visibility="internal")
    refused = said(about("Double reminders"), "I cannot take them off the invoice", visibility="public")
    assert credit.created_at < refused.created_at
    assert about("Two SMS per patient").status == "new"


def test_a_promised_message_has_not_been_sent(larkspur):
    ticket = about("Selling packages of ten")
    assert said(ticket, "I'll write to you personally", visibility="public")
    assert said(about("Session packages!"), "went live yesterday", visibility="public")
    assert ticket.status == "on_hold"
    assert not Message.objects.filter(ticket=ticket, created_at__month=5).exists()


def test_a_macro_says_what_is_no_longer_so(larkspur):
    assert "within five working days" in Macro.objects.get(title="Refund request received").text
    assert said(about("Refunds take longer"), "up to ten working days", visibility="public")


def test_a_follow_up_came_to_a_closed_ticket(larkspur):
    (follow_up,) = Ticket.objects.filter(follow_up_of__isnull=False)
    assert (follow_up.status, follow_up.requester.name) == ("new", "Luis Ferrer")
    assert follow_up.follow_up_of
    assert follow_up.follow_up_of.rating.status == "bad"


def test_two_people_of_one_company_ask_for_opposite_things(larkspur):
    one, two = about("Please remove the waitlist"), about("Waitlist, more of it")
    assert one.requester.company_name == two.requester.company_name == "Meridian Pilates Studio"


def test_tickets_were_merged(larkspur):
    (merged,) = Ticket.objects.filter(merged_into__isnull=False)
    assert merged.merged_into
    assert said(merged.merged_into, f"#{merged.number} “Calendar again”", visibility="internal")


def test_what_burns_was_filed_as_low(corvid):
    ticket = about("Unit in van gets hot")
    assert (ticket.priority, ticket.status, ticket.assignee) == ("low", "new", None)


def test_a_regulator_is_about_to_get_incomplete_data(corvid):
    ticket = about("Three days without data")
    assert said(ticket, "the upload is complete", visibility="public")
    assert said(ticket, "Nothing to recover there", visibility="internal")


def test_a_credit_was_promised_and_not_approved(corvid):
    ticket = about("Credit for the six weeks")
    assert said(ticket, "by 15 May at the latest", visibility="public")
    assert said(ticket, "She says she never got the form", visibility="internal")
    assert ticket.waiting_since is not None


def test_four_customers_have_one_fault_and_one_was_told_the_wrong_thing(corvid):
    assert said(about("Units restart every hour"), "Do NOT send units back", visibility="internal")
    assert said(about("Gaps in the milk rounds"), "send the twelve units back", visibility="public")
    assert {about(subject).status for subject in ("Buses vanish", "Firmware 4.2.1")} == {"new"}


def test_one_person_wrote_about_one_leak_from_two_addresses(corvid):
    one, two = about("Two depots, one fence"), about("They still see our plates")
    assert (one.requester == two.requester, two.assignee) == (False, None)
    assert one.requester.name == "Ruth Duarte"
    assert two.requester.name == "R. Duarte"


def test_a_fourth_wrong_invoice_was_rated_bad(corvid):
    ticket = Ticket.objects.get(subject="Third wrong invoice in a row", follow_up_of__isnull=False)
    assert (ticket.rating.status, "two other offers" in ticket.rating.comment) == ("bad", True)


def test_reserved_units_belong_to_who_has_left(corvid):
    ticket = about("Unit for the crane trucks")
    assert ticket.assignee
    assert (ticket.assignee.name, ticket.status) == ("Victor Salas", "on_hold")
    assert said(ticket, "until 5 June", visibility="internal")
