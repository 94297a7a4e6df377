"""How are the files of a new world written, all of them or none?"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from worlds.engine.scaffold.place import Place
from worlds.engine.scaffold.trial import try_out


def write(place: Place, files: Mapping[Path, str]) -> dict[str, int]:
    """Write a world that passes its trial, and answer how many rows each of its fixtures has.

    `files` are named from the project's root.
    Raises: WorldBug when it does not pass, and whatever keeps a file from being written; nothing stays behind.
    """
    staging = place.root / f".{place.name}.{os.getpid()}.pending"
    shutil.rmtree(staging, ignore_errors=True)
    try:
        for name, content in files.items():
            file = staging / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8")
        counts = try_out(place, staging)
        _move(
            [
                (staging / place.app.relative_to(place.root), place.app),
                (staging / "fixtures" / place.name, place.fixtures),
                (staging / "tests" / place.name, place.tests),
            ]
        )
        package = place.tests.parent / "__init__.py"
        if not package.exists():
            package.touch()  # puts the project on the path of its tests, whoever starts them
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return counts


def _move(moves: list[tuple[Path, Path]]) -> None:
    done: list[Path] = []
    try:
        for pending, target in moves:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(pending, target)
            done.append(target)
    except BaseException:
        for target in done:
            shutil.rmtree(target, ignore_errors=True)
        raise
