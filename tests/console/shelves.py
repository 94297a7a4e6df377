"""Which server do tests use that make fixtures: one with shelves of its own, never the committed ones?"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from tests.openenv.servers import ROOT, Server

WORLDS = "worlds.crm,tests.worlds.lab,tests.worlds.moved"
KEPT = ("empty", "small_startup")


@contextmanager
def shelf_server(var_dir: Path, folder: Path, **options: object) -> Iterator[Server]:
    """The real server on copies of two fixtures of the CRM."""
    for fixture in KEPT:
        if not (folder / "crm" / fixture).exists():
            shutil.copytree(ROOT / "fixtures" / "crm" / fixture, folder / "crm" / fixture)
    with Server(worlds=WORLDS, var_dir=var_dir, fixtures_dir=folder, log_level="WARNING", **options) as running:
        yield running
        log = running.log()
        assert "Traceback" not in log, log


def multitude(folder: Path, fixture: str, people: int) -> None:
    """A fixture of the world `moved` with so many people that its image takes a while."""
    place = folder / "moved" / fixture
    sidecar = yaml.safe_load((folder / "moved" / "a_visitor" / "fixture.yaml").read_text())
    lines = (folder / "moved" / "a_visitor" / "main.jsonl").read_text().splitlines()
    (person,) = (json.loads(line) for line in lines if '"moved.person"' in line)
    fields = person["fields"]
    crowd = [json.dumps({**person, "pk": f"p{n:06}", "fields": {**fields, "name": f"Ada {n}"}}) for n in range(people)]
    text = "".join(f"{line}\n" for line in [*lines, *crowd]).encode()
    node = sidecar["nodes"]["main"]
    node["sha256"], node["counts"]["moved.person"] = hashlib.sha256(text).hexdigest(), people + 1
    sidecar |= {"id": fixture, "description": "Many people have been here.\n\nToo many to count."}
    place.mkdir(parents=True)
    (place / "main.jsonl").write_bytes(text)
    (place / "fixture.yaml").write_text(yaml.safe_dump(sidecar, sort_keys=False))
