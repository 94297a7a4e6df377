"""What of an exchange must never reach the disk, and what stands in its place?

A secret is replaced by a placeholder of its own, `REDACTED_1_`, the same wherever it occurs: a later request that
mentions what an earlier answer gave still does, and a replay can tell.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import quote, quote_plus, unquote_plus

from seahaven.fidelity.bodies import Body
from seahaven.fidelity.cassette import Exchange, Headers, Request, Response

#: Whose values are secrets: names of headers, parameters and JSON keys, in snake_case.
NAMES = (
    "authorization", "proxy_authorization", "cookie", "set_cookie", "*api_key", "*apikey", "*access_key",
    "*access_key_id", "*auth_key", "*secret*", "*password*", "*passwd*",
    "*passphrase*", "*token", "*private_key*", "*signature",
    "*credential*", "session_id", "sessionid", "otp", "jwt",
)  # fmt: skip
#: What is a secret wherever it stands.
SHAPES = (
    r"\b(?:sk|rk)_(?:test|live)_[A-Za-z0-9_]{6,}",
    r"\bwhsec_[A-Za-z0-9+/=_-]{8,}",
    r"\bgh[pousr]_[A-Za-z0-9]{20,}",
    r"\bgithub_pat_[A-Za-z0-9_]{20,}",
    r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"\bAKIA[A-Z0-9]{16}\b",
    r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----",
    r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)",
)
#: What of a key everybody may know, and an API looks at before all else.
_PUBLIC = re.compile(r"(?:sk|rk|pk)_(?:test|live)_|whsec_|gh[pousr]_|github_pat_|xox[abeoprs]-")
PLACEHOLDER = re.compile(r"REDACTED_\d+_")

#: A shorter value is replaced where its name says that it is a secret, and not wherever it occurs.
_SHORTEST = 6
#: Nor is a word of plain letters, unless it was sent as a credential: "disabled" would be gone from every answer.
_WORD = re.compile(r"[A-Z]?[a-z_ -]{0,15}|[A-Z_ -]{0,16}")
_MOST_ASKED = 10_000
_PARAMETER = re.compile(r"(?P<before>(?:^|[?&#;\s])(?P<name>[\w.\[\]-]+)=)(?P<value>[^&#\s\"'<>;]+)")
_WRITTEN = re.compile(
    r"(?P<before>[\"']?(?<![\w-])(?P<name>[A-Za-z][\w-]{0,80})[\"']?\s{0,9}(?::|=(?!=))\s{0,9}[\"']?)(?P<value>[^\s\"'&<>,;{}\[\]]+)"
)
_PART = re.compile(r"(?P<before>name=\"(?P<name>[^\"]+)\"\r?\n(?:[^\r\n]{1,200}\r?\n){0,5}\r?\n)(?P<value>[^\r\n]+)")
_ELEMENT = re.compile(r"(?P<before><(?P<name>[A-Za-z][\w.-]*)>)(?P<value>[^<]+)(?=</)")
_WORD_IN_CAMELS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LAST_PART = re.compile(r"\[([^\]]+)\](?:\[\d*\])*$|([^\[\].]+)(?:\[\d*\])*$")


class Redactor:
    """Takes the secrets out of exchanges, and remembers them for those that follow.

    `more` names are secret besides the usual ones, `kept` ones are not; all may hold `*`. What matches a pattern of
    `hidden` is a secret wherever it stands.
    """

    def __init__(self, more: Sequence[str] = (), kept: Sequence[str] = (), hidden: Iterable[str] = ()) -> None:
        self._names = [_snake(name) for name in (*NAMES, *more)]
        self._kept = [_snake(name) for name in kept]
        self._shapes = [re.compile(each, re.DOTALL) for each in (*SHAPES, *hidden)]
        self._numbers: dict[str, int] = {}
        #: How each secret may be written, the longest first, with what it is replaced by.
        self._forms: dict[str, str] = {}
        self._present: list[str] = []
        self._asked: dict[str, bool] = {}
        self._pattern: re.Pattern[str] | None = None

    def exchange(self, found: Exchange) -> Exchange:
        """The exchange without its secrets."""
        # Twice: a value that the first round meets under a telling name may stand elsewhere, further up.
        return self._round(self._round(found))

    def _round(self, found: Exchange) -> Exchange:
        asked, answer = found.request, found.response
        whole = "\0".join(_texts_of([*_said(asked), *(_said(answer) if answer else ())]))
        self._present = [form for form in self._forms if form in whole]
        self._look_for()
        self._learn_all(asked.headers, answer.headers if answer else ())
        request = Request(
            asked.method,
            self._text(asked.path),
            self._query(asked.query),
            self._headers(asked.headers),
            self._body(asked.body),
        )
        response = answer and Response(answer.status, self._headers(answer.headers), self._body(answer.body))
        failure = None if found.failure is None else self._text(found.failure)
        return replace(found, request=request, response=response, failure=failure)

    def is_secret(self, name: str) -> bool:
        """Does a name say that its value is a secret? Of `a[b][c]`, the last part counts."""
        if name not in self._asked:
            if len(self._asked) > _MOST_ASKED:
                self._asked.clear()
            self._asked[name] = self._is_telling(name)
        return self._asked[name]

    def _is_telling(self, name: str) -> bool:
        for part in {name, _last(name)}:
            plain = _snake(part)
            if any(fnmatchcase(plain, each) for each in self._kept):
                return False
            if any(fnmatchcase(plain, each) for each in self._names):
                return True
        return False

    # Learning what is secret.

    def _learn_all(self, asked: Headers, answered: Headers) -> None:
        for name, value in (*asked, *answered):
            if name in ("authorization", "proxy-authorization"):
                self._learn_credentials(value)
            elif name in ("cookie", "set-cookie"):
                for pair in value.split(";") if name == "cookie" else [value.partition(";")[0]]:
                    self._placeholder(pair.partition("=")[2].strip() or pair.strip())
            elif self.is_secret(name):
                self._placeholder(value)

    def _learn_credentials(self, value: str) -> None:
        scheme, _, given = value.partition(" ")
        given = given.strip()
        if scheme.lower() == "basic" and (pair := _basic(given)) is not None:
            user, _, password = pair.partition(":")
            self._placeholder(password or user, is_credential=True)
        else:
            self._placeholder(given or scheme, is_credential=True)

    def _placeholder(self, secret: str, *, is_credential: bool = False) -> str:
        """What stands for a secret."""
        if not secret or PLACEHOLDER.search(secret):
            return secret
        public = _PUBLIC.match(secret)
        prefix = public[0] if public else ""
        number = self._numbers.setdefault(secret, len(self._numbers) + 1)
        stand_in = f"{prefix}REDACTED_{number}_"
        is_everywhere = len(secret) >= _SHORTEST and (is_credential or not _WORD.fullmatch(secret))
        if is_everywhere and secret not in self._forms:
            for form in _written_as(secret):
                self._forms.setdefault(form, stand_in)
                self._present.append(form)
            self._look_for()
        return stand_in

    def _look_for(self) -> None:
        """Look for those forms that may stand in this exchange: of thousands, hardly any does."""
        longest_first = sorted(self._present, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    # Taking it out.

    def _text(self, text: str) -> str:
        """Text without secrets that are known, look like one, or stand behind a name that says so."""
        text = _PARAMETER.sub(self._parameter, text) if "=" in text else text
        for shape in self._shapes:
            text = shape.sub(lambda found: self._placeholder(found[0]), text)
        if self._pattern is not None:
            text = self._pattern.sub(lambda found: self._forms[found[0]], text)
        return text

    def _parameter(self, found: re.Match[str]) -> str:
        if not self.is_secret(unquote_plus(found["name"])):
            return found[0]
        return found["before"] + self._placeholder(unquote_plus(found["value"]))

    def _query(self, query: str) -> str:
        pairs = [part.partition("=") for part in query.split("&")]
        return "&".join(
            name + sign + self._placeholder(unquote_plus(value))
            if sign and value and self.is_secret(unquote_plus(name))
            else self._text(name + sign + value)
            for name, sign, value in pairs
        )

    def _headers(self, headers: Headers) -> Headers:
        return tuple((name, self._header(name, value)) for name, value in headers)

    def _header(self, name: str, value: str) -> str:
        if name in ("authorization", "proxy-authorization"):
            scheme, _, given = value.partition(" ")
            given = given.strip()
            if scheme.lower() == "basic" and (pair := _basic(given)) is not None:
                user, _, password = pair.partition(":")
                shown = (
                    f"{self._text(user)}:{self._placeholder(password)}" if password else self._placeholder(user) + ":"
                )
                return f"{scheme} {shown}"
            return f"{scheme} {self._placeholder(given)}" if given else self._placeholder(scheme)
        if name in ("cookie", "set-cookie"):
            pairs = value.split(";") if name == "cookie" else [value.partition(";")[0]]
            cookies = [(part.partition("=")[0].strip(), part.partition("=")[2].strip()) for part in pairs]
            rest = value.partition(";")[2] if name == "set-cookie" else ""
            return "; ".join(f"{key}={self._placeholder(each)}" for key, each in cookies) + (f";{rest}" if rest else "")
        return self._placeholder(value) if self.is_secret(name) else self._text(value)

    def _body(self, body: Body | None) -> Body | None:
        if body is None or body.kind == "left_out":
            return body
        if body.kind == "base64":
            # Each byte as one character, so that what is written in it is found and everything else stays.
            text = self._text(body.value.decode("latin-1"))
            return Body("base64", text.encode("latin-1", "replace"))
        if body.kind == "text":
            text = body.value
            for pattern in (_PART, _ELEMENT, _WRITTEN):
                text = pattern.sub(self._behind_a_name, text)
            return Body("text", self._text(text))
        return Body(body.kind, self._value(body.value))

    def _behind_a_name(self, found: re.Match[str]) -> str:
        if not self.is_secret(found["name"]) or found["value"].lower() in ("null", "true", "false", "bearer", "basic"):
            return found[0]
        return found["before"] + self._placeholder(found["value"])

    def _value(self, value: Any, *, is_secret: bool = False) -> Any:
        if isinstance(value, dict):
            return {
                self._text(name): self._value(
                    inner, is_secret=self.is_secret(name) or (is_secret and not self._is_kept(name))
                )
                for name, inner in value.items()
            }
        if isinstance(value, list):
            return [self._value(inner, is_secret=is_secret) for inner in value]
        if isinstance(value, str):
            return self._placeholder(value) if is_secret else self._text(value)
        if is_secret and isinstance(value, int | float) and not isinstance(value, bool):
            return self._placeholder(str(value))
        return value

    def _is_kept(self, name: str) -> bool:
        return any(fnmatchcase(_snake(name), each) for each in self._kept)


def _said(side: Request | Response) -> list[Any]:
    """What one side of an exchange says, as the round that follows reads it."""
    body = side.body and (side.body.value.decode("latin-1") if side.body.kind == "base64" else side.body.value)
    where = [side.path, side.query] if isinstance(side, Request) else []
    return [*where, dict(side.headers), [value for _, value in side.headers], body]


def _texts_of(value: Any) -> Iterator[str]:
    """Every text in a JSON value, names too."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield str(name)
            yield from _texts_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts_of(inner)
    elif isinstance(value, str):
        yield value


