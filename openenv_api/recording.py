"""Which episodes are kept when they end, and how does that slow nobody down?

The share that SEAHAVEN_RECORD_EPISODES says is chosen by the instance's id, which is drawn at random and which no world
sees. What is chosen is exported on its lane before it is destroyed, and put into a queue with an end; a thread of its
own packs it, writes it and notes it in the control database. When the queue is full an episode is dropped, and counted.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections import deque
from datetime import timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection
from django.utils import timezone

from openenv_api import recorded
from openenv_api.models import ApiKey, RecordedEpisode
from worlds.engine import Instance, InstanceClosed, WorldBug
from worlds.engine.hosting import HOSTS, Hosted

#: So much may wait to be written, counted in bytes of documents.
QUEUE_BYTES = 64 * 1024 * 1024
#: Rows are noted so often, many at a time: each commit keeps other writers of the control database waiting.
WRITES_EVERY_S = 0.2
PRUNES_EVERY_S = 10.0
#: That episodes are dropped is said no more often than this.
COMPLAINS_EVERY_S = 10.0
#: When the server stops, so long may it take to end what is open, and so long to write what ended.
STOPS_WITHIN_S = 5.0
#: The first digits of an id, of which there are so many, choose.
_DIGITS = 8

logger = logging.getLogger("seahaven.recording")


class Ended(NamedTuple):
    """An episode that is over: what its row will say, its document, and the hash of the key of whoever opened it."""

    row: RecordedEpisode
    document: bytes | None
    key: str | None


def is_chosen(hosted_id: str) -> bool:
    """Is this one of the share that is recorded? Always answers the same of an id."""
    share = float(settings.SEAHAVEN_RECORD_EPISODES)
    return share > 0 and int(hosted_id[:_DIGITS], 16) < share * 16**_DIGITS


def look(hosted: Hosted, is_readable: bool) -> None:
    """Take what is to be kept of an instance that is over."""
    if hosted.instance is None or not is_chosen(hosted.id):
        return
    if not RECORDER.has_room():
        RECORDER.drop()
        return
    row = _row(hosted, hosted.instance)
    document, missing = None, f"{hosted.over_because}, and may have been in the middle of a change"
    if is_readable:
        document, missing = _document(hosted.instance, row)
    if document is None:
        row.missing_because = missing
    RECORDER.put(Ended(row, document, hosted.opened_by))


def _row(hosted: Hosted, instance: Instance) -> RecordedEpisode:
    now = timezone.now()
    return RecordedEpisode(
        instance_id=hosted.id,
        episode_id=instance.episode_id,
        world=hosted.world.name,
        world_version=hosted.world.version,
        fixture=instance.fixture or "",
        seed="" if instance.caller_seed is None else str(instance.caller_seed),
        door=hosted.door,
        begun_at=now - timedelta(seconds=time.monotonic() - hosted.opened_at),
        ended_at=now,
        ended_because=hosted.over_because or "",
        call_count=instance.call_count,
        refusals=0,
        rows_changed=0,
        size=0,
        stored=0,
    )


def _document(instance: Instance, row: RecordedEpisode) -> tuple[bytes | None, str]:
    """The episode document and an empty text, or why there is none; notes in the row what is in it."""
    try:
        with instance.reading() as at:
            row.refusals = sum(call.error is not None or call.tool_error is not None for call in at.calls)
            row.tools = " ".join(dict.fromkeys(call.tool for call in at.calls))
            row.rows_changed = len(at.log.records)
        document = instance.export_json()
    except (WorldBug, InstanceClosed) as error:
        return None, str(error)
    row.size = len(document)
    return document, ""


class Recorder:
    """The queue, and the thread that empties it, which begins with the first episode that is put in."""

    def __init__(self) -> None:
        self._waiting: deque[Ended] = deque()
        self._waiting_bytes = 0
        self._lock = threading.Lock()
        self._has_work = threading.Event()
        self._is_stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.dropped = 0
        self._complained_at: float | None = None
        self._pruned_at = float("-inf")

    # For those who end episodes.

    def has_room(self) -> bool:
        return self._waiting_bytes < QUEUE_BYTES

    def drop(self) -> None:
        """Count one that is not kept, and say so now and then."""
        self.dropped += 1
        now = time.monotonic()
        if self._complained_at is None or now - self._complained_at > COMPLAINS_EVERY_S:
            self._complained_at = now
            logger.warning(
                "Episodes end faster than they are written: %d were not recorded so far. "
                "Lower SEAHAVEN_RECORD_EPISODES.",
                self.dropped,
            )

    def put(self, ended: Ended) -> None:
        """Have an episode written soon; does not wait."""
        with self._lock:
            self._waiting.append(ended)
            self._waiting_bytes += len(ended.document or b"")
            if self._thread is None:
                self._is_stopping.clear()
                self._thread = threading.Thread(target=self._run, daemon=True, name="seahaven-recorder")
                self._thread.start()
        self._has_work.set()

    def flush(self, wait_s: float = STOPS_WITHIN_S) -> None:
        """Write what waits, and let the thread end. Another episode begins another."""
        thread = self._thread
        self._is_stopping.set()
        self._has_work.set()
        if thread is not None:
            thread.join(wait_s)
        if self._waiting:
            logger.warning("%d episodes were not recorded, for the server stopped", len(self._waiting))

    # On the thread.

    def _run(self) -> None:
        try:
            self._guarded(self._adopt)
            while self._goes_on():
                self._has_work.wait()
                self._has_work.clear()
                self._is_stopping.wait(WRITES_EVERY_S)
                self._guarded(self._write)
                if time.monotonic() - self._pruned_at > PRUNES_EVERY_S or self._is_stopping.is_set():
                    self._pruned_at = time.monotonic()
                    self._guarded(recorded.prune)
        finally:
            connection.close()

    def _goes_on(self) -> bool:
        with self._lock:
            if self._is_stopping.is_set() and not self._waiting:
                self._thread = None  # whatever is put in from here on begins another
        return self._thread is not None

    def _guarded(self, work: Any) -> None:
        try:
            work()
        except Exception:  # a full disk, a database that was never migrated: later episodes may fare better
            logger.exception("Recorded episodes could not be written")
            connection.close()

    def _adopt(self) -> None:
        if count := recorded.adopt():
            logger.info("%d recorded episodes were found that a server had no time to note", count)

    def _write(self) -> None:
        """Write those that wait: the files, then all their rows at once."""
        with self._lock:
            taken, self._waiting = self._waiting, deque()
        try:
            rows = []
            names = _key_names({each.key for each in taken if each.key})
            for row, document, key in taken:
                row.key_name = names.get(key, "of the settings") if key else ""
                if document is not None:
                    row.file, row.stored = recorded.write(row.instance_id, row.ended_at, document)
                rows.append(row)
            RecordedEpisode.objects.bulk_create(rows)
        except Exception:
            self.dropped += len(taken)
            raise
        finally:
            with self._lock:
                self._waiting_bytes -= sum(len(each.document or b"") for each in taken)


def _key_names(hashes: set[str]) -> dict[str | None, str]:
    return dict(ApiKey.objects.filter(hash__in=hashes).values_list("hash", "name")) if hashes else {}


def finish() -> None:
    """End what is open, and write what is to be kept: for a server that stops."""
    if settings.SEAHAVEN_RECORD_EPISODES > 0:
        for hosted in HOSTS:
            hosted.end("the server stopped")
        HOSTS.settle_ends(STOPS_WITHIN_S)
    RECORDER.flush()


def begin() -> None:
    """Look at every instance that ends from now on."""
    if look not in HOSTS.last_looks:
        HOSTS.last_looks.append(look)
        atexit.register(RECORDER.flush)


RECORDER = Recorder()
