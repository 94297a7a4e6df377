"""Who gets a session, who gets it back, and when is its place free again?"""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest
from websockets.exceptions import ConnectionClosed

from tests.openenv.servers import ROOT, Server, code, failure, result


def open_soon(server, within_s=4):
    """A session on a server that is full just now."""
    until = time.monotonic() + within_s
    while True:
        socket = server.socket()
        answer = socket.reset()
        if answer["type"] == "observation":
            return socket
        socket.connection.close()
        assert time.monotonic() < until, answer
        time.sleep(0.1)


def resume(server, metadata):
    return server.socket(f"/ws?session_id={metadata['session_id']}&resume={metadata['resume_token']}")


def test_each_client_over_the_limit_is_told_so_and_then_closed(small):
    with small.socket() as one, small.socket() as other:
        one.reset()
        other.reset()
        with ThreadPoolExecutor(9) as pool:
            refused = list(pool.map(lambda _: small.socket(), range(9)))
        for socket in refused:
            with socket:
                answer = socket.read()
                assert code(answer) == "CAPACITY_REACHED"
                assert (answer["data"]["active_sessions"], answer["data"]["max_sessions"]) == (2, 2)
                assert socket.ends() == 1000
        created = small.rpc("openenv/session/create")
        assert created["error"]["code"] == -32000
        assert created["error"]["data"] == {"active_sessions": 2, "max_sessions": 2}
        assert result(one.step("deposit", amount=1)) == 1


def test_a_refused_client_that_speaks_first_still_reads_why(small):
    with small.socket() as one, small.socket() as other:
        one.state()
        other.state()
        with small.socket() as third:
            third.send({"type": "reset"})
            third.send({"type": "state"})
            assert code(third.read()) == "CAPACITY_REACHED"
            assert third.ends() == 1000


def test_a_place_is_free_as_soon_as_the_close_frame_is_answered(small):
    with small.socket() as other:
        other.reset()
        for _ in range(10):
            with small.socket() as socket:
                assert socket.reset()["type"] == "observation"
                socket.send({"type": "close"})
                assert socket.ends() == 1000


def test_a_client_that_vanishes_frees_its_place(small):
    with small.socket() as other:
        other.reset()
        for _ in range(3):
            socket = open_soon(small)
            socket.step("deposit", amount=1)
            socket.abort()
        with open_soon(small) as socket:
            assert result(socket.step("read_balance")) == {"balance": 0}


def test_a_client_that_is_killed_frees_its_place():
    program = (
        "import sys, time\n"
        "from seahaven.openenv import SeahavenClient\n"
        "env = SeahavenClient(sys.argv[1]); env.reset(); env.call('deposit', amount=1); print('ready', flush=True)\n"
        "time.sleep(60)"
    )
    with Server(max_sessions=1) as server:
        command = [sys.executable, "-c", program, server.url]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as client:
            assert client.stdout is not None
            assert client.stdout.readline() == "ready\n"
            client.kill()
        open_soon(server).connection.close()


def test_a_client_that_vanishes_in_the_middle_of_a_call_frees_its_place_before_the_call_ends(fixtures_dir):
    with Server(max_sessions=1) as server:
        socket = open_soon(server)
        socket.send({"type": "step", "data": {"tool_name": "slow", "arguments": {"s": 8}}})
        time.sleep(0.2)
        socket.abort()
        open_soon(server, within_s=4).connection.close()


def test_a_dropped_client_finds_its_instance_as_it_was(server):
    with server.socket() as socket:
        metadata = socket.reset(episode_id="kept", seed=1)["data"]["metadata"]
        socket.step("deposit", amount=7)
        socket.abort()
    with resume(server, metadata) as again:
        assert result(again.step("read_balance")) == {"balance": 7}
        state = again.state()
        assert (state["episode_id"], state["step_count"], state["seed"]) == ("kept", 2, 1)
        assert again.reset()["data"]["metadata"]["session_id"] == metadata["session_id"]


