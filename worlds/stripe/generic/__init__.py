"""What does an operation do that nobody has written by hand?"""

from worlds.stripe.generic.engine import carry_out

__all__ = ["carry_out"]
