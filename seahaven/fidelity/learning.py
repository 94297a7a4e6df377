"""Which value of the world is which value of the real API?

Both make values of their own: ids, secrets, instants. Those that stand in the same place of the same answer belong
together; where a later request mentions the recorded one, the world is sent its own.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from seahaven.fidelity.bodies import Body
from seahaven.fidelity.cassette import Request
from seahaven.fidelity.redacting import PLACEHOLDER

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}")
_TOKEN = re.compile(r"[A-Za-z0-9_-]+")
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")
#: What reads as one word or one number.
_RUN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|.")
_HEX = re.compile(r"[0-9a-f]+")
_PIECE = re.compile(r"[_-]")
_CAMEL_ID = re.compile(r"[a-z0-9](?:Id|ID)$")
#: Keys whose values are made by the API even where they look like words.
_MADE = re.compile(
    r"(?:^|_)(?:id|uuid|guid|cursor|etag|nonce|fingerprint|secret|token)$|[a-z0-9](?:Id|ID|Token|Cursor)$"
)


def looks_made(piece: str) -> bool:
    """Does a word look like one that a program drew, rather than like `chargeDeclined` or `version10beta`?"""
    has_digit, has_letter = any(c.isdigit() for c in piece), any(c.isalpha() for c in piece)
    if len(piece) < 8 or not has_letter:
        return False
    if has_digit and (piece.isupper() or len(piece) >= 16 or _HEX.fullmatch(piece)):
        return True
    is_mixed = has_digit or not (piece.istitle() or piece.islower() or piece.isupper())
    return is_mixed and len(piece) / len(_RUN.findall(piece)) < 3.5


def looks_alike(recorded: str, got: str, key: str) -> bool:
    """May two different words be the same thing under another name, as ids are?"""
    if PLACEHOLDER.search(recorded):
        return bool(got)
    if _UUID.fullmatch(recorded) or _UUID.fullmatch(got):
        return bool(_UUID.fullmatch(recorded) and _UUID.fullmatch(got))
    if _MADE.search(key):
        # Of "cus_N4x" all that stands before the last part says what it is of.
        return recorded.rpartition("_")[0].partition("_")[0] == got.rpartition("_")[0].partition("_")[0]
    parts, others = _PIECE.split(recorded), _PIECE.split(got)
    if len(parts) == len(others):
        return all(a == b or (looks_made(a) and looks_made(b)) for a, b in zip(parts, others, strict=True))
    is_same_kind = recorded.partition("_")[0] == got.partition("_")[0] or "_" not in recorded + got
    return is_same_kind and min(len(recorded), len(got)) >= 16 and looks_made(recorded) and looks_made(got)


class Learned:
    """What is known of whose value is whose; `given` says it beforehand, recorded value to the world's."""

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        self._to: dict[str, str] = {}
        self._from: dict[str, str] = {}
        self._whole: dict[str, str] = {}
        self._numbers: dict[tuple[str, int], int] = {}
        self._recorded: dict[tuple[str, int], int] = {}
        self._times: dict[int | str, int | str] = {}
        for recorded, ours in (given or {}).items():
            self._whole[recorded] = ours

    # Learning from answers.

    def same_text(self, recorded: str, got: str, key: str) -> str | None:
        """None where two texts mean the same, now or known before; else what the world means instead."""
        if recorded in self._whole:
            return None if self._whole[recorded] == got else f"it was {self._whole[recorded]} before"
        ours, theirs = _TOKEN.findall(got), _TOKEN.findall(recorded)
        if len(ours) != len(theirs) or _OTHER.findall(recorded) != _OTHER.findall(got):
            if _MADE.search(key) and " " not in recorded + got and len(got) >= 8:
                self._whole[recorded] = got  # a cursor in base64, an ETag
                return None
            return "" if recorded != got else None
        fresh = []
        for there, here in zip(theirs, ours, strict=True):
            known = self._to.get(there)
            if known is not None:
                if known != here:
                    return "" if known == there else f"the recorded {there} is {known} here"
            elif here in self._from and not PLACEHOLDER.search(there):
                return f"{here} is the recorded {self._from[here]}"
            elif there == here:
                if looks_made(there):
                    fresh.append((there, here))
            elif looks_alike(there, here, key):
                fresh.append((there, here))
            else:
                return ""
        for there, here in fresh:
            self._to[there] = here
            self._from.setdefault(here, there)
        return None

    def same_number(self, recorded: int, got: int, noun: str) -> str | None:
        """`same_text` of the numbers by which things of a kind are known."""
        known = self._numbers.get((noun, recorded))
        if known is not None:
            return None if known == got else f"the recorded {noun} {recorded} is {known} here"
        if (noun, got) in self._recorded:
            return f"{noun} {got} is the recorded {self._recorded[noun, got]}"
        self._numbers[noun, recorded], self._recorded[noun, got] = got, recorded
        return None

    def ours(self, recorded: Any, noun: str) -> Any:
        """The world's id for a recorded one, or None for one that is not known."""
        if isinstance(recorded, str):
            return self._whole.get(recorded) or self._to.get(recorded)
        return self._numbers.get((noun, recorded)) if isinstance(recorded, int) else None

    def same_time(self, recorded: int | str, got: int | str) -> None:
        """Note that an instant of the answer is another here."""
        self._times[recorded] = got

    # Rewriting requests.

    def request(self, asked: Request) -> Request:
        """A request as the world is to be sent it."""
        return Request(
            asked.method,
            self._path(asked.path),
            self._query(asked.query),
            tuple((name, self._header(name, value)) for name, value in asked.headers),
            self._body(asked.body),
        )

    def pin(self, asked: Request) -> list[str]:
        """Note that what a client says of its own stays what it is; answers those words that look like the API's."""
        texts = [unquote(asked.path), *(value for _, value in parse_qsl(asked.query))]
        if asked.body is not None and asked.body.kind in ("json", "form"):
            texts += _texts(asked.body.value)
        words = dict.fromkeys(word for text in texts if text not in self._whole for word in _TOKEN.findall(text))
        fresh = [word for word in words if word not in self._to and word not in self._whole]
        self._to.update((word, word) for word in fresh if not PLACEHOLDER.search(word))
        return [
            word for word in fresh if PLACEHOLDER.search(word) or ("_" in word and looks_made(word.rpartition("_")[2]))
        ]

    def text(self, text: str) -> str:
        """Text with the world's values in the place of recorded ones."""
        if text in self._whole:
            return self._whole[text]
        if text in self._times:
            return str(self._times[text])
        text = _TOKEN.sub(lambda found: self._whole.get(found[0]) or self._to.get(found[0], found[0]), text)
        # A placeholder may be a part of a word: `sk_test_REDACTED_1_`.
        return PLACEHOLDER.sub(lambda found: self._whole.get(found[0], found[0]), text)

    def value(self, value: Any, key: str = "", parent: str = "") -> Any:
        """A JSON value with the world's values in the place of recorded ones."""
        if isinstance(value, dict):
            return {name: self.value(inner, name, key or parent) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.value(inner, key, parent) for inner in value]
        if isinstance(value, str):
            return self._numeral(value, key) or self.text(value)
        if isinstance(value, int) and not isinstance(value, bool):
            noun = noun_of(key, parent)
            return self._times.get(value) or (self._numbers.get((noun, value), value) if noun else value)
        return value

    def _path(self, path: str) -> str:
        before, parts = "", []
        for part in path.split("/"):
            plain = unquote(part)
            number = self._numbers.get((_singular(before), int(plain))) if plain.isdecimal() else None
            changed = str(number) if number is not None else self.text(plain)
            parts.append(part if changed == plain else quote(changed, safe="~:@!$&'()*+,;="))
            before = plain
        return "/".join(parts)

    def _query(self, query: str) -> str:
        pairs = parse_qsl(query, keep_blank_values=True)
        changed = [(name, self._numeral(value, name) or self.text(value)) for name, value in pairs]
        return query if changed == pairs else urlencode(changed)

    def _numeral(self, value: str, key: str) -> str | None:
        """A number in a form or a query, as the world has it."""
        if not value.isdecimal():
            return None
        ours = self._times.get(int(value)) or self._numbers.get(
            (noun_of(key.rstrip("]").rpartition("[")[2]), int(value))
        )
        return None if ours is None else str(ours)

    def _header(self, name: str, value: str) -> str:
        if name != "authorization":
            return self.text(value)
        scheme, _, given = value.partition(" ")
        given = self.text(given)
        if scheme.lower() == "basic" and ":" in given:
            given = base64.b64encode(given.encode()).decode()
        return f"{scheme} {given}".strip()

    def _body(self, body: Body | None) -> Body | None:
        if body is None or body.kind in ("base64", "left_out"):
            return body
        return Body(body.kind, self.text(body.value) if body.kind == "text" else self.value(body.value))


