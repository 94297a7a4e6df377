"""Does Stripe World keep what every world promises, and do the worlds around it?"""

import os
import subprocess
import sys

import pytest

from seahaven.testing import contract
from tests.openenv.servers import ROOT

TestContract = contract("stripe")

#: They embed Stripe World, and the other tests do without them.
AROUND = ("stripe_key", "stripe_shopper", "stripe_toolkit")
EXAMINE = """
import seahaven
world = seahaven.world({name!r})
from worlds.engine.contract import examine
for fixture in [*world.fixture_ids(), None]:
    for breach in examine(world, fixture, rounds=2, seeds=(1,)).breaches:
        print(breach)
print("examined")
"""


@pytest.mark.parametrize("name", AROUND)
def test_a_world_around_it_keeps_every_promise(name):
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "seahaven_site.settings",
        "SEAHAVEN_WORLDS": f"worlds.stripe,worlds.{name}",
    }
    code = EXAMINE.format(name=name)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == "examined\n", done.stdout + done.stderr[-2000:]
