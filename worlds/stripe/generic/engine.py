"""What does an operation do that nobody has written by hand?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import unknown_url


def carry_out(call: Call) -> dict[str, Any]:
    """Do what the published shape of the operation says."""
    raise unknown_url(call.operation.method, call.operation.path)
