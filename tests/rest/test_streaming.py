"""Does a long log reach a slow reader without filling the server's memory?"""

import http.client
import json

import psutil
import pytest

from tests.openenv.servers import Server
from tests.rest.api import PREFIX, Api

RECORDS = 100_000
#: One call that writes them all.
FILL = f"""
    INSERT INTO boxes (id, name, price, is_open, facts, made_at, changed_at)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {RECORDS})
    SELECT 'box_' || i, 'a box with a name of some length, number ' || i, 1.5, 1, '{{}}', '2026-06-01', '2026-06-02'
    FROM n
"""


@pytest.fixture(scope="module")
def filled():
    with Server(worlds="tests.worlds.lab") as server:
        instance = Api(server).opened("lab")
        instance.result("write_sql", query=FILL)
        yield server, instance


def test_a_hundred_thousand_records_stream_in_constant_memory(filled):
    server, instance = filled
    process = psutil.Process(server.process.pid)
    connection = http.client.HTTPConnection(server.address, timeout=60)
    before = most = process.memory_info().rss
    connection.request("GET", f"{PREFIX}{instance.path}/changes.ndjson")
    with connection.getresponse() as response:
        assert response.status == 200
        count, total = 0, 0
        for line in response:
            count, total = count + 1, total + len(line)
            if count % 1000 == 0:
                most = max(most, process.memory_info().rss)
    connection.close()
    assert count == RECORDS
    assert json.loads(line)["seq"] == RECORDS - 1
    assert total > 30 * 2**20
    assert most - before < 6 * 2**20  # the list of the records, a chunk, and what the sockets hold


def test_others_are_served_while_a_reader_dawdles(filled):
    server, instance = filled
    connection = http.client.HTTPConnection(server.address, timeout=60)
    connection.request("GET", f"{PREFIX}{instance.path}/changes.ndjson")
    with connection.getresponse() as response:
        first = response.readline()
        for _ in range(20):
            assert instance.call("no_such_tool").status == 404
            assert instance.get("/changes?limit=1").json["count"] == RECORDS
        # What is read on is what there was when it was asked for, though the run was taken back meanwhile.
        instance.post("/checkpoints", {"name": "full"})
        instance.post("/rewind", {"call": -1})
        assert instance.get("/changes").json["count"] == 0
        rest = sum(1 for _ in response)
        assert json.loads(first)["seq"] == 0
        assert rest == RECORDS - 1
    connection.close()
    instance.post("/rewind", {"checkpoint": "full"})
    assert instance.get("/changes?offset=99999").json["results"][0]["seq"] == 99_999


def test_a_reader_that_leaves_frees_what_it_was_sent(filled):
    server, instance = filled
    for _ in range(30):
        connection = http.client.HTTPConnection(server.address, timeout=60)
        connection.request("GET", f"{PREFIX}{instance.path}/changes.ndjson")
        connection.getresponse().readline()
        connection.close()
    process = psutil.Process(server.process.pid)
    assert instance.get("/changes?limit=1").status == 200
    assert process.num_fds() < 60
    assert "Traceback" not in server.log()
