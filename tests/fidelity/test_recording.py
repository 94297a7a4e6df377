"""Does a recording pass everything on as it was, and keep everything that went by?"""

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import httpx2
import pytest

from seahaven.fidelity import FidelityError, cassette
from seahaven.fidelity.recording import Recording
from tests.fidelity.standing_in import PICTURE, exchanges, odd_api, recorded

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def api():
    with odd_api() as server:
        yield server


@pytest.fixture
def tape(tmp_path):
    return tmp_path / "tape.yaml"


@pytest.fixture
def recording(api, tape):
    api.asked.clear()
    api.go_on.clear()
    with recorded(api.url, tape, most=4000, timeout_s=5) as running:
        yield running


@pytest.fixture
def client(recording):
    with httpx2.Client(base_url=recording.url, trust_env=False, timeout=10) as made:
        yield made


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_every_method_goes_through_as_it_was_spelled(client, api, tape, method):
    answer = client.request(method, "/a%2Fb/c%20d?x=%7E&y[]=1&y[]=2&empty=", content=b'{"n": 1.50}')
    assert answer.json() == {"method": method, "path": "/a%2Fb/c%20d?x=%7E&y[]=1&y[]=2&empty=", "sent": '{"n": 1.50}'}
    (one,) = exchanges(tape)
    assert (one.request.method, one.request.path) == (method, "/a%2Fb/c%20d")
    assert one.request.query == "x=%7E&y[]=1&y[]=2&empty="
    assert one.request.body.value == {"n": 1.5}
    assert one.response.body.value == answer.json()


def test_bodies_are_kept_as_what_they_are(client, tape):
    client.post("/form", data={"a[b]": "1", "c": ["2", "3"]})
    client.post("/text", content="plain wörds", headers={"Content-Type": "text/csv"})
    client.post("/bytes", content=PICTURE)
    client.post("/pieces", content=iter([b'{"in"', b': "pieces"}']))
    sent = [(each.request.body.kind, each.request.body.value) for each in exchanges(tape)]
    assert sent == [
        ("form", {"a[b]": "1", "c": ["2", "3"]}),
        ("text", "plain wörds"),
        ("base64", PICTURE),
        ("json", {"in": "pieces"}),
    ]


def test_answers_arrive_whole_and_are_kept_readable(client, tape):
    assert client.get("/zipped").json() == {"zipped": True}
    assert client.get("/chunked").json() == {"in": "pieces"}
    assert client.get("/picture").content == PICTURE
    kept = [(each.response.body.kind, each.response.body.value) for each in exchanges(tape)]
    assert kept == [("json", {"zipped": True}), ("json", {"in": "pieces"}), ("base64", PICTURE)]


def test_what_cannot_be_read_or_is_too_long_is_passed_on_and_left_out_with_a_word(client, tape):
    with client.stream("GET", "/brotli") as answer:
        assert b"".join(answer.iter_raw()) == b"\x0b\x02\x80"
    assert len(client.get("/long").content) == 5000
    client.post("/echo", content=b"y" * 4001)
    packed, long, sent = exchanges(tape)
    assert packed.response.body.as_dict() == {"left_out": "its Content-Encoding is br, which is not read here"}
    assert long.response.body.as_dict() == {"left_out": "it has 5000 bytes, more than the limit of 4000"}
    assert sent.request.body.kind == "left_out"


def test_answers_without_a_body_have_none(client, tape):
    assert client.head("/echo").headers["content-length"] != "0"
    assert client.get("/nothing").status_code == 204
    assert client.get("/unchanged").headers["etag"] == '"5"'
    assert [(each.response.status, each.response.body) for each in exchanges(tape)] == [
        (200, None),
        (204, None),
        (304, None),
    ]


def test_headers_that_stand_twice_do_so_on_both_sides(client, tape):
    answer = client.get("/doubled")
    assert answer.headers.get_list("link") == ["<a>", "<b>"]
    assert answer.headers["set-cookie"].startswith("sid=monster-biscuit-9")
    (one,) = exchanges(tape)
    assert one.response.headers == (("link", "<a>"), ("link", "<b>"))
    assert "monster-biscuit" not in tape.read_text()


def test_a_redirect_is_not_followed_and_leads_back_through_the_recording(client, recording, api, tape):
    answer = client.get("/moved")
    assert (answer.status_code, answer.headers["location"]) == (302, f"{recording.url}/elsewhere?a=1")
    assert len(api.asked) == 1
    (one,) = exchanges(tape)
    assert one.response.header("location") == f"{api.url}/elsewhere?a=1"


