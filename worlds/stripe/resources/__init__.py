"""Which resources have behaviour of their own? Every module here registers the operations of one."""

from worlds.stripe.resources import customers, prices, products

__all__ = ["customers", "prices", "products"]
