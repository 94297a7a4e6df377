"""Which piece of an instance's logs does a reader want?

The logs grow with the run, so what a door shows of them is cut here and never copied whole.
"""

from __future__ import annotations

from typing import Any

from worlds.engine.instance import Instance


def calls(inst: Instance, start: int, stop: int, *, results: bool = False) -> tuple[list[dict[str, Any]], int]:
    """The calls from one ordinal to before another, and how many there are in all.

    Shape: {"ordinal", "tool", "arguments", "error", "tool_error"}, with `results` "result" besides; `error` is what the
           state document has, `tool_error` the refusal whole.
    """
    with inst.reading() as at:
        found = at.calls[start:stop]
        total = len(at.calls)
    shown = (record.as_dict(with_result=results) | {"tool_error": record.tool_error} for record in found)
    return [{"ordinal": ordinal, **record} for ordinal, record in enumerate(shown, start)], total


def changes(inst: Instance, start: int = 0, stop: int | None = None) -> tuple[list[bytes], int]:
    """The change records from one `seq` to before another, each as JSON, and how many there are in all."""
    with inst.reading() as at:
        return at.log.records[start:stop], len(at.log.records)


def changes_of_call(inst: Instance, call: int) -> list[bytes]:
    """The change records of one call, each as JSON."""
    with inst.reading() as at:
        return [record for record, made_by in zip(at.log.records, at.log.calls, strict=True) if made_by == call]


def change_count(inst: Instance) -> int:
    """How many change records there are."""
    with inst.reading() as at:
        return len(at.log.records)
