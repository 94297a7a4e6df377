"""Does a secret never reach the disk, however it is written, and does the rest stay what it was?"""

import base64
import json
import time
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, quote_plus

import httpx2
import pytest

from seahaven.fidelity.bodies import Body
from seahaven.fidelity.cassette import Exchange, Request, Response
from seahaven.fidelity.redacting import Redactor
from tests.fidelity.standing_in import exchanges, odd_api, recorded

SECRET = "mon/ster+bis cuit=é9"


def redactor_with(*args, **options) -> Any:
    return Redactor(*args, **options)


def exchange(path="/", query="", headers=(), body=None, answer=None, answer_headers=()) -> Any:
    asked = Request("POST", path, query, tuple(headers), body)
    return Exchange(1, 1, datetime(2026, 6, 1, tzinfo=UTC), 1, asked, Response(200, tuple(answer_headers), answer))


def basic(text):
    return f"Basic {base64.b64encode(text.encode()).decode()}"


def every_way_to_write(secret):
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for around in ("{}", "{}:", "me:{}", "x{}", "ab{}cd"):
            yield encode(around.format(secret).encode()).decode()
    yield from (secret, quote(secret), quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1])


def hidden_forms(secret):
    """What must be found nowhere; of base64, the characters that the secret alone decides."""
    yield from (secret, quote(secret), quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1])
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for before in range(3):
            yield encode(b"\0" * before + secret.encode()).decode().rstrip("=")[4:-3]


@pytest.mark.parametrize(
    "credentials", [f"Bearer {SECRET}", basic(f"{SECRET}:"), basic(f"ada:{SECRET}"), SECRET.replace(" ", "_")]
)
def test_no_way_of_writing_a_credential_reaches_the_disk(tmp_path, credentials):
    tape = tmp_path / "tape.yaml"
    secret = SECRET if " " in credentials else SECRET.replace(" ", "_")
    written = list(every_way_to_write(secret))
    with odd_api() as api, recorded(api.url, tape) as running:
        headers = {"Authorization": credentials.encode(), "X-Api-Version": quote(secret)}
        with httpx2.Client(base_url=running.url, trust_env=False, headers=headers) as client:
            client.post(f"/in/{quote(secret, safe='')}?also={quote_plus(secret)}", json={"seen": written})
            client.post("/form", data={f"a[{index}]": text for index, text in enumerate(written)})
            client.post("/text", content="\n".join(written), headers={"Content-Type": "text/csv"})
            client.post("/bytes", content=b"\xff\xfe" + b"\0".join(text.encode() for text in written))
            client.get("/echo", headers={"Accept": quote(secret)})
        assert all(secret.encode("utf-8") not in json.dumps(each[1]).encode() for each in api.asked)
    text = tape.read_text()
    assert len(exchanges(tape)) == 5
    binary = exchanges(tape)[3].request.body.value
    for form in hidden_forms(secret):
        assert form not in text
        assert form.encode() not in binary
    assert credentials not in text


def test_the_same_secret_has_the_same_placeholder_and_another_has_another():
    redactor = redactor_with()
    one = redactor.exchange(
        exchange(answer=Body("json", {"client_secret": "abc-123-def", "other_secret": "xyz-789-uvw"}))
    )
    two = redactor.exchange(exchange(query="client_secret=abc-123-def", body=Body("json", {"note": "see xyz-789-uvw"})))
    assert one.response.body.value == {"client_secret": "REDACTED_1_", "other_secret": "REDACTED_2_"}
    assert (two.request.query, two.request.body.value) == ("client_secret=REDACTED_1_", {"note": "see REDACTED_2_"})


def test_a_value_met_under_a_telling_name_is_gone_from_the_whole_exchange():
    clean = redactor_with().exchange(
        exchange(path="/keys/k3y-of-ada", body=Body("json", {"a": "k3y-of-ada", "apiKey": "k3y-of-ada"}))
    )
    assert clean.request.path == "/keys/REDACTED_1_"
    assert clean.request.body.value == {"a": "REDACTED_1_", "apiKey": "REDACTED_1_"}


