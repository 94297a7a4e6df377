"""What is said of a stored episode: that it replays, where it does not, what grade it gets?"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson

from worlds.engine import episode_documents, replaying, results
from worlds.engine.episode_documents import EpisodeDocument
from worlds.engine.errors import EpisodeError, WorldBug
from worlds.engine.exporting import made_with
from worlds.engine.replaying import Replay

logger = logging.getLogger("seahaven.replays")
#: Takes the state document, answers a number or other JSON.
Grader = Callable[[dict[str, Any]], Any]
#: Exit statuses.
EQUAL, DIVERGED, IMPOSSIBLE = range(3)
_OUTCOMES = "equal", "diverged", "impossible"


@dataclass(frozen=True)
class Question:
    """What is asked of an episode."""

    #: Another world by name, or the version that is installed: what differs there is told, and no divergence.
    against: str | None = None
    #: Go on after a divergence, and list them all.
    thorough: bool = False
    grader: Grader | None = None
    #: Grade what is stored, and replay nothing.
    as_stored: bool = False


@dataclass
class Verdict:
    """What came of one episode: an exit status, a line, more lines below it, and all of it for a program."""

    name: str
    status: int
    line: str
    more: list[str] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join([f"{self.name}: {self.line}", *(f"  {line}" for line in self.more)])

    def as_dict(self) -> dict[str, Any]:
        return {"episode": self.name, "outcome": _OUTCOMES[self.status], "status": self.status, **self.data}


class _Ungraded(EpisodeError):
    """The grader failed, or answered what is no JSON."""


def verdict(name: str, data: bytes, question: Question) -> Verdict:
    """Replay an episode document, or read it, and grade it if that is asked."""
    try:
        document = episode_documents.read(data)
        return _stored(name, document, question) if question.as_stored else _replayed(name, document, question)
    except _Ungraded as error:
        return impossible(name, f"cannot grade: {error}")
    except WorldBug as error:
        return impossible(name, f"cannot replay: {error}")


def impossible(name: str, line: str) -> Verdict:
    """The verdict on what could not be looked at."""
    return Verdict(name, IMPOSSIBLE, line, data={"reason": line})


def _stored(name: str, document: EpisodeDocument, question: Question) -> Verdict:
    found = Verdict(name, EQUAL, f"as stored: {_about(document)}", data=_facts(document))
    _grade(found, question, document.state())
    return found


def _replayed(name: str, document: EpisodeDocument, question: Question) -> Verdict:
    world = replaying.target(document, question.against)
    done = replaying.replay(
        document,
        world,
        anywhere=question.against is not None,
        thorough=question.thorough,
        with_state=question.grader is not None,
    )
    found = _judged(name, done, question)
    if question.grader is not None and (done.stopped or done.state is None):
        found.more.append("not graded: it was not replayed to its end; --no-replay grades what is stored")
    else:
        _grade(found, question, done.state)
    return found


def _judged(name: str, done: Replay, question: Question) -> Verdict:
    differences = [str(each) for each in done.divergences]
    more = [f"elsewhere: {each}" for each in done.elsewhere] if question.against is not None else []
    if differences:
        status, line = DIVERGED, f"diverged: {differences[0]}"
        if question.thorough:
            line, more = f"diverged in {len(differences)} places", more + differences
        if done.document.made_with != made_with():
            more.append(f"recorded with {_versions(done.document.made_with)}; here is {_versions(made_with())}")
    elif done.stopped:
        status, line = IMPOSSIBLE, f"cannot replay all: {done.stopped} (the {done.made} moves before it are equal)"
    else:
        status, line = EQUAL, f"equal: {_about(done.document)}"
    data = _facts(done.document) | {
        "against": {"name": done.world.name, "version": done.world.version},
        "made": done.made,
        "stopped": done.stopped,
        "elsewhere": [each.as_dict() for each in done.elsewhere],
        "divergences": [each.as_dict() for each in done.divergences],
    }
    return Verdict(name, status, line, more, data)


def _grade(found: Verdict, question: Question, state: dict[str, Any] | None) -> None:
    """Ask the grader, if there is one, and add what it says."""
    if question.grader is None or state is None:
        return
    try:
        text = results.encode(question.grader(state), "the grader")
    except WorldBug as error:
        raise _Ungraded(str(error)) from None
    except Exception as error:
        logger.exception("the grader failed on %s", found.name)
        raise _Ungraded(f"the grader failed: {type(error).__name__}: {error}") from error
    found.more.append(f"grade: {text.decode()}")
    found.data["grade"] = orjson.loads(text)


def _about(document: EpisodeDocument) -> str:
    fixture = document.fixture.id if document.fixture else "blank"
    seed = "no seed" if document.seed is None else f"seed {document.seed}"
    return f"{len(document.moves)} moves in {document.world.name}/{fixture} with {seed}"


def _facts(document: EpisodeDocument) -> dict[str, Any]:
    return {
        "episode_id": document.episode_id,
        "world": document.world.model_dump(),
        "fixture": document.fixture.id if document.fixture else None,
        "seed": document.seed,
        "moves": len(document.moves),
    }


def _versions(made: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in made.items())
