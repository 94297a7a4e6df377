"""How is one instance served over stdin and stdout, and how does that end?"""

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

import mcp_types as types
import psutil
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.mcp.clients import HELLO, refused, request
from tests.openenv.servers import ROOT

ENVIRONMENT = {
    "DJANGO_SETTINGS_MODULE": "seahaven_site.settings",
    "SEAHAVEN_WORLDS": "tests.worlds.bank,tests.worlds.lab",
}


def parameters(*options, **variables):
    return StdioServerParameters(
        command=sys.executable,
        args=["manage.py", "seahaven_mcp", *options],
        cwd=ROOT,
        env={**os.environ, **ENVIRONMENT, **variables},
    )


class Process:
    """The command, with pipes to talk through."""

    def __init__(self, *options, **variables):
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "seahaven_mcp", *options],
            cwd=ROOT, env={**os.environ, **ENVIRONMENT, **variables},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.stdin: Any = self.process.stdin
        self.stdout: Any = self.process.stdout

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        with self.process:
            self.process.kill()

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.stdin.write(line + b"\n")
        self.stdin.flush()

    def read(self):
        return json.loads(self.stdout.readline())

    def open(self):
        self.send(request("initialize", HELLO))
        assert self.read()["result"]["serverInfo"]
        self.send(request("notifications/initialized", id=None))
        return self

    def call(self, tool, id=2, **arguments):
        self.send(request("tools/call", {"name": tool, "arguments": arguments}, id=id))
        return self.read()["result"]

    def ends(self, within_s=4):
        """Its exit code, once it has ended by itself."""
        began = time.monotonic()
        code = self.process.wait(20)
        assert time.monotonic() - began < within_s
        return code


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
async def test_the_sdks_client_talks_to_an_instance(mode):
    async with Client(parameters("--world", "lab", "--seed", "7"), mode=mode) as client:
        assert client.session.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
        assert "make_box" in [tool.name for tool in (await client.list_tools()).tools]
        await client.call_tool("make_box", {"name": "one"})
        boxes = (await client.call_tool("list_boxes")).structured_content["result"]
        assert [box["name"] for box in boxes] == ["one"]
        assert (await client.call_tool("drop_box", {"name": "two"})).is_error
        async with refused(types.INVALID_PARAMS):
            await client.call_tool("make_bx")
        async with refused(types.INTERNAL_ERROR) as found:
            await client.call_tool("fail_after_writing", {"how": "bug"})
        assert found[0].error.message.startswith("internal error ")


async def test_the_options_choose_the_start(tmp_path):
    options = ("--world", "lab", "--seed", "7", "--now", "2026-07-01T00:00:00Z", "--clock-mode", "fixed")
    draws = []
    for task in ("one", "two"):
        with Process(*options, "--startup", '{"owner": "ada"}', "--task", task) as server:
            server.open()
            draws.append(server.call("draw"))
            assert server.call("list_boxes")["structuredContent"]["result"][0]["name"] == "ada's box"
    assert draws[0] == draws[1]
    with Process("--world", "bank", "--setup-sql", "INSERT INTO accounts VALUES ('main', 3)") as server:
        assert server.open().call("read_balance")["structuredContent"] == {"balance": 3}


def test_what_a_tool_prints_goes_to_stderr():
    with Process("--world", "lab") as server:
        server.open()
        for number in range(50):
            answer = server.call("shout", text=f"noise {number}")
            assert answer["structuredContent"] == {"result": f"noise {number}"}
        assert server.call("listen")["structuredContent"] == {"result": ""}
        out, err = server.process.communicate(timeout=20)
        assert out == b"", "what was buffered does not come at the end"
        assert err.count(b"noise 49") == 4
        assert server.process.returncode == 0


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it(how):
    with Process("--world", "bank") as server:
        server.open().call("deposit", amount=1)
        server.process.send_signal(how)
        assert server.ends() == 0
        assert b"Traceback" not in server.process.stderr.read()


def test_a_signal_ends_it_with_a_call_running_that_never_will():
    with Process("--world", "bank") as server:
        server.open().send(request("tools/call", {"name": "spin"}, id=2))
        time.sleep(0.3)
        server.process.send_signal(signal.SIGTERM)
        assert server.ends(within_s=10) == 0


def test_a_signal_ends_it_although_nobody_reads():
    with Process("--world", "bank") as server:
        server.open()
        for number in range(2000):
            server.send(request("tools/list", id=number))
        time.sleep(1)
        server.process.send_signal(signal.SIGTERM)
        assert server.ends() == 0