@pytest.mark.parametrize(
    ("body", "clean"),
    [
        (
            Body("form", {"user[password]": "hunter2", "user[name]": "Ada"}),
            {"user[password]": "REDACTED_1_", "user[name]": "Ada"},
        ),
        (Body("json", {"credentials": {"pin": 1234, "on": True}}), {"credentials": {"pin": "REDACTED_1_", "on": True}}),
        (Body("json", {"access_token": ["a1b2c3d4"]}), {"access_token": ["REDACTED_1_"]}),
        (Body("json", {"url": "https://x/?a=1&token=a1b2c3d4#top"}), {"url": "https://x/?a=1&token=REDACTED_1_#top"}),
        (Body("json", {"dsn": "postgres://ada:pw-9@db/x"}), {"dsn": "postgres://REDACTED_1_@db/x"}),
        (Body("json", {"key": "AKIA" + "A1B2" * 4}), {"key": "REDACTED_1_"}),
        (Body("text", '{"password": "hunter2", '), '{"password": "REDACTED_1_", '),
        (Body("text", "<Password>hunter2</Password>"), "<Password>REDACTED_1_</Password>"),
        (
            Body("text", '--x\r\nname="password"\r\n\r\nhunter2\r\n--x'),
            '--x\r\nname="password"\r\n\r\nREDACTED_1_\r\n--x',
        ),
    ],
)
def test_secrets_in_bodies_are_found_by_name_and_by_shape(body, clean):
    assert redactor_with().exchange(exchange(body=body)).request.body.value == clean


def test_a_vendors_prefix_stays_so_that_a_world_takes_the_key_for_what_it_is():
    clean = redactor_with().exchange(exchange(headers=[("authorization", "Bearer sk_test_51Habc")]))
    assert clean.request.header("authorization") == "Bearer sk_test_REDACTED_1_"


def test_a_plain_word_under_a_telling_name_goes_there_and_nowhere_else():
    clean = redactor_with().exchange(
        exchange(body=Body("json", {"token": "disabled", "state": "disabled", "amount": 5}))
    )
    assert clean.request.body.value == {"token": "REDACTED_1_", "state": "disabled", "amount": 5}


def test_names_are_added_and_taken_away():
    redactor = redactor_with(more=["iban", "x-*"], kept=["token"], hidden=[r"ACCT-\d+"])
    body = Body(
        "json", {"iban": "DE89 3704", "card": {"token": "tok_visa"}, "note": "of ACCT-77", "access_token": "t0ken"}
    )
    clean = redactor.exchange(exchange(headers=[("x-shop", "7")], body=body))
    assert clean.request.body.value == {
        "iban": "REDACTED_2_",
        "card": {"token": "tok_visa"},
        "note": "of REDACTED_3_",
        "access_token": "REDACTED_4_",
    }
    assert clean.request.header("x-shop") == "REDACTED_1_"


def test_cookies_keep_their_names_alone(tmp_path):
    tape = tmp_path / "tape.yaml"
    with odd_api() as api, recorded(api.url, tape, more_headers=("cookie", "set-cookie")) as running:
        httpx2.get(f"{running.url}/doubled", trust_env=False)
        httpx2.get(
            f"{running.url}/echo?{'x=monster-biscuit-9'}", trust_env=False, headers={"Cookie": "sid=monster-biscuit-9"}
        )
    one, two = exchanges(tape)
    assert one.response.header("set-cookie") == "sid=REDACTED_1_; Path=/"
    assert (two.request.header("cookie"), two.request.query) == ("sid=REDACTED_1_", "x=REDACTED_1_")


@pytest.mark.parametrize(
    "text", ["a" * 200_000, '"a":' * 50_000, 'name="a"\n' * 20_000, "a=b" * 50_000, "<a>" * 50_000]
)
def test_a_body_that_is_made_to_be_slow_is_not(text):
    started = time.monotonic()
    assert redactor_with().exchange(exchange(body=Body("text", text))).request.body.value == text
    assert time.monotonic() - started < 5
