"""The comparison of two moves; whole episodes are compared in test_replaying."""

import hashlib

import pytest
from pydantic import TypeAdapter

from worlds.engine.comparing import Comparison, place_of
from worlds.engine.differing import MISSING
from worlds.engine.episode_documents import Move
from worlds.engine.exporting import INTERNAL_CODE

NOW = "2026-06-01T09:00:01.000Z"
_move: TypeAdapter[Move] = TypeAdapter(Move)


def record(key=1, op="update", before=None, after=None, table="boxes", **more):
    return {
        "i": 0, "world": "main", "table": table, "op": op, "key": {"id": key}, "before": before, "after": after,
        "seq": 0,
    } | more  # fmt: skip


def call(*records, **ending):
    made = {"kind": "call", "i": 0, "tool": "t", "arguments": {}, "now": NOW, "records": list(records)}
    return _move.validate_python(made | (ending or {"result": None}))


def request(**response):
    asked = {"kind": "request", "node": "main", "method": "GET", "path": "/a", "query": "", "headers": [], "body": ""}
    body = {} if "body_digest" in response else {"body": "[1]"}
    answer = {"status": 200, "headers": []} | body | response
    return _move.validate_python(asked | {"now": NOW, "records": [], "response": answer})


def differences(expected, got, cause=""):
    return list(Comparison().differences(expected, got, place_of(expected, 0, 0), cause))


def lines(expected, got, cause=""):
    return [str(each) for each in differences(expected, got, cause)]


# Rows


def test_equal_moves_have_no_difference():
    rows = [record(1, after={"name": "a"}), record(2, by="event:x", after={"name": None})]
    assert lines(call(*rows), call(*rows)) == []


def test_a_row_that_one_side_did_not_change_is_named_with_what_the_other_did_to_it():
    one, two = record(1, "insert", after={"id": 1, "name": "a"}), record(2, "delete", before={"id": 2})
    assert lines(call(one, two), call(two)) == [
        'call 0 (t): main.boxes id=1: expected {"op":"insert","before":null,"after":{"id":1,"name":"a"}}, got nothing'
    ]
    (extra,) = differences(call(one), call(one, two))
    assert (extra.kind, extra.expected, extra.got["op"], extra.at["key"]) == ("row", MISSING, "delete", {"id": 2})


def test_a_row_of_another_key_in_its_place_is_one_difference_of_the_key():
    one = record("a1", "insert", after={"id": "a1", "name": "x"})
    other = record("b2", "insert", after={"id": "b2", "name": "y"})
    assert lines(call(record(0), one), call(record(0), other)) == [
        'call 0 (t): main.boxes id="a1": id: expected "a1", got "b2"',
        'call 0 (t): main.boxes id="a1": name: expected "x", got "y"',
    ]


def test_cells_are_compared_by_column_side_and_type():
    one = record(before={"name": "a", "n": 1}, after={"name": "b", "n": 2})
    other = record(before={"name": "a", "n": 1.0, "more": 0}, after={"name": "c", "n": 2, "more": None})
    found = differences(call(one), call(other))
    assert [(each.at["side"], each.at["column"], each.expected, each.got) for each in found] == [
        ("before", "n", 1, 1.0),
        ("before", "more", MISSING, 0),
        ("after", "name", "b", "c"),
        ("after", "more", MISSING, None),
    ]
    assert str(found[0]) == "call 0 (t): main.boxes id=1: n before it: expected 1, got 1.0"


def test_another_operation_on_the_same_row_is_one_difference():
    assert len(lines(call(record(1, "update")), call(record(1, "delete")))) == 1


def test_who_wrote_a_row_counts_and_a_row_may_be_written_by_several_events():
    tick = [record(1, by="event:x", after={"n": n}) for n in (1, 2, 3)]
    assert lines(call(*tick), call(*tick)) == []
    assert lines(call(*tick), call(*tick[:2], record(1, by="event:x", after={"n": 9}))) == [
        "call 0 (t): main.boxes id=1 by event:x: n: expected 3, got 9"
    ]
    assert [each.kind for each in differences(call(tick[0]), call(record(1, after={"n": 1})))] == ["row", "row"]


def test_records_in_another_order_differ_in_that():
    one, two = record(1, by="event:x"), record(2, by="event:y")
    (found,) = differences(call(one, two), call(two, one))
    assert (found.kind, found.expected) == ("order", ['update main.boxes {"id":1}', 'update main.boxes {"id":2}'])


