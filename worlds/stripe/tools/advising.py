"""How does an agent read up on the API, plan an integration, and say what it thinks of the tools?"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.stripe.api.call import Call
from worlds.stripe.models import Feedback
from worlds.stripe.tools import library
from worlds.stripe.tools.arguments import Language, omissible


@tool
def search_stripe_documentation(
    ctx: Ctx,
    question: Annotated[str, Field(description="What to look up.", min_length=1)],
    language: Annotated[Language | None, omissible("The language examples are wanted in.")] = None,
) -> dict[str, Any]:
    """Search Stripe's documentation: guides, and the reference of every operation. Returns the passages that are most
    about the question, each with its address.
    """
    return {"sources": [page.shown() for page in library.search(question)]}


@tool
def stripe_implementation_planner(
    ctx: Ctx,
    description: Annotated[str, Field(description="What is to be built, in a sentence or two.", min_length=1)],
    language: Annotated[Language | None, omissible("The language of the integration.")] = None,
) -> dict[str, Any]:
    """Plan an integration with Stripe: which products to use, the steps with their operations, the events to handle,
    and how to test it.
    """
    text = description.lower()
    chosen = [plan for plan in _plans() if any(word in text for word in plan["when"])] or [_plans()[0]]
    return {
        "recommended": [plan["product"] for plan in chosen],
        "steps": [step for plan in chosen for step in plan["steps"]],
        "webhook_events": sorted({event for plan in chosen for event in plan["events"]}),
        "testing": [line for plan in chosen for line in plan["testing"]],
        "language": language,
        "documentation": [{"title": page.title, "url": page.url} for page in library.search(description, 3)],
    }


@tool
def send_stripe_feedback(
    ctx: Ctx,
    feedback: Annotated[str, Field(description="What worked, what did not, what is missing.", min_length=1)],
    context: Annotated[str | None, omissible("What you were doing.")] = None,
    sentiment: Annotated[Literal["positive", "neutral", "negative"] | None, omissible("How it was.")] = None,
) -> dict[str, Any]:
    """Tell Stripe what you think of these tools. Nothing of the account is changed."""
    row = Call.of_clock(ctx).make(Feedback, "fdbk_", feedback=feedback, context=context, sentiment=sentiment)
    return {"id": row.id, "status": "received", "message": "Thank you. Your feedback was passed on."}


@functools.cache
def _plans() -> tuple[dict[str, Any], ...]:
    """What fits which wish, the first where nothing else does."""
    with Path(__file__).with_name("plans.jsonl").open(encoding="utf-8") as file:
        return tuple(json.loads(line) for line in file)