def test_resuming_takes_the_session_from_a_connection_that_only_seems_open(server):
    with server.socket() as half_open:
        metadata = half_open.reset()["data"]["metadata"]
        half_open.step("deposit", amount=7)
        with resume(server, metadata) as again:
            assert result(again.step("read_balance")) == {"balance": 7}
            assert code(half_open.read()) == "SESSION_ERROR"
            assert half_open.ends() == 1000
            assert result(again.step("read_balance")) == {"balance": 7}


def test_a_request_asked_again_after_a_drop_is_done_once(server):
    request = {
        "type": "step",
        "data": {"tool_name": "deposit", "arguments": {"amount": 5}, "metadata": {"request_id": "only-once"}},
    }
    with server.socket() as socket:
        metadata = socket.reset()["data"]["metadata"]
        first = socket.ask(request)
        socket.abort()
    with resume(server, metadata) as again:
        assert again.ask(request) == first
        assert again.state()["step_count"] == 1


def test_an_id_used_twice_on_one_connection_is_two_requests(server):
    request = {
        "type": "step",
        "data": {"tool_name": "deposit", "arguments": {"amount": 5}, "metadata": {"request_id": "again"}},
    }
    with server.socket() as socket:
        metadata = socket.reset(request_id="again")["data"]["metadata"]
        assert [result(socket.ask(request)) for _ in range(2)] == [5, 10]
        socket.abort()
    with resume(server, metadata) as again:
        assert [result(again.ask(request)) for _ in range(2)] == [10, 15]


def test_a_request_still_running_at_the_drop_is_answered_to_who_asks_again(server):
    request = {
        "type": "step",
        "data": {"tool_name": "slow", "arguments": {"s": 1.5}, "metadata": {"request_id": "long"}},
    }
    with server.socket() as socket:
        metadata = socket.reset()["data"]["metadata"]
        socket.send(request)
        time.sleep(0.2)
        socket.abort()
    with resume(server, metadata) as again:
        assert result(again.ask(request)) == {"slept": 1.5}
        assert again.state()["call_count"] == 1


def test_a_session_is_not_resumed_without_its_token(server):
    with server.socket() as socket:
        metadata = socket.reset()["data"]["metadata"]
        for query in ("", "&resume=", "&resume=guess"):
            with server.socket(f"/ws?session_id={metadata['session_id']}{query}") as thief:
                assert code(thief.read()) == "SESSION_ERROR"
                assert thief.ends() == 1000
        assert socket.state()["episode_id"]


def test_after_the_grace_period_the_session_is_gone_and_says_why(small):
    with small.socket() as socket:
        metadata = socket.reset()["data"]["metadata"]
        socket.abort()
    time.sleep(4)
    with resume(small, metadata) as again:
        answer = again.read()
        assert code(answer) == "SESSION_ERROR"
        assert "is gone: its client did not come back" in answer["data"]["message"]


def test_dropped_sessions_give_way_to_new_clients(small):
    with small.socket() as socket:
        metadata = socket.reset()["data"]["metadata"]
        socket.abort()
    with open_soon(small), open_soon(small), resume(small, metadata) as again:
        assert "its place was wanted" in again.read()["data"]["message"]


def test_after_a_restart_the_server_says_that_the_session_is_gone(server):
    with server.socket("/ws?session_id=3f4df489-689e-4864-bd6f-3e22c9d79e67&resume=x") as socket:
        answer = socket.read()
        assert code(answer) == "SESSION_ERROR"
        assert "gone, or the server was restarted" in answer["data"]["message"]


def test_a_silent_reconnect_is_told_that_an_episode_was_lost(small):
    with small.socket() as socket:
        socket.reset()
        socket.step("deposit", amount=1)
    with small.socket() as again:  # as the stock client does after a timeout
        assert again.state()["lost"] is True
        again.reset()
        assert "lost" not in again.state()
        again.send({"type": "close"})
        again.ends()
    with small.socket() as third:
        assert "lost" not in third.state()


