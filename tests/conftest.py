"""What do all tests share?"""

import inspect
import os

import pytest
from django.db.backends.base.base import BaseDatabaseWrapper
from hypothesis import settings

from worlds.engine.db.base import DatabaseWrapper

# A slow machine is no failure; on CI the same examples each time, so that a red run can be repeated.
settings.register_profile("seahaven", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("seahaven")


@pytest.fixture(scope="session", autouse=True)
def _stores_are_open(django_db_blocker):
    """Leave the stores of instances open to all tests; pytest-django closes what a test has not asked for by mark."""
    with django_db_blocker.unblock():
        DatabaseWrapper.ensure_connection = inspect.unwrap(BaseDatabaseWrapper.ensure_connection)  # type: ignore[method-assign]
