"""What does an operation do that nobody has written by hand?"""

from worlds.stripe.generic.engine import carry_out
from worlds.stripe.generic.stored import register_loaders

__all__ = ["carry_out"]

register_loaders()