def test_where_a_record_stands_in_the_log_is_no_difference_of_its_own():
    assert lines(call(record(1, i=0, seq=4)), call(record(1, i=2, seq=9))) == []


# Ends


def error(**parts):
    return {"code": "no", "message": "No.", "details": {"at": [1]}} | parts


def test_a_failure_where_there_was_none_is_shown_with_the_bug_behind_it():
    bug = error(code=INTERNAL_CODE, message="internal error", details={})
    (line,) = lines(call(result=5), call(error=bug), "ValueError: the reason")
    assert line.startswith('call 0 (t): its end: expected {"result":5}, got {"error":{"code":"internal_error"')
    assert line.endswith("(ValueError: the reason)")


@pytest.mark.parametrize(
    ("parts", "line"),
    [
        ({"code": "yes"}, 'error $.code: expected "no", got "yes"'),
        ({"message": "Yes."}, 'error $.message: expected "No.", got "Yes."'),
        ({"details": {"at": [2]}}, "error $.details.at[0]: expected 1, got 2"),
    ],
)
def test_two_failures_are_compared_by_all_that_the_agent_saw(parts, line):
    assert lines(call(error=error()), call(error=error(**parts))) == [f"call 0 (t): {line}"]


def test_results_are_compared_by_their_paths_or_their_digests():
    kept, digest = {"result": {"a": [1]}}, {"sha256": "0" * 64, "bytes": 9}
    assert lines(call(**kept), call(result={"a": [2]})) == ["call 0 (t): result $.a[0]: expected 1, got 2"]
    same = {"sha256": hashlib.sha256(b'{"a":[1]}').hexdigest(), "bytes": 9}
    assert lines(call(**kept), call(result_digest=same)) == []
    assert lines(call(result_digest=same), call(**kept)) == []
    (line,) = lines(call(result_digest=digest), call(result_digest=same))
    assert line.endswith("(it is larger than SEAHAVEN_RESULT_KEPT_KIB, so the place in it is not known)")


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ({"status": 404}, "status: expected 200, got 404"),
        ({"headers": [["a", "b"]]}, 'headers $[0]: expected nothing, got ["a","b"]'),
        ({"body": "[2]"}, "body $[0]: expected 1, got 2"),
        ({"body": "[1] "}, 'body $: expected "[1]", got "[1] "'),
        ({"body": "no"}, 'body $: expected "[1]", got "no"'),
        ({"body": {"$": "bytes", "of": "/w=="}}, 'body $: expected "[1]", got {"$":"bytes","of":"/w=="}'),
    ],
)
def test_answers_are_compared_by_status_headers_and_body(answer, line):
    assert lines(request(), request(**answer)) == [f"request GET /a before call 0: {line}"]


def test_an_answer_too_large_to_keep_is_compared_by_its_digest():
    same = {"sha256": hashlib.sha256(b"[1]").hexdigest(), "bytes": 3}
    assert lines(request(), request(body_digest=same)) == []
    (line,) = lines(request(), request(body_digest=same | {"bytes": 4}))
    assert "body: expected" in line


# The clock


def test_a_clock_that_is_off_is_named_where_it_goes_off():
    comparison, place = Comparison(), place_of(call(), 0, 0)
    readings = [(1, 1), (2, 3), (3, 4), (4, 7), (5, 5), (6, 6)]
    found = []
    for expected, got in readings:
        one, other = (call().model_copy(update={"now": f"2026-06-01T09:00:0{n}.000Z"}) for n in (expected, got))
        found.append([str(each) for each in comparison.differences(one, other, place)])
    assert [bool(each) for each in found] == [False, True, False, True, False, False]
    assert found[1] == [
        'call 0 (t): the clock after it: expected "2026-06-01T09:00:02.000Z", got "2026-06-01T09:00:03.000Z"'
    ]


def test_moves_between_calls_are_named_by_the_call_before_them():
    advance = _move.validate_python({"kind": "advance", "ms": 1500, "events": 0, "now": NOW, "records": []})
    bulk = _move.validate_python({"kind": "bulk", "by": "setup", "now": NOW, "records": []})
    assert place_of(advance, 0, 0).words == "advance by 1.5 s before call 0"
    assert place_of(advance, 7, 3).words == "advance by 1.5 s after call 2"
    assert place_of(bulk, 7, 3).words == "bulk() block after call 2"
    assert place_of(request(), 1, 1).at == {"move": 1, "request": "GET /a", "node": "main"}
    (found,) = differences(advance, advance.model_copy(update={"events": 2}))
    assert (found.kind, found.expected, found.got) == ("events", 0, 2)
