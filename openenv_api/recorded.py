"""Where is the document of a recorded episode, how is it read, and when is it thrown away?

A document is one gzip file in a folder for the day it ended on, below `episodes` in the var folder; a row of the
control database says what is in it. Files are written before their rows and deleted after them.
"""

from __future__ import annotations

import gzip
import logging
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import orjson
from django.conf import settings
from django.db import transaction
from django.db.models import F, Sum, Window
from django.utils import timezone

from openenv_api.models import RecordedEpisode
from worlds.engine import EpisodeError

#: Twice as fast as gzip's own default level, and a twentieth larger.
LEVEL = 3
SUFFIX = ".json.gz"
#: A file without a row is taken for left behind once it is so old: its row may be on its way.
ADOPTED_AFTER_S = 60.0
#: Rows that are deleted in one statement.
AT_ONCE = 500

logger = logging.getLogger("seahaven.recording")


def folder() -> Path:
    """Where the documents are."""
    return Path(settings.SEAHAVEN_VAR_DIR) / "episodes"


def write(instance_id: str, ended_at: datetime, document: bytes) -> tuple[str, int]:
    """Keep a document; answers its file, below the folder, and how large that is.

    It is there whole or not at all.
    """
    file = f"{ended_at:%Y-%m-%d}/{instance_id}{SUFFIX}"
    path = folder() / file
    path.parent.mkdir(parents=True, exist_ok=True)
    packed = gzip.compress(document, LEVEL, mtime=0)
    draft = path.with_name(f".{path.name}.draft")
    draft.write_bytes(packed)
    os.replace(draft, path)
    return file, len(packed)


def document_of(episode: RecordedEpisode) -> bytes:
    """The episode document.

    Raises: EpisodeError saying why there is none.
    """
    if not episode.file:
        raise EpisodeError(f"This episode has no document: {episode.missing_because}.")
    try:
        return gzip.decompress((folder() / episode.file).read_bytes())
    except FileNotFoundError:
        raise EpisodeError(f"The file {episode.file} of this episode is gone from {folder()}.") from None
    except (OSError, EOFError) as error:
        raise EpisodeError(f"The file {episode.file} of this episode cannot be read: {error}.") from error


def forget_file(episode: RecordedEpisode) -> None:
    """Delete the file of a row once it is certain that the row is gone."""
    if episode.file:
        transaction.on_commit(partial(_unlink, episode.file))


def _unlink(file: str) -> None:
    path = folder() / file
    with suppress(OSError):
        path.unlink()
        path.parent.rmdir()  # the day's folder, when that was its last


# How many are kept.


def prune() -> int:
    """Delete the oldest of those that are more, or larger in all, than the settings let be; answers how many."""
    most, most_bytes = settings.SEAHAVEN_RECORD_KEEP, settings.SEAHAVEN_RECORD_KEEP_MIB * 1024 * 1024
    newest = RecordedEpisode.objects.order_by("-ended_at", "-id")
    doomed: set[int] = set(newest.values_list("id", flat=True)[most:]) if most else set()
    taken = RecordedEpisode.objects.aggregate(taken=Sum("stored"))["taken"] or 0
    if most_bytes and taken > most_bytes:
        running = Window(Sum("stored"), order_by=[F("ended_at").desc(), F("id").desc()])
        sums = newest.annotate(running=running).values_list("id", "running")
        doomed |= {each for each, total in sums if total > most_bytes}
    ids = sorted(doomed)
    for start in range(0, len(ids), AT_ONCE):
        RecordedEpisode.objects.filter(id__in=ids[start : start + AT_ONCE]).delete()
    return len(ids)


# What a server that was killed left behind.


def adopt() -> int:
    """Make rows for files that have none, and delete drafts; answers how many rows."""
    before = time.time() - ADOPTED_AFTER_S
    files = {str(path.relative_to(folder())): path for path in folder().glob(f"*/*{SUFFIX}") if _is_older(path, before)}
    for draft in folder().glob("*/.*.draft"):
        if _is_older(draft, before):
            draft.unlink(missing_ok=True)
    known = set(RecordedEpisode.objects.exclude(file="").values_list("file", flat=True))
    rows = [row for file in sorted(set(files) - known) if (row := _adopted(file, files[file])) is not None]
    RecordedEpisode.objects.bulk_create(rows)
    return len(rows)


def _is_older(path: Path, than_s: float) -> bool:
    with suppress(FileNotFoundError):
        return path.stat().st_mtime < than_s
    return False


def _adopted(file: str, path: Path) -> RecordedEpisode | None:
    try:
        packed = path.read_bytes()
        text = gzip.decompress(packed)
        document = orjson.loads(text)
        made = list(calls_in(document))
        fixture = document["fixture"]
        return RecordedEpisode(
            instance_id=path.name.removesuffix(SUFFIX),
            episode_id=document["episode_id"],
            world=document["world"]["name"],
            world_version=document["world"]["version"],
            fixture=fixture["id"] if fixture else "",
            seed="" if document["seed"] is None else str(document["seed"]),
            door="unknown",
            ended_at=datetime.fromtimestamp(path.stat().st_mtime, timezone.get_default_timezone()),
            ended_because="the server was killed before it noted how it ended",
            call_count=len(made),
            refusals=sum("error" in call for call in made),
            tools=" ".join(dict.fromkeys(call["tool"] for call in made)),
            rows_changed=sum(len(move["records"]) for move in document["moves"]),
            size=len(text),
            stored=len(packed),
            file=file,
        )
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        logger.warning("%s is no recorded episode: %s", path, error)
        return None


def calls_in(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The moves of a document that are calls."""
    return (move for move in document["moves"] if move["kind"] == "call")
