"""Are two answers compared as somebody would who knows that ids and instants are each side's own?"""

import random
import string
from datetime import UTC, datetime, timedelta

import pytest

from seahaven.fidelity.bodies import Body
from seahaven.fidelity.cassette import Request, Response
from seahaven.fidelity.comparing import Comparing
from seahaven.fidelity.learning import Learned, looks_made

AT = datetime(2026, 6, 1, 9, tzinfo=UTC)
S = int(AT.timestamp())


@pytest.fixture
def learned():
    return Learned()


@pytest.fixture
def compare(learned):
    def found(recorded, got, asked="/", later=timedelta()):
        comparing = Comparing(learned, AT, AT + later, asked=asked)
        return [(each.path, each.kind) for each in comparing.values(recorded, got)]

    return found


@pytest.mark.parametrize(
    ("recorded", "got"),
    [
        ({"id": "cus_NffrFeUfNV2Hib"}, {"id": "cus_9s6XKzkNRiz8i3"}),
        ({"id": "a"}, {"id": "b"}),
        ({"x": "0b2e4f6a-1111-4222-8333-444455556666"}, {"x": "9c8b7a60-aaaa-4bbb-8ccc-ddddeeeeffff"}),
        ({"url": "https://pay.example.com/r/CAcaFwoVYWNjdF8x"}, {"url": "https://pay.example.com/r/Q8xbFwoZZWNkdF9y"}),
        ({"next_cursor": "bmV4dA=="}, {"next_cursor": "cHJldmlvdXM="}),
        ({"client_secret": "REDACTED_1_"}, {"client_secret": "pi_1_secret_2"}),
        ({"secret_number": "REDACTED_1_"}, {"secret_number": 4711}),
        ({"user": {"id": 7}}, {"user": {"id": 12}}),
        ({"created": S}, {"created": S + 2}),
        ({"created": S * 1000}, {"created": S * 1000 + 1500}),
        ({"at": "2026-06-01T09:00:00.000Z"}, {"at": "2026-06-01T09:00:01.120Z"}),
        ({"on": "2026-06-01"}, {"on": "2026-06-02"}),
        ({"n": 1}, {"n": 1.0}),
    ],
)
def test_what_either_side_makes_of_its_own_is_no_difference(compare, recorded, got):
    assert compare(recorded, got) == []


@pytest.mark.parametrize(
    ("recorded", "got", "kind"),
    [
        ({"id": "cus_NffrFeUfNV2Hib"}, {"id": "pi_9s6XKzkNRiz8i3a"}, "value"),
        ({"x": "succeeded"}, {"x": "processing"}, "value"),
        ({"x": "chargeDeclined"}, {"x": "insufficientFunds"}, "value"),
        ({"x": "4242"}, {"x": "1881"}, "value"),
        ({"x": "0b2e4f6a-1111-4222-8333-444455556666"}, {"x": "NffrFeUfNV2Hib"}, "value"),
        (
            {"url": "https://a.example.com/r/CAcaFwoVYWNjdF8x"},
            {"url": "https://b.example.com/r/CAcaFwoVYWNjdF8x"},
            "value",
        ),
        ({"at": "2026-06-01T09:00:00.000Z"}, {"at": "2026-06-01T09:00:00Z"}, "value"),
        ({"at": "2026-06-01T09:00:00Z"}, {"at": "2026-06-01T10:00:00Z"}, "time"),
        ({"created": S}, {"created": S + 6}, "time"),
        ({"amount": 2000}, {"amount": 2001}, "value"),
        ({"x": True}, {"x": 1}, "type"),
        ({"x": None}, {"x": "null"}, "type"),
        ({"x": "1"}, {"x": 1}, "type"),
        ({"x": []}, {"x": {}}, "type"),
        ({"x": None}, {}, "missing"),
        ({}, {"x": None}, "extra"),
        ({"x": ["a", "b"]}, {"x": ["b", "a"]}, "order"),
    ],
)
def test_what_is_a_difference_is_told_by_its_kind(compare, recorded, got, kind):
    ((_, found),) = compare(recorded, got)
    assert found == kind


def test_words_are_told_from_what_a_program_drew():
    drawn = random.Random(7)
    letters = string.ascii_letters + string.digits
    for alphabet, length in (
        (letters, 14),
        (letters, 24),
        ("0123456789abcdef", 12),
        (string.ascii_lowercase + "0123456789", 20),
    ):
        words = ["".join(drawn.choices(alphabet, k=length)) for _ in range(500)]
        assert sum(map(looks_made, words)) >= 485
    for word in (
        "chargeDeclined",
        "insufficientFunds",
        "PaymentURLExpired",
        "version10beta",
        "succeeded",
        "20260601",
        "Amsterdam",
    ):
        assert not looks_made(word)


def test_a_clock_that_stands_elsewhere_is_compared_from_there(compare):
    later = timedelta(days=40)
    assert compare({"due_at": S + 60}, {"due_at": S + 60 + 40 * 86400}, later=later) == []
    assert compare({"due_at": S + 60}, {"due_at": S + 60}, later=later) == [("$.due_at", "time")]


