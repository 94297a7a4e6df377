"""Where does the image under a new instance come from?

A blank image is a world's migrations run once; a fixture's image is its rows loaded into that. Both are cached on disk
under a digest of everything that goes into them, and in this process while the files they came from stay the same.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw
import django
from django.apps import apps as present_apps
from django.conf import settings
from django.db import DatabaseError

from worlds.engine import fixtures, rows, schedule
from worlds.engine.clock import parse_instant
from worlds.engine.composing import ROOT, Tree, tree_of
from worlds.engine.db.pages import PAGE, Image, Pages, connect
from worlds.engine.errors import FixtureError, WorldBug
from worlds.engine.fixtures import Fixture, NodeSidecar
from worlds.engine.migrating import Migrations, Workshop, labels, sources_digest, workshop
from worlds.engine.names import nearest, schema_name
from worlds.engine.schema import Schema

#: Moves when the same text would make other bytes.
_FORMAT = "1"
#: `report(what, done, total)`, called as a long build goes on.
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Built:
    """An image, opened for the process, and what its tables look like."""

    image: Image
    schema: Schema
    #: When the first scheduled event in it is due, in milliseconds since 1970.
    due_ms: int | None


@dataclass(frozen=True, slots=True)
class StartingState:
    """What a new instance begins on: an image for each node, and what the fixture says of its moment."""

    images: dict[str, Image]
    schemas: dict[str, Schema]
    fixture: Fixture | None
    now_ms: int | None
    seq: int
    #: When the first event of any node is due, in milliseconds since 1970; no instance has to open its stores to know.
    due_ms: int | None


_lock = threading.RLock()
_built: dict[str, Built] = {}
_starting: dict[tuple[Any, ...], tuple[Any, StartingState]] = {}


def starting_state(
    world: Any, fixture_id: str | None, report: Report | None = None, *, fill_up: bool = False
) -> StartingState:
    """The state a fixture (or a blank world) starts from, built when it is not cached.

    `fill_up` lets worlds that were embedded after the fixture was frozen begin with no rows.
    Raises: FixtureError for a fixture that is missing, damaged or cannot be carried to the present schema.
    """
    tree = tree_of(world)
    key = world.name, fixture_id, fill_up, tree.shape, settings.SEAHAVEN_FIXTURES_DIR, settings.SEAHAVEN_VAR_DIR
    found = _starting.get(key)
    if found is not None and found[0] == _stamp(found[1].fixture):
        return found[1]
    with _lock:
        if fixture_id is None:
            stamp, fixture = None, None
            built = {path: blank(branch.world) for path, branch in tree.branches.items()}
        else:
            fixture = fixtures.get(world.name, fixture_id, world.recipes)
            # Before the rows are read: a change that comes while they are must be noticed the next time.
            stamp = _stamp(fixture)
            _require_nodes(tree, fixture, fill_up)
            has = fixture.sidecar.nodes
            built = {
                path: _of_fixture(branch.world, fixture, path, report) if path in has else blank(branch.world)
                for path, branch in tree.branches.items()
            }
        state = _state(built, fixture)
        _starting[key] = (stamp, state)
        return state


def assembled(world: Any, embedded: Mapping[str, str], report: Report | None = None) -> StartingState:
    """A state in which embedded worlds begin with fixtures of their own, {"crm": "small_startup"}; the rest is blank.

    It begins when the latest of them was frozen.
    Raises: FixtureError for a name that is no embedded world's, and for a fixture that is missing or damaged.
    """
    tree = tree_of(world)
    built = {path: blank(branch.world) for path, branch in tree.branches.items()}
    moments: list[int] = []
    seq = 0
    for path, fixture_id in embedded.items():
        if path not in tree.branches or path == ROOT:
            near = nearest(path, tree.branches)
            listed = ", ".join(known for known in tree.branches if known != ROOT) or "none"
            hint = f"did you mean {near!r}? " if near and near != ROOT else ""
            raise FixtureError(f"world {world.name} embeds no world at {path!r}; {hint}it embeds: {listed}")
        part = starting_state(tree.branches[path].world, fixture_id, report)
        built |= {
            _within(path, below): Built(part.images[below], part.schemas[below], part.due_ms) for below in part.images
        }
        moments.append(part.now_ms or 0)
        seq = max(seq, part.seq)
    state = _state(built, None)
    return replace(state, now_ms=max(moments, default=None), seq=seq)


def unkept_state(world: Any, fixture: Fixture, folder: Path) -> StartingState:
    """The state a fixture that was frozen just now starts from; its images are in a folder of the caller's, not cached.

    Raises: FixtureError for rows that cannot be loaded.
    """
    tree = tree_of(world)
    _require_nodes(tree, fixture, False)
    built = {}
    for path, branch in tree.branches.items():
        pages = Pages(blank(branch.world).image)  # its rows are of the present schema: no migration has to run
        with workshop(branch.world, pages) as shop:
            _insert(branch.world, shop, fixture, path, fixture.read_rows(path), present_apps, None)
        file = folder / f"{schema_name(path)}.sqlite"
        pages.write_to(file)
        built[path] = _opened(file)
    return _state(built, fixture)


def _within(path: str, below: str) -> str:
    """The path of a branch of an embedded world, in the tree around it."""
    return path if below == ROOT else f"{path}/{below}"


def _state(built: dict[str, Built], fixture: Fixture | None) -> StartingState:
    return StartingState(
        {path: b.image for path, b in built.items()},
        {path: b.schema for path, b in built.items()},
        fixture,
        parse_instant(fixture.now, "now") if fixture else None,
        fixture.sidecar.seq if fixture else 0,
        min((b.due_ms for b in built.values() if b.due_ms is not None), default=None),
    )


def _stamp(fixture: Fixture | None) -> Any:
    """What must be unchanged for a cached state to stand: each file, its time and its size."""
    if fixture is None:
        return None
    try:
        found = [file.stat() for file in (fixture.folder / fixtures.SIDECAR, *map(fixture.file, fixture.sidecar.nodes))]
    except OSError:
        return "gone"
    return [(file.st_ino, file.st_mtime_ns, file.st_size) for file in found]


def _require_nodes(tree: Tree, fixture: Fixture, fill_up: bool) -> None:
    """A fixture holds the stores of its world as it is composed now."""
    file, has = fixture.folder / fixtures.SIDECAR, fixture.sidecar.nodes
    for path in has:
        if path not in tree.branches:
            raise FixtureError(
                f"{file}: it holds rows of nodes.{path}, which world {tree.world.name} does not embed; "
                f"embed it again, or build the fixture anew"
            )
    for path, branch in tree.branches.items():
        node = has.get(path)
        if node is None and not fill_up:
            raise FixtureError(
                f"{file}: it has no nodes.{path}, and world {tree.world.name} embeds {branch.world.name} there; run "
                f"`manage.py seahaven_fixture migrate {tree.world.name} {fixture.id}`, which lets it begin blank"
            )
        if node is not None and node.world != branch.world.name:
            raise FixtureError(
                f"{file}: nodes.{path}.world is {node.world!r}, not {branch.world.name!r}; freeze it again"
            )
        if node is not None and (node.scope, tuple(node.aliases)) != (branch.scope, branch.aliases) and not fill_up:
            raise FixtureError(
                f"{file}: nodes.{path} has scope {node.scope!r} and aliases {node.aliases}, the world has "
                f"{branch.scope!r} and {list(branch.aliases)}; run `manage.py seahaven_fixture migrate "
                f"{tree.world.name} {fixture.id}`"
            )


def blank(world: Any) -> Built:
    """The image of a world with no rows but those its migrations insert."""

    def build() -> Pages:
        pages = Pages()
        with workshop(world, pages) as shop:
            migrations = Migrations(shop)
            migrations.to()
            migrations.forget()
        return pages

    return _cached(world, "blank", sources_digest(world), build)


def _of_fixture(world: Any, fixture: Fixture, path: str, report: Report | None) -> Built:
    lines = fixture.read_rows(path)
    digest = _digest(world, fixture, path)
    return _cached(world, fixture.id, digest, lambda: _build_fixture(world, fixture, path, lines, report))


def _digest(world: Any, fixture: Fixture, path: str) -> str:
    """What goes into the image of one store of a fixture."""
    sidecar = fixture.sidecar.nodes[path]
    return hashlib.sha256(f"{sources_digest(world)}\0{sidecar.model_dump_json()}".encode()).hexdigest()


def is_built(world: Any, fixture: Fixture) -> bool:
    """Is every image cached that an instance of a fixture starts on? No row is read."""
    branches = tree_of(world).branches
    return all(
        path in branches and _is_cached(branches[path].world, fixture.id, _digest(branches[path].world, fixture, path))
        for path in fixture.sidecar.nodes
    )


def _build_fixture(world: Any, fixture: Fixture, path: str, lines: list[str], report: Report | None) -> Pages:
    """Load rows under the schema they were written for, then carry them forward by the world's migrations."""
    sidecar = fixture.sidecar.nodes[path]
    pages = Pages()
    with workshop(world, pages) as shop:
        migrations = Migrations(shop)
        is_present = sidecar.migrations == migrations.leaves
        try:
            registry = migrations.to(None if is_present else sidecar.migrations)
        except WorldBug as error:
            raise FixtureError(f"{fixture.folder / fixtures.SIDECAR}: nodes.{path}.migrations: {error}") from None
        # The present models know more than historical ones (custom fields' to_python among it), and load faster.
        source = present_apps if is_present else registry
        _insert(world, shop, fixture, path, lines, source, report)
        if not is_present:
            _carry_forward(shop.raw, migrations, sidecar, str(fixture.file(path)))
        migrations.forget()
    return pages


