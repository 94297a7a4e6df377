"""Does a migration write rows with a time or a chance that no instance has?

Inside an instance SQL reads the instance's clock. A migration runs when an image is built, on a clock that stands still
at one constant; what a table's default or a trigger says is run later, and is fine.
"""

from __future__ import annotations

import ast
import re
import sqlite3
from collections.abc import Iterator

from worlds.engine.checking.findings import Finding
from worlds.engine.checking.sources import Function, Source
from worlds.engine.checking.targets import Target
from worlds.engine.checking.time_and_chance import DJANGO_CLOCKS

_WRITING = re.compile(r"\s*(?:WITH|INSERT|UPDATE|REPLACE)\b", re.IGNORECASE)
_COMMENT_OR_TEXT = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", re.DOTALL)
_FOREIGN = re.compile(
    r"\bCURRENT_(?:TIMESTAMP|DATE|TIME)\b"
    r"|\b(?:date|time|datetime|julianday|unixepoch)\s*\(\s*(?:'now'|\))"
    r"|\bstrftime\s*\(\s*'[^']*'\s*(?:,\s*'now'|\))"
    r"|\brandom\s*\(\s*\)|\brandomblob\s*\(",
    re.IGNORECASE,
)
_EXPRESSIONS = {"django.db.models.functions.Now", "django.db.models.functions.Random"}
_HINT = "write the value itself, or leave it to a recipe or a start-up hook, which have the instance's clock"


def check(target: Target) -> Iterator[Finding]:
    """W105: in the SQL of RunSQL, and in the functions that RunPython is given."""
    for source in target.within("migrations"):
        for node in source.nodes:
            if not isinstance(node, ast.Call):
                continue
            kind = ast.unparse(node.func).rpartition(".")[2]
            if kind == "RunSQL" and node.args:
                for line, text in _in_sql(source, node.args[0]):
                    yield _finding(target, source, line, text)
            elif kind == "RunPython" and node.args and isinstance(node.args[0], ast.Name):
                for line, text in _in_python(source, node.args[0].id):
                    yield _finding(target, source, line, text)


def _finding(target: Target, source: Source, line: int, text: str) -> Finding:
    message = f"{text} in a migration is read when an image is built, not in the instance"
    return Finding("worlds.W105", message, _HINT, source.file, line, line, target.name)


def _in_sql(source: Source, given: ast.expr) -> Iterator[tuple[int, str]]:
    named = {
        node.targets[0].id: node.value
        for node in source.tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    if isinstance(given, ast.Name):
        given = named.get(given.id, given)
    for node in ast.walk(given):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for offset, found in foreign_sql(node.value):
                last = node.end_lineno or node.lineno
                yield min(node.lineno + node.value.count("\n", 0, offset), last), found


def foreign_sql(script: str) -> Iterator[tuple[int, str]]:
    """Where statements that write rows read the clock or draw chance."""
    begin = 0
    for end in (*(match.end() for match in re.finditer(";", script)), len(script)):
        statement = script[begin:end]
        if end < len(script) and not sqlite3.complete_statement(statement):
            continue  # inside a trigger, or a text
        bare = _COMMENT_OR_TEXT.sub(_blanked, statement)
        if _WRITING.match(bare):
            for match in _FOREIGN.finditer(bare):
                yield begin + match.start(), match.group().rstrip("( ")
        begin = end


def _blanked(match: re.Match[str]) -> str:
    """Comments and texts as blanks, so that places stay; 'now' and formats are what is looked for."""
    text = match.group()
    if text[0] == "'" and (text.lower() == "'now'" or "%" in text):
        return text
    return f"'{'_' * (len(text) - 2)}'" if text[0] == "'" else re.sub(r"[^\n]", " ", text)


def _in_python(source: Source, name: str) -> Iterator[tuple[int, str]]:
    for function in source.tree.body:
        if isinstance(function, Function) and function.name == name:
            for node in ast.walk(function):
                dotted = source.dotted(node.func) if isinstance(node, ast.Call) else None
                if isinstance(node, ast.Call) and (dotted in DJANGO_CLOCKS or dotted in _EXPRESSIONS):
                    yield node.lineno, str(dotted)
