"""How is generated Python laid out, so that a formatter and a linter have nothing to say about it?

Code is generated a statement a line, with every import that might be needed; here long lines are folded, and imports
are pruned, sorted and grouped. The output is what `ruff format` and its isort rules leave as it is.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
import unicodedata
from collections.abc import Collection, Iterable

WIDTH = 120


def text(value: str) -> str:
    """A string as Python source, in double quotes where that needs no more escapes."""
    plain = "".join(
        char if char.isprintable() and char != "\\" else char.encode("unicode_escape").decode() for char in value
    )
    quote = "'" if plain.count('"') > plain.count("'") else '"'
    return quote + plain.replace(quote, "\\" + quote) + quote


def source(value: object) -> str:
    """A JSON value as Python source."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, list | tuple):
        inner = ", ".join(map(source, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{text(str(key))}: {source(each)}" for key, each in value.items()) + "}"
    return repr(value)


def docstring(words: str, indent: int = 4) -> str:
    """A docstring of one paragraph or several, wrapped; the first line stands beside the quotes."""
    plain = words.replace("\\", "\\\\").replace('"""', "'''").strip()
    if plain.endswith('"'):
        plain += " "
        plain = plain[:-2] + "'"
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", plain) if part.strip()]
    pad = " " * indent
    head, *rest = paragraphs or [""]
    # A linter counts what is drawn in two columns as two; here every line gives way for all of it.
    wide = min(40, sum(unicodedata.east_asian_width(letter) in "WF" for letter in plain))
    if not rest and indent + len(head) + wide + 6 <= WIDTH:
        return f'{pad}"""{head}"""'
    width = {"width": WIDTH - indent - wide, "break_long_words": True, "break_on_hyphens": False}
    blocks = ["\n".join(textwrap.wrap('"""' + head, **width))]  # type: ignore[arg-type]
    blocks += ["\n".join(textwrap.wrap(part, **width)) for part in rest]  # type: ignore[arg-type]
    body = textwrap.indent("\n\n".join(blocks), pad)
    return f'{body}\n{pad}"""'


def laid_out(code: str, *, first_party: Collection[str]) -> str:
    """Generated code with its long lines folded and its imports in order; what is not used is not imported."""
    return "\n".join(_folded(_imports(code, first_party).split("\n")))


# Lines.


def _folded(lines: Iterable[str]) -> Iterable[str]:
    within = False
    for line in lines:
        if line.count('"""') % 2:
            within = not within
        elif not within and len(line) > WIDTH and not line.lstrip().startswith("#"):
            yield from _fold(line)
            continue
        yield line


def _fold(line: str) -> list[str]:
    """A statement on one long line, opened up as the formatter would."""
    if line.endswith(","):  # an element of what is open already
        *most, last = _fold(line[:-1])
        return [*most, f"{last},"]
    bare = line.lstrip()
    indent = len(line) - len(bare)
    try:
        is_block = bare.startswith(("def ", "if ", "for ", "with ", "class ")) and bare.endswith(":")
        code = bare + " pass" if is_block else bare
        (statement,) = ast.parse(code).body
    except (SyntaxError, ValueError):
        return [line]
    encoded = code.encode()
    for node in ast.walk(statement):
        if isinstance(node, ast.expr):
            node.written = encoded[node.col_offset : node.end_col_offset].decode()  # type: ignore[attr-defined]
    pad = " " * indent
    if isinstance(statement, ast.FunctionDef):
        return _signature(statement, pad)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        head, value = f"{ast.unparse(statement.targets[0])} = ", statement.value
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        head = f"{ast.unparse(statement.target)}: {_one_line(statement.annotation)} = "
        value = statement.value
    elif isinstance(statement, ast.Return) and statement.value is not None:
        head, value = "return ", statement.value
    elif isinstance(statement, ast.Expr):
        head, value = "", statement.value
    else:
        return [line]
    return (pad + head + spread(value, indent, len(head))).split("\n")


def _signature(function: ast.FunctionDef, pad: str) -> list[str]:
    arguments = function.args
    given: list[ast.expr | None] = [None] * (len(arguments.args) - len(arguments.defaults)) + list(arguments.defaults)
    lines = [f"{pad}def {function.name}("]
    for argument, default in zip(arguments.args, given, strict=True):
        name = argument.arg
        if argument.annotation is not None:
            tail = "" if default is None else f" = {_one_line(default)}"
            note = spread(argument.annotation, len(pad) + 4, len(name) + 2 + len(tail))
            name += f": {note}{tail}"
        elif default is not None:
            name += f"={_one_line(default)}"
        lines += f"{pad}    {name},".split("\n")
    ends = "" if function.returns is None else f" -> {_one_line(function.returns)}"
    return [*lines, f"{pad}){ends}:"]


def spread(node: ast.expr, indent: int = 0, used: int = 0) -> str:
    """An expression on one line where it fits, else its outermost brackets opened, an element a line."""
    line = _one_line(node)
    if indent + used + len(line) + 1 <= WIDTH:
        return line
    pad = " " * (indent + 4)
    close = " " * indent

    def opened(opening: str, elements: list[str], closing: str) -> str:
        return "\n".join([opening, *(f"{pad}{each}," for each in elements), f"{close}{closing}"])

    inner = indent + 4
    if isinstance(node, ast.Call):
        elements = [spread(each, inner) for each in node.args]
        for keyword in node.keywords:
            name = "**" if keyword.arg is None else f"{keyword.arg}="
            elements.append(name + spread(keyword.value, inner, len(name)))
        return opened(f"{_one_line(node.func)}(", elements, ")") if elements else line
    if isinstance(node, ast.Subscript):
        if isinstance(node.value, ast.Call):
            tail = f"[{_one_line(node.slice)}]"
            return spread(node.value, indent, used + len(tail)) + tail
        if not isinstance(node.slice, ast.Tuple):  # a comma would make it one
            return f"{_one_line(node.value)}[\n{pad}{spread(node.slice, inner)}\n{close}]"
        return opened(f"{_one_line(node.value)}[", [spread(each, inner) for each in node.slice.elts], "]")
    if isinstance(node, ast.List | ast.Tuple | ast.Set) and node.elts:
        brackets = {ast.List: "[]", ast.Tuple: "()", ast.Set: "{}"}[type(node)]
        return opened(brackets[0], [spread(each, inner) for each in node.elts], brackets[1])
    if isinstance(node, ast.Dict) and node.keys:
        elements = []
        for key, value in zip(node.keys, node.values, strict=True):
            name = "**" if key is None else f"{_one_line(key)}: "
            elements.append(name + spread(value, inner, len(name)))
        return opened("{", elements, "}")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return f"{spread(node.left, indent)}\n{close}| {spread(node.right, indent, 2)}"
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _long_text(node.value, indent)
    return line


def _long_text(value: str, indent: int) -> str:
    """A text too long for one line, as several in brackets."""
    room = WIDTH - indent - 4 - 2
    pieces, piece = [], ""
    for word in re.findall(r"\S*\s*", value):
        if piece and len(text(piece + word)) - 2 > room:
            pieces.append(piece)
            piece = ""
        piece += word
    pieces += [piece] if piece else []
    if len(pieces) < 2 or any(len(text(each)) - 2 > room for each in pieces):
        return text(value)
    pad = " " * (indent + 4)
    return "\n".join(["(", *(pad + text(each) for each in pieces), " " * indent + ")"])


def _one_line(node: ast.expr) -> str:
    """An expression on one line."""
    match node:
        case ast.Constant(value=str() as value):
            return text(value)
        case ast.Call():
            elements = [_one_line(each) for each in node.args]
            elements += [
                f"**{_one_line(each.value)}" if each.arg is None else f"{each.arg}={_one_line(each.value)}"
                for each in node.keywords
            ]
            return f"{_one_line(node.func)}({', '.join(elements)})"
        case ast.Attribute():
            return f"{_one_line(node.value)}.{node.attr}"
        case ast.Subscript():
            inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return f"{_one_line(node.value)}[{', '.join(map(_one_line, inner))}]"
        case ast.List():
            return f"[{', '.join(map(_one_line, node.elts))}]"
        case ast.Tuple():
            return f"({', '.join(map(_one_line, node.elts))}{',' if len(node.elts) == 1 else ''})"
        case ast.Dict():
            pairs = [
                f"**{_one_line(value)}" if key is None else f"{_one_line(key)}: {_one_line(value)}"
                for key, value in zip(node.keys, node.values, strict=True)
            ]
            return "{" + ", ".join(pairs) + "}"
        case ast.BinOp(op=ast.BitOr()):
            return f"{_one_line(node.left)} | {_one_line(node.right)}"
        case ast.Starred():
            return f"*{_one_line(node.value)}"
    return getattr(node, "written", None) or ast.unparse(node)


# Imports.


def _imports(code: str, first_party: Collection[str]) -> str:
    tree = ast.parse(code)
    found = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    if not found:
        return code
    used = _used_names(tree)
    whole: set[tuple[str, str | None]] = set()
    members: dict[str, set[str]] = {}
    for node in found:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            if name not in used and getattr(node, "module", None) != "__future__":
                continue
            if isinstance(node, ast.Import):
                whole.add((alias.name, alias.asname))
            else:
                written = alias.name if alias.asname is None else f"{alias.name} as {alias.asname}"
                members.setdefault(node.module or "", set()).add(written)
    blocks: dict[int, list[str]] = {}
    for module, asname in sorted(whole):
        blocks.setdefault(_group(module, first_party), []).append(
            f"import {module}" + (f" as {asname}" if asname else "")
        )
    for module in sorted(members):
        names = sorted(members[module], key=_by_kind)
        line = f"from {module} import {', '.join(names)}"
        if len(line) > WIDTH:
            line = "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])
        blocks.setdefault(_group(module, first_party), []).append(line)
    lines = code.split("\n")
    start, end = found[0].lineno - 1, found[-1].end_lineno or 0
    written_block = "\n\n".join("\n".join(blocks[group]) for group in sorted(blocks))
    before, after = "\n".join(lines[:start]).rstrip("\n"), "\n".join(lines[end:]).lstrip("\n")
    following = next((node for node in tree.body if node.lineno > end), None)
    is_block = isinstance(following, ast.FunctionDef | ast.ClassDef)
    gap = "\n" if following is None else "\n\n\n" if is_block else "\n\n"
    return (f"{before}\n\n" if before else "") + written_block + gap + after


def _used_names(tree: ast.Module) -> set[str]:
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(getattr(each, "id", "") == "__all__" for each in node.targets):
            names |= set(ast.literal_eval(node.value))
    return names


def _group(module: str, first_party: Collection[str]) -> int:
    root = module.partition(".")[0]
    if root == "__future__":
        return 0
    if root in first_party:
        return 3
    return 1 if root in sys.stdlib_module_names else 2


def _by_kind(name: str) -> tuple[int, list[tuple[int, int | str]], str]:
    """Constants first, then classes, then the rest; 2 before 10, and capitals beside small letters."""
    bare = name.partition(" ")[0]
    kind = 0 if bare.isupper() and len(bare) > 1 else 1 if bare[:1].isupper() else 2
    parts = [part for part in re.split(r"(\d+)", bare.lower()) if part]
    return kind, [(0, int(part)) if part.isdigit() else (1, part) for part in parts], bare
