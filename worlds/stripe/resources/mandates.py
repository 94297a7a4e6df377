"""How are mandates looked at?"""

from __future__ import annotations

from worlds.stripe.api.call import Call
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import Mandate

loads(Mandate)


@operation("GetMandatesMandate")
def retrieve(call: Call) -> Mandate:
    return find(call, Mandate, call.path["mandate"], noun="mandate", param="mandate")
