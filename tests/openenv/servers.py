"""How does a test run the real server, and talk to it without our client?"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.request import Request, urlopen

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

ROOT = Path(__file__).resolve().parents[2]


class Server:
    """`manage.py seahaven_serve` in a process of its own, on a free port."""

    def __init__(self, *options: str, worlds="tests.worlds.bank,tests.worlds.lab", **variables: object):
        environment = {f"SEAHAVEN_{name.upper()}": str(value) for name, value in variables.items()}
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115  # a pipe that nobody reads would fill up
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "seahaven_serve", "--port", "0", *options],
            cwd=ROOT,
            env={
                **os.environ,
                "DJANGO_SETTINGS_MODULE": "seahaven_site.settings",
                "SEAHAVEN_WORLDS": worlds,
                **environment,
            },
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        assert self.process.stdout is not None
        announced = re.search(r"http://(\S+)", self.process.stdout.readline())
        assert announced, self.log()
        self.address = announced[1]
        self.url = f"http://{self.address}"

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        if self.process.returncode is None:
            self.stop()

    def stop(self, how=signal.SIGTERM, within_s=20):
        """End it and answer its exit code."""
        with self._log, self.process:
            self.process.send_signal(how)
            try:
                return self.process.wait(within_s)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise

    def log(self):
        """What it logged so far."""
        self._log.seek(0)
        return self._log.read()

    def socket(self, path="/ws", **options):
        return Socket(f"ws://{self.address}{path}", **options)

    def get(self, path, **headers):
        return self._http(Request(self.url + path, headers=headers))

    def post(self, path, body=None, **headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
        return self._http(Request(self.url + path, data=data, headers={"Content-Type": "application/json", **headers}))

    def rpc(self, method, params=None, id=1):
        request = {"jsonrpc": "2.0", "id": id, "method": method}
        status, answer, _ = self.post("/mcp", request if params is None else {**request, "params": params})
        assert status == 200
        return answer

    def _http(self, request):
        """Status, decoded body and headers, of errors too."""
        from urllib.error import HTTPError

        try:
            with urlopen(request, timeout=30) as response:
                return response.status, json.load(response), response.headers
        except HTTPError as error:
            with error:
                return error.code, json.load(error), error.headers


class Socket:
    """A WebSocket that says exactly what it is told to."""

    def __init__(self, url, **options):
        self.connection = connect(url, proxy=None, compression=None, max_size=None, **options).__enter__()

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.connection.close()

    def send(self, frame):
        self.connection.send(frame if isinstance(frame, (str, bytes)) else json.dumps(frame))

    def read(self, timeout=20):
        text = self.connection.recv(timeout=timeout)
        assert isinstance(text, str), "frames are text"
        return json.loads(text)

    def ask(self, frame):
        self.send(frame)
        return self.read()

    def reset(self, **data):
        return self.ask({"type": "reset", "data": data})

    def step(self, tool, **arguments):
        return self.ask({"type": "step", "data": {"type": "call_tool", "tool_name": tool, "arguments": arguments}})

    def state(self):
        return self.ask({"type": "state"})["data"]

    def ends(self, timeout=20):
        """The code the server closes with; fails when it says something more."""
        try:
            text = self.connection.recv(timeout=timeout)
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None
        raise AssertionError(f"one frame too many: {text}")

    def abort(self):
        """Vanish: the other side sees the connection reset."""
        import socket
        import struct

        self.connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.socket.shutdown(socket.SHUT_RDWR)
        self.connection.socket.close()


def code(frame):
    """The code of an error frame, None of any other."""
    return frame["data"]["code"] if frame["type"] == "error" else None


def result(frame):
    """What the tool answered."""
    return frame["data"]["observation"]["result"]["data"]


def failure(frame):
    """Why the tool did not do it."""
    assert frame["data"]["observation"]["result"] is None
    return frame["data"]["observation"]["error"]
