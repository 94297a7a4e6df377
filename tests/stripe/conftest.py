"""What do the tests of Stripe World share?"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.openenv.servers import Server
from worlds.engine import HttpRequest, HttpResponse, Instance, World, installed

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


def flat(params: Any, prefix: str = "") -> list[tuple[str, str]]:
    """Nested values as the SDKs send them: `a[b][0][c]=v`."""
    if isinstance(params, dict):
        pairs = [(f"{prefix}[{key}]" if prefix else str(key), value) for key, value in params.items()]
    elif isinstance(params, list):
        pairs = [(f"{prefix}[{index}]", value) for index, value in enumerate(params)]
    else:
        return [(prefix, str(params).lower() if isinstance(params, bool) else str(params))]
    return [pair for key, value in pairs for pair in flat(value, key)]


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