def _insert(
    world: Any, shop: Workshop, fixture: Fixture, path: str, lines: list[str], source: Any, report: Report | None
) -> None:
    """Load rows into a store, as models of `source`."""
    sidecar = fixture.sidecar.nodes[path]
    done = 0

    def loaded(count: int) -> None:
        nonlocal done
        done += count
        if report:
            report(f"{world.name}/{fixture.id}", done, len(lines))

    file = str(fixture.file(path))
    with shop.wrapper.constraint_checks_disabled():
        shop.raw.execute("BEGIN").fetchall()
        counts = rows.load(lines, source, labels(world), file=file, on_rows=loaded)
        _set_sequences(shop.raw, sidecar.sequences)
        shop.raw.execute("COMMIT").fetchall()
    if counts != sidecar.counts:
        raise FixtureError(f"{file}: it holds {counts} rows, fixture.yaml says {sidecar.counts}; freeze it again")
    rows.require_references(shop.raw, lines, source, labels(world), file=file)


def _carry_forward(raw: apsw.Connection, migrations: Migrations, sidecar: NodeSidecar, file: str) -> None:
    try:
        migrations.to()
    except DatabaseError as error:
        raise FixtureError(f"{file}: its rows do not pass the migrations to the present schema: {error}") from error
    # A migration that makes a table anew starts its counter at the largest number in use.
    for table, value in sidecar.sequences.items():
        raw.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = ? AND seq < ?", (value, table, value)).fetchall()


