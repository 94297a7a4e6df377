"""How is a call made again from elsewhere: from Python, with curl, over MCP?"""

from __future__ import annotations

import json
import keyword
import shlex
from typing import Any, NamedTuple

import orjson

from worlds.engine import Instance
from worlds.engine.calls import CallRecord
from worlds.engine.clock import iso
from worlds.engine.hosting import Hosted
from worlds.engine.moves import Advance, Between

#: With so many calls before it a run is not written out call by call.
MOST_CALLS = 60
#: A longer snippet is nothing to paste.
MOST_CHARACTERS = 100_000
#: Stands where a viewer is not told the token.
NO_TOKEN = "<agent token>"


class Snippet(NamedTuple):
    """A text to paste; `about` says what it does."""

    id: str
    label: str
    about: str
    text: str


class Run(NamedTuple):
    """What leads to a call, and how it all began."""

    world: str
    start: dict[str, Any]
    moves: list[CallRecord | Between]
    #: Calls that are not among the moves, for there are too many.
    left_out: int
    call: CallRecord


def run_of(inst: Instance, ordinal: int) -> Run:
    """What is needed to write a call down."""
    with inst.reading() as at:
        first = 0 if ordinal <= MOST_CALLS else ordinal
        moves: list[CallRecord | Between] = []
        waiting = [move for move in at.between if move.calls <= ordinal and not first]
        for number in range(first, ordinal):
            moves += [move for move in waiting if move.calls == number]
            moves.append(at.calls[number])
        moves += [move for move in waiting if move.calls == ordinal]
        given = inst.start
        begins = given.now is not None or given.fixture is None
        start = {
            "seed": given.seed,
            "now": iso(at.clock.position()[0]) if begins else None,
            "clock_mode": given.clock_mode,
            "startup": inst.given["startup"] or None,
            "setup_sql": given.setup_sql,
        }
        options = {"fixture": given.fixture, **{name: value for name, value in start.items() if value is not None}}
        return Run(inst.world.name, options, moves, first, at.calls[ordinal])


def snippets(hosted: Hosted, run: Run, base_url: str, *, may_call: bool) -> list[Snippet]:
    """The call, ready to paste. The token is told only to those who may call tools here themselves."""
    if len(run.call.arguments) > MOST_CHARACTERS:
        return []
    begins = "Begins an instance of its own, and makes every call up to this one."
    if run.left_out:
        begins = (
            f"Begins an instance of its own, and makes this call alone: the {run.left_out:,} before it are left out."
        )
    token = hosted.agent_token if may_call else NO_TOKEN
    there = [
        Snippet("python", "Python", f"{begins} Talks to this server.", client(run, base_url)),
        Snippet("in-process", "Python, without a server", begins, in_process(run)),
        Snippet("curl", "curl", "Makes the call once more, in this instance.", curl(hosted.id, run.call, base_url)),
        Snippet(
            "mcp",
            "MCP",
            "Makes the call once more, in this instance, with the official SDK.",
            mcp(run, base_url, token),
        ),
    ]
    return [snippet for snippet in there if len(snippet.text) <= MOST_CHARACTERS]


def client(run: Run, base_url: str) -> str:
    """With the client that needs no Django."""
    lines = [
        "from seahaven.openenv import SeahavenClient",
        "",
        f"with SeahavenClient(base_url={base_url!r}, world={run.world!r}) as env:",
        f"    env.reset({_keywords(run.start)})",
    ]
    for move in run.moves:
        if isinstance(move, CallRecord):
            lines.append(f"    env.call({_arguments(move)})")
        else:
            lines.append(f"    # {_what(move)}: nothing that a trainer does")
    return "\n".join([*lines, f"    print(env.call({_arguments(run.call)}))", ""])


def in_process(run: Run) -> str:
    """With the package itself."""
    options = {name: value for name, value in run.start.items() if name != "fixture"}
    began = ", ".join(filter(None, [repr(run.start["fixture"]), _keywords(options)]))
    fails = any(isinstance(move, CallRecord) and move.error is not None for move in run.moves)
    lines = [
        *(["from contextlib import suppress", ""] if fails else []),
        "import seahaven",
        "",
        f"with seahaven.world({run.world!r}).instance({began}) as inst:",
    ]
    for move in run.moves:
        if isinstance(move, CallRecord):
            indent = "    "
            if move.error is not None:
                lines.append("    with suppress(Exception):  # it was refused then, too")
                indent = "        "
            lines.append(f"{indent}inst.call({_arguments(move)})")
        elif isinstance(move, Advance):
            lines.append(f"    inst.advance(milliseconds={move.ms})")
        else:
            lines.append(f"    # {_what(move)}: see the episode")
    return "\n".join([*lines, f"    print(inst.call({_arguments(run.call)}))", ""])


def curl(instance_id: str, call: CallRecord, base_url: str) -> str:
    """With nothing but curl. A server with keys is shown the one in SEAHAVEN_KEY."""
    body = json.dumps({"tool": call.tool, "arguments": orjson.loads(call.arguments)}, ensure_ascii=False)
    return (
        f"curl -s {shlex.quote(f'{base_url}/api/v1/instances/{instance_id}/calls')} \\\n"
        "  -H 'Content-Type: application/json' ${SEAHAVEN_KEY:+-H \"X-API-Key: $SEAHAVEN_KEY\"} \\\n"
        f"  -d {shlex.quote(body)}\n"
    )


def mcp(run: Run, base_url: str, token: str) -> str:
    """With the official SDK of MCP, as a second client of the instance."""
    return f"""import asyncio
from mcp import Client

async def main():
    async with Client({f"{base_url}/mcp/{run.world}?instance={token}"!r}) as client:
        answer = await client.call_tool({run.call.tool!r}, {orjson.loads(run.call.arguments)!r})
        print(answer.structured_content)

asyncio.run(main())
"""


def _arguments(call: CallRecord) -> str:
    given = _keywords(orjson.loads(call.arguments))
    return f"{call.tool!r}, {given}" if given else repr(call.tool)


def _keywords(given: dict[str, Any]) -> str:
    """As keyword arguments, those that are no names of Python's in a dictionary."""
    names = {name: value for name, value in given.items() if _is_name(name)}
    others = {name: value for name, value in given.items() if name not in names}
    parts = [f"{name}={value!r}" for name, value in names.items()]
    return ", ".join([*parts, f"**{others!r}"] if others else parts)


def _is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier() and not keyword.iskeyword(text)


def _what(move: Between) -> str:
    return f"here {type(move).__name__.lower()} took place" if not isinstance(move, Advance) else "here the clock moved"
