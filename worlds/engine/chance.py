"""Where does an instance's chance come from?

One seed, many streams: ids, Python's randomness and each store's SQL draw from streams of their own, so that a draw
in one never shifts another. A stream is a key and a position (a keyed hash of a counter), so a fork copies a number.
"""

from __future__ import annotations

import hashlib
import random
import string
import uuid
from typing import Any, NoReturn

from worlds.engine.errors import WorldBug

_BLOCK = 64
_BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
MAX_SEED = 2**64 - 1


def instance_seed(world: str, fixture: str | None, seed: int | None) -> bytes:
    """The 32 bytes every stream of an instance is derived from; no seed is a seed of its own.

    Raises: WorldBug for a seed that is no integer from 0 to 2**64 - 1.
    """
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MAX_SEED):
        raise WorldBug(f"seed is {seed!r:.60}; it must be an integer from 0 to {MAX_SEED}")
    tag = b"\1" + seed.to_bytes(8, "big") if seed is not None else b"\0"
    return hashlib.sha256("\0".join((world, fixture or "", "")).encode() + tag).digest()


def node_seed(seed: bytes, path: str) -> bytes:
    """The seed of one node; a sibling added later moves nobody's."""
    return seed if path == "main" else hashlib.sha256(seed + b"\0node\0" + path.encode()).digest()


class Stream:
    """A replayable stream of bytes: `position` counts the 64-byte blocks drawn so far."""

    __slots__ = ("_key", "position")

    def __init__(self, seed: bytes, label: str) -> None:
        self._key = hashlib.sha256(seed + b"\0" + label.encode()).digest()
        self.position = 0

    def take(self, n: int) -> bytes:
        """The next `n` bytes; what is left of the last block is thrown away."""
        if n <= _BLOCK:
            self.position += 1
            return hashlib.blake2b(self.position.to_bytes(8, "big"), digest_size=n or 1, key=self._key).digest()[:n]
        drawn = bytearray()
        while len(drawn) < n:
            drawn += self.take(_BLOCK)
        return bytes(drawn[:n])

    def integer(self, bits: int) -> int:
        """An integer of `bits` random bits."""
        size = (bits + 7) // 8
        return int.from_bytes(self.take(size), "big") >> (size * 8 - bits)


_OWN_SEED: Any = "the instance's"


class SeededRandom(random.Random):
    """`random.Random` over a `Stream`: every method of the standard class, and a state that is one number."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        super().__init__(_OWN_SEED)

    def random(self) -> float:
        return self._stream.integer(53) * 2.0**-53

    def getrandbits(self, k: int, /) -> int:
        if k < 0:
            raise ValueError("number of bits must be non-negative")
        return self._stream.integer(k) if k else 0

    def gauss(self, mu: float = 0.0, sigma: float = 1.0) -> float:
        # The standard class keeps the second half of a pair for the next call, a state a fork would lose.
        return self.normalvariate(mu, sigma)

    def seed(self, a: Any = None, version: int = 2) -> None:
        # The base class seeds itself in its constructor; afterwards the instance's seed is the only one.
        if a is not _OWN_SEED:
            raise WorldBug("ctx.random is seeded by the instance; pass seed= to world.instance() instead")

    def getstate(self) -> Any:
        return self._stream.position

    def setstate(self, state: Any) -> NoReturn:
        raise WorldBug("ctx.random cannot be set back on its own; use inst.rewind()")


class Ids:
    """Ids of an instance, from its own stream."""

    __slots__ = ("_random", "_stream")

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._random: SeededRandom | None = None

    def uuid(self) -> str:
        """A version 4 UUID, as text."""
        return str(uuid.UUID(bytes=self._stream.take(16), version=4))

    def token(self, length: int = 24, alphabet: str = _BASE62) -> str:
        """`length` characters of `alphabet`, for ids such as `cus_` + token(14).

        Raises: WorldBug for an alphabet that is empty or has more than 256 characters.
        """
        count = len(alphabet)
        if not 1 <= count <= 256:
            raise WorldBug(f"an alphabet has 1 to 256 characters, not {count}")
        limit = 256 - 256 % count
        out: list[str] = []
        while len(out) < length:
            out += [alphabet[byte % count] for byte in self._stream.take(_BLOCK) if byte < limit]
        return "".join(out[:length])

    @property
    def random(self) -> SeededRandom:
        """A seeded `random.Random` on the ids' own stream."""
        if self._random is None:
            self._random = SeededRandom(self._stream)
        return self._random
