"""Does a cassette say what was written, and does one that is damaged say where?"""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seahaven.fidelity import FidelityError, bodies, cassette
from seahaven.fidelity.bodies import Body
from seahaven.fidelity.cassette import Exchange, Request, Response, Writer
from tests.fidelity.standing_in import exchanges

AT = datetime(2026, 6, 1, 9, 0, 0, 250_000, tzinfo=UTC)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
    | st.sampled_from(["no", "~", "2026-06-01", "12e3", "---", "...", "a: b", "0x1F", "\x85", "=", "<<"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
)  # fmt: skip


def decoded(data, content_type) -> Any:
    return bodies.decoded(data, content_type)


def written(path, *exchanges):
    with Writer(path, "https://api.example.com", AT) as tape:
        for each in exchanges:
            tape.add(each)
    return path


def exchange(number=1, body=None, answer=None, **fields):
    return Exchange(
        number, number, AT, 3, Request("POST", "/v1/a", "b=c", body=body), Response(200, (), answer), **fields
    )


@given(JSON, st.binary(min_size=1, max_size=20), TEXT)
def test_what_was_written_is_read(tmp_path_factory, value, data, text):
    path = tmp_path_factory.mktemp("tapes") / "tape.yaml"
    kinds = [Body("json", value), Body("base64", data), Body("text", text), Body("form", {text: [text, "2"]})]
    made = [exchange(at, body, body) for at, body in enumerate(kinds, 1)]
    assert cassette.read(written(path, *made)).exchanges == made


@given(
    st.binary(max_size=60) | TEXT.map(str.encode), st.sampled_from(["application/json", "text/plain", "", "image/png"])
)
def test_any_body_is_kept_so_that_it_can_be_sent_again(data, content_type):
    body = decoded(data, content_type)
    if body is None:
        assert data == b""
    elif body.kind == "json":
        assert decoded(body.encoded(), content_type) == body
    else:
        assert body.encoded() == data


@pytest.mark.parametrize(
    "form", ["a=1&b=2", "a[]=1&a[]=2", "a=&b=%C3%A4+c", "a=1&b=2&a=3", "a&b=1", "=", "a=%ff", "&&"]
)
def test_a_form_is_a_mapping_only_where_that_forgets_nothing(form):
    from urllib.parse import parse_qsl

    body = decoded(form.encode(), "application/x-www-form-urlencoded; charset=utf-8")
    if body.kind == "form":
        sent = parse_qsl(body.encoded().decode(), keep_blank_values=True)
        assert sorted(sent) == sorted(parse_qsl(form, keep_blank_values=True))
    else:
        assert body.encoded() == form.encode()
    assert decoded(b"a[]=1&a[]=2&b=x", "application/x-www-form-urlencoded").value == {"a[]": ["1", "2"], "b": "x"}


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '"\\ud800"', "NaN", "[1,", "1" * 5000, "[" * 999 + "]" * 999])
def test_json_that_could_not_be_written_again_stays_text(text):
    assert decoded(text.encode(), "application/json").encoded() == text.encode()


def test_headers_that_stand_twice_are_read_twice(tmp_path):
    made = Exchange(1, 1, AT, 0, Request("GET", "/"), Response(200, (("link", "<a>"), ("link", "<b>"), ("etag", "1"))))
    assert cassette.read(written(tmp_path / "tape.yaml", made)).exchanges == [made]


def test_a_cassette_that_was_cut_off_anywhere_is_read_up_to_there(tmp_path):
    whole = written(tmp_path / "tape.yaml", exchange(1), exchange(2, Body("json", {"ä": "2000"}))).read_bytes()
    ends = [at for at in range(len(whole)) if whole[:at].endswith(b"\n...\n")]
    for at in range(ends[0], len(whole)):
        path = tmp_path / "cut.yaml"
        path.write_bytes(whole[:at])
        tape = cassette.read(path)
        complete = sum(whole[:at].rstrip(b"\n").count(b"\n...") > count for count in (1, 2))
        assert len(tape.exchanges) == complete
        if whole[:at].rstrip(b"\n").rpartition(b"\n")[2] not in (b"...", b"---", b"--", b"-"):
            line = whole[:at].count(b"\n") + 1
            assert tape.warnings[0].startswith(f"{path}:{line}: the file ends in the middle of the document")


GOOD = "seahaven_cassette: 1\nrecorded_from: https://a\nbegun_at: '2026-06-01T09:00:00Z'\n...\n---\n"
EXCHANGE = "exchange: 1\nat: '2026-06-01T09:00:00Z'\nrequest: {method: get, path: /a}\nresponse: {status: 200}\n...\n"


def test_one_that_was_written_by_hand_needs_little(tmp_path):
    path = tmp_path / "tape.yaml"
    path.write_text(GOOD + EXCHANGE)
    (one,) = exchanges(path)
    assert (one.begun, one.request.method, one.response.status) == (1, "GET", 200)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "tape.yaml is no cassette"),
        ("hello\n...\n", "tape.yaml:1: a cassette begins with `seahaven_cassette: 1`"),
        (GOOD.replace("cassette: 1", "cassette: 2"), "tape.yaml:1: this is version 2 of a cassette, and version 1"),
        (GOOD.replace("recorded_from", "recorded_form"), "no 'recorded_form'; is it 'recorded_from'?"),
        (GOOD.replace("'2026-06-01T09:00:00Z'", "yesterday"), "'yesterday' is no instant; write 2026"),
        (GOOD + EXCHANGE.replace("status: 200", "status: ok"), "tape.yaml:6: `status` of the response must be"),
        (GOOD + EXCHANGE.replace("response", "respons"), "the exchange has no 'respons'; is it 'response'?"),
        (GOOD + EXCHANGE.replace("response: {status: 200}\n", ""), "an exchange has a response, or says in `failure`"),
        (GOOD + EXCHANGE.replace("path: /a", "path: /a, body: {jsn: 1}"), "a body is a mapping with one of the keys"),
        (GOOD + EXCHANGE.replace("path: /a", "path: /a, body: {base64: '*'}"), "the base64 of a body is none"),
        (GOOD + EXCHANGE.replace("{method: get, path: /a}", "{method: get,"), "tape.yaml:10: "),
    ],
)  # fmt: skip
def test_a_damaged_one_says_where(tmp_path, text, said):
    path = tmp_path / "tape.yaml"
    path.write_text(text)
    with pytest.raises(FidelityError) as caught:
        cassette.read(path)
    assert said in str(caught.value)


def test_one_that_is_not_there_says_so(tmp_path):
    with pytest.raises(FidelityError, match=r"none.yaml cannot be read: No such file"):
        cassette.read(tmp_path / "none.yaml")