def _written_as(secret: str) -> list[str]:
    """A secret as it may stand in URLs, in JSON inside text, and in base64 at each of the three places it can begin."""
    forms: dict[str, None] = {}
    for spelling in dict.fromkeys([secret, _recoded(secret, "utf-8", "latin-1"), _recoded(secret, "latin-1", "utf-8")]):
        data = spelling.encode()
        forms |= dict.fromkeys([spelling, quote(spelling, safe=""), quote(spelling), quote_plus(spelling)])
        forms |= dict.fromkeys([json.dumps(spelling)[1:-1], json.dumps(spelling, ensure_ascii=False)[1:-1]])
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            for before in range(3):
                whole = encode(b"\0" * before + data).decode().rstrip("=")
                # Only those characters that the secret alone decides.
                inner = whole[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
                if len(inner) >= 8:
                    forms[inner] = None
    return list(forms)


def _recoded(text: str, to: str, back: str) -> str:
    """Text whose bytes were read as another alphabet: headers are latin-1, bodies are UTF-8."""
    try:
        return text.encode(to).decode(back)
    except UnicodeError:
        return text


def _basic(given: str) -> str | None:
    try:
        return base64.b64decode(given + "=" * (-len(given) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _snake(name: str) -> str:
    return _WORD_IN_CAMELS.sub("_", name).lower().replace("-", "_").replace(" ", "_")


def _last(name: str) -> str:
    found = _LAST_PART.search(name)
    return (found[1] or found[2]) if found else name
