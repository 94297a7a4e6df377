"""Where does a world's code read the host's clock, or draw chance that is not the instance's?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from worlds.engine.checking.findings import Edit, Finding
from worlds.engine.checking.sources import Source, context_name
from worlds.engine.checking.targets import Target

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
    "time.process_time": "ctx.clock.ms()",
    "time.gmtime": "ctx.clock.now()",
    "time.localtime": "ctx.clock.now()",
    "time.ctime": "ctx.clock.iso()",
}
CHANCE = {
    "uuid.uuid1": "ctx.ids.uuid()",
    "uuid.uuid4": "ctx.ids.uuid()",
    "os.urandom": "ctx.random.randbytes(n)",
    "os.getrandom": "ctx.random.randbytes(n)",
    "secrets": "ctx.ids.token(n)",
    "random": "ctx.random",
    "numpy.random": "ctx.random",
    "django.utils.crypto.get_random_string": "ctx.ids.token(n)",
}
#: Django's clock is the instance's inside a call, and the host's while a module is imported.
DJANGO_CLOCKS = {f"django.utils.timezone.{name}" for name in ("now", "localtime", "localdate")}
#: A generator of one's own draws nothing from the host when it is seeded.
_GENERATORS = {"random.Random", "numpy.random.default_rng", "numpy.random.RandomState"}
_SAFE_CHANCE = {"numpy.random.Generator"}

#: Calls without arguments that can be replaced as they stand, where there is a context of this name.
_SAME = {
    "datetime.datetime.now": "{ctx}.clock.now()",
    "datetime.datetime.utcnow": "{ctx}.clock.now()",
    "datetime.datetime.today": "{ctx}.clock.now()",
    "datetime.date.today": "{ctx}.clock.now().date()",
    "time.time": "{ctx}.clock.ms() / 1000",
    "time.time_ns": "{ctx}.clock.ms() * 1_000_000",
    "uuid.uuid1": "{ctx}.ids.uuid()",
    "uuid.uuid4": "{ctx}.ids.uuid()",
}
_UTC = {"datetime.UTC", "datetime.timezone.utc", "django.utils.timezone.utc"}
_METHODS = {
    "betavariate", "choice", "choices", "expovariate", "gammavariate", "gauss", "getrandbits", "lognormvariate",
    "normalvariate", "paretovariate", "randbytes", "randint", "random", "randrange", "sample", "shuffle", "triangular",
    "uniform", "vonmisesvariate", "weibullvariate",
}  # fmt: skip


class Use(NamedTuple):
    """A use of time or chance from outside: "clock", "chance", or "import" for Django's clock read too early."""

    node: ast.expr
    name: str
    instead: str
    kind: str


def uses(source: Source) -> Iterator[Use]:
    """Every use in a module, called or handed on, as in a default."""
    inner = {id(node.value) for node in source.nodes if isinstance(node, ast.Attribute)}
    bare_calls = {
        id(node.func) for node in source.nodes if isinstance(node, ast.Call) and not (node.args or node.keywords)
    }
    for node in source.nodes:
        if not isinstance(node, ast.Name | ast.Attribute) or id(node) in inner:
            continue
        dotted = source.dotted(node)
        if dotted is None or dotted in _SAFE_CHANCE or (dotted in _GENERATORS and id(node) not in bare_calls):
            continue
        if dotted in DJANGO_CLOCKS:
            parent = source.parent(node)
            if isinstance(parent, ast.Call) and parent.func is node and runs_at_import(source, parent):
                yield Use(node, dotted, dotted.removeprefix("django.utils."), "import")
            continue
        for table, kind in ((CLOCKS, "clock"), (CHANCE, "chance")):
            found = next((name for name in table if dotted == name or dotted.startswith(f"{name}.")), None)
            if found is not None:
                yield Use(node, dotted, table[found], kind)


