"""Does the command start a server as it was told, and does the server end when it is told to?"""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.openenv.servers import ROOT, Server, result


def run(*options, **variables):
    environment = {**os.environ, "SEAHAVEN_WORLDS": "tests.worlds.bank", **variables}
    environment["DJANGO_SETTINGS_MODULE"] = "seahaven_site.settings"
    return subprocess.run(
        [sys.executable, "manage.py", "seahaven_serve", *options],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("engine", ["uvicorn", "daphne"])
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_at_once_and_in_order_with_clients_connected(engine, how):
    server = Server("--server", engine)
    with server, server.socket() as socket:
        socket.reset()
        began = time.monotonic()
        assert server.stop(how) == 0
        assert time.monotonic() - began < 5


@pytest.mark.parametrize("engine", ["uvicorn", "daphne"])
def test_it_ends_with_a_call_running_that_never_will(engine):
    with Server("--server", engine) as server, server.socket() as socket:
        socket.reset()
        socket.send({"type": "step", "data": {"tool_name": "spin"}})
        time.sleep(0.3)
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 10


def test_the_command_line_outranks_the_environment(fixtures_dir):
    options = ("--world", "lab", "--max-sessions", "1", "--call-timeout", "0.5")
    with Server(*options, max_sessions=9) as server, server.socket() as socket:
        assert socket.reset()["data"]["metadata"]["world"] == "lab"
        with server.socket() as second:
            assert second.read()["data"]["max_sessions"] == 1
    with Server("--fixture", "rich", fixtures_dir=fixtures_dir) as server, server.socket() as socket:
        assert result(socket.step("read_balance")) == {"balance": 0}
        socket.reset()
        assert result(socket.step("read_balance")) == {"balance": 100}
        socket.reset(fixture=None)
        assert result(socket.step("read_balance")) == {"balance": 0}
        assert socket.reset(world="lab")["data"]["metadata"]["fixture"] is None


def test_what_cannot_be_served_is_said_in_one_line():
    for options, said in (
        (("--world", "bnk"), "did you mean 'bank'?"),
        (("--fixture", "ritch"), "has no fixture 'ritch'"),
    ):
        done = run(*options)
        assert done.returncode == 1
        assert said in done.stderr
        assert "Traceback" not in done.stderr
    with Server() as server:
        done = run("--port", server.address.rpartition(":")[2])
        assert done.returncode == 1
        assert "in use" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_bug_is_logged_under_the_number_that_the_client_was_given():
    with Server(worlds="tests.worlds.lab") as server:
        with server.socket() as socket:
            socket.reset()
            message = socket.step("fail_after_writing", how="bug")["data"]["observation"]["error"]["message"]
        log = server.log()
    assert f"incident {message.removeprefix('internal error ')}" in log
    assert "ValueError: a secret detail" in log


def test_it_listens_on_ipv6():
    with Server("--host", "::1") as server:
        assert server.address.startswith("[::1]:")
        assert server.get("/health")[0] == 200
