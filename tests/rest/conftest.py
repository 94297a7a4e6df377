"""Which servers do the tests of the REST API talk to?"""

import pytest

from tests.openenv.servers import Server
from tests.rest.api import API_KEYS, Api
from worlds.engine import installed


@pytest.fixture(scope="session")
def fixtures_dir(tmp_path_factory):
    """A directory with the fixtures `rich` of the bank, 100 in the account, and `richer` made from it."""
    folder = tmp_path_factory.mktemp("rest-fixtures")
    bank = installed.get("bank")
    with bank.instance(now="2026-06-01T09:00:00Z", clock_mode="fixed") as inst:
        inst.call("deposit", amount=100)
        inst.freeze("rich", "An account with 100 in it.", folder=folder / "bank")
        inst.call("deposit", amount=1)
        inst.freeze("richer", "An account with 101 in it.", folder=folder / "bank", parent="rich")
    return folder


@pytest.fixture(scope="session")
def server(fixtures_dir):
    """A server that asks for no keys."""
    with Server(fixtures_dir=fixtures_dir) as running:
        yield running


@pytest.fixture(scope="session")
def guarded(fixtures_dir):
    """A server that asks for keys: one of each scope."""
    with Server(fixtures_dir=fixtures_dir, api_keys=API_KEYS) as running:
        yield running


@pytest.fixture
def api(server):
    return Api(server)
