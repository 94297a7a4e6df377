import pytest

from worlds.mail import rules
from worlds.mail.fixtures.papers import pdf
from worlds.mail.fixtures.phrases import filled


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (" Ada@Example.COM ", "ada@example.com"),
        ("Ada Lovelace <ada@example.com>", "ada@example.com"),
        ("<o'neill+news@mail.example.co.uk>", "o'neill+news@mail.example.co.uk"),
    ],
)
def test_addresses_are_kept_in_one_form(text, address):
    assert rules.clean_address(text, "to") == address


@pytest.mark.parametrize(
    ("subject", "topic", "answers"),
    [
        ("Offer", "offer", False),
        ("Re: Offer", "offer", True),
        ("AW: Fwd:  Re: Offer", "offer", True),
        ("Automatic reply: Offer", "offer", True),
        ("Regarding: Offer", "regarding: offer", False),
        ("", "", False),
        ("Re:", "", True),
    ],
)
def test_answers_are_known_by_their_subject(subject, topic, answers):
    assert (rules.topic(subject), rules.is_answer(subject)) == (topic, answers)


def test_a_prefix_stands_once_and_a_subject_stays_short():
    assert rules.prefixed("Re", "Offer") == "Re: Offer"
    assert rules.prefixed("Re", "RE: Offer") == "RE: Offer"
    assert len(rules.prefixed("Fwd", "x" * 300)) == 300


def test_long_conversations_refer_to_their_beginning_and_their_end():
    earlier = [f"<{n}@x>" for n in range(40)]
    found = rules.references(earlier, "<new@x>")
    assert len(found) == 20
    assert (found[0], found[-2:]) == ("<0@x>", ["<39@x>", "<new@x>"])


def test_a_preview_is_one_line_of_bearable_length():
    assert rules.preview("Hello,\n\n  there") == "Hello, there"
    assert len(rules.preview("word " * 100)) <= 140


def test_words_are_found_whole_and_in_any_case():
    assert rules.contains_words("Cheap, on good TERMS.", "good terms")
    assert not rules.contains_words("Cheap, on good terms.", "term")
    assert rules.contains_words("anything", "")


def test_sent_mail_has_one_place_besides_the_trash():
    assert [rules.destination("sent", folder) for folder in ("inbox", "archive", "spam", "trash")] == [
        "sent",
        "sent",
        "sent",
        "trash",
    ]
    assert rules.destination("received", "archive") == "archive"


def test_a_paper_is_a_document_whose_text_can_be_read():
    content = pdf(["One (1)", "Two"] * 40)
    assert content.startswith(b"%PDF-1.4")
    assert content.count(b"/Type /Page ") == 2
    assert b"(One \\(1\\)) Tj" in content
    start = int(content.split(b"startxref\n")[1].split(b"\n")[0])
    assert content[start:].startswith(b"xref")


def test_texts_are_filled_in_whole_paragraphs():
    line = "a line that is so long that it was broken only to keep the file narrow, as one does"
    text = f"{{word}} and {line}\ncontinued. {{word}}\n\nA.\nB."
    assert filled(text, {"word": "the end"}) == f"The end and {line} continued. The end\n\nA.\nB."
