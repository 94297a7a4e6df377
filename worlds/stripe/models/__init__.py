"""What does the account store? One module for each group of resources."""

from worlds.stripe.models.catalogue import Price, Product
from worlds.stripe.models.core import Event, IdempotencyKey
from worlds.stripe.models.customers import Customer

__all__ = ["Customer", "Event", "IdempotencyKey", "Price", "Product"]
