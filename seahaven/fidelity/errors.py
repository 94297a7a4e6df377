"""What can be wrong with a cassette, a file of differences, or what was asked of either?"""

from worlds.engine.errors import SeahavenError


class FidelityError(SeahavenError):
    """A cassette or a file of differences that cannot be used; the message names the file, the place and the fix."""