def test_an_api_below_a_path_is_at_the_root_of_the_recording(api, tape):
    with recorded(f"{api.url}/base/", tape) as running:
        answer = httpx2.get(f"{running.url}/moved", trust_env=False)
        assert answer.headers["location"] == "/elsewhere"
        assert answer.headers["link"] == f"<{running.url}/2>; rel=next"
    assert exchanges(tape)[0].request.path == "/moved"
    assert cassette.read(tape).recorded_from == f"{api.url}/base"


def test_a_stream_of_events_arrives_one_by_one(client, api, tape):
    with client.stream("GET", "/events") as answer:
        chunks = answer.iter_raw()
        assert next(chunks) == b"data: 1\n\n"  # while the API waits
        api.go_on.set()
        assert b"".join(chunks) == b"data: 2\n\n"
    assert exchanges(tape)[0].response.body.value == "data: 1\n\ndata: 2\n\n"


def test_two_clients_at_once_are_kept_in_the_order_they_were_answered(client, recording, api, tape):
    api.arrived.clear()
    slow = threading.Thread(target=lambda: httpx2.get(f"{recording.url}/late", trust_env=False))
    slow.start()
    assert api.arrived.wait(5)
    client.get("/echo")
    api.go_on.set()
    slow.join()
    assert [(each.number, each.begun, each.request.path) for each in exchanges(tape)] == [
        (1, 2, "/echo"),
        (2, 1, "/late"),
    ]


def test_what_the_client_is_told_of_itself_reaches_nobody(client, api):
    client.get("/echo", headers={"Connection": "keep-alive, X-Hop", "X-Hop": "1", "X-End": "2"})
    ((_, _, headers, _),) = api.asked
    names = {name.lower() for name in headers}
    assert "x-end" in names
    assert not names & {"x-hop", "connection", "x-forwarded-for"}
    assert headers["Host"] == api.url.removeprefix("http://")


def test_an_api_that_cannot_be_reached_is_told_in_words_and_recorded(tape):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nowhere = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with recorded(nowhere, tape) as running:
        answer = httpx2.get(f"{running.url}/v1", trust_env=False)
        assert running.failures == 1
    assert answer.status_code == 502
    assert answer.json()["error"]["message"].startswith(f"{nowhere} cannot be reached: ")
    (one,) = exchanges(tape)
    assert one.response is None
    assert one.failure == answer.json()["error"]["message"]


def test_an_answer_that_breaks_off_breaks_off_for_the_client_too(client, tape):
    with pytest.raises(httpx2.RemoteProtocolError):
        client.get("/broken")
    (one,) = exchanges(tape)
    assert one.response.body.value == '{"half": '
    assert "failed" in one.failure


def test_an_api_that_takes_too_long_is_a_504(api, tape):
    api.go_on.clear()
    with recorded(api.url, tape, timeout_s=0.2) as running:
        answer = httpx2.get(f"{running.url}/slow", trust_env=False)
        api.go_on.set()
    assert answer.status_code == 504
    assert "took too long" in exchanges(tape)[0].failure


def test_an_exchange_that_cannot_be_written_ends_the_recording(api, tape):
    with recorded(api.url, tape) as running:
        running._writer.close()  # as a full disk would
        httpx2.get(f"{running.url}/echo", trust_env=False)
    assert [type(error) for error in running.errors] == [ValueError]


@pytest.mark.parametrize(
    ("upstream", "said"),
    [
        ("api.example.com", "write https://api.example.com"),
        ("https://user:pw@api.example.com", "give credentials to the client"),
        ("https://api.example.com?a=1", "has a query"),
    ],
)
def test_an_address_that_is_none_is_refused(tape, upstream, said):
    with pytest.raises(FidelityError, match=said):
        Recording(upstream, tape)
    assert not tape.exists()


def test_a_cassette_that_is_there_is_not_written_over(api, tape):
    tape.write_text("precious")
    with pytest.raises(FidelityError, match="is there already"):
        Recording(api.url, tape)
    assert tape.read_text() == "precious"


def test_a_recording_that_is_killed_has_lost_nothing(api, tape):
    command = [sys.executable, "manage.py", "seahaven_record", api.url, "--to", str(tape), "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ}) as process:
        assert process.stdout
        said = process.stdout.readline()
        url = said.split(" at ")[1].split(" to ")[0]
        with httpx2.Client(trust_env=False) as client:
            for number in range(5):
                client.get(f"{url}/echo?n={number}")
                kept = [each.request.query for each in exchanges(tape)]
                assert kept == [f"n={each}" for each in range(number + 1)]
        process.send_signal(signal.SIGKILL)
    assert cassette.read(tape).warnings == []
    assert len(exchanges(tape)) == 5
