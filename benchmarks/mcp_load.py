"""What does a client see of an MCP server, over HTTP or over a pipe?

A client that does no more than the protocol asks for, so that what is measured is the server.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson

ROOT = Path(__file__).resolve().parent.parent
VERSION = "2025-11-25"
JSON = "application/json"
#: What an SDK's client accepts; the server then answers each call with a stream of events.
STREAMS = f"{JSON}, text/event-stream"
HELLO = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}


class Failed(RuntimeError):
    """The server answered something else than a result."""


class Connection:
    """One HTTP/1.1 connection that is kept open."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._host, self._port = parts.hostname, parts.port or 80
        self._target = parts.path + (f"?{parts.query}" if parts.query else "")
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter | None = None

    async def send(self, method: str, headers: Mapping[str, str], body: bytes = b"") -> tuple[int, dict[str, str]]:
        """Ask, and answer the status and the headers."""
        if self._writer is None or self._reader.at_eof():  # a server closes a connection that was idle for long
            await self.close()
            self._reader, self._writer = await asyncio.open_connection(self._host, self._port)
        sent = {"host": f"{self._host}:{self._port}", "content-length": str(len(body)), **headers}
        lines = [f"{method} {self._target} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
        self._writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        found = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        return int(head[0].split()[1]), found

    async def body(self, headers: Mapping[str, str]) -> bytes:
        """All of the body."""
        if "content-length" in headers:
            return await self._reader.readexactly(int(headers["content-length"]))
        body = b""
        while chunk := await self._chunk():
            body += chunk
        return body

    async def _chunk(self) -> bytes:
        size = int(await self._reader.readline(), 16)
        chunk = await self._reader.readexactly(size)
        await self._reader.readexactly(2)
        return chunk

    async def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            with suppress(OSError):
                await self._writer.wait_closed()


class HttpClient:
    """One MCP session over Streamable HTTP."""

    def __init__(self, url: str, *, accept: str = STREAMS) -> None:
        self._calls, self._stream = Connection(url), Connection(url)
        self._headers = {"accept": accept, "content-type": JSON, "mcp-protocol-version": VERSION}
        self._number = 0

    async def open(self, *, listens: bool = False) -> HttpClient:
        """Initialize; `listens` opens the stream on which a server may speak up, as SDKs do."""
        await self.request("initialize", HELLO)
        await self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        if listens:
            status, _ = await self._stream.send("GET", self._headers)
            if status != 200:
                raise Failed(f"the stream was answered with {status}")
        return self

    async def request(self, method: str, params: Mapping[str, Any]) -> Any:
        self._number += 1
        answer = await self._post({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return _result_of(answer)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        return _content_of(await self.request("tools/call", {"name": tool, "arguments": arguments}))

    async def _post(self, message: Mapping[str, Any]) -> Any:
        status, headers = await self._calls.send("POST", self._headers, orjson.dumps(message))
        if "mcp-session-id" in headers:
            self._headers["mcp-session-id"] = headers["mcp-session-id"]
        body = await self._calls.body(headers)
        if headers.get("content-type", "").startswith("text/event-stream"):
            data = [line[5:] for line in body.split(b"\r\n") if line.startswith(b"data:") and len(line) > 6]
            body = data[-1]
        if status not in (200, 202):
            raise Failed(f"{status}: {body.decode():.300}")
        return orjson.loads(body) if body else None

    async def close(self) -> None:
        """End the session."""
        status, headers = await self._calls.send("DELETE", self._headers)
        await self._calls.body(headers)
        await self.drop()
        if status != 200:
            raise Failed(f"DELETE was answered with {status}")

    async def drop(self) -> None:
        """Vanish."""
        await self._calls.close()
        await self._stream.close()


class PipeClient:
    """One server process of its own, over stdio."""

    def __init__(self, *options: str) -> None:
        self._options = options
        self._process: asyncio.subprocess.Process
        self._number = 0

    async def open(self) -> PipeClient:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "manage.py", "seahaven_mcp", *self._options,
            stdin=-1, stdout=-1, cwd=ROOT, limit=64 * 1024 * 1024,
        )  # fmt: skip
        await self.request("initialize", HELLO)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    @property
    def pid(self) -> int:
        return self._process.pid

    async def request(self, method: str, params: Mapping[str, Any]) -> Any:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self._process.stdout is not None
        return _result_of(orjson.loads(await self._process.stdout.readline()))

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        return _content_of(await self.request("tools/call", {"name": tool, "arguments": arguments}))

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(orjson.dumps(message) + b"\n")

    async def close(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        await self._process.wait()


def _result_of(answer: Any) -> Any:
    if "result" not in answer:
        raise Failed(f"{answer.get('error')}")
    return answer["result"]


def _content_of(result: Any) -> Any:
    if result["isError"]:
        raise Failed(f"{result['structuredContent']}")
    return result["structuredContent"]