def test_a_signal_ends_it_while_it_starts():
    with Process("--world", "bank") as server:
        time.sleep(0.5)
        server.process.send_signal(signal.SIGTERM)
        assert server.ends() in (0, -signal.SIGTERM)  # the latter before Django is there


def test_a_client_that_closes_its_end_ends_it():
    with Process("--world", "bank") as server:
        server.open().call("deposit", amount=1)
        server.stdin.close()
        assert server.ends() == 0


def test_a_client_that_vanishes_ends_it_in_the_middle_of_a_call():
    with Process("--world", "bank") as server:
        server.open().send(request("tools/call", {"name": "spin"}, id=2))
        time.sleep(0.3)
        server.stdin.close()
        server.stdout.close()
        assert server.ends(within_s=10) == 0


def test_what_was_asked_before_the_end_is_answered():
    lines = [
        request("initialize", HELLO),
        request("notifications/initialized", id=None),
        *(request("tools/call", {"name": "deposit", "arguments": {"amount": 1}}, id=id) for id in range(2, 22)),
    ]
    done = subprocess.run(
        [sys.executable, "manage.py", "seahaven_mcp", "--world", "bank"],
        cwd=ROOT, env={**os.environ, **ENVIRONMENT}, input="\n".join(map(json.dumps, lines)),
        capture_output=True, text=True, timeout=30, check=True,
    )  # fmt: skip
    answers = {answer["id"]: answer["result"] for answer in map(json.loads, done.stdout.splitlines())}
    assert answers[21]["structuredContent"] == {"result": 20}


async def test_a_killed_client_leaves_no_process_behind():
    script = (
        "import asyncio, sys; from mcp import Client; from tests.mcp.test_stdio import parameters\n"
        "async def main():\n"
        "    async with Client(parameters('--world', 'bank')) as client:\n"
        "        await client.call_tool('read_balance'); print('ready', flush=True); await asyncio.sleep(60)\n"
        "asyncio.run(main())"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, env=environment) as client:
        assert client.stdout is not None
        assert client.stdout.readline() == b"ready\n"
        (child,) = psutil.Process(client.pid).children()
        client.kill()
    child.wait(10)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--fixture", "ritch"), "world bank has no fixture 'ritch'"),
        (("--world", "bnk"), "did you mean 'bank'?"),
        (("--seed", "seven"), "seed is 'seven'; expected a whole number"),
        (("--clock-mode", "slow"), "clock_mode is 'slow'; choose one of"),
        (("--now", "yesterday"), "now is 'yesterday'"),
        (("--startup", "{"), "startup is no JSON"),
        (("--startup", '{"x": 1}'), "startup keyword 'x' is unknown"),
        (("--world", "lab", "--startup", '{"fail": true}'), "the shop stays shut"),
        (("--setup-sql", "DROP TABLE accounts"), "setup_sql"),
    ],
)
def test_a_start_that_does_not_fit_is_one_line_and_exit_1(options, said):
    done = subprocess.run(
        [sys.executable, "manage.py", "seahaven_mcp", *(() if "--world" in options else ("--world", "bank")), *options],
        cwd=ROOT, env={**os.environ, **ENVIRONMENT}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=30, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("CommandError: ")
    assert said in line


def test_hostile_lines_are_answered_and_do_no_harm():
    hostile = [
        b"garbage", b"[1, 2]", b"{}", b'"text"', b"null", b"\xff\xfe", b'{"jsonrpc": "2.0"}', b"[" * 5000,
        b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
        b'{"jsonrpc":"1.0","id":1,"method":"ping"}', b"x" * (2 * 1024 * 1024),
    ]  # fmt: skip
    with Process("--world", "bank", SEAHAVEN_MAX_MESSAGE_MIB="1") as server:
        server.open()
        for line in hostile:
            server.send(line)
            error = server.read()["error"]
            assert error["code"] in (types.PARSE_ERROR, types.INVALID_REQUEST), line[:80]
        server.send(b"")
        assert server.call("read_balance")["structuredContent"] == {"balance": 0}
        assert server.process.poll() is None


async def test_a_long_answer_comes_whole(tmp_path):
    with open(tmp_path / "errors", "w") as errors:
        server = stdio_client(parameters("--world", "lab"), errlog=errors)
        async with Client(server) as client:
            text = "x" * 3_000_000
            result = await client.call_tool("make_box", {"name": "one", "facts": {"text": text}})
            assert result.structured_content["facts"]["text"] == text
