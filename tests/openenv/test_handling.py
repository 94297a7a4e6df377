"""Do requests of programs get to their views, and pages keep what they need?"""

import http.client
import socket
import time

from tests.openenv.servers import Server


def headers_of(server, path):
    connection = http.client.HTTPConnection(server.address, timeout=20)
    connection.request("GET", path)
    with connection.getresponse() as response:
        response.read()
        found = response.status, dict(response.getheaders())
    connection.close()
    return found


def test_pages_have_all_of_djangos_middleware_and_programs_what_they_need(server):
    status, page = headers_of(server, "/admin/login/")
    assert status == 200
    found = {name.lower() for name in page}
    assert {"x-frame-options", "set-cookie", "referrer-policy"} <= found
    status, answer = headers_of(server, "/health")
    told = {name.lower(): value for name, value in answer.items()}
    assert (status, told["content-length"], told["x-content-type-options"]) == (200, "20", "nosniff")
    assert "set-cookie" not in told
    assert headers_of(server, "/static/admin/css/base.css")[0] == 200


def test_a_host_that_is_not_ours_is_refused_at_every_door(server):
    for path in ("/health", "/reset", "/nowhere", "/admin/login/", "/docs"):
        connection = http.client.HTTPConnection(server.address, timeout=20)
        connection.request("GET", path, headers={"Host": "elsewhere.example"})
        with connection.getresponse() as response:
            assert response.status == 400, path
            assert b"Traceback" not in response.read()
        connection.close()


def test_a_client_that_leaves_in_the_middle_of_a_call_leaves_the_server_well():
    with Server() as server:
        for body in (b'{"action": {"tool_name": "slow", "arguments": {"s": 1}}}', b'{"action"'):
            for _ in range(20):
                host, _, port = server.address.rpartition(":")
                client = socket.create_connection((host, int(port)), timeout=20)
                head = f"POST /step HTTP/1.1\r\nHost: {server.address}\r\nContent-Type: application/json\r\n"
                client.sendall(f"{head}Content-Length: 57\r\n\r\n".encode() + body)
                client.close()
        began = time.monotonic()
        assert server.get("/health")[0] == 200
        assert time.monotonic() - began < 2
        time.sleep(1.5)
        assert "Traceback" not in server.log()


def test_a_body_without_end_is_cut_off():
    with Server(max_message_mib=1) as server:
        host, _, port = server.address.rpartition(":")
        client = socket.create_connection((host, int(port)), timeout=20)
        client.sendall(b"POST /reset HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        chunk = b"40000\r\n" + b" " * 0x40000 + b"\r\n"
        sent = 0
        try:
            while sent < 64:
                client.sendall(chunk)
                sent += 1
            answer = client.recv(1000)
        except ConnectionError:
            answer = b""
        client.close()
        assert sent < 64 or b" 422 " in answer
        assert server.get("/health")[0] == 200
