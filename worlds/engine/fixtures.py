"""What is a fixture on disk, and is it whole?

`fixtures/<world>/<id>/` holds `fixture.yaml` and one file of rows per store. Text is the fixture; the SQLite image is
built from it and can be thrown away.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from django.conf import settings
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worlds.engine.clock import is_canonical
from worlds.engine.errors import FixtureError
from worlds.engine.names import check_name, nearest

SIDECAR = "fixture.yaml"
_RESTORE = "restore the file from version control, or freeze the fixture again"


class NodeSidecar(BaseModel):
    """What the sidecar says of one store."""

    model_config = ConfigDict(extra="forbid", strict=True)

    world: str
    world_version: str
    #: Only of worlds that are embedded: see `worlds.engine.composing`.
    scope: str | None = None
    aliases: list[str] = []
    file: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+\.jsonl$")]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    #: The last migration of each app the rows were written under.
    migrations: dict[str, str]
    counts: dict[str, int]
    #: The next-number counters of tables that count, where they are past their rows.
    sequences: dict[str, int] = {}


class Sidecar(BaseModel):
    """`fixture.yaml`, whole."""

    model_config = ConfigDict(extra="forbid", strict=True)

    format: Literal[1]
    id: str
    world: str
    description: Annotated[str, Field(min_length=1)]
    parent: str | None
    now: str
    seq: Annotated[int, Field(ge=0)]
    nodes: Annotated[dict[str, NodeSidecar], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Fixture:
    """A fixture that was found; its rows are not read until it is used."""

    folder: Path
    sidecar: Sidecar

    @property
    def id(self) -> str:
        """Its name, as a reset gives it."""
        return self.sidecar.id

    @property
    def description(self) -> str:
        """What state it is, for whoever chooses one."""
        return self.sidecar.description

    @property
    def now(self) -> str:
        """The clock's reading when it was frozen."""
        return self.sidecar.now

    @property
    def parent(self) -> str | None:
        """The fixture it was made from."""
        return self.sidecar.parent

    @property
    def counts(self) -> dict[str, int]:
        """Rows of each model, over every store."""
        total: dict[str, int] = {}
        for node in self.sidecar.nodes.values():
            for label, count in node.counts.items():
                total[label] = total.get(label, 0) + count
        return total

    def file(self, path: str) -> Path:
        """Where the rows of the node at a path are."""
        return self.folder / self.sidecar.nodes[path].file

    def read_rows(self, path: str) -> list[str]:
        """The lines of one store's rows, their checksum verified.

        Raises: FixtureError naming the file, for one that is missing, a link, no UTF-8 or changed since it was frozen.
        """
        file = self.file(path)
        _require_file(file)
        if not file.is_file():
            raise FixtureError(f"{file}: fixture {self.id!r} lacks this file; restore it, or freeze the fixture again")
        data = file.read_bytes()
        found, wanted = hashlib.sha256(data).hexdigest(), self.sidecar.nodes[path].sha256
        if found != wanted:
            raise FixtureError(
                f"{file}: its SHA-256 is {found[:12]}…, fixture.yaml says {wanted[:12]}…; restore the file from "
                f"version control, or make the change with a recipe or `manage.py seahaven_fixture fork`"
            )
        try:
            # Not splitlines(): text may hold U+2028 and its like, which end no row.
            return data.decode().removesuffix("\n").split("\n") if data else []
        except UnicodeDecodeError as error:
            raise FixtureError(f"{file}: byte {error.start} is no UTF-8; {_RESTORE}") from None

    def reference(self) -> dict[str, Any]:
        """How the state document names this fixture: {"id", "nodes": {path: {"file_sha256"}}}."""
        return {"id": self.id, "nodes": {path: {"file_sha256": n.sha256} for path, n in self.sidecar.nodes.items()}}


def folders(world: str) -> list[Path]:
    """Where a world's fixtures are looked for: the committed ones, then those built on demand."""
    return [Path(settings.SEAHAVEN_FIXTURES_DIR) / world, Path(settings.SEAHAVEN_VAR_DIR) / "fixtures" / world]


def ids(world: str) -> list[str]:
    """The ids of a world's fixtures, sorted; no file is opened."""
    found = {
        entry.name
        for folder in folders(world)
        if folder.is_dir()
        for entry in folder.iterdir()
        if not entry.name.startswith(".") and (entry / SIDECAR).is_file()
    }
    return sorted(found)


