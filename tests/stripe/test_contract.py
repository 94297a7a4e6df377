"""Does Stripe World keep what every world promises?"""

from seahaven.testing import contract

TestContract = contract("stripe")