def test_one_thing_is_not_two_and_two_are_not_one(compare):
    assert compare({"id": "cus_NffrFeUfNV2Hib"}, {"id": "cus_9s6XKzkNRiz8i3"}) == []
    assert compare({"customer": "cus_NffrFeUfNV2Hib"}, {"customer": "cus_AAAAAAAAAAA111"}) == [
        ("$.customer", "identity")
    ]
    assert compare({"customer": "cus_BBBBBBBBBBB222"}, {"customer": "cus_9s6XKzkNRiz8i3"}) == [
        ("$.customer", "identity")
    ]


def test_numbers_are_told_apart_by_what_they_are_of(compare, learned):
    assert compare([{"id": 1}], [{"id": 101}], asked="/users") == []
    assert compare([{"id": 1}], [{"id": 7}], asked="/posts") == []
    assert compare({"post": {"id": 1, "user_id": 1}}, {"post": {"id": 7, "user_id": 101}}) == []
    assert compare({"post": {"id": 1, "user_id": 1}}, {"post": {"id": 7, "user_id": 7}}) == [
        ("$.post.user_id", "identity")
    ]
    asked = learned.request(
        Request("POST", "/users/1/posts/1", "user_id=1&limit=1", body=Body("json", {"user": {"id": 1}, "count": 1}))
    )
    assert (asked.path, asked.query) == ("/users/101/posts/7", "user_id=101&limit=1")
    assert asked.body.value == {"user": {"id": 101}, "count": 1}


def test_items_are_compared_with_their_like(compare):
    names = {"a": "x1aaaaaaaa", "b": "x2bbbbbbbb", "c": "x3cccccccc"}
    ours = {"a": "y1aaaaaaaa", "b": "y2bbbbbbbb", "c": "y3cccccccc"}
    for name in names:
        assert compare({"id": names[name]}, {"id": ours[name]}) == []

    def items(ids, order):
        return [{"id": ids[name], "name": name} for name in order]

    assert compare(items(names, "abc"), items(ours, "cab")) == [("$", "order")]
    assert compare(items(names, "abc"), items(ours, "ac")) == [("$[1]", "missing")]
    assert compare(items(names, "ac"), items(ours, "abc")) == [("$[1]", "extra")]


def test_later_requests_mention_what_the_world_made(compare, learned):
    compare({"id": "cus_NffrFeUfNV2Hib", "created": S}, {"id": "cus_9s6XKzkNRiz8i3", "created": S + 1})
    compare({"next_cursor": "bmV4dA=="}, {"next_cursor": "cHJldmlvdXM="})
    asked = learned.request(
        Request(
            "POST",
            "/v1/customers/cus_NffrFeUfNV2Hib/x%2Fy",
            f"cursor=bmV4dA%3D%3D&created[gte]={S}&q=a%20b",
            (("authorization", "Basic me:cus_NffrFeUfNV2Hib"),),
            Body("json", {"ids": ["cus_NffrFeUfNV2Hib"], "note": "see cus_NffrFeUfNV2Hib.", "since": S, "n": 5}),
        )
    )
    assert asked.path == "/v1/customers/cus_9s6XKzkNRiz8i3/x%2Fy"
    assert asked.query == f"cursor=cHJldmlvdXM%3D&created%5Bgte%5D={S + 1}&q=a+b"
    assert asked.header("authorization") == "Basic bWU6Y3VzXzlzNlhLemtOUml6OGkz"
    assert asked.body.value == {
        "ids": ["cus_9s6XKzkNRiz8i3"],
        "note": "see cus_9s6XKzkNRiz8i3.",
        "since": S + 1,
        "n": 5,
    }


def test_what_the_client_said_itself_must_come_back(compare, learned):
    learned.pin(Request("POST", "/", body=Body("json", {"client_reference_id": "order-7a6b5c4d3e"})))
    assert compare({"reference_id": "order-7a6b5c4d3e"}, {"reference_id": "order-0a0b0c0d0e"}) == [
        ("$.reference_id", "value")
    ]


def test_headers_and_bodies_of_another_kind_are_compared(learned):
    comparing = Comparing(learned, AT, AT)
    recorded = Response(
        200, (("content-type", "application/json; charset=utf-8"), ("etag", '"a1b2c3d4e5"')), Body("json", {})
    )
    same = Response(200, (("Content-Type", "application/json"), ("ETag", '"f6a7b8c9d0"')), Body("json", {}))
    other = Response(200, (("content-type", "text/html"),), Body("text", "<p>"))
    assert list(comparing.responses(recorded, same)) == []
    found = [(each.path, each.kind) for each in comparing.responses(recorded, other)]
    assert found == [("header content-type", "value"), ("header etag", "missing"), ("$", "body")]
    assert [each.kind for each in comparing.bodies(Body("base64", b"\xff1"), Body("base64", b"\xff2"))] == ["value"]
    assert [each.kind for each in comparing.bodies(None, Body("json", 1))] == ["extra"]
    assert list(comparing.bodies(Body("left_out", "too long"), Body("json", 1))) == []
