"""Which parameters do several tools share?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

Context = Annotated[str, Field(description="The account, as list_available_accounts_or_orgs names it.")]
Livemode = Annotated[bool, Field(description="Is it the live account? Sandboxes are false.")]
Language = Literal["dotnet", "go", "java", "node", "php", "ruby", "python", "curl"]


def omissible(description: str, **more: Any) -> Any:
    """A parameter that may be left out; it is shown as what it is when it is given."""
    return Field(json_schema_extra=_bare, description=description, **more)


def _bare(schema: dict[str, Any]) -> None:
    (given,) = [each for each in schema.pop("anyOf") if each != {"type": "null"}]
    schema.update(given)
    schema.pop("default", None)
