"""How are the attempts of a setup intent looked at?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import listing
from worlds.stripe.api.call import Call
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import SetupAttempt, SetupIntent

loads(SetupAttempt)


@operation("GetSetupAttempts")
def list_all(call: Call) -> dict[str, Any]:
    intent = find(
        call, SetupIntent, call.params["setup_intent"], noun="setupintent", param="setup_intent", in_path=False
    )
    rows = call.rows(SetupAttempt).filter(listing.equal(call, "created"), setup_intent=intent)
    return listing.page(call, rows, noun="setup_attempt")
