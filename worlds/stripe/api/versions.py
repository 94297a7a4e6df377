"""Which version of the API does the client speak?"""

from __future__ import annotations

import re

from worlds.stripe import facts
from worlds.stripe.api.errors import StripeError

_VERSION = re.compile(r"(20[0-9]{2}-[01][0-9]-[0-3][0-9])(\.[a-z]+)?(\.preview|; ?[a-z_]+=v[0-9]+)*")
_FIRST = "2011-01-01"


def version_of(asked: str | None) -> str:
    """The version that is answered: the pinned one, whichever known one was asked for.

    Raises: StripeError for what is no version.
    """
    if asked is None:
        return facts.VERSION
    found = _VERSION.fullmatch(asked.strip())
    if found is None or found[1] < _FIRST:
        raise StripeError(
            f"Invalid Stripe API version: {asked:.60}. You can find the list of versions at "
            "https://stripe.com/docs/upgrades#api-versions."
        )
    return facts.VERSION
