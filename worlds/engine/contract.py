"""Does a world keep what every world promises?

Whatever it simulates: a start is the same start again; what does not fit is refused and changes nothing; no call ends
in a bug; an episode replays; a fork goes the way of its parent; and no answer depends on an order that no query asks
for. Its tools are called with arguments drawn from their schemas and its rows.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from worlds.engine import episode_documents, excerpts, replaying
from worlds.engine.differing import MISSING, json_differences
from worlds.engine.errors import ArgumentError, ToolError, WorldBug
from worlds.engine.guessing import Guesses, misfit
from worlds.engine.instance import Instance
from worlds.engine.names import quoted, schema_name
from worlds.engine.tables import listed
from worlds.engine.world import World

#: What is examined, in this order.
RULES = ("start", "arguments", "calls", "order", "replay", "fork")
SEEDS = (1, 2)
#: When an instance without a fixture begins, which would otherwise begin now.
BLANK_NOW = "2026-06-01T09:00:00Z"


class Breach(NamedTuple):
    """One promise that is not kept."""

    rule: str
    #: "fixture small_startup, seed 1, tool list_leads"
    place: str
    what: str
    #: The edit that mends it.
    fix: str
    #: The arguments it was found with, as JSON.
    arguments: str = ""

    def __str__(self) -> str:
        given = f" with {self.arguments}" if self.arguments else ""
        return f"[{self.rule}] {self.place}{given}: {self.what}. Fix: {self.fix}"


@dataclass
class Examined:
    """What came of an examination."""

    breaches: list[Breach] = field(default_factory=list)
    #: How many calls of each tool were answered, and how many refused.
    answered: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)


def examine(
    world: World,
    fixture: str | None,
    *,
    rules: Collection[str] = RULES,
    seeds: Collection[int] = SEEDS,
    rounds: int = 3,
    skip: Collection[str] = (),
    begin: Callable[[int], Instance] | None = None,
) -> Examined:
    """Hold a world, started from one fixture or blank, to its promises; every tool is called in every round.

    `skip` names tools that are not called, such as one that waits for something. `begin(seed)` opens an instance of
    rows that are no fixture yet; of what it begins no episode can be replayed.
    Raises: WorldBug for a rule or a tool that is not there; FixtureError.
    """
    for wanted, known, what in ((rules, RULES, "rule of the contract"), (skip, world.surface, "tool to skip")):
        if strange := sorted(set(wanted) - set(known)):
            raise WorldBug(f"there is no {what} {strange[0]!r}; there are: {', '.join(known)}")
    examination = _Examination(world, fixture, rounds, frozenset(skip))
    if begin is not None:
        examination.begin = begin
    for seed in seeds:
        examination.of(seed, rules)
    return examination.found


class _Examination:
    def __init__(self, world: World, fixture: str | None, rounds: int, skip: frozenset[str]) -> None:
        self.world, self.fixture, self.rounds = world, fixture, rounds
        self.tools = {name: tool.schema for name, tool in world.surface.items() if name not in skip}
        self.found = Examined()
        self.begin: Callable[[int], Instance] = self._begin
        self._seed = 0
        self._told: set[tuple[str, str | None, str]] = set()

    def of(self, seed: int, rules: Collection[str]) -> None:
        self._seed = seed
        if "start" in rules:
            self._same_start()
        if "arguments" in rules:
            self._arguments()
        if not {"calls", "order", "replay", "fork"} & set(rules):
            return
        with self._start() as inst:
            twin = None
            guesses = Guesses(inst, seed)
            for number in range(self.rounds):
                if number == self.rounds // 2 and "fork" in rules:
                    twin = inst.fork()
                for tool, schema in self.tools.items():
                    # What is asked for alone comes through more often, so it comes first.
                    arguments = guesses.arguments(schema, optional=0.35 if number else 0)
                    turned = self._turned(inst, tool, arguments) if "order" in rules else None
                    answer = self._answer(inst, tool, arguments, told="calls" in rules)
                    if turned is not None:
                        self._compare_order(tool, arguments, answer, turned)
                    if twin is not None:
                        self._compare_fork(tool, answer, self._answer(twin, tool, arguments))
            if twin is not None:
                self._ends_alike(inst, twin)
                twin.destroy()
            if "replay" in rules:
                self._replay(inst)

    def _start(self) -> Instance:
        return self.begin(self._seed)

    def _begin(self, seed: int) -> Instance:
        return self.world.instance(self.fixture, seed=seed, now=None if self.fixture else BLANK_NOW)

    def _breach(
        self, rule: str, tool: str | None, what: str, fix: str, arguments: dict[str, Any] | None = None
    ) -> None:
        if (key := (rule, tool, what)) in self._told:
            return
        self._told.add(key)
        of = f"fixture {self.fixture}" if self.fixture else "blank"
        place = f"{of}, seed {self._seed}" + (f", tool {tool}" if tool else "")
        self.found.breaches.append(Breach(rule, place, what, fix, "" if arguments is None else _short(arguments)))

    # The rules.

    def _same_start(self) -> None:
        """Two resets give the same rows, clock and log."""
        with self._start() as one, self._start() as other:
            fix = "take time from ctx.clock, chance from ctx.random and ctx.ids, and sort what a hook goes through"
            for mine, its in zip(dump(one), dump(other), strict=True):
                if mine != its:
                    self._breach("start", None, f"two resets differ in {mine[0]}", fix)
            if one.clock.iso() != other.clock.iso():
                self._breach(
                    "start", None, f"two resets differ in the clock, {one.clock.iso()}, {other.clock.iso()}", fix
                )

    def _arguments(self) -> None:
        """What is missing, unknown or of another type is refused by name and changes nothing."""
        with self._start() as inst:
            guesses = Guesses(inst, self._seed)
            for tool, schema in self.tools.items():
                fitting = guesses.arguments(schema)
                for wrong, names in _wrong(schema, fitting):
                    seen = excerpts.change_count(inst)
                    self._refusal(inst, tool, wrong, names)
                    # What came due meanwhile says by whom it was; what the call did says nothing.
                    changed = {record["table"] for record in _records(inst, seen) if "by" not in record}
                    if changed:
                        what = f"what is refused changed {', '.join(sorted(changed))}"
                        fix = "change nothing before the arguments are checked"
                        self._breach("arguments", tool, what, fix, wrong)

    def _refusal(self, inst: Instance, tool: str, wrong: dict[str, Any], names: list[str]) -> None:
        try:
            inst.dispatch(tool, wrong, is_replay=True)  # which is not logged
        except ArgumentError as error:
            told = {violation["path"] for violation in error.violations}
            untold = [name for name in names if not any(path.split(".")[0].split("[")[0] == name for path in told)]
            if untold and not all(name in error.message for name in untold):
                what = f"the refusal does not name {', '.join(untold)}: {error.message}"
                self._breach("arguments", tool, what, "let the schema say what is taken; name the argument", wrong)
        except ToolError as error:
            if not all(name in error.message for name in names):
                what = f"the refusal does not name {', '.join(names)}: {error.message}"
                self._breach("arguments", tool, what, "name the argument in the refusal, and what it takes", wrong)
        except Exception as error:
            self._bug("arguments", tool, wrong, error)
        else:
            what = f"{', '.join(names)} is taken and does not fit the schema"
            self._breach("arguments", tool, what, "annotate each parameter with the type it takes", wrong)

    def _answer(self, inst: Instance, tool: str, arguments: dict[str, Any], *, told: bool = False) -> Any:
        """What a call comes to: its JSON and the rows it changed, or the refusal."""
        seen = excerpts.change_count(inst)
        answer: Any
        try:
            answer = orjson.loads(inst.dispatch(tool, arguments, is_replay=True).json)
        except ToolError as error:
            answer = {"refused": error.to_dict()}
        except Exception as error:
            answer = {"bug": f"{type(error).__name__}: {error}"}
            if told:
                self._bug("calls", tool, arguments, error)
        if told:
            (self.found.refused if isinstance(answer, dict) and "refused" in answer else self.found.answered)[tool] += 1
        return {"answer": answer, "changes": [_without_place(each) for each in _records(inst, seen)]}

    def _bug(self, rule: str, tool: str, arguments: dict[str, Any], error: Exception) -> None:
        what = f"the call ends in {type(error).__name__}: {str(error)[:300]}"
        self._breach(rule, tool, what, "raise a ToolError that says what to change, or handle the case", arguments)

    def _turned(self, inst: Instance, tool: str, arguments: dict[str, Any]) -> Any:
        """What the same call comes to where SQLite gives rows in no asked-for order the other way round."""
        with inst.fork() as turned:
            for node in turned._at.nodes:
                node.store.raw.execute("PRAGMA reverse_unordered_selects = ON").fetchall()
            return self._answer(turned, tool, arguments)

    def _compare_order(self, tool: str, arguments: dict[str, Any], mine: Any, turned: Any) -> None:
        if difference := _difference(mine, turned):
            what = f"the order of rows that no query asks for shows at {difference}"
            self._breach("order", tool, what, "give the query a total order: order_by(…, 'pk')", arguments)

    def _replay(self, inst: Instance) -> None:
        """The episode made again from its document comes to the same, move by move."""
        document = episode_documents.read(inst.export_json())
        done = replaying.replay(document, self.world)
        for divergence in done.divergences:
            what = f"replayed, it differs at {divergence.place}: {divergence.expected!r:.200} / {divergence.got!r:.200}"
            self._breach("replay", None, what, "keep no state outside the models; take time and chance from ctx")

    def _compare_fork(self, tool: str, mine: Any, its: Any) -> None:
        if difference := _difference(mine, its):
            what = f"a fork answers otherwise at {difference}"
            self._breach("fork", tool, what, "keep no state outside the models, such as a module's cache")

    def _ends_alike(self, inst: Instance, twin: Instance) -> None:
        for mine, its in zip(dump(inst), dump(twin), strict=True):
            if mine != its:
                what = f"a fork that made the same calls differs in {mine[0]}"
                self._breach("fork", None, what, "keep no state outside the models, such as a module's cache")


def dump(inst: Instance) -> list[tuple[str, int, str]]:
    """Every table of every store: (store.table, how many rows, a digest of them in order of all their columns)."""
    inspector = inst.inspect()
    found = []
    for table in listed(inst):
        columns = ", ".join(quoted(column["name"]) for column in table["columns"])
        store, name = schema_name(table["node"]), table["name"]
        rows = inspector.select(f"SELECT {columns} FROM {quoted(store)}.{quoted(name)} ORDER BY {columns}").rows
        digest = hashlib.sha256()
        for row in rows:
            digest.update(repr(row).encode("utf-8", "surrogatepass"))
        found.append((f"{table['node']}.{name}", len(rows), digest.hexdigest()))
    return found


def _wrong(schema: dict[str, Any], fitting: dict[str, Any]) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Arguments with one fault each, and the names a refusal has to say."""
    properties, required = schema.get("properties", {}), schema.get("required", [])
    for name in required:
        yield {key: value for key, value in fitting.items() if key != name}, [name]
    if schema.get("additionalProperties") is False:
        yield {**fitting, "no_such_argument": 1}, ["no_such_argument"]
    for name, each in properties.items():
        is_there, value = misfit(each, schema.get("$defs", {}))
        if is_there:
            yield {**fitting, name: value}, [name]


def _difference(one: Any, other: Any) -> str:
    path, mine, its = next(json_differences(one, other), ("", None, None))
    return f"{path}: {_shown(mine)} / {_shown(its)}" if path else ""


def _shown(value: Any) -> str:
    return "nothing" if value is MISSING else f"{value!r:.120}"


def _short(arguments: dict[str, Any]) -> str:
    text = orjson.dumps(arguments, default=str).decode()
    return text if len(text) <= 300 else f"{text[:300]}…"


def _records(inst: Instance, start: int) -> list[dict[str, Any]]:
    """The change records from one on."""
    return [orjson.loads(record) for record in excerpts.changes(inst, start)[0]]


def _without_place(record: dict[str, Any]) -> dict[str, Any]:
    """A change record without where in its log it stands."""
    return {name: value for name, value in record.items() if name not in ("seq", "i")}
