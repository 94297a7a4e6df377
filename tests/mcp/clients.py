"""How does a test talk to a server as a client of the SDK does, and as no client would?"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, contextmanager

import httpx
from mcp import Client
from mcp.shared.exceptions import MCPError

VERSION = "2025-11-25"
HELLO = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
BOTH = "application/json, text/event-stream"


@asynccontextmanager
async def refused(code: int | None = None) -> AsyncIterator[list[MCPError]]:
    """A block in which the server refuses; answers a list that will hold the error."""
    found: list[MCPError] = []
    try:
        yield found
    except* MCPError as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            (error,) = error.exceptions
        assert isinstance(error, MCPError)
        found.append(error)
    assert found, "nothing was refused"
    assert code is None or found[0].code == code, found[0]


async def refusal_to_open(url):
    """The error of a client that is not let in."""
    async with refused() as found, Client(url):
        pass
    return found[0]


def text_of(result):
    """The text of a result, which is one block."""
    (block,) = result.content
    return block.text


async def read(client, uri):
    """The text of a resource."""
    (page,) = (await client.read_resource(uri)).contents
    return page.text


async def settled(is_so, within_s=5.0):
    """Wait until something is so."""
    async with asyncio.timeout(within_s):
        while not is_so():
            await asyncio.sleep(0.01)


def request(method, params=None, id=1):
    message = {"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})}
    return message if id is None else {**message, "id": id}


class Raw:
    """An MCP session that says exactly what it is told to."""

    def __init__(self, url, accept=BOTH, **headers):
        self.http = httpx.Client(timeout=30, headers={"Accept": accept, "MCP-Protocol-Version": VERSION, **headers})
        self.url = url

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.http.close()

    def post(self, body, **headers):
        """Send anything; answers the response."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.http.post(self.url, content=content, headers={"Content-Type": "application/json", **headers})

    def stream(self, message):
        """Send a message; the response is read by and by, in a block."""
        headers = {"Content-Type": "application/json"}
        return self.http.stream("POST", self.url, content=json.dumps(message), headers=headers)

    def open(self):
        response = self.post(request("initialize", HELLO))
        assert response.status_code == 200, response.text
        self.http.headers["Mcp-Session-Id"] = response.headers["mcp-session-id"]
        assert self.post(request("notifications/initialized", id=None)).status_code == 202
        return self

    def ask(self, method, params=None, id=2):
        return message_of(self.post(request(method, params, id)))

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]["structuredContent"]

    def delete(self):
        return self.http.delete(self.url).status_code


@contextmanager
def raw(url, **options):
    with Raw(url, **options) as session:
        yield session.open()


def message_of(response):
    """The last JSON-RPC message of a response, whichever form it has."""
    if response.headers["content-type"].startswith("text/event-stream"):
        lines = [line.removeprefix("data:").strip() for line in response.text.splitlines() if line.startswith("data:")]
        return json.loads([line for line in lines if line][-1])
    return response.json()