def test_idle_sessions_are_ended_busy_ones_are_not():
    with Server(max_sessions=2, idle_timeout_s=1.5) as server, server.socket() as idle, server.socket() as busy:
        metadata = idle.reset()["data"]["metadata"]
        busy.reset()
        assert result(busy.step("slow", s=4)) == {"slept": 4.0}
        answer = idle.read()
        assert code(answer) == "SESSION_ERROR"
        assert "it was idle for 1.5 s" in answer["data"]["message"]
        assert idle.ends() == 1000
        with resume(server, metadata) as again:
            assert "it was idle for 1.5 s" in again.read()["data"]["message"]
        with server.socket() as socket:
            assert socket.reset()["type"] == "observation"


def test_a_call_over_its_limit_is_answered_and_its_episode_over(small):
    with small.socket() as socket, small.socket() as other:
        socket.reset()
        other.reset()
        frame = socket.step("spin")
        assert failure(frame)["error_type"] == "timeout"
        assert "took longer than 1 s" in failure(frame)["message"]
        for frame in (socket.step("read_balance"), socket.ask({"type": "state"})):
            assert code(frame) == "EXECUTION_ERROR"
            assert "This episode is over" in frame["data"]["message"]
            assert "Reset to start a new episode" in frame["data"]["message"]
        assert result(other.step("deposit", amount=1)) == 1
        assert socket.reset()["type"] == "observation"
        assert result(socket.step("deposit", amount=2)) == 2


def test_two_resets_at_once_are_both_answered(server):
    created = server.rpc("openenv/session/create")["result"]["session_id"]
    with server.socket(f"/ws?session_id={created}") as socket, ThreadPoolExecutor() as pool:
        for number in range(10):
            over_http = pool.submit(
                server.post, "/reset", {"episode_id": f"http-{number}"}, **{"X-Session-ID": created}
            )
            assert socket.reset(episode_id=f"socket-{number}")["type"] == "observation"
            assert over_http.result()[0] == 200
            assert socket.state()["episode_id"] in (f"socket-{number}", f"http-{number}")
            assert result(socket.step("deposit", amount=1)) == 1
    server.rpc("openenv/session/close", {"session_id": created})


def test_many_sessions_with_one_script_give_equal_documents(fixtures_dir):
    def play(server):
        with server.socket() as socket:
            socket.reset(world="lab", seed=11, now="2026-06-01T09:00:00Z", episode_id="same")
            for name in ("alpha", "beta"):
                socket.step("make_box", name=name)
                socket.step("put_item", box=name, label="pen")
            socket.step("draw")
            return socket.state()

    with Server(max_sessions=200) as server, ThreadPoolExecutor(50) as pool:
        documents = list(pool.map(play, [server] * 200))
    assert all(document == documents[0] for document in documents)
    assert len(documents[0]["state"]["db"]["log"]) == 4


def test_any_number_of_endless_calls_blocks_neither_other_clients_nor_the_end(fixtures_dir):
    with Server(max_sessions=64, call_timeout_s=30) as server:
        endless = [server.socket() for _ in range(16)]
        for socket in endless:
            socket.reset()
            socket.send({"type": "step", "data": {"tool_name": "spin"}})
        time.sleep(0.5)
        with server.socket() as socket:
            began = time.monotonic()
            socket.reset()
            for amount in range(1, 11):
                assert result(socket.step("deposit", amount=1)) == amount
            assert time.monotonic() - began < 10
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 10
        for socket in endless:
            with pytest.raises(ConnectionClosed):
                socket.read()


def test_descriptors_and_memory_are_flat_over_thousands_of_resets(fixtures_dir):
    def resets(socket, count):
        for seed in range(count):
            socket.reset(seed=seed)
            socket.step("deposit", amount=1)

    with Server(fixtures_dir=fixtures_dir) as server, server.socket() as socket:
        process = psutil.Process(server.process.pid)
        resets(socket, 500)
        descriptors, memory = process.num_fds(), process.memory_info().rss
        resets(socket, 5000)
        assert process.num_fds() == descriptors
        assert process.memory_info().rss - memory < 20e6
