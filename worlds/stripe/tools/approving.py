"""How does a person agree to a write before it happens?"""

from __future__ import annotations

import hashlib
from typing import Any

import orjson

from worlds.engine import Ctx
from worlds.stripe import facts
from worlds.stripe.access import catalogue
from worlds.stripe.api.call import Call
from worlds.stripe.models import Approval
from worlds.stripe.tools import errors


def request(ctx: Ctx, operation: facts.Operation, parameters: dict[str, Any], account: str) -> dict[str, Any]:
    """Note a write that waits, and answer the token a person can agree to it by; nothing else is done."""
    call = Call.of_clock(ctx, account)
    row = call.make(
        Approval, "appr_", id=f"appr_{ctx.ids.token(32)}", operation=operation.id, parameters_hash=_hash(parameters)
    )
    summary = catalogue.every()[operation.id].summary
    return {
        "status": "needs_confirmation",
        "message": (
            f"This would change the account ({summary.lower()}). Show it to the person you act for; when they agree, "
            "call stripe_api_write again with the same parameters and human_confirmation.approval_token."
        ),
        "stripe_api_operation_id": operation.id,
        "parameters": parameters,
        "approval_token": row.id,
    }


def use(ctx: Ctx, token: str, operation: facts.Operation, parameters: dict[str, Any], account: str) -> None:
    """Spend a token on the very write it was given for.

    Raises: WrongApproval.
    """
    call = Call.of_clock(ctx, account)
    row = call.rows(Approval).filter(pk=token, used_at=None).first()
    if row is None or (row.operation, row.parameters_hash) != (operation.id, _hash(parameters)):
        raise errors.WrongApproval
    row.used_at = call.now
    row.save(update_fields=["used_at"])


def _hash(parameters: dict[str, Any]) -> str:
    return hashlib.sha256(orjson.dumps(parameters, option=orjson.OPT_SORT_KEYS)).hexdigest()
