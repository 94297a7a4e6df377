import hashlib

import pytest

from worlds.engine import HttpRequest, HttpResponse, ToolError
from worlds.engine.moves import Advance, Request


def request(**more):
    return Request(calls=0, node="main", request=HttpRequest.of("GET", "/a"), **more)


def answered(body=b"x", kept_bytes=16, **more):
    move = request()
    move.answered(HttpResponse(**more, body=body), kept_bytes)
    return move


def test_an_answer_is_kept_and_of_a_large_one_all_but_the_body():
    assert answered(b"x" * 16).response == HttpResponse(body=b"x" * 16)
    large = answered(b"x" * 17, status=201, headers=(("a", "b"),))
    assert large.response == HttpResponse(201, (("a", "b"),))
    assert large.digest == (hashlib.sha256(b"x" * 17).hexdigest(), 17)


def test_an_answer_is_the_same_when_all_of_it_is():
    assert answered().ended_as(answered())
    assert answered(b"x" * 17).ended_as(answered(b"x" * 17))
    others = [answered(b"y"), answered(status=404), answered(headers=(("a", "b"),)), request(error="no")]
    assert not any(answered().ended_as(other) for other in others)
    assert not answered(b"x" * 17).ended_as(answered(b"y" * 17))


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        (ToolError("no", "No.", at=1), ("No.", "No.", {"code": "no", "message": "No.", "details": {"at": 1}})),
        (KeyError("secret"), ("internal error", "KeyError: 'secret'", None)),
    ],
)
def test_a_failure_is_kept_as_that_of_a_call(error, kept):
    move = Advance(calls=0, ms=5)
    move.fail(error)
    assert (move.error, move.cause, move.tool_error) == kept