def find(world: str, fixture_id: str) -> Fixture | None:
    """A fixture by id, or None; its sidecar is read and checked."""
    check_name(fixture_id, "a fixture id")
    for folder in folders(world):
        if (folder / fixture_id / SIDECAR).is_file():
            return load(folder / fixture_id, world)
    return None


def get(world: str, fixture_id: str, recipes: Any = ()) -> Fixture:
    """A fixture by id.

    Raises: FixtureError with the ids there are, the nearest one, and how to make a missing one.
    """
    fixture = find(world, fixture_id)
    if fixture is not None:
        return fixture
    if fixture_id in recipes:
        raise FixtureError(
            f"fixture {fixture_id!r} of world {world} is not built yet; run "
            f"`manage.py seahaven_fixture build {world} {fixture_id}`"
        )
    known = ids(world)
    near = nearest(fixture_id, known)
    hint = f"did you mean {near!r}? " if near else ""
    raise FixtureError(f"world {world} has no fixture {fixture_id!r}; {hint}it has: {', '.join(known) or 'none'}")


def _require_file(file: Path) -> None:
    if file.is_symlink():
        raise FixtureError(f"{file}: it is a link; put the file itself there, what a fixture is stays in its folder")


def load(folder: Path, world: str) -> Fixture:
    """Read a fixture's sidecar.

    Raises: FixtureError naming the file and the field, for one that is no YAML, has unknown fields or does not fit.
    """
    file = folder / SIDECAR
    _require_file(file)
    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
        sidecar = Sidecar.model_validate(data)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split())
        raise FixtureError(f"{file}: cannot be read as YAML: {reason}; {_RESTORE}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the document"
        raise FixtureError(f"{file}: {place}: {first['msg']}; {_RESTORE}") from None
    if sidecar.id != folder.name:
        raise FixtureError(f"{file}: id is {sidecar.id!r} in a folder named {folder.name!r}; make them equal")
    if sidecar.world != world:
        raise FixtureError(
            f"{file}: it belongs to world {sidecar.world!r}, not {world!r}; move it to that world's folder"
        )
    if not is_canonical(sidecar.now):
        raise FixtureError(f"{file}: now is {sidecar.now!r}; write it as 2026-06-01T09:00:00.000Z")
    return Fixture(folder, sidecar)


class _Readable(yaml.SafeDumper):
    """YAML as a person would write it: text of several lines as a block."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    style = "|" if "\n" in value else None
    if any(mark in value for mark in "\r\x85\u2028\u2029"):
        style = '"'  # they end a line of YAML too, and would come back as "\n"
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Readable.add_representer(str, _text)


def require_free(target: Path) -> None:
    """Refuse a folder that is taken.

    Raises: FixtureError naming it.
    """
    if target.exists():
        raise FixtureError(
            f"{target}: fixture {target.name!r} exists already; choose another id, fixtures are not overwritten"
        )


def write(target: Path, sidecar: Sidecar, rows: dict[str, bytes], *, replace: bool = False) -> Fixture:
    """Write a fixture's folder, which appears complete or not at all.

    Raises: FixtureError when the id is taken and `replace` is not given.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    pending = target.with_name(f".{target.name}.{os.getpid()}.{threading.get_ident()}.pending")
    shutil.rmtree(pending, ignore_errors=True)
    pending.mkdir()
    try:
        for path, data in rows.items():
            (pending / sidecar.nodes[path].file).write_bytes(data)
        (pending / SIDECAR).write_text(
            yaml.dump(_document(sidecar), Dumper=_Readable, sort_keys=False, allow_unicode=True, width=100),
            encoding="utf-8",
        )
        while not _put(pending, target):
            if replace:
                _take_away(target, pending.with_suffix(".old"))
            else:
                require_free(target)
    except BaseException:
        shutil.rmtree(pending, ignore_errors=True)
        raise
    return Fixture(target, sidecar)


def _document(sidecar: Sidecar) -> dict[str, Any]:
    """The sidecar as it is written: what only embedded worlds have is left out where there is none."""
    document = sidecar.model_dump()
    for node in document["nodes"].values():
        for name in ("scope", "aliases"):
            if not node[name]:
                del node[name]
    return document


def _put(pending: Path, target: Path) -> bool:
    """Give a folder its name; False when the name is taken, perhaps by another process just now."""
    try:
        pending.rename(target)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        return False
    return True


def _take_away(target: Path, old: Path) -> None:
    with suppress(FileNotFoundError):  # another process was quicker
        target.rename(old)
        shutil.rmtree(old)