def noun_of(key: str, parent: str = "") -> str:
    """What a key's number tells apart: `user_id` and the `id` of a `user` are both of "user"; "" for no id."""
    if key == "id":
        return _singular(parent)
    if key.endswith("_id"):
        return _singular(key[:-3])
    return _singular(key[:-2]) if _CAMEL_ID.search(key) else ""


def collection_of(path: str) -> str:
    """The noun that the last collection of a path is of: "user" for /users/7."""
    words = [part for part in path.split("/") if part and not part.isdecimal() and not looks_alike_id(part)]
    return _singular(words[-1]) if words else ""


def looks_alike_id(word: str) -> bool:
    """Does a part of a path name one thing rather than a kind?"""
    return bool(_UUID.fullmatch(word) or PLACEHOLDER.search(word)) or any(
        looks_made(each) for each in _PIECE.split(word)
    )


def parsed_instant(text: str) -> datetime | None:
    """An ISO 8601 date or instant, or None."""
    if len(text) < 10 or text[4:5] != "-" or not text[:4].isdecimal():
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _singular(noun: str) -> str:
    plain = noun.lower()
    if plain.endswith("ies"):
        return plain[:-3] + "y"
    return plain[:-1] if plain.endswith("s") and not plain.endswith("ss") else plain


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict | list):
        return [text for inner in (value.values() if isinstance(value, dict) else value) for text in _texts(inner)]
    return [value] if isinstance(value, str) else []
