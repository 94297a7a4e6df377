"""Who has a session, and when does it end?

A session holds one episode for one client. It is *active* while a socket is attached or a client has its id; it is
*spare* while nobody may come back for it. Only active ones count against the limit: spare ones give way.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable
from functools import cache
from typing import Any, Literal, Protocol, TypeVar

from django.conf import settings

from openenv_api.episodes import Episode, world_named
from openenv_api.errors import AtCapacity, NoSession, refusal_to_begin
from openenv_api.resets import ResetArguments
from worlds.engine import World
from worlds.engine.hosting import new_id

T = TypeVar("T")

SWEEP_EVERY_S = 1.0
#: An episode begun over REST is kept this long for a client that has not shown its id again.
DRAFT_S = 600.0
#: A session without a socket, unused for so long, is taken for abandoned when its place is wanted.
ABANDONED_S = 600.0
#: So long does a new session from the same address hear that an episode of it was lost.
LOSS_TOLD_S = 300.0
#: Ended sessions whose end is remembered, to be told to whoever asks for them.
ENDS_KEPT = 4096


#: `closed` by a close frame, `left` with a WebSocket's own goodbye, or `dropped` without a word.
Departure = Literal["closed", "left", "dropped"]


class Socket(Protocol):
    """What a session asks of the connection it is attached to."""

    @property
    def is_answering(self) -> bool: ...

    def look_ahead(self) -> None:
        """Notice a disconnect although a frame is still being answered."""

    def dismiss(self, reason: str) -> None:
        """Say why, and close."""


class Session:
    """One client's place: an id, the token to come back with, and the episode."""

    def __init__(self, world: World, *, owned: bool, host: str | None = None, opened_by: str | None = None) -> None:
        self.id = new_id()
        self.token = secrets.token_urlsafe(18)
        self.owned = owned  # by the socket that opened it, and ends with it
        self.host = host
        self.opened_by = opened_by  # the hash of the key its client showed
        self.socket: Socket | None = None
        self.episode = Episode(world, opened_by=opened_by)
        self.was_lost = False
        self.is_closing = False
        self.ended_because: str | None = None
        self.used_at = time.monotonic()
        self._latest: tuple[Any, asyncio.Future[Any]] | None = None

    @property
    def world(self) -> World:
        return self.episode.world

    @property
    def has_begun(self) -> bool:
        """Would anything be lost with it?"""
        return not self.episode.is_implicit or self.episode.step_count > 0

    async def reset(self, arguments: ResetArguments) -> dict[str, Any]:
        """Begin an episode and answer its metadata; the one before ends only when the new one stands.

        Raises: Refusal, and then the session is as it was.
        """
        self.used_at = time.monotonic()
        try:
            world = self.world if arguments.world is None else world_named(arguments.world)
            episode = Episode(world, arguments.start(default_fixture(world)), opened_by=self.opened_by)
            await episode.begin()
        except Exception as error:
            raise refusal_to_begin(error) from error
        previous, self.episode = self.episode, episode
        previous.end("another one began")
        self.was_lost = False
        self.used_at = time.monotonic()
        if self.ended_because is not None:
            episode.end(self.ended_because)
        return episode.reset_metadata() | self.identity()

    def identity(self) -> dict[str, str | None]:
        """What a client needs to come back."""
        return {"session_id": self.id, "resume_token": self.token}

    async def step(self, tool: str, arguments: dict[str, Any]) -> bytes:
        """Call a tool; see `Episode.call`."""
        self.used_at = time.monotonic()
        return await self.episode.call(tool, arguments)

    def list_tools(self) -> None:
        """Count a listing, which is a step too."""
        self.used_at = time.monotonic()
        self.episode.step_count += 1

    async def state(self) -> bytes:
        """The state document as JSON."""
        return await self.episode.state(**({"lost": True} if self.was_lost else {}))

    async def once(self, request_id: Any, answer: Awaitable[T]) -> T:
        """Answer a request, and keep the answer for a client that loses its connection and asks again."""
        future = asyncio.get_running_loop().create_future()
        self._latest = (request_id, future)
        try:
            future.set_result(await answer)
        finally:
            future.cancel()  # does nothing to one that has its result
        result: T = future.result()
        return result

    def again(self, request_id: Any) -> Awaitable[Any] | None:
        """The answer to the latest request, if that is the one: perhaps it is still being made."""
        if self._latest is None or self._latest[0] != request_id:
            return None
        return asyncio.shield(self._latest[1])


class Scratch(Session):
    """A session for one request, that nobody can come back to."""

    def __init__(self, world: World) -> None:
        super().__init__(world, owned=False)

    def identity(self) -> dict[str, str | None]:
        return {"session_id": None, "resume_token": None}


