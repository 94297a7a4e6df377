"""What do the tests of Stripe World share?"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.openenv.servers import Server
from tests.stripe import asking
from tests.stripe.asking import flat
from worlds.engine import HttpRequest, HttpResponse, Instance, World, installed
from worlds.stripe.api.operations import MODELS

NOW = "2026-06-01T09:00:00Z"


@pytest.fixture(scope="session")
def world() -> World:
    return installed.get("stripe")


@pytest.fixture
def account(world: World) -> Iterator[Instance]:
    """An account in which nothing has happened yet."""
    with world.instance(seed=1, now=NOW) as inst:
        yield inst


class Api:
    """A small caller of an account's API: nested dictionaries in, the answer's object out."""

    def __init__(self, inst: Instance, key: str = "sk_test_1") -> None:
        self.inst, self.key = inst, key

    def send(self, method: str, path: str, params: Any = None, **headers: str) -> HttpResponse:
        """Send a request; a header's name is written with `_` for `-`."""
        text = urlencode(flat(params or {}))
        in_query = method in ("GET", "DELETE")
        given = {"authorization": f"Bearer {self.key}", **{name.replace("_", "-"): v for name, v in headers.items()}}
        if not in_query:
            given.setdefault("content-type", "application/x-www-form-urlencoded")
        return self.inst.http(
            HttpRequest.of(method, path, query=text if in_query else "", body="" if in_query else text, headers=given)
        )

    def get(self, path: str, params: Any = None, **headers: str) -> dict[str, Any]:
        return _good(self.send("GET", path, params, **headers))

    def post(self, path: str, params: Any = None, **headers: str) -> dict[str, Any]:
        return _good(self.send("POST", path, params, **headers))

    def delete(self, path: str, params: Any = None, **headers: str) -> dict[str, Any]:
        return _good(self.send("DELETE", path, params, **headers))

    def refused(self, method: str, path: str, params: Any = None, **headers: str) -> dict[str, Any]:
        """The error that a request is answered with, and its status."""
        answer = self.send(method, path, params, **headers)
        assert answer.status >= 400, answer.body
        return {**json.loads(answer.body)["error"], "status": answer.status}

    def events(self, type: str | None = None) -> list[dict[str, Any]]:
        """What happened, oldest first; of one type, or all."""
        rows = self.inst.inspect().rows("SELECT type, data FROM events ORDER BY x_seq")
        return [{"type": row["type"], **json.loads(row["data"])} for row in rows if type in (None, row["type"])]


def _good(answer: HttpResponse) -> dict[str, Any]:
    assert answer.status == 200, answer.body
    found: dict[str, Any] = json.loads(answer.body)
    return found


@pytest.fixture
def api(account: Instance) -> Api:
    return Api(account)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The real server, with accounts that begin when they are first asked for."""
    var: Path = tmp_path_factory.mktemp("stripe")
    with Server(worlds="worlds.stripe", var_dir=var) as running:
        yield running


_names = itertools.count(1)


@pytest.fixture
def sdk(server: Server) -> Any:
    """The official client, unmodified, on an account of its own."""
    return client_of(server, f"shop{next(_names)}")


def client_of(server: Server, name: str) -> Any:
    """The official client on the account of that name."""
    stripe = pytest.importorskip("stripe")
    base = f"{server.url}/stripe/{name}"
    return stripe.StripeClient(
        "sk_test_1", base_addresses={"api": base, "files": base, "connect": base}, max_network_retries=0
    )


@pytest.fixture(scope="session")
def ids(world: World) -> dict[str, str]:
    """The id of an object of each name that stands in a path, and of each in a state its action wants."""
    names = asking.named_in_paths()
    with world.instance(seed=1, now=NOW) as inst:
        made = asking.make(inst)
    return {name: made.get(name) or asking.id_for(name) for name in sorted(names | asking.in_states(names))}


@pytest.fixture(scope="session")
def populated(world: World, ids: dict[str, str]) -> Iterator[Instance]:
    """An account with an object of every name; those with tables were made through the API."""
    with world.instance(
        seed=1, now=NOW, setup_sql=asking.rows_sql(ids, datetime.fromisoformat(NOW), set(MODELS))
    ) as inst:
        asking.make(inst)
        yield inst
