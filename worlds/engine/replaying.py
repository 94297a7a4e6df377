"""Does an episode go the same way again, here and now?

Its moves are made again on a new instance, and what comes of each is compared with what the document says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import orjson
from pydantic import Field, TypeAdapter

from worlds.engine import exporting, installed
from worlds.engine.clock import REPLAYING
from worlds.engine.comparing import Comparison, place_of
from worlds.engine.composing import ROOT
from worlds.engine.differing import MISSING, Divergence, Place
from worlds.engine.episode_documents import AdvanceMove, CallMove, EpisodeDocument, Move, ReportMove, RequestMove
from worlds.engine.errors import EpisodeError, ToolError, UnknownTool, WorldBug
from worlds.engine.exporting import START, Reached
from worlds.engine.instance import Instance
from worlds.engine.spelling import only_shown
from worlds.engine.startup import Start
from worlds.engine.world import World

_MOVE: TypeAdapter[Move] = TypeAdapter(Annotated[Move, Field(discriminator="kind")])

#: Of an instance that was made again, so many divergences are told.
MOST_KEPT = 100


@dataclass
class Replay:
    """What a replay came to."""

    document: EpisodeDocument
    world: World
    #: How the world, its schema and its fixture here differ from those of the episode.
    elsewhere: list[Divergence] = field(default_factory=list)
    #: In order; only the first unless the replay was thorough.
    divergences: list[Divergence] = field(default_factory=list)
    #: How many moves were made again.
    made: int = 0
    #: What it could not get past.
    stopped: str | None = None
    #: The state document at the end, when it was asked for.
    state: dict[str, Any] | None = None
    #: Told how many moves were made, after each.
    watcher: Callable[[int], None] | None = None


def target(document: EpisodeDocument, against: str | None) -> World:
    """The world to replay in: the episode's own, or `against`, the name of another or the version that is installed.

    Raises: EpisodeError when neither is here.
    """
    if against is not None and against in installed.names():
        world: World = installed.get(against)
        return world
    name = document.world.name
    try:
        world = installed.get(name)
    except WorldBug as error:
        hint = "" if against is None else f"; --against {against!r:.40} names no installed world either"
        raise EpisodeError(f"{error}{hint}") from None
    if against not in (None, world.version):
        raise EpisodeError(
            f"--against {against!r:.40} is neither an installed world nor the version of {name} that is installed, "
            f"{world.version}; one version is installed at a time, so run this where {name} {against:.40} is"
        )
    return world


def replay(
    document: EpisodeDocument,
    world: World,
    *,
    anywhere: bool = False,
    thorough: bool = False,
    with_state: bool = False,
) -> Replay:
    """Make the moves of an episode again, up to the first divergence, or to the end when `thorough`.

    `anywhere` takes a world, version or fixture other than the episode's for no divergence.
    Raises: EpisodeError for an episode that cannot begin here, or whose clock does not replay.
    """
    reach, then = document.reach
    if document.clock_mode not in REPLAYING:
        raise EpisodeError(str(then))
    done = Replay(document, world)
    with _begin(document, world) as inst:
        done.elsewhere = list(_elsewhere(document, inst))
        for divergence in _divergences(inst, done, reach, anywhere=anywhere):
            done.divergences.append(divergence)
            if not thorough:
                return done
        done.stopped = then
        if with_state:
            done.state = inst.state()
    return done


def rebuild(
    document: EpisodeDocument, world: World, watcher: Callable[[int], None] | None = None
) -> tuple[Instance, Replay]:
    """Make all the moves again that can be made, and answer the instance they led to, which the caller destroys.

    It goes on after a divergence; the first are kept, as many as MOST_KEPT.
    Raises: EpisodeError as `replay` does.
    """
    reach, then = document.reach
    if document.clock_mode not in REPLAYING:
        raise EpisodeError(str(then))
    done = Replay(document, world, stopped=then, watcher=watcher)
    inst = _begin(document, world)
    try:
        done.elsewhere = list(_elsewhere(document, inst))
        for divergence in _divergences(inst, done, reach, anywhere=False):
            if len(done.divergences) < MOST_KEPT:
                done.divergences.append(divergence)
    except BaseException:
        inst.destroy()
        raise
    return inst, done


def _begin(document: EpisodeDocument, world: World) -> Instance:
    start = Start(
        fixture=document.fixture.id if document.fixture else None,
        seed=document.seed,
        now=document.start.now,
        clock_mode=document.clock_mode,
        state_format=document.start.state_format,
        task=document.task,
        startup=document.startup,
        setup_sql=document.setup_sql,
        episode_id=document.episode_id,
        drawing_as=document.start.draws_as,
    )
    try:
        return world.start(start)
    except WorldBug as error:
        raise EpisodeError(str(error)) from None
    except Exception as error:
        raise EpisodeError(f"world {world.name} does not start with it: {type(error).__name__}: {error}") from error


# What is different before the first move.

_WORDS = {"composition": "the world there", "version": "the world's version", "schema": "the schema's hash"}


def _elsewhere(document: EpisodeDocument, inst: Instance) -> Iterator[Divergence]:
    anyway = f"--against {inst.world.version} replays it here all the same"
    start = Place("the start", {})
    if document.world.name != inst.world.name:
        yield start.divergence("world", "world", document.world.name, inst.world.name)
    here, there = inst.composition(), document.composition
    for path in {**there, **here}:
        place = start.within(path, node=path)
        if path not in here or path not in there:
            was = there[path].world if path in there else MISSING
            now = here[path]["world"] if path in here else MISSING
            yield place.divergence("composition", _WORDS["composition"], was, now, note=anyway)
            continue
        for kind, was, now in (
            ("composition", there[path].world, here[path]["world"]),
            ("version", there[path].world_version, here[path]["world_version"]),
            ("schema", there[path].schema_hash, here[path]["schema_hash"]),
        ):
            if was != now and (kind, path) != ("composition", ROOT):
                yield place.divergence(kind, _WORDS[kind], was, now, note=anyway)
    if document.fixture is not None and inst.base.fixture is not None:
        files = {path: node["file_sha256"] for path, node in inst.base.fixture.reference()["nodes"].items()}
        for path in {**document.fixture.nodes, **files}:
            node = document.fixture.nodes.get(path)
            was, now = node.file_sha256 if node else MISSING, files.get(path, MISSING)
            if was != now:
                words = f"the rows of fixture {document.fixture.id}"
                yield start.within(path, node=path).divergence("fixture", words, was, now, note=anyway)


# The moves.


def _divergences(inst: Instance, done: Replay, reach: int, *, anywhere: bool) -> Iterator[Divergence]:
    if not anywhere:
        yield from done.elsewhere
    comparison, reached, calls = Comparison(), START, 0
    for number, move in enumerate(done.document.moves[:reach]):
        place = place_of(move, number, calls)
        error = _make(inst, move)
        calls += isinstance(move, CallMove)
        done.made += 1
        if done.watcher is not None:
            done.watcher(done.made)
        with inst.reading() as at:
            made = next(exporting.moves(at, reached), None)
        if made is None:
            yield _not_made(move, place, error)
            continue
        got = _MOVE.validate_python(orjson.loads(made))
        is_call = isinstance(move, CallMove)
        reached = Reached(reached.calls + is_call, reached.between + (not is_call), reached.records + len(got.records))
        for found in comparison.differences(move, got, place, _cause(error)):
            yield found.with_note(_only_shown(move))


def _make(inst: Instance, move: Move) -> Exception | None:
    """Make a move again; answers what it ended in, which is part of the episode."""
    try:
        if isinstance(move, CallMove):
            inst.dispatch(move.tool, move.given_arguments, is_replay=True)
        elif isinstance(move, AdvanceMove):
            inst.advance(milliseconds=move.ms)
        elif isinstance(move, RequestMove):
            inst.http(move.request, move.node)
        elif isinstance(move, ReportMove):
            inst.report(move.node, move.key, move.outcome)
    except Exception as error:
        return error
    return None


def _not_made(move: Move, place: Place, error: Exception | None) -> Divergence:
    if isinstance(error, UnknownTool) and isinstance(move, CallMove):
        return place.divergence("tool", "the tool", move.tool, MISSING, note=str(error))
    return place.divergence("refused", "", "a move", MISSING, note=str(error))


def _cause(error: Exception | None) -> str:
    """What a bug said, which the agent did not see."""
    if error is None or isinstance(error, ToolError):
        return ""
    return f"{type(error).__name__}: {error}".encode(errors="backslashreplace").decode()


def _only_shown(move: Move) -> str:
    """That the arguments are not quite those of the episode, when they are not."""
    classes = only_shown(move.given) if isinstance(move, CallMove) else []
    if not classes:
        return ""
    return f"it was given objects of {', '.join(classes)}, of which the document holds what they show"
