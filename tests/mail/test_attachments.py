import base64

import pytest


def test_text_comes_back_as_text_and_bytes_as_base64(mail):
    image = base64.b64encode(b"\x89PNG\r\n\xff").decode()
    sent = mail.call(
        "send_message",
        to=["theo@firstday.app"],
        subject="x",
        body="x",
        attachments=[{"name": "läuft.csv", "text": "ä,1"}, {"name": "a.png", "content_base64": image}],
    )
    text, picture = sent["attachments"]
    assert (text["name"], text["content_type"], text["size"]) == ("läuft.csv", "text/csv", 4)
    got = mail.call("get_attachment", attachment_id=text["id"])
    assert (got["encoding"], got["content"], got["message_id"]) == ("utf-8", "ä,1", sent["id"])
    got = mail.call("get_attachment", attachment_id=picture["id"])
    assert (got["content_type"], got["encoding"], got["content"]) == ("image/png", "base64", image)


def test_content_is_kept_once_whoever_has_it(mail):
    files = [{"name": "a.txt", "text": "a"}]
    for _ in range(2):
        mail.call("send_message", to=["theo@firstday.app"], subject="x", body="x", attachments=files)
    assert mail.inspect().one("SELECT count(*) AS n FROM files") == {"n": 1}
    assert mail.inspect().one("SELECT count(*) AS n FROM attachments") == {"n": 4}


def test_a_file_is_sent_again_by_its_id(mail, arrive):
    got = arrive(attachments=[{"name": "menu.md", "text": "Soup"}])
    (menu,) = mail.call("get_message", message_id=got["message_id"])["attachments"]
    sent = mail.call(
        "send_message",
        to=["theo@firstday.app"],
        subject="x",
        body="x",
        attachments=[{"attachment_id": menu["id"]}, {"attachment_id": menu["id"], "name": "lunch.md"}],
    )
    assert [(each["name"], each["content_type"]) for each in sent["attachments"]] == [
        ("menu.md", "text/markdown"),
        ("lunch.md", "text/markdown"),
    ]


@pytest.mark.parametrize(
    ("attached", "reason"),
    [
        ({"name": "a.txt"}, "needs exactly one of"),
        ({"name": "a.txt", "text": "a", "content_base64": "YQ=="}, "needs exactly one of"),
        ({"text": "a"}, "needs a name"),
        ({"name": " ", "text": "a"}, "needs a name"),
        ({"name": "a.bin", "content_base64": "no!"}, "is no base64"),
        ({"name": "a.txt", "text": "ü" * 600_000}, "is larger than 1000000 bytes"),
    ],
)
def test_what_cannot_be_attached_is_refused(refused, attached, reason):
    error = refused("send_message", to=["ada@example.com"], subject="x", body="x", attachments=[attached])
    assert (error.code, error.details["field"]) == ("invalid_input", "attachments")
    assert reason in error.message


def test_all_files_together_stay_within_bounds(refused):
    files = [{"name": f"{n}.txt", "text": str(n) * 1_000_000} for n in range(4)]
    error = refused("send_message", to=["ada@example.com"], subject="x", body="x", attachments=files)
    assert "makes the message larger than 3000000 bytes" in error.message


def test_an_attachment_is_there_and_may_be_seen(world, mail, refused):
    assert refused("get_attachment", attachment_id="att_x").details == {"resource": "attachment", "ids": ["att_x"]}
    draft = mail.call("create_draft", attachments=[{"name": "a.txt", "text": "a"}])
    (file,) = draft["attachments"]
    assert mail.call("get_attachment", attachment_id=file["id"])["draft_id"] == draft["id"]


def test_a_name_is_a_name_and_no_path(mail):
    draft = mail.call("create_draft", attachments=[{"name": "../../etc/passwd", "text": "a"}])
    assert draft["attachments"][0]["name"] == ".._.._etc_passwd"
