"""Does what the documentation shows of Stripe work on a real server, and does it name what can be set?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.openenv.servers import Server
from worlds.engine import World

pytest.importorskip("stripe")

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
GUIDE = (ROOT / "docs" / "stripe.md").read_text()


@pytest.mark.parametrize("text", [README, GUIDE], ids=["readme", "guide"])
def test_the_python_that_is_shown_runs(text: str, server: Server) -> None:
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "StripeClient" in block]
    exec(code.replace("http://127.0.0.1:8000", server.url), {})


def test_every_keyword_and_every_tool_is_named(world: World) -> None:
    keywords, _ = world.startup_keywords()
    assert not [name for name in (*keywords, *world.surface) if f"`{name}`" not in GUIDE]
