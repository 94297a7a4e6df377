"""How does an agent find an operation, and learn what it takes?"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.stripe import facts
from worlds.stripe.access import catalogue
from worlds.stripe.access.catalogue import Entry
from worlds.stripe.tools import asking, describing, gates
from worlds.stripe.tools.arguments import Context, Livemode

_VERBS = {
    "POST": "add apply attach cancel capture close confirm create detach edit finalize make mark modify new pay refund "
    "send set submit update void write",
    "GET": "check count fetch find get history list look read retrieve search see show view",
    "DELETE": "cancel delete detach remove",
}
_METHODS = {method: frozenset(words.split()) for method, words in _VERBS.items()}
_WORD = re.compile(r"[a-z0-9]+")
_ENDING = re.compile(r"(?<=x)es$|(?<=[^s])s$")


@tool
def stripe_api_search(  # worlds.W206: Stripe's words, the same for agents with a key
    ctx: Ctx,
    intent: Annotated[str, Field(description="What to do, for example create, list or refund.")],
    resource: Annotated[
        str, Field(description="What to do it to, for example customer, payout methods or issuing card transactions.")
    ],
    stripe_context: Context,
    livemode: Livemode,
    limit: Annotated[int, Field(ge=1, le=20, description="How many operations to return.")] = 5,
) -> dict[str, Any]:
    """Search the API for operations that do something to a resource. Returns the id, method, path and summary of each;
    stripe_api_details tells the parameters, stripe_api_read and stripe_api_write run them.
    """
    gates.account_of(ctx, stripe_context, livemode)
    wanted, verbs = _stems(resource), _words(intent)
    found = []
    for entry in gates.offered(ctx).values():
        operation = facts.operations()[entry.id]
        if about := _about(entry, operation, wanted):
            found.append((-about - _doing(entry, operation, verbs), entry.id))
    chosen = [id for _, id in sorted(found)[:limit]]
    return {"openapi_spec_version": facts.VERSION, "data": [_listed(gates.offered(ctx)[id]) for id in chosen]}


@tool
def stripe_api_details(  # worlds.W206: Stripe's words, the same for agents with a key
    ctx: Ctx,
    stripe_api_operation_id: Annotated[str, Field(description="The id of the operation, for example PostCustomers.")],
    stripe_context: Context,
    livemode: Livemode,
) -> dict[str, Any]:
    """Describe one operation of the API: its path, the permissions it needs, and every parameter it takes."""
    gates.account_of(ctx, stripe_context, livemode)
    operation = gates.operation_of(ctx, stripe_api_operation_id)
    entry = gates.offered(ctx)[operation.id]
    words = catalogue.words_of(operation)
    return {
        **_listed(entry),
        "description": f"{entry.summary}. Answers {describing.answer(operation)}.",
        "tags": [words[0].replace("_", " ")] if words else [],
        "keywords": list(entry.keywords),
        "openapi_spec_version": facts.VERSION,
        "required_permissions": list(entry.permissions),
        "parameters": {
            "path": {
                name: {"type": "string", "required": True, "description": describing.sentence(name)}
                for name in asking.path_names(operation)
            },
            "query": describing.parameters(operation.query, operation.query_required),
            "body": describing.parameters(operation.body, operation.body_required),
        },
    }


def _listed(entry: Entry) -> dict[str, Any]:
    operation = facts.operations()[entry.id]
    return {"id": entry.id, "method": operation.method, "path": operation.path, "summary": entry.summary}


def _about(entry: Entry, operation: facts.Operation, wanted: frozenset[str]) -> int:
    """How much an operation is about the words of a resource: most when its own name holds them all."""
    subject = [_stems(word) for word in catalogue.words_of(operation)]
    own = frozenset().union(*subject) - {"search"}
    keywords = _stems(" ".join(entry.keywords))
    score = sum(4 if word in own else 3 if word in keywords else 0 for word in wanted)
    if not score:
        return 0
    # The resource itself before what hangs on it, and before its longer-named kin.
    return score * 4 - min(len(own - wanted), 3) + 2 * (own == wanted)


def _doing(entry: Entry, operation: facts.Operation, verbs: frozenset[str]) -> int:
    """How well an operation does what was intended; a verb that is part of its path or its summary says most."""
    stems = _stems(" ".join(verbs))
    score = 10 * any(verbs & words for method, words in _METHODS.items() if method == operation.method)
    score += 14 * len(stems & _stems(" ".join(catalogue.words_of(operation))))
    score += 5 * len(stems & _stems(entry.summary))
    is_one, wants_one = operation.path.endswith("}"), bool(verbs & {"retrieve", "get", "fetch"})
    if operation.method == "GET":
        score += is_one == wants_one
    return score


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _stems(text: str) -> frozenset[str]:
    """Words without the endings that number and tense give them."""
    return frozenset(_ENDING.sub("", word) if len(word) > 3 else word for word in _WORD.findall(text.lower()))
