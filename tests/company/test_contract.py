"""Does the company keep what every world promises?"""

from seahaven.testing import contract

TestContract = contract("company")
