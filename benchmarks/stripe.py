"""What does Stripe World take for a request, beside the server of the `localstripe` package, and for 300 accounts?

python -m benchmarks stripe [--requests 400] [--accounts 300] [--alone]

The same requests go to both over loopback, in turn, on one kept connection each. `localstripe` is installed into
var/localstripe when it is not there; where that cannot be done, or with --alone, ours is measured by itself.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks.measure import machine, rss_mb, show
from benchmarks.serving import our_server

ROOT = Path(__file__).resolve().parent.parent
OTHER = ROOT / "var" / "localstripe"
CARD = {"number": "4242424242424242", "exp_month": "12", "exp_year": "2030", "cvc": "123"}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="benchmarks stripe", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=400, help="of each kind")
    parser.add_argument("--accounts", type=int, default=300)
    parser.add_argument("--alone", action="store_true", help="leave the other server out")
    options = parser.parse_args(arguments)
    os.environ["SEAHAVEN_WORLDS"] = "worlds.stripe"
    print(machine())
    with ExitStack() as stack:
        url, pid = stack.enter_context(our_server("uvicorn"))
        sides = {"stripe world": Client(url, "/stripe/benchmark")}
        other = None if options.alone else stack.enter_context(localstripe())
        if other is not None:
            sides["localstripe"] = Client(other, "")
        _requests(sides, options.requests)
        _resets(Client(url, ""))
        _accounts(url, pid, options.accounts)


#: So many requests go to one server before the other has its turn.
BLOCK = 20


class Client:
    """One kept connection to a server."""

    def __init__(self, url: str, below: str) -> None:
        self._connection = http.client.HTTPConnection(url.removeprefix("http://"))
        self._below = below

    def ask(self, method: str, path: str, params: dict[str, str] | None = None, *, body: bytes | None = None) -> Any:
        """Send a form, or a body as it is; answers the object."""
        headers = {"Authorization": "Bearer sk_test_benchmark"}
        if params is not None:
            body = urlencode(params).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self._connection.request(method, self._below + path, body, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text) if text else None


Work = Callable[[Client, int], Any]


def _prepared(client: Client) -> dict[str, str]:
    """What the requests are about."""
    customer = client.ask("POST", "/v1/customers", {"email": "ada@example.com", "name": "Ada"})["id"]
    card = {"type": "card", **{f"card[{name}]": value for name, value in CARD.items()}}
    method = client.ask("POST", "/v1/payment_methods", card)["id"]
    client.ask("POST", f"/v1/payment_methods/{method}/attach", {"customer": customer})
    for number in range(20):
        client.ask("POST", "/v1/customers", {"email": f"before{number}@example.com"})
    return {"customer": customer, "method": method}


def _kinds(known: dict[Client, dict[str, str]]) -> dict[str, Work]:
    return {
        "read a customer": lambda client, _: client.ask("GET", f"/v1/customers/{known[client]['customer']}"),
        "list 10 customers": lambda client, _: client.ask("GET", "/v1/customers?limit=10"),
        "create a customer": lambda client, number: client.ask(
            "POST", "/v1/customers", {"email": f"b{number}@example.com", "metadata[number]": str(number)}
        ),
        "update a customer": lambda client, number: client.ask(
            "POST", f"/v1/customers/{known[client]['customer']}", {"description": f"Number {number}"}
        ),
        "take a payment": lambda client, number: client.ask(
            "POST", "/v1/payment_intents",
            {
                "amount": str(1000 + number), "currency": "usd", "confirm": "true",
                "customer": known[client]["customer"], "payment_method": known[client]["method"],
            },
        ),
    }  # fmt: skip


def _requests(sides: dict[str, Client], times: int) -> None:
    known = {client: _prepared(client) for client in sides.values()}
    rows = []
    for kind, work in _kinds(known).items():
        taken: dict[str, list[float]] = {name: [] for name in sides}
        # In blocks, with a breath before each: what a server does after it has answered is not the other's to pay for.
        for begin in range(-BLOCK, times, BLOCK):
            for name, client in sides.items():
                time.sleep(0.05)
                for number in range(begin, begin + BLOCK):
                    began = time.perf_counter()
                    work(client, number + BLOCK)
                    if number >= 0:
                        taken[name].append((time.perf_counter() - began) * 1000)
        rows += [(kind, name, statistics.median(found), _p95(found)) for name, found in taken.items()]
    show(f"{times} requests of each kind over loopback, in turn", ("", "server", "p50 ms", "p95 ms"), rows)


def _p95(taken: list[float]) -> float:
    return sorted(taken)[int(len(taken) * 0.95)]


def _resets(client: Client) -> None:
    """What it costs to begin an account again."""
    rows = []
    for fixture in (None, "small_startup"):
        body = json.dumps({"fixture": fixture, "seed": 1}).encode()
        taken = []
        for _ in range(110):
            began = time.perf_counter()
            client.ask("PUT", "/stripe/again", body=body)
            taken.append((time.perf_counter() - began) * 1000)
        rows.append((fixture or "no fixture", statistics.median(taken[10:]), _p95(taken[10:])))
    show("An account begun again", ("", "p50 ms", "p95 ms"), rows)


def _accounts(url: str, pid: int, count: int) -> None:
    """What many open accounts take, each with a customer and a payment."""
    client = Client(url, "")
    before = rss_mb(pid)
    began = time.perf_counter()
    for number in range(count):
        base = f"/stripe/account{number}"
        body = json.dumps({"fixture": "small_startup", "seed": number}).encode()
        client.ask("PUT", base, body=body)
        customer = client.ask("POST", f"{base}/v1/customers", {"email": "ada@example.com"})["id"]
        client.ask(
            "POST", f"{base}/v1/payment_intents",
            {"amount": "900", "currency": "usd", "confirm": "true", "customer": customer,
             "payment_method": "pm_card_visa", "payment_method_types[]": "card"},
        )  # fmt: skip
    seconds, after = time.perf_counter() - began, rss_mb(pid)
    time.sleep(4)  # instances that pause give back what only speed is for
    paused = rss_mb(pid)
    rows = [
        (f"{count} accounts, just used", after, (after - before) / count * 1000, seconds / count * 1000),
        ("the same, four seconds later", paused, (paused - before) / count * 1000, 0.0),
    ]
    show("Accounts open in one server", ("", "the server, MB", "each, kB", "opened and used, ms each"), rows)


@contextmanager
def localstripe() -> Iterator[str | None]:
    """The other server, on a free port; None where it cannot be had."""
    python = OTHER / "bin" / "python"
    if not python.exists() and not _installed():
        print("localstripe could not be installed; Stripe World is measured alone.")
        yield None
        return
    port = _free_port()
    process = subprocess.Popen(
        [str(python), "-m", "localstripe", "--port", str(port), "--from-scratch"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=OTHER,
    )  # fmt: skip
    try:
        yield f"http://127.0.0.1:{port}" if _answers(port) else None
    finally:
        process.terminate()
        process.wait(20)


def _installed() -> bool:
    """Put the package into an environment of its own."""
    try:
        subprocess.run([sys.executable, "-m", "venv", str(OTHER)], check=True, capture_output=True)
        command = [str(OTHER / "bin" / "python"), "-m", "pip", "install", "-qq", "localstripe"]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    """Wait until somebody listens."""
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return True
    print("localstripe did not start; Stripe World is measured alone.")
    return False
