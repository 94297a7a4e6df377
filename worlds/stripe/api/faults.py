"""Which request goes wrong on purpose, and how?

Rules are set when the instance starts, or afterwards by whoever holds it; a header makes one request go wrong. What
happens by chance is drawn from the instance's own stream, so a run with the same seed goes wrong in the same places.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from worlds.engine import Ctx, HttpRequest, HttpResponse, WorldBug
from worlds.stripe import facts
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.routing import route

Fault = Literal["api_error", "lock_timeout", "lost_response", "rate_limit", "timeout"]
FAULTS: tuple[Fault, ...] = get_args(Fault)
HEADER = "x-seahaven-fault"
#: On an answer that shall not reach the client whole: the door breaks the connection off.
BROKEN = ("x-seahaven-connection", "broken")
#: Where the rules are kept.
STATE = "faults"
_RULE = frozenset({"fault", "operation", "times", "rate", "reason"})
_REASONS = ("endpoint-concurrency", "endpoint-rate", "global-concurrency", "global-rate", "resource-specific")


def due(ctx: Ctx, request: HttpRequest) -> Fault | None:
    """What goes wrong with a request, if anything; a rule that counts is one nearer to its end.

    Raises: StripeError for a header that names no fault, and for the faults that keep a request from being done.
    """
    asked = request.header(HEADER)
    if asked is not None:
        if asked not in FAULTS:
            raise StripeError(f"The header {HEADER} names no fault; choose from {', '.join(FAULTS)}.")
        return _raised(asked, "global-rate")
    rules: list[dict[str, Any]] = ctx.state.get(STATE, [])
    operation = _operation(request) if rules else None
    for rule in rules:
        if rule.get("operation") not in (None, operation) or rule.get("times") == 0:
            continue
        if "rate" in rule and ctx.random.random() >= rule["rate"]:
            continue
        if "times" in rule:
            rule["times"] -= 1
        return _raised(rule["fault"], rule.get("reason", "global-rate"))
    return None


def checked(rules: Any) -> list[dict[str, Any]]:
    """Rules as they are kept, from what a start gave: {"fault", "operation"?, "times"?, "rate"?, "reason"?}.

    Raises: WorldBug for what is no rule.
    """
    if not isinstance(rules, list):
        raise WorldBug(f'startup keyword faults is {rules!r:.60}; write a list of rules like {{"fault": "api_error"}}')
    return [dict(_checked(rule)) for rule in rules]


def _checked(rule: Any) -> dict[str, Any]:
    if not isinstance(rule, dict) or rule.get("fault") not in FAULTS or not rule.keys() <= _RULE:
        raise WorldBug(f"startup keyword faults holds {rule!r:.80}; a rule has a fault, one of {', '.join(FAULTS)}")
    times, rate = rule.get("times", 1), rule.get("rate", 0.5)
    if isinstance(times, bool) or not isinstance(times, int) or times < 0:
        raise WorldBug(f"a rule of startup keyword faults has times {times!r:.60}; write how many requests it is for")
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= 1:
        raise WorldBug(f"a rule of startup keyword faults has rate {rate!r:.60}; write a number from 0 to 1")
    if rule.get("operation") is not None and rule["operation"] not in facts.operations():
        raise WorldBug(f"a rule of startup keyword faults names operation {rule['operation']!r:.80}, which is none")
    if rule.get("reason", _REASONS[0]) not in _REASONS:
        raise WorldBug(f"a rule of startup keyword faults has reason {rule['reason']!r:.60}; {', '.join(_REASONS)}")
    return rule


def lost(answer: HttpResponse) -> HttpResponse:
    """In the place of an answer that gets lost on its way, though what was asked for is done."""
    return HttpResponse(504, (BROKEN, *answer.headers), b"")


def _operation(request: HttpRequest) -> str | None:
    try:
        return route(request.method, request.path)[0].id
    except StripeError:
        return None


def _raised(fault: Fault, reason: str) -> Fault:
    if fault == "rate_limit":
        raise StripeError(
            "Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.",
            status=429,
            code="rate_limit",
            headers=(("stripe-rate-limited-reason", reason),),
        )
    if fault == "lock_timeout":
        raise StripeError(
            "This object cannot be accessed right now because another API request or Stripe process is currently "
            "accessing it. If you see this error intermittently, retry the request. If you see this error frequently "
            "and are making multiple concurrent requests to a single object, make your requests serially or at a lower "
            "rate.",
            status=429,
            code="lock_timeout",
            headers=(("stripe-should-retry", "true"),),
        )
    if fault == "api_error":
        raise StripeError("An unknown error occurred.", status=500, kind="api_error")
    if fault == "timeout":
        raise StripeError("The request timed out.", status=504, kind="api_error", headers=(BROKEN,))
    return fault
