"""Who may do what on this server?

Three kinds of secrets: an API key has a scope, and is asked for when the server has any; an instance's agent token is
good for calling its tools, its owner token for everything with it. Keys are kept as hashes; what is on the path of a
call is in memory.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import IntEnum
from ipaddress import ip_address
from urllib.parse import parse_qs

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from openenv_api.errors import EpisodeOver, Refusal
from worlds.engine.hosting import HOSTS, Hosted

#: How long keys that were made or revoked in another process take to be noticed, in seconds.
REFRESH_S = 2.0
#: Uses of keys are noted together, so long after the first of them.
USES_NOTED_AFTER_S = 2.0
_HASHED = "sha256$"

logger = logging.getLogger(__name__)


class Scope(IntEnum):
    """What a secret is good for; each includes those before it."""

    AGENT = 1  # open an instance, call its tools
    EVALUATOR = 2  # read and grade: state, diff, fork, rewind, advance
    ADMIN = 3  # freeze fixtures, use and end anybody's instances

    @classmethod
    def named(cls, name: str) -> Scope:
        """The scope of that name.

        Raises: ImproperlyConfigured with the names there are.
        """
        try:
            return cls[name.strip().upper()]
        except KeyError:
            known = ", ".join(scope.name.lower() for scope in cls)
            raise ImproperlyConfigured(f"{name!r:.40} is no scope of an API key; the scopes are {known}") from None


class Unauthorized(Refusal):
    """No secret was shown, or none that is known."""

    status = 401
    rpc_code = -32001


class Forbidden(Refusal):
    """The secret is good for less than that."""

    status = 403
    rpc_code = -32003


@dataclass(frozen=True, slots=True)
class Grant:
    """What whoever asks may do; `hosted` binds it to one instance, `key` is the hash of the API key that was shown."""

    scope: Scope
    hosted: Hosted | None = None
    key: str | None = None

    def require(self, scope: Scope, what: str, hosted: Hosted | None = None) -> None:
        """Refuse what the secret is not good for.

        Raises: Forbidden saying what would be.
        """
        if self.hosted is not None and hosted is not self.hosted:
            raise Forbidden(f"This token is for instance {self.hosted.id} alone, and not to {what}.")
        if self.scope < scope:
            needed = "its owner token, or a key" if hosted is not None else "a key"
            raise Forbidden(f"This secret is not good to {what}: show {needed} of the scope {scope.name.lower()}.")
        if hosted is not None and not self.may_use(hosted):
            raise Forbidden(f"An agent's key is good to {what} only where it opened the instance: show its token.")

    def may_use(self, hosted: Hosted) -> bool:
        """Is it good for anything with an instance? An agent's key is for those it opened."""
        if self.hosted is not None:
            return hosted is self.hosted
        return self.scope > Scope.AGENT or hosted.opened_by == self.key


def hash_of(key: str) -> str:
    """How a key is kept: it is random and long, so that a plain hash is enough."""
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()


def new_key(scope: Scope) -> str:
    """A secret to show once."""
    return f"seahaven_{scope.name.lower()}_{secrets.token_urlsafe(32)}"


