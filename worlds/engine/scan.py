"""Where does a world's code read the host's clock, or draw chance that is not the instance's?"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CLOCKS = {
    "datetime.datetime.now": "ctx.clock.now()",
    "datetime.datetime.utcnow": "ctx.clock.now()",
    "datetime.datetime.today": "ctx.clock.now()",
    "datetime.date.today": "ctx.clock.now().date()",
    "time.time": "ctx.clock.ms()",
    "time.time_ns": "ctx.clock.ms()",
    "time.monotonic": "ctx.clock.ms()",
    "time.monotonic_ns": "ctx.clock.ms()",
    "time.perf_counter": "ctx.clock.ms()",
    "time.perf_counter_ns": "ctx.clock.ms()",
    "time.gmtime": "ctx.clock.now()",
    "time.localtime": "ctx.clock.now()",
}
CHANCE = {
    "uuid.uuid1": "ctx.ids.uuid()",
    "uuid.uuid4": "ctx.ids.uuid()",
    "os.urandom": "ctx.random.randbytes(n)",
    "secrets": "ctx.ids.token(n)",
    "random": "ctx.random",
    "django.utils.crypto.get_random_string": "ctx.ids.token(n)",
}
#: A generator of one's own draws nothing from the host when it is seeded.
_GENERATOR = "random.Random"
_SILENCED = re.compile(r"#\s*worlds\.(?P<id>[EW]\d{3}):\s*\S")


class Finding(NamedTuple):
    """A place in world code: the name used there, and what to write instead."""

    file: Path
    line: int
    name: str
    instead: str
    kind: str


def python_files(folder: Path) -> list[Path]:
    """A world's own modules, its migrations among them."""
    return sorted(file for file in folder.rglob("*.py") if "__pycache__" not in file.parts)


def is_silenced(lines: list[str], line: int, check_id: str) -> bool:
    """Does the line carry `# worlds.E201: why`?"""
    match = _SILENCED.search(lines[line - 1]) if 0 < line <= len(lines) else None
    return match is not None and f"worlds.{match['id']}" == check_id


def foreign_time_and_chance(file: Path) -> Iterator[Finding]:
    """Uses of the host's clock ("clock") or of outside chance ("chance"), called or handed on, as in a default."""
    tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
    names = _imported(tree)
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    bare_calls = {
        id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call) and not (node.args or node.keywords)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name | ast.Attribute) or id(node) in inner:
            continue
        dotted = _dotted(node, names)
        if dotted is None or (dotted == _GENERATOR and id(node) not in bare_calls):
            continue
        for table, kind in ((CLOCKS, "clock"), (CHANCE, "chance")):
            found = next((name for name in table if dotted == name or dotted.startswith(f"{name}.")), None)
            if found is not None:
                yield Finding(file, node.lineno, dotted, table[found], kind)


def instances_opened(file: Path) -> Iterator[int]:
    """Lines that call `.instance(…)`."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"), str(file))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "instance":
            yield node.lineno


def _imported(tree: ast.Module) -> dict[str, str]:
    """The dotted name behind each imported name."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def _dotted(node: ast.expr, names: dict[str, str]) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in names:
        return None
    return ".".join((names[node.id], *reversed(parts)))
