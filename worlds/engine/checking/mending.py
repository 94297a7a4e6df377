"""How are the edits of findings made, so that a file is either mended or left as it was?"""

from __future__ import annotations

import ast
import difflib
from codecs import BOM_UTF8
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from worlds.engine.checking.findings import Edit, Finding, shown


@dataclass(frozen=True, slots=True)
class Mended:
    """What was done to one file, and which findings that mends."""

    file: Path
    diff: str
    findings: tuple[Finding, ...]


def mend(findings: Iterable[Finding]) -> list[Mended]:
    """Make every edit there is, file by file; those that would cross another, or break a file, are left out.

    Edits of one finding are made together or not at all.
    """
    wanted = [each for each in findings if each.edits]
    wanted = [each for each in wanted if all(_is_utf8(edit.file) for edit in each.edits)]
    texts = {edit.file: edit.file.read_bytes() for each in wanted for edit in each.edits}
    made: dict[Path, list[Edit]] = {file: [] for file in texts}
    done: list[Finding] = []
    for finding in wanted:
        fresh = [edit for edit in finding.edits if edit not in made[edit.file]]
        if any(_cross(edit, other) for edit in fresh for other in made[edit.file]):
            continue
        tried = {edit.file: [*made[edit.file], *(each for each in fresh if each.file == edit.file)] for edit in fresh}
        if all(_is_python(file, _applied(texts[file], edits)) for file, edits in tried.items()):
            made.update(tried)
            done.append(finding)
    mended = []
    for file, edits in made.items():
        if not edits:
            continue
        before, after = texts[file], _applied(texts[file], edits)
        file.write_bytes(after)
        here = tuple(each for each in done if any(edit.file == file for edit in each.edits))
        mended.append(Mended(file, _diff(file, before, after), here))
    return mended


def _is_utf8(file: Path) -> bool:
    """Are its places those of its bytes? Of a file in another encoding they are not, and it is left alone."""
    try:
        file.read_bytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def _offset(lines: list[bytes], line: int, column: int) -> int:
    return sum(len(each) for each in lines[: line - 1]) + column


def _applied(text: bytes, edits: Iterable[Edit]) -> bytes:
    if text.startswith(BOM_UTF8):
        return BOM_UTF8 + _applied(text.removeprefix(BOM_UTF8), edits)
    lines = text.splitlines(keepends=True)
    places = [
        (_offset(lines, each.line, each.column), _offset(lines, each.end_line, each.end_column), number, each.text)
        for number, each in enumerate(edits)
    ]
    for start, end, _, new in sorted(places, reverse=True):
        text = text[:start] + new.encode() + text[end:]
    return text


def _cross(one: Edit, other: Edit) -> bool:
    """Do two edits touch the same text? Two lines put in at one place do not."""
    begin, end = (one.line, one.column), (one.end_line, one.end_column)
    other_begin, other_end = (other.line, other.column), (other.end_line, other.end_column)
    if begin == end and other_begin == other_end:
        return begin == other_begin and not (one.text.endswith("\n") and other.text.endswith("\n"))
    return begin < other_end and other_begin < end


def _is_python(file: Path, text: bytes) -> bool:
    try:
        ast.parse(text, str(file))
    except (SyntaxError, ValueError):
        return False
    return True


def _diff(file: Path, before: bytes, after: bytes) -> str:
    name = shown(file)
    return "".join(
        difflib.unified_diff(
            before.decode().splitlines(keepends=True),
            after.decode().splitlines(keepends=True),
            f"{name} (before)",
            f"{name} (after)",
        )
    )
