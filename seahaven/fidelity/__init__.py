"""How true to the real product is a world? Record the product's API, replay the recording in the world, and compare.

from seahaven.fidelity import assert_faithful

def test_customers_are_as_the_product_has_them():
    assert_faithful("stripe", "tests/cassettes/customers.yaml", differences="tests/cassettes/allowed.yaml")
"""

from seahaven.fidelity.asserting import assert_faithful
from seahaven.fidelity.errors import FidelityError

__all__ = ["FidelityError", "assert_faithful"]
