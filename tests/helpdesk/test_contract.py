"""Does the helpdesk keep what every world promises?"""

from seahaven.testing import contract

TestContract = contract("helpdesk")
