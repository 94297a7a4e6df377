"""What does a world's author get wrong in silence? Django's system checks say it, under the tag `worlds`.

The rules are in `worlds.engine.checking`; ids are documented and never used again for something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Warning, register

from worlds.engine.checking.findings import Finding
from worlds.engine.checking.linting import lint

TAG = "worlds"


class Place:
    """Where a finding is, as Django prints it before the message."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding

    def __str__(self) -> str:
        return self.finding.place or "?"


@register(TAG)
def check_worlds(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Every rule, over the worlds of these apps or over all; what is silenced with a reason is left out."""
    return [message_of(each) for each in lint(app_configs).findings]


def message_of(finding: Finding) -> CheckMessage:
    """A finding as Django tells it."""
    kind = Error if finding.severity == "error" else Warning
    return kind(finding.message, hint=finding.hint, obj=Place(finding), id=finding.id)
