"""How does an instance become a fixture?"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from django.apps import apps

from worlds.engine import fixtures, rows
from worlds.engine.chance import instance_seed
from worlds.engine.clock import Clock, iso
from worlds.engine.composing import Branch, tree_of
from worlds.engine.ctx import InstanceInfo
from worlds.engine.db.pages import Pages
from worlds.engine.errors import FixtureError
from worlds.engine.fixtures import Fixture, NodeSidecar, Sidecar
from worlds.engine.images import StartingState
from worlds.engine.migrating import Migrations, labels, workshop
from worlds.engine.names import check_name, schema_name
from worlds.engine.node import Node
from worlds.engine.position import Position
from worlds.engine.registrations import Registrations
from worlds.engine.schema import fingerprint


def freeze(
    at: Position,
    fixture_id: str,
    description: str,
    *,
    parent: str | None,
    folder: Path | None = None,
    replace: bool = False,
) -> Fixture:
    """Write the present rows and moment of an instance as a fixture.

    Raises: FixtureError for an id that is taken, an empty description, a schema that was changed by hand, and rows in
    tables no model stands for; nothing is written then.
    """
    check_name(fixture_id, "a fixture id")
    if not description.strip():
        raise FixtureError(f"fixture {fixture_id!r} needs a description; say what state it is and what it is good for")
    world = at.world
    target = (folder or fixtures.folders(world.name)[0]) / fixture_id
    if not replace:
        for place in (folder,) if folder else fixtures.folders(world.name):
            fixtures.require_free(place / fixture_id)
    texts, nodes = {}, {}
    for node in at.nodes:
        _require_schema(node)
        texts[node.path], nodes[node.path] = _node(node, at.tree.branches[node.path])
    sidecar = Sidecar(
        format=1,
        id=fixture_id,
        world=world.name,
        description=description.strip(),
        parent=parent,
        now=iso(at.clock.ms()),
        seq=at.seq,
        nodes=nodes,
    )
    return fixtures.write(target, sidecar, texts, replace=replace)


def freeze_again(world: Registrations, base: StartingState, *, folder: Path, replace: bool = False) -> Fixture:
    """Write the rows a fixture loads to, under the present schema; no hook runs and no call is made."""
    fixture, now_ms = base.fixture, base.now_ms
    assert fixture is not None
    assert now_ms is not None
    seed = instance_seed(world.name, fixture.id, None)
    at = Position(tree_of(world), base, Clock(now_ms, "fixed"), InstanceInfo("curator", fixture.id, seed))
    try:
        return freeze(at, fixture.id, fixture.description, parent=fixture.parent, folder=folder, replace=replace)
    finally:
        at.close()


def _require_schema(node: Node) -> None:
    """Only rows are frozen, so a schema other than the migrations' would be lost."""
    store = node.store
    if fingerprint(store.raw) != store.schema.fingerprint:
        raise FixtureError(
            f"world {node.world.name}: the schema of this instance was changed by hand; write a migration instead"
        )
    modelled = {model._meta.db_table for model in rows.models_of(apps, labels(node.world))}
    for table in store.schema.tables:
        if table not in modelled and store.raw.execute(f'SELECT 1 FROM "{table}" LIMIT 1').get is not None:
            raise FixtureError(
                f"world {node.world.name}: table {table} has rows and no model, so they would be lost; "
                f"give it a model (managed = False)"
            )


def _node(node: Node, branch: Branch) -> tuple[bytes, NodeSidecar]:
    pages: Pages = node.store.pages.copy()
    with workshop(node.world, pages) as shop:
        chunks = list(rows.dump(apps, labels(node.world)))
        leaves = Migrations(shop).leaves
        sequences = _sequences(shop.raw)
    text = "".join(chunks).encode()
    counts: dict[str, int] = {}
    for line in text.split(b"\n")[:-1]:
        label = line[line.index(b'"model": "') + 10 :].split(b'"', 1)[0].decode()
        counts[label] = counts.get(label, 0) + 1
    file = f"{schema_name(node.path)}.jsonl"
    return text, NodeSidecar(
        world=node.world.name,
        world_version=node.world.version,
        scope=branch.scope,
        aliases=list(branch.aliases),
        file=file,
        sha256=hashlib.sha256(text).hexdigest(),
        migrations=leaves,
        counts=counts,
        sequences=sequences,
    )


def _sequences(raw: Any) -> dict[str, int]:
    """The counters of AUTOINCREMENT tables."""
    if raw.execute("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").get is None:
        return {}
    found = raw.execute("SELECT name, seq FROM sqlite_sequence WHERE name <> 'django_migrations' ORDER BY name")
    return dict(found.fetchall())