def _set_sequences(raw: apsw.Connection, sequences: dict[str, int]) -> None:
    for table, value in sequences.items():
        raw.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,)).fetchall()
        raw.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, value)).fetchall()


def _cached(world: Any, name: str, digest: str, build: Callable[[], Pages]) -> Built:
    """The image under `var/images`, built when it is not there."""
    key = _key(digest)
    found = _built.get(key)
    if found is None:
        file = _file(world, name, digest)
        if not _is_whole(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            build().write_to(file)
        found = _opened(file)
        _require_keys(world, found.schema)
        _built[key] = found
    return found


def _key(digest: str) -> str:
    makers = f"{_FORMAT} {apsw.sqlite3_sourceid()} {django.get_version()}"
    return hashlib.sha256(f"{makers} {digest}".encode()).hexdigest()[:24]


def _file(world: Any, name: str, digest: str) -> Path:
    return Path(settings.SEAHAVEN_VAR_DIR) / "images" / f"{world.name}-{name}-{_key(digest)}.sqlite"


def _opened(file: Path) -> Built:
    image = Image(file)
    raw = connect(Pages(image))
    try:
        return Built(image, Schema(raw), schedule.first_due_ms(raw))
    finally:
        raw.close()


def _is_cached(world: Any, name: str, digest: str) -> bool:
    """Is an image open in this process, perhaps for another fixture of the same rows, or else on disk?"""
    return _key(digest) in _built or _is_whole(_file(world, name, digest))


def _is_whole(file: Path) -> bool:
    """Is an image there, with all the pages its header counts? A machine that lost power may have kept half of it."""
    try:
        with file.open("rb") as opened:
            return int.from_bytes(opened.read(32)[28:], "big") * PAGE == file.stat().st_size > 0
    except FileNotFoundError:
        return False


def _require_keys(world: Any, schema: Schema) -> None:
    keyless = [table for table in schema.without_key if table not in world.untracked_tables]
    if keyless:
        raise WorldBug(
            f"world {world.name}: table {keyless[0]} has no primary key, so its changes cannot be logged; "
            f"give it one, or name it in untracked_tables"
        )


def built_images() -> Iterator[Built]:
    """Every image this process has open."""
    yield from _built.values()
