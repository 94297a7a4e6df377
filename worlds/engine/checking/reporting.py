"""How is what was found written down: as lines, as JSON, and as SARIF for tools that show findings beside code?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from worlds.engine.checking.findings import RULES, Finding, shown
from worlds.engine.checking.linting import Result

FORMAT = "seahaven.findings/1"
_SARIF = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def text(result: Result) -> str:
    """A line for each finding, `path:line id severity message / fix: …`, then how many there are."""
    lines = [
        f"{each.place or '-'} {each.id} {each.severity} {' '.join(each.message.split())} / fix: {each.hint}"
        for each in result.findings
    ]
    return "\n".join([*lines, _counted(result)])


def _counted(result: Result) -> str:
    errors = sum(each.severity == "error" for each in result.findings)
    warnings = len(result.findings) - errors
    fixable = sum(bool(each.edits) for each in result.findings)
    parts = [f"{errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}"]
    if fixable:
        parts.append(f"{fixable} of them --fix can mend")
    if result.silenced:
        parts.append(f"{len(result.silenced)} silenced with a reason")
    return "; ".join(parts)


def document(result: Result) -> dict[str, Any]:
    """The findings as JSON.

    Shape: {"format", "errors", "warnings", "findings": [{"id", "severity", "world", "rule", "message", "hint", "path",
    "line", "subject", "fixable"}], "silenced": [the same with "reason"]}; null stands for what there is none of.
    """
    return {
        "format": FORMAT,
        "errors": sum(each.severity == "error" for each in result.findings),
        "warnings": sum(each.severity == "warning" for each in result.findings),
        "findings": [_entry(each) for each in result.findings],
        "silenced": [{**_entry(each), "reason": reason} for each, reason in result.silenced],
    }


def _entry(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "severity": finding.severity,
        "world": finding.world or None,
        "rule": RULES[finding.id],
        "message": finding.message,
        "hint": finding.hint,
        "path": shown(finding.file) if finding.file else None,
        "line": finding.line or None,
        "subject": finding.subject or None,
        "fixable": bool(finding.edits),
    }


def sarif(result: Result) -> dict[str, Any]:
    """The findings as SARIF 2.1.0; what is silenced is there too, as suppressed."""
    every = [*((each, None) for each in result.findings), *result.silenced]
    used = sorted({finding.id for finding, _ in every})
    return {
        "$schema": _SARIF,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "seahaven_check",
                        "rules": [
                            {
                                "id": check_id,
                                "shortDescription": {"text": RULES[check_id]},
                                "help": {"text": f"docs/checks.md, {check_id}"},
                                "defaultConfiguration": {"level": _level(check_id)},
                            }
                            for check_id in used
                        ],
                    }
                },
                "originalUriBaseIds": {"SRCROOT": {"uri": Path.cwd().as_uri() + "/"}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, reason, used) for finding, reason in every],
            }
        ],
    }


def _level(check_id: str) -> str:
    return "error" if check_id.startswith("worlds.E") else "warning"


def _result(finding: Finding, reason: str | None, used: list[str]) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "ruleId": finding.id,
        "ruleIndex": used.index(finding.id),
        "level": finding.severity,
        "message": {"text": f"{finding.message}\nFix: {finding.hint}"},
    }
    location: dict[str, Any] = {}
    if finding.file is not None:
        location["physicalLocation"] = {"artifactLocation": _artifact(finding.file)}
        if finding.line:
            location["physicalLocation"]["region"] = {"startLine": finding.line}
    if finding.subject:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.subject}]
    if location:
        entry["locations"] = [location]
    if reason is not None:
        kind = "inSource" if finding.line else "external"
        entry["suppressions"] = [{"kind": kind, "justification": reason}]
    return entry


def _artifact(file: Path) -> dict[str, str]:
    name = shown(file)
    if Path(name).is_absolute():
        return {"uri": file.as_uri()}
    return {"uri": Path(name).as_posix(), "uriBaseId": "SRCROOT"}


def dumped(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False)
