"""Does the CRM keep what every world promises?"""

from seahaven.testing import contract

TestContract = contract("crm")
