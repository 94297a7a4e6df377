"""How is a draft kept, so that nothing of it is lost when the server goes down?

A journal is a file of JSON lines: the first says what the draft begins with, each other one is an edit with the rows it
changed, or takes the last edit back. A line is on the disk before whoever made the edit is answered. Lines are only
ever added, so what was taken back is still there to read.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings

FORMAT = "seahaven.draft/1"


class JournalError(Exception):
    """A journal that cannot be read or written; the message says which, where, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What somebody did to one row, in words."""

    action: str  # "add", "change" or "delete"
    model: str
    key: str
    name: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What one request changed."""

    at: str
    by: str
    node: str
    acts: tuple[Act, ...]
    #: Numbers of the world's own counter that were given out.
    numbers: int
    records: list[dict[str, Any]]

    def as_line(self) -> dict[str, Any]:
        acts = [{name: getattr(act, name) for name in Act.__slots__} for act in self.acts]
        told = {name: getattr(self, name) for name in ("at", "by", "node", "numbers", "records")}
        return {"kind": "edit", **told, "acts": acts}

    @classmethod
    def of(cls, line: dict[str, Any]) -> Edit:
        told = {name: line[name] for name in ("at", "by", "node", "numbers", "records")}
        return cls(**told, acts=tuple(Act(**act) for act in line["acts"]))


@dataclass(slots=True)
class Journal:
    """A journal as it was read."""

    file: Path
    world: str
    #: How the fixture it begins with is named in a state document, checksums and all; None for a blank beginning.
    fixture: dict[str, Any] | None
    seed: int
    #: When it begins, where that is not when its fixture was frozen.
    now: str | None
    edits: list[Edit] = field(default_factory=list)
    #: How long the file is, up to the end of the last whole line.
    size: int = 0
    #: How long the file was when it was read or written last; more than `size` where half a line is at its end.
    seen: int = 0

    def add(self, edit: Edit) -> None:
        """Keep an edit; it is on the disk when this returns.

        Raises: JournalError.
        """
        self._append(edit.as_line())
        self.edits.append(edit)

    def take_back(self, at: str, by: str) -> Edit:
        """Take the last edit back.

        Raises: JournalError, also when there is none.
        """
        if not self.edits:
            raise JournalError("There is no edit to take back.")
        self._append({"kind": "undo", "at": at, "by": by})
        return self.edits.pop()

    def begin_with(self, fixture: dict[str, Any], at: str, by: str) -> None:
        """Let the edits stand on the fixture as it is now.

        Raises: JournalError.
        """
        self._append({"kind": "parent", "at": at, "by": by, "fixture": fixture})
        self.fixture = fixture

    def _append(self, line: dict[str, Any]) -> None:
        data = orjson.dumps(line) + b"\n"
        try:
            with self.file.open("r+b") as opened:
                opened.seek(self.size)
                if b"\n" in opened.read():
                    raise JournalError("Somebody else edited this draft at the same moment; nothing was changed here.")
                opened.truncate(self.size)  # half a line is of an edit that nobody was told is kept
                opened.seek(self.size)
                opened.write(data)
                opened.flush()
                os.fsync(opened.fileno())
        except OSError as error:
            with suppress(OSError):
                os.truncate(self.file, self.size)  # what may be there in part, or not stay
            raise JournalError(
                f"{self.file}: {error.strerror}; nothing was changed. Mend that and try again."
            ) from None
        self.size += len(data)
        self.seen = self.size


def file_of(draft_id: object) -> Path:
    """Where the journal of a draft is."""
    return Path(settings.SEAHAVEN_VAR_DIR) / "drafts" / f"{draft_id}.jsonl"


def begin(draft_id: object, *, world: str, fixture: dict[str, Any] | None, seed: int, now: str | None) -> Journal:
    """A new journal, which appears complete or not at all.

    Raises: JournalError.
    """
    file = file_of(draft_id)
    head = {"format": FORMAT, "world": world, "fixture": fixture, "seed": seed, "now": now}
    data = orjson.dumps(head) + b"\n"
    part = file.with_name(f".{file.name}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        part.replace(file)
    except OSError as error:
        raise JournalError(f"{file}: {error.strerror}; the draft was not made.") from None
    return Journal(file, world, fixture, seed, now, size=len(data), seen=len(data))


def read(draft_id: object) -> Journal:
    """The journal of a draft; half a line at its end, which a crash may have left, is passed over.

    Raises: JournalError naming the file and the line.
    """
    file = file_of(draft_id)
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        raise JournalError(f"{file} is gone, and with it the draft's edits: put it back from a copy.") from None
    except OSError as error:
        raise JournalError(f"{file}: {error.strerror}.") from None
    whole = data[: data.rfind(b"\n") + 1]
    journal: Journal | None = None
    for number, text in enumerate(whole.split(b"\n")[:-1], 1):
        try:
            line = orjson.loads(text)
            if journal is None:
                if line["format"] != FORMAT:
                    raise ValueError(f"its format is {line['format']!r:.40}, this version reads {FORMAT}")
                told = {name: line[name] for name in ("world", "fixture", "seed", "now")}
                journal = Journal(file, **told, size=len(whole), seen=len(data))
            else:
                _take(journal, line)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise JournalError(f"{file}:{number}: damaged ({error}); put the file back from a copy.") from None
    if journal is None:
        raise JournalError(f"{file} is empty; put it back from a copy, or delete the draft.")
    return journal


def _take(journal: Journal, line: dict[str, Any]) -> None:
    kind = line["kind"]
    if kind == "edit":
        journal.edits.append(Edit.of(line))
    elif kind == "undo":
        journal.edits.pop()
    elif kind == "parent":
        journal.fixture = line["fixture"]
    else:
        raise ValueError(f"a line of kind {kind!r:.40}")
