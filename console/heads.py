"""What does every page of an instance show above its own part?"""

from __future__ import annotations

from typing import Any

from console.forms import AdvanceForm
from worlds.engine import Instance
from worlds.engine.hosting import Hosted

#: The pages of an instance: the name of each one's URL, its label, the key that leads there.
TABS = (
    ("console:tool-list", "Call a tool", "1"),
    ("console:call-list", "Timeline", "2"),
    ("console:table-list", "Tables", "3"),
    ("console:instance-sql", "SQL", "4"),
    ("console:instance-schema", "Schema", "5"),
    ("console:instance-changes", "Changes", "6"),
)


def head(hosted: Hosted, instance: Instance, tab: str) -> dict[str, Any]:
    """The context of `console/instances/base.html`; `tab` is the URL name of the page's tab."""
    return {
        "hosted": hosted,
        "instance_id": hosted.id,
        "tab": tab,
        "tabs": TABS,
        "call_count": instance.call_count,
        "clock": instance.clock.iso(),
        "clock_mode": instance.clock.mode,
        "seed": instance.caller_seed,
        "advance_form": AdvanceForm(initial={"amount": 1, "unit": "days"}),
    }
