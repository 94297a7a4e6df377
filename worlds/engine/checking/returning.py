"""Does a tool hand out a model or a queryset, where only JSON may leave?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from worlds.engine.checking.findings import Finding
from worlds.engine.checking.querysets import Known, Many, Rows, of_annotation
from worlds.engine.checking.reading import Reading, functions
from worlds.engine.checking.sources import Source, is_tool
from worlds.engine.checking.targets import Target


def check(target: Target) -> Iterator[Finding]:
    """E208: by what a tool's annotation says, and by what its `return` gives."""
    for source in target.sources:
        for function in functions(source):
            if not is_tool(source, function):
                continue
            subject = f"{target.name}.{function.name}"
            live = source.value(ast.Name(function.name))
            annotation = getattr(live, "__annotations__", {}).get("return")
            said = of_annotation(annotation, getattr(live, "__globals__", {}))
            if said is not None and function.returns is not None:
                line = function.returns.lineno
                yield _finding(source, function.name, said, line, line, subject, "is annotated to return")
            for node, found in Reading(source).of(function).returned:
                last = node.end_lineno or node.lineno
                yield _finding(source, function.name, found, node.lineno, last, subject, "returns")


def _finding(source: Source, tool: str, found: Known, line: int, last: int, subject: str, verb: str) -> Finding:
    inner = found.of if isinstance(found, Many) else found
    what = f"a queryset of {inner.model.__name__}" if isinstance(inner, Rows) else f"a {inner.model.__name__}"
    message = f"tool {tool} {verb} {what}; only JSON leaves a tool"
    rendered = "row.as_dict()" if hasattr(inner.model, "as_dict") else 'a dict of its columns, {"id": row.id, …}'
    if verb != "returns":
        hint = "write -> dict, or -> list[dict], and return " + rendered
    elif isinstance(inner, Rows) and inner.columns is not None:
        hint = "write list(…) around it"
    elif isinstance(inner, Rows) or isinstance(found, Many):
        hint = f"return [{rendered} for row in …]"
    else:
        hint = f"return {rendered}"
    return Finding("worlds.E208", message, hint, source.file, line, last, subject)
