"""Would the present rows of an instance make a good fixture?

They are frozen in a folder of their own, and what comes of that is tried as whoever resets to it would: opened, dumped,
called. Nothing is left behind.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.checks import ERROR, run_checks
from django.core.exceptions import ValidationError
from django.db import connections, models

from worlds.engine import contract, freezing, images
from worlds.engine.checks import TAG
from worlds.engine.composing import tree_of
from worlds.engine.db.base import ALIAS
from worlds.engine.errors import CallTimeout, SeahavenError
from worlds.engine.fixtures import Fixture
from worlds.engine.hosting import LANES
from worlds.engine.images import StartingState
from worlds.engine.instance import Instance, Start
from worlds.engine.migrating import labels
from worlds.engine.rows import models_of
from worlds.engine.world import World

#: Seeds that the frozen rows are opened with.
SEEDS = (1, 2)
#: Of one check so many findings are told.
MOST_TOLD = 20
#: The rules of the contract that rows can break; a replay would need the fixture in its place.
PROMISES = ("arguments", "calls", "order", "fork")
#: So long the tools may take, all together.
PATIENCE_S = 60.0
_ID = "trial"


@dataclass(slots=True)
class Trial:
    """One thing that was tried."""

    name: str
    #: What it makes sure of, for whoever reads that it holds.
    holds: str
    problems: list[str] = field(default_factory=list)

    @property
    def is_fine(self) -> bool:
        return not self.problems


def try_out(inst: Instance) -> list[Trial]:
    """Every check of an instance's rows as a fixture, in order; those after a failed freeze are left out."""
    trials = [
        _trial("System checks", "The world's code and schema pass its checks.", lambda: _checked(inst)),
        _trial("References", "Every row that another one names is there.", lambda: _references(inst)),
        _trial("Values", "Every changed row has values that its model allows.", lambda: _values(inst)),
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frozen: list[tuple[Fixture, StartingState]] = []

        def freeze() -> Iterator[str]:
            fixture = inst.freeze(_ID, "a trial", folder=folder / "once")
            frozen.append((fixture, images.unkept_state(inst.world, fixture, folder)))
            return iter(())

        trials.append(_trial("Freezing", "The rows can be written as a fixture and loaded again.", freeze))
        if frozen:
            fixture, base = frozen[0]
            trials += [
                _trial(
                    "The same text",
                    "Loading the fixture and freezing it again gives the same bytes.",
                    lambda: _same_text(inst, fixture, base, folder),
                ),
                _trial(
                    "Resets",
                    "Opened twice with one seed it is the same twice, with each of two seeds.",
                    lambda: _resets(inst, base, folder),
                ),
                _trial(
                    "The contract",
                    "Every tool answers or refuses, nothing that is refused changes a row, and no order is by chance.",
                    lambda: _promises(inst, base),
                ),
            ]
    return trials


def _trial(name: str, holds: str, find: Callable[[], Iterator[str]]) -> Trial:
    trial = Trial(name, holds)
    try:
        for problem in find():
            trial.problems.append(problem)
            if len(trial.problems) == MOST_TOLD:
                trial.problems.append("There may be more.")
                break
    except SeahavenError as error:
        trial.problems.append(str(error))
    return trial


#: The apps of worlds that passed their checks: in a running process the code stays as it is.
_passed: set[tuple[str, ...]] = set()


def _checked(inst: Instance) -> Iterator[str]:
    worlds = [branch.world for branch in tree_of(inst.world).branches.values()]
    of = tuple(label for world in worlds for label in world.app_labels)
    if of in _passed:
        return
    found = run_checks(app_configs=list(map(apps.get_app_config, of)), tags=[TAG])
    errors = [error for error in found if error.level >= ERROR]
    for error in errors:
        yield f"{error.obj}: {error.msg}{f' - {error.hint}' if error.hint else ''} ({error.id})"
    if not errors:
        _passed.add(of)


def _references(inst: Instance) -> Iterator[str]:
    for path in inst.composition():
        with inst.inspecting(path), connections[ALIAS].cursor() as cursor:
            for table, rowid, parent, _ in cursor.execute("PRAGMA foreign_key_check").fetchall():
                yield f"{path}: a row of {table} (rowid {rowid}) names a row of {parent} that is not there"


def _values(inst: Instance) -> Iterator[str]:
    """What a form would not take: longer than a column may be, or none of its choices."""
    for path in inst.composition():
        changed = [c for c in inst.diff() if c.world == path and c.op != "delete"]
        if not changed:
            continue
        world = tree_of(inst.world).branches[path].world
        by_table = {model._meta.db_table: model for model in models_of(apps, labels(world))}
        with inst.inspecting(path):
            for change in changed:
                model = by_table.get(change.table)
                if model is not None and len(change.key) == 1 and not model._meta.auto_created:
                    yield from _wrong(path, model, *change.key.values())


def _wrong(path: str, model: type[models.Model], key: Any) -> Iterator[str]:
    obj = model._base_manager.using(ALIAS).filter(pk=key).first()
    if obj is None:
        return
    # What is empty was left so on purpose: tools write "" and {} where a form would ask for more.
    empty = {f.name for f in model._meta.concrete_fields if getattr(obj, f.attname) in (None, "", [], {}, b"")}
    related = {f.name for f in model._meta.concrete_fields if f.is_relation}
    try:
        obj.clean_fields(exclude=empty | related)
    except ValidationError as error:
        for name, messages in error.message_dict.items():
            yield f"{path}: {model._meta.label} {key}: {name}: {' '.join(messages)}"


def _same_text(inst: Instance, fixture: Fixture, base: StartingState, folder: Path) -> Iterator[str]:
    again = freezing.freeze_again(inst.world, base, folder=folder / "again")
    for path in fixture.sidecar.nodes:
        if fixture.file(path).read_bytes() != again.file(path).read_bytes():
            yield f"{path}: freezing the loaded rows gives other text; a field does not come back as it was written"


def _resets(inst: Instance, base: StartingState, folder: Path) -> Iterator[str]:
    for seed in SEEDS:
        texts = []
        for turn in ("one", "other"):
            with Instance(inst.world, base, Start(_ID, seed)) as opened:
                frozen = opened.freeze(_ID, "a trial", folder=folder / f"{turn}{seed}", parent=_ID)
                texts.append({path: frozen.file(path).read_bytes() for path in frozen.sidecar.nodes})
        for path, text in texts[0].items():
            if text != texts[1][path]:
                yield f"{path}: opened twice with seed {seed} it differs; a start-up hook draws what no seed fixes"


def _promises(inst: Instance, base: StartingState) -> Iterator[str]:
    """What the rows make the world break of what every world promises."""

    def begin(seed: int) -> Instance:
        return Instance(inst.world, base, Start(_ID, seed))

    world = inst.world
    assert isinstance(world, World)

    def examined() -> contract.Examined:
        return contract.examine(world, _ID, rules=PROMISES, seeds=SEEDS[:1], rounds=2, begin=begin)

    # On a lane, whose watchdog ends a tool that never does.
    lane = LANES.lane()
    try:
        found = lane.submit(examined, timeout_s=PATIENCE_S).result()
    except CallTimeout:
        yield f"calling every tool took longer than {PATIENCE_S:g} s and was stopped; does one of them never end?"
        return
    for breach in found.breaches:
        yield str(breach).replace(f"fixture {_ID}, seed {SEEDS[0]}, ", "")
