import base64

import pytest

LISTS = [
    ("list_threads", "threads", {}),
    ("list_threads", "threads", {"folder": "sent"}),
    ("list_threads", "threads", {"folder": "all", "mailbox": "support@larkspur.app"}),
    ("search_messages", "messages", {"query": "in:anywhere"}),
    ("search_messages", "messages", {"query": "reminder", "mailbox": "support@larkspur.app"}),
    ("list_mailboxes", "mailboxes", {}),
    ("list_drafts", "drafts", {"mailbox": "theo@larkspur.app"}),
    ("list_labels", "labels", {}),
    ("list_filters", "filters", {"mailbox": "support@larkspur.app"}),
]


def pages(inst, tool, **arguments):
    """Every page of a list."""
    cursor = None
    while True:
        page = inst.call(tool, **arguments, **({"cursor": cursor} if cursor else {}))
        yield page
        cursor = page["next_cursor"]
        assert page["has_next"] == (cursor is not None)
        if cursor is None:
            return


@pytest.mark.parametrize(("tool", "name", "filters"), LISTS)
@pytest.mark.parametrize("limit", [1, 3, 7])
def test_pages_hold_every_row_once_in_one_order(startup, tool, name, filters, limit):
    whole = [row["id"] for page in pages(startup, tool, **filters, limit=100) for row in page[name]]
    walked = [row["id"] for page in pages(startup, tool, **filters, limit=limit) for row in page[name]]
    assert walked == whole
    assert len(set(whole)) == len(whole) > 0


def test_a_long_thread_is_read_page_by_page(mail):
    sent = mail.call("send_message", to=["theo@firstday.app"], subject="x", body="0")
    for n in range(1, 5):
        mail.call("reply_to_message", message_id=sent["id"], body=str(n))
    thread = sent["thread_id"]
    walked = [
        message["body"] for page in pages(mail, "get_thread", thread_id=thread, limit=2) for message in page["messages"]
    ]
    assert walked == ["0", "1", "2", "3", "4"]


def test_messages_of_one_call_and_one_thread_come_one_after_the_other(world):
    with world.instance("empty", seed=1, clock_mode="fixed") as inst:
        for n in range(5):
            inst.call("send_message", to=["robin@firstday.app"], subject="Re: note", body=str(n))
        (thread,) = inst.call("list_threads")["threads"]
        messages = inst.call("get_thread", thread_id=thread["id"])["messages"]
        assert [message["body"] for message in messages] == ["0", "0", "1", "1", "2", "2", "3", "3", "4", "4"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("list_threads", {"folder": "sent"}),
        ("list_threads", {"mailbox": "support@larkspur.app"}),
        ("search_messages", {"query": ""}),
        ("list_mailboxes", {}),
    ],
)
def test_a_cursor_is_refused_by_every_other_list(startup, refused, tool, arguments):
    cursor = startup.call("list_threads", limit=1)["next_cursor"]
    error = refused(tool, startup, cursor=cursor, **arguments)
    assert (error.code, error.details) == ("invalid_input", {"field": "cursor"})
    assert error.message.startswith("This cursor does not belong to this list.")


def test_a_default_that_is_written_out_changes_nothing(startup):
    cursor = startup.call("list_threads", limit=1)["next_cursor"]
    assert startup.call("list_threads", cursor=cursor, folder="inbox", mailbox="maren@larkspur.app")["threads"]


@pytest.mark.parametrize("cursor", ["", "x", "ü", "!!!!", "bnVsbA", base64.b64encode(b"[1,2]").decode(), "a" * 400])
def test_what_is_no_cursor_is_refused(refused, cursor):
    assert refused("list_threads", cursor=cursor).code == "invalid_input"


@pytest.mark.parametrize("limit", [0, -1, 101, "5", True])
def test_a_limit_is_a_number_from_1_to_100(refused, limit):
    assert refused("list_threads", limit=limit).code == "invalid_arguments"
