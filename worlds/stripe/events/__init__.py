"""What happens in an account by the mere passing of time?"""

from worlds.stripe.events import balance, checkout, connect, discounts, files, payments, tax_ids
from worlds.stripe.payments import startup

__all__ = ["balance", "checkout", "connect", "discounts", "files", "payments", "startup", "tax_ids"]
