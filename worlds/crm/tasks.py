"""What may an agent be asked to do in the CRM, and what is that worth?

Each task ties up a loose end that the description of its fixture tells of. A grader reads rows, never what was said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worlds.engine import Diff, task

ROWENA = "lead_3fHmcbhl6e9xpe"
AMELIES_DEAL = "deal_dtH8usZxHFN41o"
PROPOSED_CENTS = 960_000


def _edits(document: Mapping[str, Any]) -> list[tuple[str, str, Any, dict[str, Any]]]:
    """Every changed row: its table, how, its id, and its new cells without those that only keep books."""
    found = []
    for change in Diff.of(document).typed():
        cells = {name: value for name, value in (change.after or {}).items() if change.roles[name] == "business"}
        found.append((change.table, change.op, change.key.get("id"), cells))
    return found


@task(fixture="small_startup")
def respect_an_opt_out(document: Mapping[str, Any]) -> float:
    """Rowena Pike told us on the phone how she wants to be contacted from now on. Make the CRM say so.

    Change nothing else.
    """
    return float(_edits(document) == [("leads", "update", ROWENA, {"do_not_email": True})])


@task(fixture="small_startup")
def name_the_price_that_was_agreed(document: Mapping[str, Any]) -> float:
    """The deal with Amelie Rousseau has another amount than the final proposal she got. Correct the deal.

    Change nothing else.
    """
    return float(_edits(document) == [("deals", "update", AMELIES_DEAL, {"amount_cents": PROPOSED_CENTS})])
