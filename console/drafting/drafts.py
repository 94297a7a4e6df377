"""Which drafts are open in this process, and how is one read and edited?

An open draft is an engine's instance, made of what its journal says: the fixture it begins with, and every edit since.
It can be closed at any time and made again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import orjson
from django.utils import timezone

from console.drafting import journal as journals
from console.drafting.journal import Act, Edit, Journal, JournalError
from worlds.engine import Diff, Instance, SeahavenError, Start, World, excerpts, fixtures, installed
from worlds.engine.clock import iso
from worlds.engine.redoing import redo

T = TypeVar("T")

#: So many drafts stay open; of more, those that were not used for longest are closed.
MOST_OPEN = 24


class DraftTrouble(Exception):
    """A draft that cannot be opened or edited now; the message says why, and what to do."""

    #: Would it help to let the edits stand on the fixture as it is now?
    has_other_parent = False


class OtherParent(DraftTrouble):
    """The fixture that a draft begins with is not what it was."""

    has_other_parent = True


class OpenDraft:
    """One draft. Safe to use from any thread: edits take turns."""

    def __init__(self, draft_id: str) -> None:
        self.id = draft_id
        self.lock = threading.RLock()
        self._journal: Journal | None = None
        self._instance: Instance | None = None

    # What it is.

    def journal(self) -> Journal:
        """What is kept of it, read anew when another process added to it.

        Raises: DraftTrouble.
        """
        with self.lock:
            file = journals.file_of(self.id)
            if self._journal is None or not file.is_file() or file.stat().st_size != self._journal.seen:
                self.close()
                self._journal = _read(self.id)
            return self._journal

    def instance(self) -> Instance:
        """Its rows.

        Raises: DraftTrouble for a fixture that is not what it was, and for edits that do not fit it.
        """
        with self.lock:
            journal = self.journal()
            if self._instance is None:
                _require_same_fixture(journal)
                self._instance = _made_of(journal, journal.fixture)
            return self._instance

    def close(self) -> None:
        """Give the rows' memory back; they are made again when they are wanted."""
        with self.lock:
            if self._instance is not None:
                self._instance.destroy()
            self._instance = self._journal = None

    @property
    def edits(self) -> list[Edit]:
        return list(self.journal().edits)

    def diff(self) -> Diff:
        """What is different from the fixture it begins with, on the whole."""
        return self.instance().diff()

    # Reading and editing.

    @contextmanager
    def reading(self, node: str) -> Iterator[None]:
        """A block in which models read the rows of the world at a path; edits that come meanwhile are not seen."""
        with ExitStack() as stack:
            with self.lock:
                stack.enter_context(self.instance().inspecting(node))
            yield

    def edit(self, by: str, node: str, work: Callable[[list[Act]], T]) -> T:
        """Do some work that changes rows in one transaction, and keep it; answers what the work did.

        `work` is given a list to say in what it did.
        Raises: DraftTrouble when it cannot be kept, and then it is not done; whatever the work raises.
        """
        with self.lock:
            inst = self.instance()
            known, given_out = excerpts.change_count(inst), _numbers(inst)
            acts: list[Act] = []
            with inst.bulk(by=by, node=node):
                done = work(acts)
            records, _ = excerpts.changes(inst, known)
            if records:
                self._keep(by, node, acts, _numbers(inst) - given_out, records)
            return done

    def _keep(self, by: str, node: str, acts: list[Act], numbers: int, records: list[bytes]) -> None:
        edit = Edit(
            at=present(),
            by=by,
            node=node,
            acts=tuple(acts),
            numbers=numbers,
            records=[orjson.loads(record) for record in records],
        )
        try:
            self.journal().add(edit)
        except (JournalError, DraftTrouble) as error:
            self.close()
            raise DraftTrouble(str(error)) from None

    def take_back(self, by: str) -> Edit:
        """Take the last edit back.

        Raises: DraftTrouble.
        """
        with self.lock:
            try:
                return self.journal().take_back(present(), by)
            except JournalError as error:
                raise DraftTrouble(str(error)) from None
            finally:
                self.close()

    def move_to_present_parent(self, by: str) -> None:
        """Let the edits stand on the fixture as it is now.

        Raises: DraftTrouble naming the edit that does not fit it; nothing is different then.
        """
        with self.lock:
            journal = self.journal()
            if journal.fixture is None:
                return
            present_fixture = _fixture_of(journal).reference()
            inst = _made_of(journal, present_fixture)
            try:
                journal.begin_with(present_fixture, present(), by)
            except JournalError as error:
                inst.destroy()
                raise DraftTrouble(str(error)) from None
            if self._instance is not None:
                self._instance.destroy()
            self._instance = inst


