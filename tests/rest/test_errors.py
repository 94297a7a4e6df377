"""Has every error the one shape, whatever went wrong?"""

import pytest


def test_paths_that_lead_nowhere_answer_in_the_same_shape(api):
    for path in ("/api", "/api/", "/api/v2/worlds", "/api/v1/nowhere", "/api/v1/worlds/", "/api/v1/instances/a/b/c/d"):
        answer = api.get(path)
        assert answer.is_refusal == (404, "not_found"), path
        assert "openapi.json" in answer.error["message"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/instances", "GET, POST, OPTIONS, HEAD"),
        ("PATCH", "/instances", "GET, POST, OPTIONS, HEAD"),
        ("POST", "/worlds", "GET, OPTIONS, HEAD"),
        ("DELETE", "/worlds/bank", "GET, OPTIONS, HEAD"),
        ("TRACE", "/worlds", "GET, OPTIONS, HEAD"),
        ("POST", "/openapi.json", "GET, HEAD"),
        ("POST", "/docs", "GET, HEAD"),
    ],
)
def test_another_method_is_refused_with_those_there_are(api, method, path, allowed):
    answer = api.ask(method, path)
    assert answer.is_refusal == (405, "method_not_allowed")
    assert answer.headers["Allow"] == allowed


def test_head_and_options_are_answered(api):
    head = api.ask("HEAD", "/worlds")
    assert (head.status, head.body) == (200, b"")
    options = api.ask("OPTIONS", "/instances")
    assert (options.status, options.headers["Allow"]) == (204, "GET, POST, OPTIONS, HEAD")


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        (b"{oops", "no JSON"),
        (b'{"seed": 1, "seed": 2}', "'seed' is there more than once"),
        (b'{"task": {"a": {"b": 1, "c": 2, "b": 3}}}', "'b' is there more than once"),
        (b'{"seed": NaN}', "no JSON"),
        (b'{"seed": Infinity}', "no JSON"),
        (b'{"seed": 9223372036854775808}', "more than 64 bits"),
        (b'{"seed": -' + b"9" * 10_000 + b"}", "no JSON"),
        (b'{"task": 1e999}', "no JSON"),
        (b'{"task": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "no JSON"),
        (b'{"world": "\\ud800"}', "no JSON"),
        (b'{"world": "\xff"}', "no JSON"),
        (b"\xef\xbb\xbf{}", "no JSON"),
        ("{}".encode("utf-16"), "no JSON"),
        (b"{}{}", "no JSON"),
    ],
)
def test_what_readers_of_json_do_not_agree_on_is_refused(api, body, hint):
    answer = api.post("/instances", body)
    assert answer.is_refusal == (400, "invalid_json")
    assert hint in answer.error["message"]


def test_other_media_types_are_refused_with_the_one_to_send(api):
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "nonsense"):
        answer = api.ask("POST", "/instances", b"a=b", **{"Content-Type": kind})
        assert answer.is_refusal == (415, "unsupported_media_type"), kind
        assert "Content-Type: application/json" in answer.error["message"]
    assert api.ask("POST", "/instances", b"{}", **{"Content-Type": "application/json; charset=utf-8"}).status == 201


def test_a_large_body_is_read_and_a_larger_one_refused(api):
    instance = api.opened()
    assert instance.call("boom", why="x" * (12 * 2**20)).status == 200
    assert instance.call("boom", why="x" * (17 * 2**20)).is_refusal == (413, "too_large")


def test_a_body_in_pieces_is_read_like_any(api, server):
    import http.client

    connection = http.client.HTTPConnection(server.address, timeout=20)
    pieces = iter([b'{"wor', b'ld": "lab"', b"}"])
    headers = {"Content-Type": "application/json"}
    connection.request("POST", "/api/v1/instances", body=pieces, headers=headers, encode_chunked=True)
    with connection.getresponse() as response:
        assert response.status == 201
        assert b'"world":"lab"' in response.read()
    connection.close()


def test_parameters_are_read_as_strictly_as_bodies(api):
    for query, path in (
        ("limit=0", "limit"), ("limit=1001", "limit"), ("limit=ten", "limit"), ("limit=1.0", "limit"),
        ("limit=", "limit"), ("offset=-1", "offset"), ("limit=1&limit=2", "limit"), ("of=1", "of"),
        ("offset=" + "9" * 5000, "offset"), ("limit=%D9%A1", "limit"), ("%00=1", "\0"),
    ):  # fmt: skip
        answer = api.get(f"/worlds?{query}")
        assert answer.is_refusal == (422, "invalid"), query
        assert path in {each["path"] for each in answer.error["details"]["violations"]}, query
    near = api.get("/worlds?limt=1").error["details"]["violations"][0]
    assert "did you mean 'limit'?" in near["message"]
    assert api.get("/worlds/bank?limit=1").is_refusal == (422, "invalid")


def test_pages_of_other_hosts_and_other_host_names_are_refused(api, server):
    for origin in ("https://elsewhere.example", "null"):
        assert api.post("/instances", {}, Origin=origin).is_refusal == (403, "forbidden")
        assert api.get("/worlds", Origin=origin).is_refusal == (403, "forbidden")
    assert api.get("/worlds", Origin=server.url).status == 200
    assert api.get("/worlds", Host="elsewhere.example").is_refusal == (400, "bad_request")
