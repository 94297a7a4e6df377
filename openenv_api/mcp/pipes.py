"""How do lines come in and go out over two file descriptors, without ever holding up the event loop?

A read or a write that blocks could not be interrupted by a signal, so nothing is read or written before it is possible.
"""

from __future__ import annotations

import asyncio
import os
import select
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable

#: So much can be written to a pipe or a socket that is ready for writing.
_PIECE = select.PIPE_BUF
_READ = 65536


def claim() -> tuple[int, int]:
    """Take the standard streams for the protocol; answers descriptors to read from and to write to.

    Whoever prints from now on prints to stderr, and whoever asks for input is at its end. It stays so: what Python has
    not written yet it writes when the process ends.
    """
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.flush()
    return incoming, outgoing


class Pipes:
    """Lines in, lines out. Made on a running loop; `on_broken` is called when nobody reads any more."""

    def __init__(self, incoming: int, outgoing: int, *, longest: int, on_broken: Callable[[], object]) -> None:
        self._incoming, self._outgoing, self._longest = incoming, outgoing, longest
        self._loop = asyncio.get_running_loop()
        self._ready = select.poll()
        self._ready.register(outgoing, select.POLLOUT)
        self._unsent: deque[memoryview] = deque()
        self._is_waiting = False
        self._on_broken = on_broken
        self._is_broken = False

    # In.

    async def lines(self) -> AsyncIterator[bytes | None]:
        """Every line, without its end; None for one that is too long."""
        begun, is_too_long = bytearray(), False
        while data := await self._read():
            *ends, rest = data.split(b"\n")
            for end in ends:
                begun += end
                yield None if is_too_long or len(begun) > self._longest else bytes(begun)
                begun, is_too_long = bytearray(), False
            begun += rest
            if len(begun) > self._longest:
                begun, is_too_long = bytearray(), True
        if begun:
            yield bytes(begun)

    async def _read(self) -> bytes:
        """What there is to read; nothing at the end."""
        arrived = asyncio.Event()
        try:
            self._loop.add_reader(self._incoming, arrived.set)
        except PermissionError:  # a file, which is always ready
            return os.read(self._incoming, _READ)
        try:
            await arrived.wait()
        finally:
            self._loop.remove_reader(self._incoming)
        try:
            return os.read(self._incoming, _READ)
        except ConnectionResetError:
            return b""

    # Out.

    def write(self, line: bytes) -> None:
        """Send a line, at once as far as that is possible."""
        if not self._is_broken:
            self._unsent.append(memoryview(line + b"\n"))
            if not self._is_waiting:
                self._send()

    def _send(self) -> None:
        try:
            while self._unsent and self._ready.poll(0):
                sent = os.write(self._outgoing, self._unsent[0][:_PIECE])
                self._unsent[0] = self._unsent[0][sent:]
                if not self._unsent[0]:
                    self._unsent.popleft()
        except OSError:
            self._is_broken = True
            self._unsent.clear()
            self._on_broken()
        self._wait_if(bool(self._unsent))

    def _wait_if(self, has_more: bool) -> None:
        if has_more and not self._is_waiting:
            self._loop.add_writer(self._outgoing, self._send)
        elif self._is_waiting and not has_more:
            self._loop.remove_writer(self._outgoing)
        self._is_waiting = has_more

    async def flush(self, within_s: float) -> None:
        """Wait until everything is sent, but not for a client that does not read."""
        until = self._loop.time() + within_s
        while self._unsent and self._loop.time() < until:
            await asyncio.sleep(0.01)
