"""What stands in for a real API, where none can be asked?"""

import gzip
import json
import socket
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import uvicorn

from seahaven.fidelity import cassette
from seahaven.fidelity.recording import Recording
from worlds.engine import HttpRequest

PIXEL = bytes(range(256))
PICTURE = b"\x89PNG\r\n\x1a\n" + PIXEL


class Odd(BaseHTTPRequestHandler):
    """Answers each path in a way of its own."""

    server: Any

    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        length = int(self.headers.get("content-length", 0))
        self.sent = self.rfile.read(length) if length else b""
        if "chunked" in self.headers.get("transfer-encoding", ""):
            while size := int(self.rfile.readline(), 16):
                self.sent += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        self.server.asked.append((self.command, self.path, dict(self.headers), self.sent))
        name = self.path.partition("?")[0].strip("/").replace("/", "_") or "root"
        getattr(self, f"answer_{name}", self.answer_echo)()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = do_GET

    def give(self, body=b"", status=200, headers=(("Content-Type", "application/json"),), *, length=True):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def answer_echo(self):
        self.give(json.dumps({"method": self.command, "path": self.path, "sent": self.sent.decode("latin-1")}).encode())

    def answer_zipped(self):
        assert "gzip" in self.headers["accept-encoding"]
        body = gzip.compress(b'{"zipped": true}')
        self.give(body, headers=[("Content-Type", "application/json"), ("Content-Encoding", "gzip")])

    def answer_brotli(self):
        self.give(b"\x0b\x02\x80", headers=[("Content-Type", "application/json"), ("Content-Encoding", "br")])

    def answer_chunked(self):
        self.give(headers=[("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")], length=False)
        for chunk in (b'{"in": ', b'"pieces"}'):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
        self.wfile.write(b"0\r\n\r\n")

    def answer_events(self):
        self.give(headers=[("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")], length=False)
        for number in (1, 2):
            chunk = b"data: %d\n\n" % number
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.flush()
            assert self.server.go_on.wait(10)
        self.wfile.write(b"0\r\n\r\n")

    def answer_picture(self):
        self.give(PICTURE, headers=[("Content-Type", "image/png")])

    def answer_doubled(self):
        self.give(b"[]", headers=[("Link", "<a>"), ("Link", "<b>"), ("Set-Cookie", "sid=monster-biscuit-9; Path=/")])

    def answer_moved(self):
        here = f"http://127.0.0.1:{self.server.server_port}"
        self.give(status=302, headers=[("Location", f"{here}/elsewhere?a=1")])

    def answer_base_moved(self):
        self.give(
            status=303, headers=[("Location", "/base/elsewhere"), ("Link", f"<{self.server.url}/base/2>; rel=next")]
        )

    def answer_unchanged(self):
        self.give(status=304, headers=[("ETag", '"5"')], length=False)

    def answer_nothing(self):
        self.give(status=204, length=False, headers=())

    def answer_long(self):
        self.give(b"x" * 5000, headers=[("Content-Type", "text/plain")])

    def answer_broken(self):
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b'{"half": ')
        self.close_connection = True

    def answer_slow(self):
        self.server.go_on.wait(10)
        self.give(b'"slow"')

    def answer_late(self):
        self.server.arrived.set()
        self.answer_slow()


@contextmanager
def odd_api():
    """The server, with all it was asked in `asked`."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Odd)
    server.asked, server.go_on, server.arrived = [], threading.Event(), threading.Event()
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.go_on.set()
        server.shutdown()
        server.server_close()


@contextmanager
def served(instance):
    """The HTTP API of an instance, at the address that is given."""

    async def application(scope, receive, send):
        body, more = b"", True
        while more:
            event = await receive()
            body, more = body + event["body"], event.get("more_body", False)
        headers = [(name.decode(), value.decode("latin-1")) for name, value in scope["headers"]]
        query = scope["query_string"].decode()
        answer = instance.http(HttpRequest.of(scope["method"], scope["path"], query=query, headers=headers, body=body))
        sent = [(name.encode(), value.encode()) for name, value in answer.headers]
        sent.append((b"content-length", str(len(answer.body)).encode()))
        await send({"type": "http.response.start", "status": answer.status, "headers": sent})
        await send({"type": "http.response.body", "body": answer.body})

    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(application, lifespan="off", log_config=None, log_level="error", loop="asyncio")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


@contextmanager
def recorded(upstream, to, **options):
    """A recording in a thread of its own; ended when the block is."""
    running: Any = Recording(upstream, to, **options)
    ready, errors = threading.Event(), []

    def run():
        try:
            running.run(ready.set)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert ready.wait(10)
    running.errors = errors
    try:
        yield running
    finally:
        running.stop()
        thread.join(10)
        assert not thread.is_alive()


def exchanges(path) -> Any:
    """What stands in a cassette."""
    return cassette.read(path).exchanges
