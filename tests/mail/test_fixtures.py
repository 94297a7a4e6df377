import pytest

from worlds.mail.fixtures.account import NOW
from worlds.mail.models import Absence, Attachment, Draft, Filter, Mailbox, Message, Thread

COMMITTED = ("big_co", "empty", "small_startup")


@pytest.fixture(params=["small_startup", "big_co"])
def company(world, request):
    """Each fixture with mail in it, its models readable."""
    with world.instance(request.param, seed=1) as inst, inst.inspecting():
        yield request.param


@pytest.fixture
def small(world):
    with world.instance("small_startup", seed=1) as inst, inst.inspecting():
        yield inst


@pytest.fixture
def big(world):
    with world.instance("big_co", seed=1) as inst, inst.inspecting():
        yield inst


def received(subject: str, address: str) -> Message:
    """The latest message of that subject in a mailbox."""
    found = Message.objects.filter(subject=subject, mailbox__address=address, direction="received")
    return found.order_by("-received_at")[0]


def sent_in(message: Message) -> bool:
    """Has the mailbox answered a message?"""
    return Message.objects.filter(mailbox=message.mailbox, direction="sent", in_reply_to=message.header_id).exists()


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
    assert (counts["empty"]["mail.mailbox"], "mail.message" in counts["empty"]) == (1, False)
    assert (counts["small_startup"]["mail.mailbox"], counts["big_co"]["mail.mailbox"]) == (6, 19)
    assert 280 <= counts["small_startup"]["mail.message"] <= 340
    assert 2_300 <= counts["big_co"]["mail.message"] <= 2_600
    for fixture in world.fixtures():
        assert fixture.file("main").stat().st_size < 3_000_000


def test_nothing_happens_after_the_moment_of_the_fixture(company):
    assert not Message.objects.filter(received_at__gt=NOW).exists()
    assert not Message.objects.filter(sent_at__gt=NOW).exists()
    assert not Draft.objects.filter(updated_at__gt=NOW).exists()


def test_texts_are_written_out(company):
    for subject, body in Message.objects.values_list("subject", "body"):
        assert subject
        assert body
        assert "{" not in subject + body


def test_every_copy_of_a_message_says_the_same(company):
    said: dict[str, tuple[str, ...]] = {}
    for header, *rest in Message.objects.values_list("header_id", "from_address", "subject", "body"):
        assert said.setdefault(header, tuple(rest)) == tuple(rest)


def test_conversations_go_both_ways(company):
    threads = Thread.objects.filter(messages__direction="sent").filter(messages__direction="received").distinct()
    assert threads.count() >= 40


def test_what_a_thread_remembers_is_its_latest_message(company):
    for thread in Thread.objects.prefetch_related("messages"):
        assert thread.last_message_at == max(message.received_at for message in thread.messages.all())


def test_nobody_writes_after_leaving(company):
    closed = Mailbox.objects.filter(is_active=False)
    assert closed.exists()
    for mailbox in closed:
        assert not mailbox.messages.filter(received_at__gt=mailbox.closed_at).exists()


def test_mail_to_somebody_who_left_bounced(company):
    assert Message.objects.filter(from_name="Mail Delivery System", body__contains="has been closed").exists()


def test_every_attached_file_is_of_its_size(company):
    attachments = Attachment.objects.select_related("file")
    assert attachments.count() > 15
    for attachment in attachments:
        assert attachment.size == len(attachment.file.content)
        assert attachment.file.content[:4] == b"%PDF" or attachment.content_type.startswith("text/")


def test_something_is_about_to_go_out_and_somebody_forgot_to_come_back(company):
    assert Draft.objects.filter(send_at__gt=NOW).count() >= 2
    forgotten = Absence.objects.get(status="active", ends_at=None)
    assert "18 May" in forgotten.text
    assert Message.objects.filter(
        mailbox=forgotten.mailbox, direction="sent", sent_at__gt="2026-05-18T12:00:00Z"
    ).exists()
    assert Absence.objects.filter(status="planned", starts_at__gt=NOW).exists()
    assert Thread.objects.filter(snoozed_until__gt=NOW).count() == 1


