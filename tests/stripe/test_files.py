"""Are files kept and handed out as published?"""

import json

import pytest

from worlds.engine import HttpRequest

PDF = b"%PDF-1.7 \x00\xff evidence"


@pytest.fixture
def upload(account):
    """Uploads a file as the SDKs do; answers the status and the object."""

    def run(data=PDF, *, filename="evidence.pdf", kind="application/pdf", **fields):
        parts = [
            f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in {"purpose": "dispute_evidence", **fields}.items()
        ]
        parts.append(
            f'--b\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n'
            f"Content-Type: {kind}\r\n\r\n".encode()
            + data
            + b"\r\n--b--\r\n"
        )
        headers = {"authorization": "Bearer sk_test_1", "content-type": "multipart/form-data; boundary=b"}
        answer = account.http(HttpRequest.of("POST", "/v1/files", headers=headers, body=b"".join(parts)))
        return answer.status, json.loads(answer.body)

    return run


def _path(address):
    return address.removeprefix("https://hooks.stripe.com")


def test_a_file_keeps_its_bytes(api, account, upload):
    status, file = upload()

    assert status == 200
    assert (file["size"], file["type"], file["filename"]) == (len(PDF), "pdf", "evidence.pdf")
    assert file["purpose"] == "dispute_evidence"
    assert api.get(f"/v1/files/{file['id']}") == file
    contents = _path(file["url"])
    secret = {"authorization": "Bearer sk_test_1"}
    assert account.http(HttpRequest.of("GET", contents, headers=secret)).body == PDF
    assert account.http(HttpRequest.of("GET", contents)).status == 401
    assert api.events()[-1]["type"] == "file.created"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"data": b""}, "empty"),
        ({"data": b"MZ\x90", "filename": "a.exe", "kind": "application/x-msdownload"}, "unsupported type"),
        ({"data": b"%PDF" + b"x" * 5 * 1024 * 1024}, "too large"),
    ],
)
def test_a_file_that_does_not_fit_its_purpose_is_refused(upload, given, words):
    status, answer = upload(**given)

    assert (status, answer["error"]["param"]) == (400, "file")
    assert words in answer["error"]["message"]


def test_a_file_must_be_uploaded(api):
    refused = api.refused("POST", "/v1/files", {"purpose": "dispute_evidence", "file": "text"})

    assert refused["param"] == "file"


def test_files_are_listed_by_purpose(api, upload):
    _, logo = upload(b"\x89PNG....", filename="logo.png", kind="image/png", purpose="business_logo")
    upload()

    assert [row["id"] for row in api.get("/v1/files", {"purpose": "business_logo"})["data"]] == [logo["id"]]
    assert len(api.get("/v1/files")["data"]) == 2


def test_anybody_reads_a_file_by_its_link_until_it_expires(api, account, upload):
    _, file = upload()
    until = int(account.clock.now().timestamp()) + 3600
    link = api.post("/v1/file_links", {"file": file["id"], "expires_at": until})
    assert link["expired"] is False
    assert account.http(HttpRequest.of("GET", _path(link["url"]))).body == PDF

    account.advance(hours=1)

    assert account.http(HttpRequest.of("GET", _path(link["url"]))).status == 404
    assert api.get(f"/v1/file_links/{link['id']}")["expired"] is True
    assert api.get("/v1/file_links", {"expired": False})["data"] == []
    assert api.refused("POST", f"/v1/file_links/{link['id']}", {"expires_at": "now"})["status"] == 400


def test_a_link_lasts_longer_or_ends_now(api, account, upload):
    _, file = upload()
    until = int(account.clock.now().timestamp()) + 3600
    link = api.post("/v1/file_links", {"file": file["id"], "expires_at": until})["id"]
    api.post(f"/v1/file_links/{link}", {"expires_at": ""})
    account.advance(hours=2)
    assert api.get(f"/v1/file_links/{link}")["expired"] is False

    assert api.post(f"/v1/file_links/{link}", {"expires_at": "now"})["expired"] is True


def test_a_link_is_made_with_a_file(api, upload):
    _, file = upload(**{"file_link_data[create]": "true"})

    assert len(file["links"]["data"]) == 1
    assert api.get("/v1/file_links", {"file": file["id"]})["data"][0]["file"] == file["id"]
    expanded = api.get("/v1/file_links", {"expand": ["data.file"]})["data"][0]["file"]
    assert expanded["id"] == file["id"]
    assert api.refused("POST", "/v1/file_links", {"file": "file_x"})["message"] == "No such file upload: 'file_x'"


def test_the_bytes_are_in_no_diff_and_come_along_with_a_fork(account, upload):
    _, file = upload()

    assert all(record["table"] != "file_contents" for record in account.change_log())
    with account.fork() as twin:
        secret = {"authorization": "Bearer sk_test_1"}
        assert twin.http(HttpRequest.of("GET", _path(file["url"]), headers=secret)).body == PDF
