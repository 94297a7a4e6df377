"""Which refusals do the tools answer with? Plain sentences, as Stripe's own server writes them."""

from __future__ import annotations

from collections.abc import Sequence

from worlds.engine import ToolError


class Refusal(ToolError):
    """A sentence, and nothing beside it."""

    is_plain = True


class NoSuchContext(Refusal):
    def __init__(self, stripe_context: str) -> None:
        super().__init__(
            "invalid_stripe_context",
            f"No account matches stripe_context '{stripe_context:.100}' in that mode. Call "
            "list_available_accounts_or_orgs to see the accounts this connection can use, and pass the stripe_context "
            "and livemode of one of them.",
        )


class WrongMode(Refusal):
    def __init__(self, stripe_context: str) -> None:
        super().__init__(
            "wrong_mode",
            f"The provided account {stripe_context} is a sandbox account. Retry with livemode set to false.",
        )


class NotAvailable(Refusal):
    def __init__(self, operation_id: str) -> None:
        super().__init__(
            "operation_not_available",
            f"Operation '{operation_id:.150}' is not available. Use stripe_api_search to find available operations.",
        )


class NotActivated(Refusal):
    def __init__(self, reason: str) -> None:
        super().__init__("product_not_activated", f"Stripe API error: {reason}")


class NotPermitted(Refusal):
    def __init__(self, permissions: Sequence[str]) -> None:
        super().__init__(
            "permission_missing",
            "Stripe API error: You don't have the required permissions to perform this action. Required permissions: "
            f"{', '.join(permissions)}.",
        )


class ApiError(Refusal):
    """What the API answered; of its error an agent reads the message alone."""

    def __init__(self, message: str, operation_id: str) -> None:
        super().__init__(
            "stripe_api_error",
            f"Stripe API error: {message}\n\nUse stripe_api_details with stripe_api_operation_id: "
            f'"{operation_id}" to see all required and optional parameters.',
        )


class WrongApproval(Refusal):
    def __init__(self) -> None:
        super().__init__(
            "approval_not_valid",
            "The approval token is not valid for this request. Call stripe_api_write without human_confirmation to ask "
            "for a new one, and repeat the same parameters with it.",
        )


class WrongQuery(Refusal):
    """What stripe_analytics cannot make sense of."""

    def __init__(self, message: str) -> None:
        super().__init__("invalid_query_request", message)
