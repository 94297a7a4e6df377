"""Does the company keep what every world promises?"""

from seahaven.testing import contract

TestContract = contract("company", rounds=2)  # five worlds in one: its 118 tools take their time
