"""Which refusals does Stripe answer with, in its own words?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

Kind = Literal["api_error", "card_error", "idempotency_error", "invalid_request_error"]
_DOCUMENTED = ("invalid_request_error", "card_error")


class StripeError(Exception):
    """An answer of the error envelope; what the operation wrote until then is undone unless `keeps`."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        kind: Kind = "invalid_request_error",
        code: str | None = None,
        param: str | None = None,
        keeps: bool = False,
        headers: tuple[tuple[str, str], ...] = (),
        **more: Any,
    ) -> None:
        super().__init__(message)
        self.message, self.status, self.kind, self.code, self.param = message, status, kind, code, param
        #: A decline is part of the story: the failed charge stays.
        self.keeps = keeps
        self.headers = headers
        #: `decline_code`, `payment_intent` and their kin; None is left out.
        self.more = more

    def body(self) -> dict[str, Any]:
        """The envelope; what is unknown is left out."""
        error: dict[str, Any] = {"code": self.code, "param": self.param, "message": self.message, "type": self.kind}
        if self.code is not None and self.kind in _DOCUMENTED:
            error["doc_url"] = f"https://stripe.com/docs/error-codes/{self.code.replace('_', '-')}"
        return {"error": {key: value for key, value in {**error, **self.more}.items() if value is not None}}


def listed(words: Sequence[str]) -> str:
    """`a, b, or c`."""
    if len(words) < 3:
        return " or ".join(words)
    return f"{', '.join(words[:-1])}, or {words[-1]}"


def unknown_url(method: str, path: str) -> StripeError:
    return StripeError(
        f"Unrecognized request URL ({method}: {path}). Please see https://stripe.com/docs or we can help at "
        "https://support.stripe.com/.",
        status=404,
    )


def unknown_parameters(names: Sequence[str]) -> StripeError:
    plural = "s" if len(names) > 1 else ""
    return StripeError(
        f"Received unknown parameter{plural}: {', '.join(names)}", code="parameter_unknown", param=names[0]
    )


def missing_parameter(name: str) -> StripeError:
    return StripeError(f"Missing required param: {name}.", code="parameter_missing", param=name)


def empty_parameter(name: str) -> StripeError:
    return StripeError(
        f"You passed an empty string for '{name}'. We assume empty values are an attempt to unset a parameter; however "
        f"'{name}' cannot be unset. You should remove '{name}' from your request or supply a non-empty value.",
        code="parameter_invalid_empty",
        param=name,
    )


def invalid(kind: str, value: Any, name: str) -> StripeError:
    """`Invalid integer: abc`."""
    code = {"integer": "parameter_invalid_integer"}.get(kind)
    return StripeError(f"Invalid {kind}: {value}", code=code, param=name)


def not_one_of(name: str, words: Sequence[str]) -> StripeError:
    shown = [word for word in words if word]
    last = name.rpartition("[")[2].rstrip("]") or name
    return StripeError(f"Invalid {last}: must be one of {listed(shown)}", param=name)


def no_such(noun: str, id: str, *, param: str | None = "id", in_path: bool = True) -> StripeError:
    return StripeError(f"No such {noun}: '{id}'", status=404 if in_path else 400, code="resource_missing", param=param)


def both_cursors() -> StripeError:
    return StripeError(
        "Received both starting_after and ending_before parameters. Please pass in only one.",
        code="parameters_exclusive",
        param="starting_after",
    )


def cannot_expand(path: str, hint: str = "") -> StripeError:
    return StripeError(
        f"This property cannot be expanded ({path}). You may want to try expanding '{hint}' instead."
        if hint
        else f"This property cannot be expanded ({path}).",
        param="expand",
    )
