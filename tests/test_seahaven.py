"""Does the door for Python programs open a world?"""

import os
import subprocess
import sys

import pytest

import seahaven
from tests.openenv.servers import ROOT
from worlds.engine import WorldBug

PROGRAM = """
import sys
import seahaven
assert "django" not in sys.modules
world = seahaven.world("bank")
with world.instance(seed=1) as inst:
    assert inst.call("deposit", amount=4) == 4
    assert inst.state()["seed"] == 1
print(*seahaven.worlds())
"""


def test_a_world_is_found_by_a_program_that_knows_no_django():
    environment = {key: value for key, value in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    environment["SEAHAVEN_WORLDS"] = "tests.worlds.bank,tests.worlds.lab"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr.count("Traceback")) == ("bank lab\n", 0), done.stderr


def test_a_wrong_name_is_answered_with_the_nearest():
    assert "bank" in seahaven.worlds()
    with pytest.raises(WorldBug, match="did you mean 'bank'"):
        seahaven.world("bnk")