class Keys:
    """The API keys of this server, from the setting and from the control database, by their hashes."""

    def __init__(self) -> None:
        self._known: dict[str, Scope] | None = None
        self._read_at = 0.0
        self._lock = threading.Lock()
        #: Those that were shown since uses were noted last.
        self._used: set[str] = set()

    def scope_of(self, key: str) -> Scope | None:
        """The scope of a key, or None; a lookup by hash, so its time says nothing of the key."""
        hash = hash_of(key)
        scope = self._fresh().get(hash)
        if scope is not None and hash not in self._used:
            self._note_use(hash)
        return scope

    @property
    def are_required(self) -> bool:
        return bool(self._fresh())

    def forget(self) -> None:
        """Read them anew when one is asked for next."""
        self._known = None

    def _note_use(self, hash: str) -> None:
        """Have it noted when a key was used last, to the minute: never on the way of whoever shows it."""
        if not self._used:
            later = threading.Timer(USES_NOTED_AFTER_S, self._note_uses)
            later.daemon = True
            later.start()
        self._used.add(hash)

    def _note_uses(self) -> None:
        used, self._used = self._used, set()
        try:
            for note in USES:
                note(used)
        except Exception:  # the database is busy, say: it is noted at the next use
            logger.exception("It could not be noted which API keys were used")

    def _fresh(self) -> dict[str, Scope]:
        known = self._known
        if known is None:
            known = self._read_first()
        elif time.monotonic() - self._read_at > REFRESH_S and self._lock.acquire(blocking=False):
            # In the background: whoever asks now has the keys of two seconds ago.
            self._read_at = time.monotonic()
            threading.Thread(target=self._read_and_release, daemon=True, name="seahaven-keys").start()
        return known

    def _read_and_release(self) -> None:
        try:
            self._read()
        except Exception:  # those known so far stay good
            logger.exception("The API keys could not be read anew")
        finally:
            self._lock.release()

    def _read_first(self) -> dict[str, Scope]:
        # On a thread of its own: an event loop may not ask the control database.
        with ThreadPoolExecutor(1, "seahaven-keys") as thread:
            return thread.submit(self._read).result()

    def _read(self) -> dict[str, Scope]:
        found = _configured(settings.SEAHAVEN_API_KEYS)
        for reader in READERS:
            found |= reader()
        self._known, self._read_at = found, time.monotonic()
        return found


def _configured(entries: tuple[str, ...] | list[str]) -> dict[str, Scope]:
    """Keys of the setting, each `scope:key` or `scope:sha256$<hash>`."""
    found = {}
    for entry in entries:
        scope, separator, key = entry.partition(":")
        if not separator or len(key) < 16:
            raise ImproperlyConfigured(
                "SEAHAVEN_API_KEYS lists scope:key, with keys of 16 characters or more, such as evaluator:<secret>"
            )
        found[key.removeprefix(_HASHED) if key.startswith(_HASHED) else hash_of(key)] = Scope.named(scope)
    return found


#: Where else keys come from; each answers {hash: scope}.
READERS: list[Callable[[], dict[str, Scope]]] = []
#: Told which keys were used, by their hashes; on a thread of its own.
USES: list[Callable[[set[str]], None]] = []
KEYS = Keys()


def secret_in(headers: Mapping[str, str], query: str = "") -> str | None:
    """The secret a request shows: `X-API-Key`, `Authorization: Bearer …`, or `?key=…` for clients without headers.

    `headers` have names in lower case. The first one found counts: an Authorization header may be meant for others.
    """
    if own := headers.get("x-api-key"):
        return own
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and value.strip():
        return value.strip()
    return next(iter(parse_qs(query).get("key", ())), None) if "key=" in query else None


def grant_of(secret: str | None) -> Grant:
    """What a secret is good for; without one, everything on a server that asks for no keys.

    Raises: Unauthorized for a secret that is nobody's, and for none where one is asked for; EpisodeOver for a token
    whose instance is over.
    """
    if secret is not None:
        found = HOSTS.of_token(secret)
        if found is not None:
            return Grant(Scope.ADMIN if found[1] else Scope.AGENT, found[0])
        if secret.startswith(("agent-", "owner-")):
            reason = HOSTS.end_of_token(secret)
            if reason is not None:
                raise EpisodeOver(f"The instance of this token is over: {reason}.")
            raise Unauthorized("This token is of no instance that is open here.")
        scope = KEYS.scope_of(secret)
        if scope is not None:
            return Grant(scope, key=hash_of(secret))
    if KEYS.are_required:
        how = "is none of this server's keys" if secret else "is needed"
        raise Unauthorized(f"An API key {how}: send it as `Authorization: Bearer <key>`.")
    return EVERYTHING


def require_guard(host: str, *, insecure: bool) -> None:
    """Refuse to listen where others reach this machine and nobody needs a key.

    Raises: ImproperlyConfigured with both ways out, and for keys in the settings that are none.
    """
    if not KEYS.are_required and not insecure and not _is_loopback(host):
        raise ImproperlyConfigured(
            f"{host} can be reached from other machines, and this server asks for no keys: whoever reaches it could "
            f"use every instance. Make a key with `manage.py seahaven_key create <name> --scope admin` (or set "
            f"SEAHAVEN_API_KEYS), or let everybody in with --insecure."
        )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


#: What everybody may do on a server that asks for no keys.
EVERYTHING = Grant(Scope.ADMIN)
