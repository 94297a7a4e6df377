"""What do all tests share?"""

import os

from hypothesis import settings

# A slow machine is no failure; on CI the same examples each time, so that a red run can be repeated.
settings.register_profile("seahaven", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("seahaven")
