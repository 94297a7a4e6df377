"""What is wrong with a set of worlds, and what of it was said to be right as it is?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings

from worlds.engine.checking import (
    build_time,
    describing,
    discovering,
    embedding,
    fixture_files,
    importing,
    migration_graph,
    ordering,
    returning,
    schema,
    sets,
    time_and_chance,
)
from worlds.engine.checking.findings import RULES, Finding, shown
from worlds.engine.checking.migration_graph import Graph
from worlds.engine.checking.targets import Target, targets

#: Rules that read text, of worlds that could not be loaded too.
STATIC = (time_and_chance.check, importing.check, sets.check, build_time.check)
#: Rules that need the world itself.
LIVE = (
    schema.check_roles, schema.check_defaults, ordering.check, returning.check, describing.check,
    discovering.check_modules,
)  # fmt: skip
_LESS = ("worlds.E302", "worlds.E304")
#: In settings: what is silenced that has no line, {"worlds.W403 crm/small_startup": "why"}.
SETTING = "SEAHAVEN_SILENCED_CHECKS"


@dataclass
class Result:
    """What was found, sorted; and what was found and silenced, with the reasons."""

    findings: list[Finding] = field(default_factory=list)
    silenced: list[tuple[Finding, str]] = field(default_factory=list)

    @property
    def has_errors(self) -> bool:
        return any(each.severity == "error" for each in self.findings)


def lint(app_configs: Sequence[Any] | None = None, names: Sequence[str] = ()) -> Result:
    """Run every rule over the worlds of these apps, or of these names, or over all."""
    chosen = list(targets(app_configs, names))
    unloaded = {each.name for each in chosen if each.world is None}
    found = list(_found(chosen, unloaded))
    result = _silenced(chosen, found, is_whole=app_configs is None and not names and not unloaded)
    result.findings.sort(key=lambda each: (shown(each.file) if each.file else "", each.line, each.id, each.message))
    return result


def _found(chosen: list[Target], unloaded: set[str]) -> Iterator[Finding]:
    graph = migration_graph.load()
    migrations = list(schema.check_migrations(chosen, graph))
    yield from migrations
    told = {(each.file, each.line) for each in migrations}
    for target in chosen:
        found = list(_of_world(target, graph, unloaded))
        _ = target.silences
        target.forget()
        # Of one line, what says most: that it is no Python, or does not load, follows from the others.
        told |= {(each.file, each.line) for each in found if each.id not in _LESS}
        for each in found:
            if each.id not in _LESS or (each.file, each.line) not in told:
                told.add((each.file, each.line))
                yield replace(each, world=target.name)


def _of_world(target: Target, graph: Graph, unloaded: set[str]) -> Iterator[Finding]:
    yield from discovering.check_loading(target)
    for rule in STATIC:
        yield from rule(target)
    if target.world is not None:
        for rule in LIVE:
            yield from rule(target)
        yield from fixture_files.check(target, graph)
        yield from embedding.check(target, unloaded)
    yield from target.broken


def _silenced(chosen: list[Target], found: list[Finding], *, is_whole: bool) -> Result:
    """Take out what a comment or the settings silence with a reason; tell of silences that are wrong themselves."""
    result, used = Result(), set[Any]()
    given: Mapping[str, str] = getattr(settings, SETTING, {})
    comments = {(file, silence.line): silence for target in chosen for file, silence in target.silences}
    for each in dict.fromkeys(found):
        reason = ""
        for line in range(each.line, max(each.line, each.last) + 1):
            silence = comments.get((each.file, line)) if each.file else None
            if silence is not None and each.id in silence.ids:
                used.add((each.file, line, each.id))
                reason = reason or silence.reason
        for key in (each.id, f"{each.id} {each.subject}"):
            if key in given:
                used.add(key)
                reason = reason or str(given[key] or "").strip()
        if reason:
            result.silenced.append((each, reason))
        else:
            result.findings.append(each)
    result.findings += _wrong_comments(chosen, used)
    result.findings += _wrong_settings(given, used, is_whole)
    return result


def _wrong_comments(chosen: list[Target], used: set[Any]) -> Iterator[Finding]:
    for target in chosen:
        for file, silence in target.silences:
            for check_id in silence.ids:
                line = silence.line
                if not silence.reason:
                    message = f"{check_id} is silenced without a reason"
                    hint = f"write `# {check_id}: why it is right as it stands`"
                    yield Finding("worlds.E001", message, hint, file, line, subject=target.name, world=target.name)
                elif check_id not in RULES or (
                    # Whether a description fits depends on the other worlds that are installed.
                    target.world and check_id != "worlds.W206" and (file, line, check_id) not in used
                ):
                    what = "is no rule" if check_id not in RULES else "is silenced where it finds nothing"
                    hint = "take the comment out, or put it on the line that is found"
                    message = f"{check_id} {what}"
                    yield Finding("worlds.W002", message, hint, file, line, subject=target.name, world=target.name)


def _wrong_settings(given: Mapping[str, str], used: set[Any], is_whole: bool) -> Iterator[Finding]:
    for key, reason in given.items():
        if not str(reason or "").strip():
            message, hint = f"settings.{SETTING} silences {key!r} without a reason", f"write {{{key!r}: 'why'}}"
            yield Finding("worlds.E001", message, hint, subject=f"settings {key}")
        elif key.partition(" ")[0] not in RULES or (is_whole and key not in used):
            what = "is no rule" if key.partition(" ")[0] not in RULES else "silences nothing"
            message = f"settings.{SETTING}: {key!r} {what}"
            yield Finding("worlds.W002", message, "take it out", subject=f"settings {key}")
