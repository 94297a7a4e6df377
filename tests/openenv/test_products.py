"""How do worlds' own HTTP APIs behave at the door?"""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.openenv.servers import Server

LAB = "tests.worlds.lab,tests.worlds.bank"


@pytest.fixture(scope="module")
def server():
    with Server(worlds=LAB, max_message_mib=1) as running:
        yield running


@pytest.fixture
def api(server):
    with httpx.Client(base_url=server.url, timeout=20) as client:
        yield client


def test_a_new_name_opens_an_instance_of_its_own(api):
    for name in ("one", "two"):
        made = api.post(f"/lab/{name}/boxes", json={"name": f"box of {name}"})
        assert (made.status_code, made.json()["name"]) == (201, f"box of {name}")
    assert [box["name"] for box in api.get("/lab/one/boxes").json()] == ["box of one"]


def test_two_first_requests_open_one_instance(api, server):
    def post(n):
        return httpx.post(f"{server.url}/lab/at-once/boxes", json={"name": f"box {n}"}).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(post, range(8))) == {201}
    assert len(api.get("/lab/at-once/boxes").json()) == 8


def test_an_instance_is_opened_seen_replaced_and_ended(api):
    start = {"seed": 3, "now": "2026-06-01T09:00:00Z", "clock_mode": "tick", "startup": {"owner": "Ada"}}
    first = api.put("/lab/mine", json=start)
    assert (first.status_code, first.json()["now"]) == (201, "2026-06-01T09:00:00.000Z")
    assert [box["name"] for box in api.get("/lab/mine/boxes").json()] == ["Ada's box"]
    assert api.get("/lab/mine").json()["id"] == first.json()["id"]
    second = api.put("/lab/mine", json=start)
    assert (second.status_code, second.json()["id"] == first.json()["id"]) == (200, False)
    assert api.delete("/lab/mine").status_code == 204
    assert api.get("/lab/mine").status_code == api.delete("/lab/mine").status_code == 404


def test_the_same_start_answers_the_same(api):
    answers = []
    for _ in range(2):
        api.put("/lab/again", json={"seed": 3, "now": "2026-06-01T09:00:00Z", "clock_mode": "tick"})
        api.post("/lab/again/boxes", json={"name": "a"})
        answers.append(api.get("/lab/again/boxes").text)
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"sed": 3}, "sed: Extra inputs are not permitted"),
        ({"seed": "3"}, "seed: Input should be a valid integer"),
        ({"fixture": "none"}, "world lab has no fixture 'none'"),
        ({"startup": {"ownr": "x"}}, "did you mean 'owner'?"),
        ([1], "Input should be a valid dictionary"),
    ],
)
def test_a_start_that_does_not_fit_is_refused_and_opens_nothing(api, body, message):
    answer = api.put("/lab/unfit", json=body)
    assert answer.status_code in (400, 422)
    assert message in answer.json()["error"]["message"]
    assert api.get("/lab/unfit").status_code == 404


def test_a_start_that_is_no_json_is_refused(api):
    assert "JSON decode error" in api.put("/lab/unfit", content=b"{nope").json()["error"]["message"]


@pytest.mark.parametrize("name", ["a b", "a.b", "x" * 65, "ü"])
def test_a_name_that_cannot_be_one_is_refused(api, name):
    answer = api.get(f"/lab/{name}/boxes")
    assert (answer.status_code, "1 to 64 letters" in answer.text) == (400, True)


def test_another_method_is_told_which_there_are(api):
    answer = api.post("/lab/mine")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, PUT, DELETE")


def test_a_bug_is_a_number_in_the_log(api, server):
    answer = api.get("/lab/bugs/bug")
    assert answer.status_code == 500
    incident = answer.json()["error"]["message"].removeprefix("internal error ")
    assert "secret" not in answer.text
    assert incident in server.log()
    assert api.get("/lab/bugs/boxes").json() == []


def test_bytes_pass_as_they_are(api):
    sent = bytes(range(256)) * 100
    answer = api.post("/lab/bytes/echo", content=sent)
    assert (answer.content, answer.headers["content-type"]) == (sent, "application/octet-stream")
    head = api.head("/lab/bytes/echo")
    assert (head.status_code, head.content) == (200, b"")


def test_a_body_of_more_than_the_server_reads_is_refused(api):
    answer = api.post("/lab/large/echo", content=b"x" * (1024 * 1024 + 1))
    assert (answer.status_code, "larger than 1 MiB" in answer.text) == (413, True)


def test_a_foreign_host_is_refused(api):
    answer = api.get("/lab/one/boxes", headers={"host": "evil.example"})
    assert (answer.status_code, "SEAHAVEN_ALLOWED_HOSTS" in answer.text) == (400, True)


def test_a_world_without_an_api_has_none(api):
    assert api.get("/bank/one/anything").status_code == 404


def test_an_instance_opened_elsewhere_is_reached_by_its_id(api):
    made = api.post("/api/v1/instances", json={"world": "lab", "seed": 1}).json()
    assert api.post(f"/lab/{made['id']}/boxes", json={"name": "by id"}).status_code == 201
    assert [box["name"] for box in api.get(f"/instances/{made['id']}/main/boxes").json()] == ["by id"]
    assert api.get(f"/instances/{made['id']}/nowhere/boxes").status_code == 400
    assert api.get("/instances/nobody/main/boxes").status_code == 404


def test_a_server_with_keys_asks_for_one():
    key = "a-key-of-sixteen-letters"
    with Server(worlds=LAB, api_keys=f"agent:{key}") as guarded, httpx.Client(base_url=guarded.url) as api:
        for ask in (lambda: api.get("/lab/one/boxes"), lambda: api.put("/lab/one", json={})):
            assert (ask().status_code, "API key" in ask().text) == (401, True)
        assert api.get("/lab/one/boxes", headers={"x-api-key": key}).json() == []
        assert api.get(f"/t/{key}/lab/one/boxes").json() == []
