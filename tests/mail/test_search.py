import pytest

from worlds.mail.query import parse


@pytest.fixture
def found(mail):
    def find(query, **more):
        return [hit["subject"] for hit in mail.call("search_messages", query=query, **more)["messages"]]

    return find


@pytest.fixture
def letters(mail, arrive):
    """Five messages to Robin, and one that was sent; each is known by its subject."""
    arrive(subject="Offer", body="Looms from Bergamo, 100 pieces.", attachments=[{"name": "looms.pdf", "text": "%"}])
    mail.advance(to="2026-06-03T08:00:00Z")
    arrive(subject="Invoice 7", from_address="eve@mills.example.com", from_name="Eve Novák", cc=["theo@firstday.app"])
    arrive(subject="Win a prize", is_spam=True)
    mail.advance(to="2026-06-05T08:00:00Z")
    arrive(subject="Trip", body="Two airports in Bergamo.", to="robin@firstday.app")
    thrown = arrive(subject="Old news", body="Bergamo again.")
    mail.call("move_messages", message_ids=[thrown["message_id"]], to_folder="trash")
    mail.call("send_message", to=["eve@mills.example.com"], subject="Order", body="Ten looms, please.")
    star = mail.call("search_messages", query="trip")["messages"][0]["id"]
    mail.call("mark_messages", message_ids=[star], is_read=True, is_starred=True)
    mail.call("label_messages", message_ids=[star], add=["Summer plans", "Italy"])


@pytest.mark.parametrize(
    ("query", "subjects"),
    [
        ("bergamo", ["Trip", "Offer"]),
        ("berg loom", ["Offer"]),
        ("looms", ["Order", "Offer"]),
        ("ooms", []),
        ('"two airports"', ["Trip"]),
        ('"airports two"', []),
        ('"berg"', []),
        ("novak", ["Invoice 7"]),
        ("from:eve", ["Invoice 7"]),
        ("from:NOV", ["Invoice 7"]),
        ("from:mills.example", ["Invoice 7"]),
        ("to:eve", ["Order"]),
        ("cc:theo", ["Invoice 7"]),
        ("subject:off", ["Offer"]),
        ("subject:bergamo", []),
        ('subject:"win a"', []),
        ('in:spam subject:"win a"', ["Win a prize"]),
        ("in:trash bergamo", ["Old news"]),
        ("in:anywhere bergamo", ["Old news", "Trip", "Offer"]),
        ("in:sent", ["Order"]),
        ("in:inbox is:unread", ["Invoice 7", "Offer"]),
        ("is:read in:inbox", ["Trip"]),
        ("is:starred", ["Trip"]),
        ("has:attachment", ["Offer"]),
        ("filename:pdf", ["Offer"]),
        ("filename:csv", []),
        ("label:italy", ["Trip"]),
        ('label:"summer plans"', ["Trip"]),
        ("after:2026-06-03 in:inbox", ["Trip", "Invoice 7"]),
        ("before:2026/06/03", ["Offer"]),
        ("after:2026-06-03 before:2026-06-05", ["Invoice 7"]),
        ("bergamo -trip", ["Offer"]),
        ("in:inbox -from:eve -label:italy", ["Offer"]),
        ("-has:attachment in:inbox", ["Trip", "Invoice 7"]),
        ('-"two airports" bergamo', ["Offer"]),
        ("FROM:eve Is:Unread", ["Invoice 7"]),
        ("", ["Order", "Trip", "Invoice 7", "Offer"]),
        ("offer:nothing", []),
    ],
)
def test_a_query_finds_what_meets_all_its_terms(letters, found, query, subjects):
    assert found(query) == subjects


def test_each_mailbox_is_searched_by_itself(letters, found):
    assert found("invoice", mailbox="theo@firstday.app") == ["Invoice 7"]
    assert found("bergamo", mailbox="theo@firstday.app") == []


def test_a_hit_shows_the_beginning_of_its_text_and_no_content(letters, mail):
    (hit,) = mail.call("search_messages", query="has:attachment")["messages"]
    assert hit["preview"] == "Looms from Bergamo, 100 pieces."
    assert "body" not in hit
    assert [sorted(each) for each in hit["attachments"]] == [["content_type", "id", "name", "size"]]


@pytest.mark.parametrize(
    ("query", "operator"),
    [
        ("in:nowhere", "in"),
        ("is:important", "is"),
        ("has:star", "has"),
        ("before:tomorrow", "before"),
        ("after:2026-02-30", "after"),
        ('from:""', "from"),
    ],
)
def test_an_operator_with_a_value_it_does_not_know_is_refused(refused, query, operator):
    error = refused("search_messages", query=query)
    assert (error.code, error.details) == ("invalid_input", {"field": "query", "operator": operator})


def test_an_unknown_label_is_refused(refused):
    assert refused("search_messages", query="label:gone").details == {"resource": "label", "name": "gone"}


@pytest.mark.parametrize(
    "query", ['a" OR b', "a AND (b", "title:x", "NEAR(a b)", "x\0y", "a*b", "'); DROP TABLE messages", "_", "-_", '"_"']
)
def test_no_text_is_a_syntax_error(mail, query):
    assert mail.call("search_messages", query=query)["messages"] == []


def test_the_index_follows_the_messages_and_is_no_part_of_the_log(mail, arrive, found):
    arrive(body="Quicksilver")
    assert found("quicksilver") == ["Hello"]
    assert {record["table"] for record in mail.change_log()} == {"mailboxes", "aliases", "messages", "threads"}


def test_terms_are_read_from_left_to_right():
    assert [
        (term.operator, term.value, term.is_quoted, term.is_excluded) for term in parse('From:"a b" -x y:z ! "q"')
    ] == [
        ("from", "a b", True, False),
        ("", "x", False, True),
        ("", "y:z", False, False),
        ("", "q", True, False),
    ]
