from datetime import timedelta

import pytest

from worlds.crm.fixtures.account import NOW
from worlds.crm.models import Activity, Company, Deal, Lead, Note, StageChange, User
from worlds.engine import installed

COMMITTED = ("agency", "big_co", "empty", "small_startup")


@pytest.fixture(params=["small_startup", "agency", "big_co"])
def account(world, request):
    """Each fixture with people in it, its models readable."""
    with world.instance(request.param, seed=1) as inst, inst.inspecting():
        yield request.param


def test_the_committed_fixtures_are_those_with_a_recipe(world):
    assert tuple(id for id in world.fixture_ids() if id != "huge_co") == COMMITTED
    assert set(world.recipes) == {*COMMITTED, "huge_co"}
    assert not world.recipes["huge_co"].committed


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


def _counts(world, fixture):
    return next(found for found in world.fixtures() if found.id == fixture).counts


def test_big_co_is_as_big_as_it_says(world):
    counts = _counts(world, "big_co")
    assert counts["crm.lead"] == 500
    assert counts["crm.company"] == 60
    assert counts["crm.activity"] >= 1_500
    assert 140 <= counts["crm.deal"] <= 165
    assert counts["crm.user"] == 15


def test_small_startup_is_as_small_as_it_says(world):
    counts = _counts(world, "small_startup")
    assert (counts["crm.lead"], counts["crm.company"], counts["crm.user"]) == (40, 8, 4)


def test_the_committed_text_stays_small(world):
    for fixture in world.fixtures():
        if fixture.id in COMMITTED:
            assert fixture.file("main").stat().st_size < 2_500_000


def test_nothing_happens_after_the_moment_of_the_fixture(account):
    for model, field in (
        (Lead, "updated_at"),
        (Deal, "updated_at"),
        (Activity, "created_at"),
        (Note, "created_at"),
        (StageChange, "changed_at"),
    ):
        assert model.objects.filter(**{f"{field}__gt": NOW}).count() == 0


def test_somebody_has_left_and_still_owns_open_work(account):
    left = User.objects.filter(is_active=False)
    assert left.exists()
    for user in left:
        assert Deal.objects.filter(owner=user, stage__kind="open").count() >= 2
        assert Lead.objects.filter(owner=user, status__in=("new", "working", "qualified")).count() >= 2
        assert Activity.objects.filter(owner=user, kind="task", is_done=False).count() >= 1


def test_nobody_works_after_leaving(account):
    for user in User.objects.filter(is_active=False):
        latest = Activity.objects.filter(owner=user).order_by("-created_at").first()
        assert latest is not None
        assert latest.created_at < NOW - timedelta(days=14)


def test_leads_have_been_forgotten_for_sixty_days(account):
    cutoff = NOW - timedelta(days=60)
    touched = Lead.objects.filter(last_activity_at__lt=cutoff, status__in=("new", "working"))
    assert touched.count() >= {"small_startup": 5, "agency": 20, "big_co": 80}[account]


def test_deals_are_past_their_close_date_and_tasks_overdue(account):
    assert Deal.objects.filter(stage__kind="open", expected_close_on__lt=NOW.date()).count() >= 2
    assert Activity.objects.filter(kind="task", is_done=False, due_at__lt=NOW).count() >= 3


def test_companies_have_no_contact(account):
    assert Company.objects.filter(leads=None).count() >= 2


def test_people_are_in_there_twice(account):
    last_names = {
        "small_startup": ["Osei", "Lindq"],
        "agency": ["Vogel", "Ped", "Ibarra"],
        "big_co": ["Aasland", "Tan", "Kavanagh", "Stod"],
    }
    for name in last_names[account]:
        assert Lead.objects.filter(last_name__startswith=name).count() >= (1 if name in ("Ped", "Kavanagh") else 2)


def test_a_wish_not_to_be_emailed_is_in_a_note_only_while_an_email_is_planned(account):
    notes = Note.objects.filter(body__contains="no more emails").select_related("lead")
    assert notes.count() >= 1
    for note in notes:
        assert note.lead
        assert not note.lead.do_not_email
        assert note.lead.activities.filter(kind="task", is_done=False, subject__startswith="Email ").exists()


def test_somebody_has_opted_out_and_is_not_emailed(account):
    opted_out = Lead.objects.filter(do_not_email=True)
    assert opted_out.exists()
    assert not Activity.objects.filter(lead__in=opted_out, kind="email", direction="outbound").exists()


def test_a_deal_has_another_amount_than_its_proposal(account):
    proposal = Activity.objects.select_related("deal__stage").get(subject="Final proposal, as agreed on the phone")
    assert proposal.deal
    shown = f"${proposal.deal.amount_cents // 100:,}"
    assert proposal.deal.stage.kind == "open"
    assert "$" in proposal.body
    assert shown not in proposal.body


def test_a_lost_deal_is_to_be_reopened_in_june(account):
    note = Note.objects.select_related("deal").filter(body__contains="Promised to reopen this").first()
    assert note
    assert note.deal
    assert (note.deal.stage_id, note.deal.lost_reason) == ("closed_lost", "timing")


def test_who_moved_a_deal_is_its_owner(account):
    for move in StageChange.objects.select_related("deal"):
        assert move.changed_by_id == move.deal.owner_id


def test_what_a_lead_remembers_is_what_happened(account):
    for lead in Lead.objects.prefetch_related("activities"):
        happened = [activity.occurred_at for activity in lead.activities.all() if activity.occurred_at]
        assert lead.last_activity_at == max(happened, default=None)


def test_texts_are_written_out(account):
    for text in (*Note.objects.values_list("body", flat=True), *Activity.objects.values_list("body", flat=True)):
        assert "{" not in text
        assert "  " not in text


def test_the_description_names_who_is_there(account):
    description = installed.get("crm").recipes[account].description
    for user in User.objects.filter(is_active=False):
        assert user.name in description
