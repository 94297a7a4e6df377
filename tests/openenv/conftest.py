"""Which servers do the tests of this package talk to?"""

import pytest

from tests.openenv.servers import Server
from worlds.engine import installed


@pytest.fixture(scope="session")
def fixtures_dir(tmp_path_factory):
    """A directory with the fixture `rich` of the bank: 100 in the account."""
    folder = tmp_path_factory.mktemp("fixtures")
    with installed.get("bank").instance(now="2026-06-01T09:00:00Z", clock_mode="fixed") as inst:
        inst.call("deposit", amount=100)
        inst.freeze("rich", "An account with 100 in it.", folder=folder / "bank")
    return folder


@pytest.fixture(scope="session", params=["uvicorn", "daphne"])
def server(request, fixtures_dir):
    """The server as it stands, on either engine."""
    with Server("--server", request.param, fixtures_dir=fixtures_dir, max_sessions=64) as running:
        yield running


@pytest.fixture
def small(fixtures_dir):
    """A server for two clients, with short limits."""
    with Server(fixtures_dir=fixtures_dir, max_sessions=2, call_timeout_s=1, resume_grace_s=2) as running:
        yield running