def runs_at_import(source: Source, node: ast.AST) -> bool:
    """Is an expression evaluated when its module is imported: in no body of a function or lambda?"""
    inner = node
    for at in source.above(node):
        if isinstance(at, ast.Lambda) and inner is at.body:
            return False
        if isinstance(at, ast.FunctionDef | ast.AsyncFunctionDef) and any(inner is each for each in at.body):
            return False
        if isinstance(at, ast.arg | ast.AnnAssign) and inner is at.annotation:
            return False  # nobody evaluates what annotations say, or only to read a schema
        if isinstance(at, ast.If) and "TYPE_CHECKING" in ast.unparse(at.test):
            return False
        if isinstance(at, ast.If) and "__name__" in ast.unparse(at.test):
            return False
        inner = at
    return True


def check(target: Target) -> Iterator[Finding]:
    """E201, E202: the host's clock, and chance that no seed replays."""
    for source in target.sources:
        for use in uses(source):
            line, last = use.node.lineno, use.node.end_lineno or use.node.lineno
            edits = tuple(_edits(source, use))
            if use.kind == "import":
                message = f"{use.name}() is called while the module is imported, where it reads the host's clock"
                hint = f"write `{use.instead}` without calling it, or call it in the tool"
                yield Finding("worlds.E201", message, hint, source.file, line, last, target.name, edits)
                continue
            check_id, what = (
                ("worlds.E201", "reads the host's clock")
                if use.kind == "clock"
                else ("worlds.E202", "draws chance that no seed replays")
            )
            hint = f"use {use.instead}"
            if _is_default(source, use.node):
                hint = _default_hint(use)
            yield Finding(check_id, f"{use.name} {what}", hint, source.file, line, last, target.name, edits)


def _is_default(source: Source, node: ast.expr) -> bool:
    """Is it handed on as `default=`, uncalled?"""
    parent = source.parent(node)
    return isinstance(parent, ast.keyword) and parent.arg in ("default", "default_factory")


def _default_hint(use: Use) -> str:
    if use.name.startswith("datetime.datetime."):
        return "write default=timezone.now (django.utils): it reads the instance's clock"
    if use.kind == "clock":
        return f"take the default away and pass {use.instead} where rows are made"
    return f"take the default away and pass {use.instead} where rows are made: a field has no context"


def _edits(source: Source, use: Use) -> Iterator[Edit]:
    parent = source.parent(use.node)
    called = parent if isinstance(parent, ast.Call) and parent.func is use.node else None
    if use.kind == "import":
        keyword = source.parent(called) if called else None
        if called and not called.args and not called.keywords and isinstance(keyword, ast.keyword):
            yield over(source, called, ast.unparse(use.node))
        return
    if use.name == "datetime.datetime.now" and _is_default(source, use.node) and not called:
        yield over(source, use.node, "timezone.now")
        if source.imported.get("timezone") != "django.utils.timezone":
            if "timezone" in source.imported:
                return
            yield _import(source, "from django.utils import timezone")
        return
    context = _context(source, use.node)
    if called is None or context is None:
        return
    method = use.name.rpartition(".")[2]
    if use.name.startswith("random.") and use.name.count(".") == 1 and method in _METHODS:
        yield over(source, use.node, f"{context}.random.{method}")
    elif use.name in _SAME:
        around = source.parent(called)
        if use.name.startswith("uuid.") and isinstance(around, ast.Attribute):
            return  # ctx.ids gives text, which has no .hex
        arguments = [*called.args, *(keyword.value for keyword in called.keywords)]
        if not arguments or (len(arguments) == 1 and source.dotted(arguments[0]) in _UTC):
            text = _SAME[use.name].format(ctx=context)
            binds = isinstance(around, ast.BinOp | ast.UnaryOp | ast.Attribute | ast.Subscript)
            yield over(source, called, f"({text})" if " " in text and binds else text)


def _context(source: Source, node: ast.AST) -> str | None:
    """The context that is in scope at a node: of its function, or of one around that."""
    function = source.function_around(node)
    while function is not None:
        if (name := context_name(function)) is not None:
            return name
        function = source.function_around(function)
    return None


def over(source: Source, node: ast.expr, text: str) -> Edit:
    """Write text in place of an expression."""
    return Edit(
        source.file, node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0, text
    )


def _import(source: Source, line: str) -> Edit:
    """A line after the last import at the top of a module."""
    imports = [node for node in source.tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    at = (imports[-1].end_lineno or 0) if imports else 0
    return Edit(source.file, at + 1, 0, at + 1, 0, f"{line}\n")