class Sessions:
    """Every session of this process. Used on the event loop only."""

    def __init__(self) -> None:
        self._all: dict[str, Session] = {}
        self._spare: OrderedDict[str, float] = OrderedDict()  # id -> until when it is kept, the first to go first
        self._ends: OrderedDict[str, str] = OrderedDict()
        self._losses: dict[str | None, deque[float]] = {}
        self._swept_by: asyncio.AbstractEventLoop | None = None

    @property
    def active(self) -> int:
        return len(self._all) - len(self._spare)

    # Opening.

    def open(
        self, world: World, *, host: str | None = None, owned: bool = False, opened_by: str | None = None
    ) -> Session:
        """A new active session.

        Raises: AtCapacity.
        """
        self._require_place()
        session = self._add(Session(world, owned=owned, host=host, opened_by=opened_by))
        session.was_lost = self._take_loss(host)
        return session

    def draft(self, world: World, *, opened_by: str | None = None) -> Session:
        """A session that becomes active when its client shows its id; without room to keep one, a scratch."""
        if self.active >= settings.SEAHAVEN_MAX_SESSIONS:
            return Scratch(world)
        session = self._add(Session(world, owned=False, opened_by=opened_by))
        self._spare[session.id] = time.monotonic() + DRAFT_S
        return session

    def held(self, session_id: str) -> Session:
        """The session a client holds by its id alone.

        Raises: NoSession with how it ended.
        """
        session = self._find(session_id)
        if not session.owned:
            self._spare.pop(session.id, None)
        return session

    def attach(self, session_id: str, token: str | None, socket: Socket) -> Session:
        """Give a session to a socket: one that nobody is attached to, or, with its token, any.

        Raises: NoSession saying what is in the way.
        """
        session = self._find(session_id)
        if token is not None and not secrets.compare_digest(token.encode(), session.token.encode()):
            raise NoSession(f"The resume token is not that of session {session_id}.")
        if token is None and session.owned:
            raise NoSession(f"Session {session_id} belongs to one connection; to resume it, add resume=<token>.")
        if token is None and session.socket is not None:
            raise NoSession(f"Session {session_id} already has a WebSocket attached.")
        former, session.socket = session.socket, socket
        if former is not None:
            former.dismiss(f"session {session_id} was resumed over another connection")
        elif self._spare.pop(session.id, None) is not None and session.owned:
            self._take_loss(session.host)
        return session

    def _require_place(self) -> None:
        most = settings.SEAHAVEN_MAX_SESSIONS
        if self.active >= most:
            abandoned = [s for s in self._all.values() if s.socket is None and s.id not in self._spare]
            oldest = min(abandoned, key=lambda s: s.used_at, default=None)
            if oldest is None or time.monotonic() - oldest.used_at < ABANDONED_S:
                raise AtCapacity(self.active, most)
            self.end(oldest, "its client did not use it for long, and its place was wanted")

    def _add(self, session: Session) -> Session:
        if len(self._all) >= settings.SEAHAVEN_MAX_SESSIONS:
            self.end(self._all[next(iter(self._spare))], "its place was wanted")
        self._all[session.id] = session
        self._keep_sweeping()
        return session

    def _find(self, session_id: str) -> Session:
        session = self._all.get(session_id)
        if session is not None and not session.is_closing:
            return session
        how = "it was closed" if session else self._ends.get(session_id)
        if how is not None:
            raise NoSession(f"Session {session_id} is gone: {how}. Reset to start a new episode.")
        raise NoSession(
            f"Unknown session_id {session_id!r:.80}: it is gone, or the server was restarted since. "
            f"Reset to start a new episode."
        )

    # Ending.

    def detach(self, session: Session, socket: Socket, how: Departure) -> None:
        """The socket is gone. After a drop its client may come back, and others may have its place meanwhile."""
        if session.socket is not socket:
            return
        session.socket = None
        if session.owned and how != "closed" and session.has_begun:
            self._losses.setdefault(session.host, deque(maxlen=ENDS_KEPT)).append(time.monotonic() + LOSS_TOLD_S)
        grace_s = settings.SEAHAVEN_RESUME_GRACE_S if session.owned else DRAFT_S
        if session.is_closing or (session.owned and how != "dropped"):
            self.end(session, "it was closed")
        elif how == "dropped" and session.has_begun and grace_s > 0:
            self._spare[session.id] = time.monotonic() + grace_s
        elif how == "dropped":
            self.end(session, "its connection dropped")

    def end(self, session: Session, reason: str) -> None:
        """End a session for good. Doing it twice is doing it once."""
        if self._all.pop(session.id, None) is None:
            return
        self._spare.pop(session.id, None)
        session.ended_because = reason
        session.episode.end(reason)
        self._ends[session.id] = reason
        if len(self._ends) > ENDS_KEPT:
            self._ends.popitem(last=False)
        if session.socket is not None:
            session.socket.dismiss(f"session {session.id} has ended: {reason}")

    # The stock client reconnects in silence, so the next session of its address is told that one was lost.

    def _take_loss(self, host: str | None) -> bool:
        losses = self._losses.get(host, deque())
        while losses:
            if losses.popleft() > time.monotonic():
                return True
        return False

    # The passing of time.

    def _keep_sweeping(self) -> None:
        loop = asyncio.get_running_loop()
        if self._swept_by is not loop:
            self._swept_by = loop
            loop.call_later(SWEEP_EVERY_S, self._sweep)

    def _sweep(self) -> None:
        self._swept_by = None
        now = time.monotonic()
        for session_id, until in list(self._spare.items()):
            if now > until:
                self.end(self._all[session_id], "its client did not come back")
        for session in list(self._all.values()):
            if session.socket is not None and session.socket.is_answering:
                session.socket.look_ahead()
            elif self._is_idle(session, now):
                self.end(session, f"it was idle for {settings.SEAHAVEN_IDLE_TIMEOUT_S:g} s")
        self._losses = {host: losses for host, losses in self._losses.items() if losses and losses[-1] > now}
        if self._all:
            self._keep_sweeping()

    def _is_idle(self, session: Session, now: float) -> bool:
        limit_s = settings.SEAHAVEN_IDLE_TIMEOUT_S
        return limit_s > 0 and now - session.used_at > limit_s and session.id not in self._spare


def default_fixture(world: World) -> str | None:
    """The fixture of those who name none."""
    is_default = world.name == settings.SEAHAVEN_DEFAULT_WORLD
    return settings.SEAHAVEN_DEFAULT_FIXTURE or None if is_default else None


@cache
def sessions() -> Sessions:
    """The sessions of this process."""
    return Sessions()