def present() -> str:
    """The time of this machine, as a journal tells it."""
    return iso(round(timezone.now().timestamp() * 1000))  # noqa: TID251 - people edit in real time


def _numbers(inst: Instance) -> int:
    with inst.reading() as at:
        return at.seq


def _read(draft_id: str) -> Journal:
    try:
        return journals.read(draft_id)
    except JournalError as error:
        raise DraftTrouble(str(error)) from None


def _world_of(journal: Journal) -> World:
    try:
        world: World = installed.get(journal.world)
        return world
    except SeahavenError as error:
        raise DraftTrouble(f"{error}. Add it to SEAHAVEN_WORLDS and start the server again.") from None


def _fixture_of(journal: Journal) -> fixtures.Fixture:
    assert journal.fixture is not None
    world = _world_of(journal)
    try:
        return fixtures.get(world.name, journal.fixture["id"], world.recipes)
    except SeahavenError as error:
        raise OtherParent(
            f"This draft begins with a fixture that cannot be read: {error}. Its {len(journal.edits)} edits are kept "
            f"in {journal.file}. Put the fixture back, from version control perhaps."
        ) from None


def _require_same_fixture(journal: Journal) -> None:
    if journal.fixture is None:
        return
    found = _fixture_of(journal).reference()
    if found != journal.fixture:
        other = [path for path in {**journal.fixture["nodes"], **found["nodes"]} if _differs(path, journal, found)]
        raise OtherParent(
            f"Fixture {journal.fixture['id']!r} has changed since this draft began with it: other rows of "
            f"{', '.join(other)}. The draft's {len(journal.edits)} edits are kept in {journal.file}. Put the fixture "
            f"back as it was, or let the edits stand on the fixture as it is now."
        )


def _differs(path: str, journal: Journal, found: dict[str, Any]) -> bool:
    assert journal.fixture is not None
    return journal.fixture["nodes"].get(path) != found["nodes"].get(path)


def _made_of(journal: Journal, fixture: dict[str, Any] | None) -> Instance:
    """The fixture, with every edit made again."""
    world = _world_of(journal)
    start = Start(fixture["id"] if fixture else None, journal.seed, journal.now, "fixed")
    try:
        inst = world.start(start)
    except SeahavenError as error:
        raise DraftTrouble(f"This draft cannot begin: {error}. Its edits are kept in {journal.file}.") from None
    for number, edit in enumerate(journal.edits, 1):
        try:
            with inst.bulk(by=edit.by, node=edit.node) as ctx:
                redo(ctx.db, edit.records)
                for _ in range(edit.numbers):
                    ctx.seq()
        except SeahavenError as error:
            inst.destroy()
            what = getattr(error, "sqlite_message", None) or error
            raise DraftTrouble(
                f"Edit {number} of {len(journal.edits)}, by {edit.by} at {edit.at}, does not fit any more: {what}. "
                f"All edits are kept in {journal.file}. Go back to the world and the fixture that the draft was made "
                f"with, or take edits back, the last one first."
            ) from None
    return inst


class Drafts:
    """The drafts that are open."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, OpenDraft] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, draft_id: object) -> OpenDraft:
        """A draft by its id, whether there is a journal of it or not."""
        with self._lock:
            found = self._open.setdefault(str(draft_id), OpenDraft(str(draft_id)))
            self._open.move_to_end(found.id)
            idle = [each for each in list(self._open.values())[:-MOST_OPEN] if each.lock.acquire(blocking=False)]
            for each in idle:
                del self._open[each.id]
        for each in idle:
            each.close()
            each.lock.release()
        return found

    def begin(self, draft_id: object, world: World, fixture_id: str | None, *, now: str | None, seed: int = 0) -> None:
        """Keep a new draft.

        Raises: DraftTrouble, and SeahavenError for a fixture or a time that does not fit.
        """
        world.start(Start(fixture_id, seed, now, "fixed")).destroy()
        reference = fixtures.get(world.name, fixture_id).reference() if fixture_id else None
        try:
            journals.begin(draft_id, world=world.name, fixture=reference, seed=seed, now=now)
        except JournalError as error:
            raise DraftTrouble(str(error)) from None

    def remove(self, draft_id: object) -> None:
        """Close a draft and put its journal aside, among the deleted ones."""
        draft = self.get(draft_id)
        with draft.lock:
            draft.close()
            file = journals.file_of(draft_id)
            if file.is_file():
                aside = file.parent / "deleted"
                aside.mkdir(exist_ok=True)
                file.replace(aside / file.name)
        with self._lock:
            self._open.pop(str(draft_id), None)


DRAFTS = Drafts()
