"""What does an instance consist of at one point of its run: everything a fork copies and a rewind puts back?"""

from __future__ import annotations

import copy
import threading
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

from django.conf import settings

from worlds.engine import active, schedule
from worlds.engine.calls import CallRecord
from worlds.engine.chance import Stream, node_seed
from worlds.engine.changes import Change, ChangeLog
from worlds.engine.checkpoints import Moment, Origin, Snapshot, Step, Steps
from worlds.engine.clock import Clock
from worlds.engine.composing import Tree
from worlds.engine.ctx import InstanceInfo
from worlds.engine.db import binding
from worlds.engine.db.pages import Pages
from worlds.engine.errors import WorldBug
from worlds.engine.handles import Worlds
from worlds.engine.images import StartingState
from worlds.engine.moves import Between
from worlds.engine.names import nearest
from worlds.engine.node import Node
from worlds.engine.registrations import Registrations
from worlds.engine.store import Store
from worlds.engine.transaction import Follower, Transaction

#: What a step needs to go back to before it: a store's path and its pages' undo, in the order they were made.
Undos = list[tuple[str, Any]]
_Entry = tuple[bool, Any, binding.Bound]


class Position:
    """The nodes, clock, logs and schedule of one instance. Not locked: the instance takes the turns."""

    def __init__(self, tree: Tree, base: StartingState, clock: Clock, info: InstanceInfo) -> None:
        self.tree = tree
        self.world = tree.world
        self.base = base
        self.clock = clock
        self.info = info
        self.log = ChangeLog.empty()
        self.calls: list[CallRecord] = []
        #: What was done between the calls, in its order: a replay repeats it.
        self.between: list[Between] = []
        self.steps = Steps(settings.SEAHAVEN_CHECKPOINTS_KEPT)
        self.seq = base.seq
        #: No event is due before this, in milliseconds since 1970; None when none waits, 0 when nobody looked.
        self.due_ms: int | None = base.due_ms
        #: The root first, then level by level.
        self.nodes = [
            self._node(path, branch.world, Pages(base.images[path])) for path, branch in tree.branches.items()
        ]
        self.by_path = {node.path: node for node in self.nodes}
        self._streams = tuple(stream for node in self.nodes for stream in node.streams())
        #: The call, event or block under way, and its thread; None in between.
        self.turn: object | None = None
        self.thread = 0
        #: Between a step's end and its last note; true afterwards when an interrupt came in between.
        self.is_unsettled = False
        self.transaction = Transaction(self.entered)
        for node in self.nodes:
            node.store.follower = Follower(self.transaction, node)
        #: The beginning, and the point after each thing that no replay can repeat.
        self.origins: list[Origin] = []
        #: What an instance has in common with its forks, and with nobody else.
        self.lineage = object()

    def _node(self, path: str, world: Registrations, pages: Pages) -> Node:
        seed = node_seed(self.info.seed, path)
        store = Store(
            path,
            pages,
            schema=self.base.schemas[path],
            clock=self.clock,
            chance=Stream(seed, "sql"),
            untracked=world.untracked_tables | {schedule.TABLE},
            cache_kib=settings.SEAHAVEN_PAGE_CACHE_KIB,
        )
        return Node(path, world, store, seed=seed, shared=self)

    @property
    def root(self) -> Node:
        return self.nodes[0]

    def node(self, path: str) -> Node:
        """The node at a path.

        Raises: WorldBug with the nearest path and the ones there are.
        """
        found = self.by_path.get(path)
        if found is None:
            near = nearest(path, self.by_path)
            hint = f"did you mean {near!r}? " if near else ""
            raise WorldBug(f"this instance has no world at {path!r}; {hint}it has: {', '.join(self.by_path)}")
        return found

    # What nodes ask of what they share.

    def next_seq(self) -> int:
        self.seq += 1
        return self.seq

    def schedule_changed(self) -> None:
        """The schedule was written to: look before believing that nothing is due."""
        self.due_ms = 0

    def worlds_of(self, node: Node) -> Worlds:
        return Worlds(self, node)

    def block(self, node: Node) -> AbstractContextManager[None]:
        return self.transaction.frame(node)

    # Running.

    def enter(self, node: Node) -> _Entry:
        """Run as `node` from here on: its store behind the alias, its clock behind `timezone.now`."""
        is_outermost = self.turn is None
        if is_outermost:
            self.turn, self.thread = object(), threading.get_ident()
        elif self.transaction.is_open:
            self.transaction.touch(node)
        bound = binding.bind(node.store.wrapper)
        return is_outermost, active.enter(node), bound

    def leave(self, entry: _Entry) -> None:
        """Run as before `enter`."""
        is_outermost, previous, bound = entry
        if is_outermost:
            self.turn = None
        binding.unbind(bound)
        active.leave(previous)

    @contextmanager
    def entered(self, node: Node) -> Iterator[None]:
        """A block as `node`."""
        entry = self.enter(node)
        try:
            yield
        finally:
            self.leave(entry)

    def touch(self, node: Node) -> None:
        """Make what is done to a node's store part of the transaction under way, if there is one."""
        if self.transaction.is_open:
            self.transaction.touch(node)

    def begin_capture(self) -> None:
        """Note what changes in any store from here on."""
        for node in self.nodes:
            node.store.begin_capture()

    @contextmanager
    def captured(self, call: int | None, by: str, undos: Undos) -> Iterator[None]:
        """Log what a block changes in any store, whether it ends well or not."""
        self.begin_capture()
        try:
            yield
        finally:
            self.end_capture(call, by, undos)

    def end_capture(self, call: int | None, by: str, undos: Undos) -> None:
        """Log what changed since `begin_capture`."""
        self.is_unsettled = True
        changes: list[Change] = []
        failure: Exception | None = None
        for node in self.nodes:
            try:
                found, undo = node.store.end_capture()
            except Exception as error:
                failure = failure or error
                continue
            changes += found
            if undo is not None:
                undos.append((node.path, undo))
        if changes:
            self.log.append(changes, call, by)
        self.is_unsettled = False
        if failure is not None:
            raise failure

    def finish_step(self, call: int | None, undos: Undos) -> None:
        """Keep what is needed to come back to the point just after this step."""
        was_unsettled, self.is_unsettled = self.is_unsettled, True
        try:
            after = self.moment()
        except WorldBug:
            self.steps.clear()
            self.is_unsettled = was_unsettled
            raise
        self.steps.add(Step(call, tuple(undos), after))
        self.is_unsettled = was_unsettled

    @contextmanager
    def noted(self, move: Between, undos: Undos) -> Iterator[None]:
        """A block that is a move between two calls: note what came of it, and keep what leads back."""
        self.between.append(move)
        try:
            yield
        except BaseException as error:
            move.fail(error)
            raise
        finally:
            move.now_ms, move.records = self.clock.ms(), len(self.log.records)
            self.finish_step(None, undos)

    # Points of the run.

    def moment(self) -> Moment:
        """The present, without its pages."""
        return Moment(
            len(self.calls),
            len(self.log.records),
            self.seq,
            self.clock.position(),
            tuple([stream.position for stream in self._streams]),
            tuple([node.remember() for node in self.nodes]),
            self.due_ms,
        )

    def snapshot(self) -> Snapshot:
        """The present, whole: costs a copy of the dictionaries, not of the pages."""
        return Snapshot(
            self.moment(),
            {node.path: node.store.pages.copy() for node in self.nodes},
            self.log.copy(),
            list(self.calls),
            list(self.between),
            self.steps.copy(),
            tuple(self.origins),
            self.lineage,
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Become what a snapshot holds; the snapshot can be restored again."""
        for node in self.nodes:
            node.store.replace_pages(snapshot.pages[node.path].copy())
        self.log, self.calls = snapshot.log.copy(), list(snapshot.calls)
        self.between, self.steps = list(snapshot.between), snapshot.steps.copy()
        self.origins, self.lineage = list(snapshot.origins), snapshot.lineage
        self._restore_moment(snapshot.moment)

    def mark_origin(self) -> None:
        """Let replays start here: what led here cannot be repeated. As many are kept whole as there are checkpoints."""
        if not self.origins:
            self.origins.append(Origin(0, self.snapshot()))
            return
        kept = settings.SEAHAVEN_CHECKPOINTS_KEPT
        here = replace(self.snapshot(), steps=Steps(kept, dropped=True), origins=())
        if len(self.origins) > 1 and self.origins[-1].calls == len(self.calls):
            self.origins.pop()
        self.origins.append(Origin(len(self.calls), here))
        if len(self.origins) > kept + 2:
            self.origins[-kept - 2] = self.origins[-kept - 2]._replace(snapshot=None)

    def step_back(self, call: int) -> None:
        """Go back to just after `call` (-1 is the start) by putting back the pages written since."""
        undos, moment = self.steps.pop_to(call)
        for path, undo in undos:
            self.by_path[path].store.revert(undo)
        self.origins = self._origins_before(call)
        if moment is None:
            assert self.origins[0].snapshot is not None
            moment = self.origins[0].snapshot.moment
        del self.calls[moment.calls :]
        self.between = [made for made in self.between if made.calls < moment.calls]
        self.log.cut(moment.records)
        self._restore_moment(moment)

    def restart(self, call: int) -> Snapshot:
        """Become the latest point that a replay to just after `call` can start from; answers it.

        Raises: WorldBug when that point is not kept any more.
        """
        origins = self._origins_before(call)
        snapshot = origins[-1].snapshot
        if snapshot is None:
            raise WorldBug(
                f"call {call} is older than the {settings.SEAHAVEN_CHECKPOINTS_KEPT} checkpoints kept, and a bulk() "
                f"before it cannot be repeated; raise SEAHAVEN_CHECKPOINTS_KEPT, or keep a checkpoint() of your own"
            )
        self.restore(snapshot)
        self.origins = origins
        return snapshot

    def know(self, snapshot: Snapshot) -> None:
        """Let replays to later calls start from a snapshot that was taken just after a call of this very run."""
        calls = snapshot.moment.calls
        kept = replace(snapshot, steps=Steps(settings.SEAHAVEN_CHECKPOINTS_KEPT, dropped=True), origins=())
        # Before an origin of as many calls: that one lies after what followed the call.
        self.origins.insert(bisect_left(self.origins, calls, key=lambda origin: origin.calls), Origin(calls, kept))

    def _origins_before(self, call: int) -> list[Origin]:
        # An origin with call + 1 calls lies after what followed the call; at -1 that is all but the first.
        return [origin for origin in self.origins if origin.calls <= call] or self.origins[:1]

    def _restore_moment(self, moment: Moment) -> None:
        """Put clock, streams and the worlds' own memory back."""
        self.clock.restore(moment.clock)
        for stream, position in zip(self._streams, moment.streams, strict=True):
            stream.position = position
        for node, state in zip(self.nodes, moment.states, strict=True):
            node.state = copy.deepcopy(state) if state else {}
        self.seq, self.due_ms = moment.seq, moment.due_ms

    def close(self) -> None:
        """Close every connection and let everything go: nodes point back here, and the garbage collector comes late."""
        for node in self.nodes:
            node.store.close()
            node.store.follower = None
        self.nodes, self.by_path, self.origins = [], {}, []
        del self.transaction
        self.steps.clear()
