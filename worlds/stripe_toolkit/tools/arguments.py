"""Which parameters do several tools share, and how is an error swallowed?"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field

from worlds.stripe_toolkit import asking

F = TypeVar("F", bound=Callable[..., Any])


def omissible(description: str, *, shown: Mapping[str, Any] = MappingProxyType({}), **more: Any) -> Any:
    """A parameter that may be left out, shown as what it is when it is given, with what is `shown` beside."""

    def bare(schema: dict[str, Any]) -> None:
        (given,) = [each for each in schema.pop("anyOf") if each != {"type": "null"}]
        schema.update({**given, **shown})
        schema.pop("default", None)

    return Field(json_schema_extra=bare, description=description, **more)


Limit = Annotated[int | None, omissible("How many to return, 1 to 100.", ge=1, le=100)]
CustomerId = Annotated[str | None, omissible("The id of a customer, to narrow the list to.")]
Currency = Annotated[str, Field(description="The currency, such as usd.")]
Language = Literal["dotnet", "go", "java", "node", "php", "ruby", "python", "curl"]


def or_fails(to_do: str) -> Callable[[F], F]:
    """A tool whose refusals become one fixed sentence, as a result."""

    def decorate(fn: F) -> F:
        @functools.wraps(fn)
        def run(*args: Any, **kwargs: Any) -> Any:
            try:
                return fn(*args, **kwargs)
            except asking.Refused:
                return asking.failed(to_do)

        return run  # type: ignore[return-value]

    return decorate