def test_the_largest_customer_waits_for_an_answer(small):
    asked = Message.objects.filter(
        mailbox__address="theo@larkspur.app", subject__endswith="Third location before the 15th"
    )
    assert asked.count() == 2
    for message in asked:
        assert (message.folder, message.is_read) == ("inbox", False)
        assert not sent_in(message)
    assert Draft.objects.filter(to_addresses__icontains="jholloway@", send_at=None).exists()


def test_a_question_about_an_invoice_came_twice_and_a_filter_hid_the_second(small):
    first = received("Invoice LK-2026-0417", "support@larkspur.app")
    second = received("LK-2026-0417, second try", "hello@larkspur.app")
    assert sent_in(first)
    assert not sent_in(second)
    assert (second.folder, second.is_read, second.labels.get().name) == ("archive", True, "Invoices")
    assert Filter.objects.filter(subject_contains="LK-", archive=True, mark_read=True).exists()


def test_the_wrong_version_of_an_agreement_was_signed(small):
    names = [
        "larkspur-aurora-agreement.pdf",
        "larkspur-aurora-agreement-v2.pdf",
        "larkspur-aurora-agreement-signed.pdf",
    ]
    first, second, signed = (bytes(Attachment.objects.filter(name=name)[0].file.content) for name in names)
    assert b"6,900" in first
    assert b"9,600" in second
    assert b"6,900" in signed
    assert b"Version 1" in signed
    assert b"A. Rousseau" in signed


def test_what_must_not_go_out_is_stopped_by_nobody_but_the_agent(world):
    with world.instance("small_startup", seed=1) as inst:
        (hold,) = inst.call("search_messages", query='subject:"price letter" from:ellison')["messages"]
        assert "please hold it" in hold["preview"]
        (letter,) = inst.call("list_drafts", is_scheduled=True, mailbox="hello@larkspur.app")["drafts"]
        assert letter["send_at"] == "2026-06-01T14:00:00.000Z"
        (offer,) = inst.call("list_drafts", is_scheduled=True, mailbox="theo@larkspur.app")["drafts"]
        inst.call("cancel_scheduled_send", draft_id=offer["id"])
        inst.advance(days=2)
        sent = inst.call("search_messages", query="in:sent after:2026-06-01", mailbox="hello@larkspur.app")["messages"]
        assert [message["subject"] for message in sent] == ["Our prices from July"]
        assert (
            inst.call("search_messages", query="to:rowena after:2026-06-01", mailbox="theo@larkspur.app")["messages"]
            == []
        )


def test_strangers_pretend_to_be_somebody(small):
    for subject, address in (
        ("Action required: confirm your salary account", "maren@larkspur.app"),
        ("Quick favour", "priya@larkspur.app"),
    ):
        message = received(subject, address)
        assert message.folder == "inbox"
        assert not message.from_address.endswith("@larkspur.app")


def test_a_contract_has_a_number_too_many_and_its_customer_waits(big):
    asked = received("Re: Redwood: contract draft", "anjali@corvidfleet.com")
    assert (asked.is_read, sent_in(asked)) == (False, False)
    draft = Attachment.objects.filter(name="redwood-contract-draft.pdf")[0]
    assert b"340 vehicles" in bytes(draft.file.content)


def test_an_invoice_came_again_with_another_account(big):
    real = received("Invoice HC-8841", "billing@corvidfleet.com")
    false = received("Re: Invoice HC-8841", "billing@corvidfleet.com")
    assert real.from_name == false.from_name
    assert real.from_address != false.from_address
    assert real.thread_id != false.thread_id


def test_a_filter_sends_offers_out_of_the_house(big):
    leaked = Message.objects.filter(
        mailbox__address="declan@corvidfleet.com", forwarded_to=["declan.rourke@homepost.ie"]
    )
    assert leaked.exists()


def test_the_message_about_new_regions_is_due_at_noon_and_should_wait(big):
    draft = Draft.objects.get(subject="The new regions")
    assert (draft.send_at is not None and draft.send_at.hour, len(draft.to_addresses)) == (12, 12)
    assert "it has to wait" in received("Re: New regions", "ottilie@corvidfleet.com").body


def test_the_description_names_who_has_left(company, world):
    description = world.recipes[company].description
    for mailbox in Mailbox.objects.filter(is_active=False):
        assert mailbox.name in description
