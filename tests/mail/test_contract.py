"""Does the mail keep what every world promises?"""

from seahaven.testing import contract

TestContract = contract("mail")
