"""Which errors are there, and who reads each of them?

`ToolError` is data for the agent; `WorldBug` tells a world's author what to edit; anything else that
escapes a tool is a bug too, and a client outside sees only an incident number.
"""

from __future__ import annotations

from typing import Any, ClassVar


class SeahavenError(Exception):
    """The base of every error the engine raises on purpose."""


class WorldBug(SeahavenError):
    """A mistake in a world, a fixture or a grader: the message says what is wrong and the edit to make."""


class InstanceClosed(WorldBug):
    """The instance was destroyed, or closed because a call in it ran over its time limit."""


class FixtureError(WorldBug):
    """A fixture is missing, damaged or does not fit its world; the message names the file and the line."""


class EpisodeError(WorldBug):
    """An episode document that cannot be read, or not be replayed here; the message says why, and the fix."""


class ToolError(SeahavenError):
    """A refusal the agent is meant to read, as {"code", "message", "details"}.

    Worlds subclass it, one class for each refusal; `details` holds JSON values.
    """

    #: OpenEnv's own classification of a failed call; the engine's, not a world's to set.
    error_type: ClassVar[str] = "execution_error"
    #: Does a chat client show the agent the message alone, as the product itself words it?
    is_plain: ClassVar[bool] = False

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "error_type" in cls.__dict__ and cls.__module__ != __name__:
            raise WorldBug(
                f"{cls.__module__}.{cls.__qualname__} sets error_type, which is OpenEnv's word for the engine to "
                f"set; remove it and tell your errors apart by `code`"
            )

    def to_dict(self) -> dict[str, Any]:
        """The error as it crosses every door: {"code": str, "message": str, "details": object}."""
        return {"code": self.code, "message": self.message, "details": self.details}


class ArgumentError(ToolError):
    """The arguments do not fit the tool's schema; every violation is reported at once.

    Shape: `violations` is a list of {"path": str, "message": str, "type": str}.
    """

    error_type: ClassVar[str] = "invalid_args"

    def __init__(self, tool: str, violations: list[dict[str, str]]) -> None:
        shown = "; ".join(f"{v['path']}: {v['message']}" if v["path"] else v["message"] for v in violations)
        super().__init__("invalid_arguments", f"Invalid arguments for {tool}: {shown}", violations=violations)
        self.violations = violations


class UnknownTool(ToolError):
    """No tool has that name; the nearest name is suggested when there is one."""

    error_type: ClassVar[str] = "tool_not_found"

    def __init__(self, name: str, suggestion: str | None = None) -> None:
        hint = f" Did you mean {suggestion!r}?" if suggestion else ""
        super().__init__("unknown_tool", f"Unknown tool: {name!r}.{hint}")


class DbError(ToolError):
    """SQLite refused a statement. The agent reads a general message; SQLite's own text stays in attributes.

    Shape: `refusals` is a list of {"kind": "read" | "write" | "function" | "action" | "statement" | "value" | "time",
    "name": str}, empty when SQLite itself failed.
    """

    def __init__(
        self,
        message: str = "database error",
        *,
        sqlite_message: str = "",
        sqlite_code: int | None = None,
        refusals: list[dict[str, str]] | None = None,
    ) -> None:
        super().__init__("db_error", message)
        self.sqlite_message = sqlite_message
        self.sqlite_code = sqlite_code
        self.refusals = refusals or []


class CallTimeout(ToolError):
    """A call ran over its time limit; its instance is closed, since its thread may still be running."""

    error_type: ClassVar[str] = "timeout"

    def __init__(self, seconds: float) -> None:
        super().__init__(
            "timeout", f"The call took longer than {seconds:g} s and was stopped; reset to start a new episode."
        )
