"""Which servers do the tests of this package talk to?"""

import pytest

from openenv_api import access
from tests.mcp.here import ServerHere
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
    with Server("--server", request.param, fixtures_dir=fixtures_dir, call_timeout_s=2) as running:
        yield running


@pytest.fixture
async def here(monkeypatch):
    """The server in this process and on this event loop; it asks the control database for no keys."""
    monkeypatch.setattr(access, "READERS", [])
    access.KEYS.forget()
    async with ServerHere() as running:
        yield running
    access.KEYS.forget()
