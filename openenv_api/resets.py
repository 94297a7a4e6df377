"""What may a client ask of a reset?"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from openenv_api.errors import InvalidFrame, invalid, violation
from worlds.engine import ClockMode, Start

#: So alike must an unknown key be to one of ours to count as a slip of the pen: `fixtur`, `fixture_id`, `episodeid`.
_ALIKE = 0.82
#: Short words are near too many others, so for these only the form counts: `Seed`, `seeds`.
_SHORT = 5


class ResetArguments(BaseModel):
    """The keys of a reset that this server reads. OpenEnv has clients send others too, which are let pass."""

    model_config = ConfigDict(extra="allow", strict=True)

    world: Annotated[str | None, Field(description="another world of this server; the session stays in it")] = None
    fixture: Annotated[str | None, Field(description="the starting state; none is the blank world")] = None
    seed: Annotated[int | None, Field(description="fixes every draw of chance")] = None
    episode_id: Annotated[str | None, Field(min_length=1, max_length=255, description="minted when missing")] = None
    now: Annotated[str | None, Field(description="the clock's start, ISO 8601 with an offset")] = None
    clock_mode: Annotated[ClockMode | None, Field(description="how the clock moves")] = None
    state_format: Annotated[str | None, Field(description="the format of the state document")] = None
    startup: Annotated[dict[str, Any] | None, Field(description="keywords for the world's startup hooks")] = None
    setup_sql: Annotated[str | None, Field(description="SQL to run on the starting state")] = None
    task: Annotated[Any, Field(description="what the episode is about; stands in the state document")] = None
    request_id: Annotated[str | int | None, Field(description="echoed in the answer's metadata")] = None

    def start(self, default_fixture: str | None) -> Start:
        """The start of the episode, as the engine takes it; the default is for those that name no fixture at all."""
        return Start(
            fixture=self.fixture if "fixture" in self.model_fields_set else default_fixture,
            seed=self.seed,
            now=self.now,
            clock_mode=self.clock_mode,
            state_format=self.state_format,
            task=self.task,
            startup=self.startup or {},
            setup_sql=self.setup_sql,
            episode_id=self.episode_id,
        )


def read(data: Any) -> ResetArguments:
    """The arguments of a reset.

    Raises: InvalidFrame with every violation, and for a key that looks like a slip of the pen.
    """
    try:
        arguments = ResetArguments.model_validate(data)
    except ValidationError as error:
        raise invalid("reset arguments", error) from None
    slips = [_slip(key, meant, data[key]) for key, meant in _slips(arguments.model_extra or {})]
    if slips:
        raise InvalidFrame("; ".join(slip["msg"] for slip in slips), slips)
    return arguments


def _slips(unknown: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key in unknown:
        for ours in ResetArguments.model_fields:
            if ours != "request_id" and _is_slip(key, ours):
                yield key, ours
                break


def _is_slip(key: str, ours: str) -> bool:
    plain = key.lower().replace("-", "").replace("_", "")
    meant = ours.replace("_", "")
    if len(ours) <= _SHORT:
        return plain.removesuffix("s") == meant
    return plain == meant or difflib.SequenceMatcher(None, key, ours).ratio() >= _ALIKE


def _slip(key: str, meant: str, value: Any) -> dict[str, Any]:
    return violation("unexpected_keyword", f"reset has no key {key!r}; did you mean {meant!r}?", key, value=value)
