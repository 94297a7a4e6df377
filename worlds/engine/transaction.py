"""How do the stores of an instance change together, or not at all?

A call is one transaction over every store it uses. What is done inside - a call into an embedded world, an `atomic()`
block - is a frame of it, and a frame that fails is undone in every store it touched. A store joins when its world is
first entered, so a call that stays at home pays for one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from worlds.engine.errors import WorldBug
from worlds.engine.node import Node
from worlds.engine.store import Savepoint, Store

#: Lets a block run as a node: `Position.entered`.
Entered = Callable[[Node], AbstractContextManager[None]]


class _Mark:
    """A store as it was when a frame first touched it, and what its world remembered."""

    __slots__ = ("savepoint", "state")

    def __init__(self, savepoint: Savepoint | None, state: dict[str, Any] | None) -> None:
        #: None: the store was in no transaction yet, or Django undoes it itself.
        self.savepoint = savepoint
        #: None: not this frame's to put back.
        self.state = state


class Frame:
    """A part of a transaction that can be undone by itself."""

    __slots__ = ("leader", "savepoint_id", "touched")

    def __init__(self, leader: Node | None = None, savepoint_id: str | None = None) -> None:
        self.touched: dict[Node, _Mark] = {}
        #: For a frame that is a Django block: the node whose `atomic()` it is, and the block's savepoint.
        self.leader = leader
        self.savepoint_id = savepoint_id


class Transaction:
    """What one instance has under way. Not locked: the instance takes the turns."""

    __slots__ = ("_entered", "_frames")

    def __init__(self, entered: Entered) -> None:
        self._entered = entered
        self._frames: list[Frame] = []

    @property
    def is_open(self) -> bool:
        return bool(self._frames)

    def touch(self, node: Node) -> None:
        """Take a node's store into what is under way; the innermost frame can then undo it."""
        top = self._frames[-1]
        if node in top.touched:
            return
        if any(node in frame.touched for frame in self._frames):
            top.touched[node] = _Mark(node.store.savepoint(), node.remember())
        else:
            remembered = node.remember()
            node.store.begin()
            top.touched[node] = _Mark(None, remembered)

    @contextmanager
    def frame(self, node: Node) -> Iterator[None]:
        """A block as `node`: committed at its end when it is the outermost, undone in every store when it raises."""
        frame = self.begin(node)
        try:
            yield
            self.end(frame)
        except BaseException:
            self.undo(frame)
            raise

    def begin(self, node: Node) -> Frame:
        frame = Frame()
        self._frames.append(frame)
        try:
            self.touch(node)
        except BaseException:
            self._frames.pop()
            raise
        return frame

    def end(self, frame: Frame) -> None:
        """End a frame well: commit when it is the outermost, else let the one around it answer for it.

        Raises: whatever keeps a store from committing; then the caller undoes the frame.
        """
        while self._frames[-1] is not frame:
            self._merge()
        if len(self._frames) == 1:
            self._commit(frame)
            self._frames.pop()
            return
        for node, mark in frame.touched.items():
            was_broken = mark.savepoint is not None and mark.savepoint.needs_rollback
            node.store.require_unbroken(was_broken=was_broken)
        self._merge()

    def undo(self, frame: Frame) -> None:
        """Undo a frame, and those inside it, in every store; safe after `end` raised."""
        if frame not in self._frames:
            return
        error: BaseException | None = None
        while self._frames:
            top = self._frames[-1]
            error = self._put_back(top) or error
            self._frames.pop()
            if top is frame:
                break
        if error is not None:
            raise error

    def _put_back(self, frame: Frame, *, but: Node | None = None) -> BaseException | None:
        """Undo one frame in its stores, each whatever becomes of the others; answers the first failure."""
        failure: BaseException | None = None
        for node, mark in reversed(frame.touched.items()):
            if node is but:
                continue
            try:
                if mark.savepoint is not None:
                    node.store.rollback_to(mark.savepoint)
                elif mark.state is not None:
                    node.store.rollback()
            except Exception as error:
                failure = failure or error
            if mark.state is not None:
                node.state = mark.state
        return failure

    def _merge(self) -> None:
        """Let the frame below the innermost answer for what it touched."""
        top, below = self._frames.pop(), self._frames[-1]
        for node, mark in top.touched.items():
            if node not in below.touched:
                below.touched[node] = mark
            elif mark.savepoint is not None:
                node.store.release(mark.savepoint)

    # The commit of several stores.

    def _commit(self, frame: Frame, leader: Node | None = None, commit: Callable[[], None] | None = None) -> None:
        """Commit every store or none, wherever it is interrupted; the leader's by Django's own `commit`.

        What can be refused is refused before the first commit; whatever stops the rest takes the committed ones back
        by their pages, so between two commits there is no point with one and without the other.
        """
        self._run_hooks(frame, leader)
        if len(frame.touched) == 1 and leader is None:
            (node,) = frame.touched
            node.store.prepare()
            node.store.finish()
            return
        stores = [node.store for node in frame.touched if node is not leader]
        for store in stores:
            store.prepare()
        finishing = [store for store in stores if store.has_begun]
        try:
            for store in finishing:
                store.commit_pages()
            if commit is not None:
                commit()
        except BaseException:
            _take_back([*finishing, leader.store] if leader is not None else finishing)
            raise
        for store in stores:
            store.leave()

    def _run_hooks(self, frame: Frame, leader: Node | None) -> None:
        """Run what `on_commit` left to do, each as its own world; a hook may touch further stores.

        Django runs the hooks of a transaction of its own itself.
        """
        while waiting := [node for node in frame.touched if node is not leader and node.store.has_hooks]:
            for node in waiting:
                with self._entered(node):
                    node.store.run_hooks()

    # Django's own blocks: `atomic()` and savepoints of one store are frames over all of them.

    def opened(self, leader: Node, savepoint_id: str | None) -> None:
        """A Django block began on a store; without a savepoint it is a transaction of its own."""
        if self._frames or savepoint_id is None:
            frame = Frame(leader, savepoint_id)
            frame.touched[leader] = _Mark(None, None)
            self._frames.append(frame)
            if savepoint_id is None:
                leader.store.begin_block()

    def rolled_back(self, leader: Node, savepoint_id: str | None) -> None:
        """Django undid a block in its own store: undo it in the others. A savepoint may be gone back to again."""
        frame = self._led(leader, savepoint_id)
        if frame is None:
            return
        while self._frames[-1] is not frame:
            self._put_back(self._frames.pop(), but=leader)
        self._put_back(frame, but=leader)
        frame.touched = {leader: frame.touched[leader]}
        if savepoint_id is None:
            self._frames.pop()
            leader.store.end_of_block()

    def released(self, leader: Node, savepoint_id: str | None) -> None:
        """Django kept what a block did: the frame around it answers for it now."""
        frame = self._led(leader, savepoint_id)
        while frame is not None and frame in self._frames:
            self._merge()

    def commit_with(self, leader: Node, commit: Callable[[], None]) -> None:
        """Django commits a transaction of its own on one store: the others it touched are committed with it."""
        frame = self._led(leader, None)
        if frame is None:
            commit()
            return
        while self._frames[-1] is not frame:
            self._merge()
        try:
            self._commit(frame, leader, commit)
        except BaseException:
            self._put_back(frame, but=leader)
            raise
        finally:
            self._frames.pop()
            leader.store.end_of_block()

    def _led(self, leader: Node, savepoint_id: str | None) -> Frame | None:
        return next((f for f in reversed(self._frames) if f.leader is leader and f.savepoint_id == savepoint_id), None)


def _take_back(stores: list[Store]) -> None:
    failure: Exception | None = None
    for store in stores:
        try:
            store.take_back()
        except Exception as error:
            failure = failure or error
    if failure is not None:
        raise WorldBug("a store could not be taken back after a failed commit") from failure


class Follower:
    """What a store tells the transaction of an instance about Django's blocks on it."""

    __slots__ = ("_node", "_transaction")

    def __init__(self, transaction: Transaction, node: Node) -> None:
        self._transaction, self._node = transaction, node

    def opened(self, savepoint_id: str | None) -> None:
        self._transaction.opened(self._node, savepoint_id)

    def rolled_back(self, savepoint_id: str | None) -> None:
        self._transaction.rolled_back(self._node, savepoint_id)

    def released(self, savepoint_id: str | None) -> None:
        self._transaction.released(self._node, savepoint_id)

    def commit(self, commit: Callable[[], None]) -> None:
        self._transaction.commit_with(self._node, commit)
