"""How do lines come in and go out over two file descriptors?"""

import asyncio
import os
import socket

import pytest

from openenv_api.mcp.pipes import Pipes


@pytest.fixture
def pair():
    """A pipe to read from and one to write to, and their other ends."""
    incoming, feed = os.pipe()
    sink, outgoing = os.pipe()
    ends = [incoming, feed, sink, outgoing]
    yield ends
    for end in ends:
        os.close(end)


async def lines_of(pipes):
    return [line async for line in pipes.lines()]


async def test_lines_come_whole_however_they_are_cut(pair):
    incoming, feed, _, outgoing = pair
    pipes = Pipes(incoming, outgoing, longest=100, on_broken=list)
    reading = asyncio.create_task(lines_of(pipes))
    for piece in (b"on", b"e\ntwo\n", b"\n", b"x" * 101, b"\nthr", b"ee\n", b"y" * 100 + b"\nlast"):
        os.write(feed, piece)
        await asyncio.sleep(0.01)
    os.close(feed)
    pair.remove(feed)
    assert await reading == [b"one", b"two", b"", None, b"three", b"y" * 100, b"last"]


async def test_a_line_too_long_does_not_pile_up(pair):
    incoming, feed, _, outgoing = pair
    pipes = Pipes(incoming, outgoing, longest=100, on_broken=list)
    reading = asyncio.create_task(lines_of(pipes))
    for _ in range(50):
        os.write(feed, b"x" * 1000)
        await asyncio.sleep(0)
    os.write(feed, b"\nnext\n")
    os.close(feed)
    pair.remove(feed)
    assert await reading == [None, b"next"]


async def test_a_file_is_read_and_written_too(tmp_path):
    (tmp_path / "in").write_bytes(b"one\ntwo\n")
    with open(tmp_path / "in", "rb") as file, open(tmp_path / "out", "wb") as out:
        pipes = Pipes(file.fileno(), out.fileno(), longest=100, on_broken=list)
        for line in await lines_of(pipes):
            pipes.write(line * 5000)
    assert (tmp_path / "out").read_bytes() == b"one" * 5000 + b"\n" + b"two" * 5000 + b"\n"


@pytest.mark.parametrize("kind", ["pipe", "socket"])
async def test_more_than_fits_is_sent_when_there_is_room(pair, kind):
    incoming, _, sink, outgoing = pair
    ours, theirs = socket.socketpair()
    with ours, theirs:
        if kind == "socket":
            sink, outgoing = theirs.fileno(), ours.fileno()
        pipes = Pipes(incoming, outgoing, longest=100, on_broken=list)
        sent = [bytes([number]) * 300_000 for number in (65, 66, 67)]
        for line in sent:
            pipes.write(line)
        await pipes.flush(0.05)
        received = bytearray()
        os.set_blocking(sink, False)
        async with asyncio.timeout(5):
            while len(received) < 900_003:
                await asyncio.sleep(0)
                try:
                    received += os.read(sink, 100_000)
                except BlockingIOError:
                    await asyncio.sleep(0.001)
        assert bytes(received) == b"\n".join(sent) + b"\n"
        assert not pipes._unsent


async def test_a_reader_that_is_gone_is_told_of_once(pair):
    incoming, _, sink, outgoing = pair
    broken = []
    pipes = Pipes(incoming, outgoing, longest=100, on_broken=lambda: broken.append(1))
    os.close(sink)
    pair.remove(sink)
    pipes.write(b"one")
    pipes.write(b"two")
    await pipes.flush(1)
    assert broken == [1]
