"""How much of the official Python SDK's own test suite passes against Stripe World?

python -m benchmarks.stripe_suites              the generated examples, without and with placeholder ids taken
python -m benchmarks.stripe_suites --whole      the whole suite

The suite is fetched with pip into a directory of its own and stays there; nothing of it is part of this project.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VERSION = "16.1.0"
_NEEDS = ("pytest<9", "pytest-mock", "pytest-xdist", "httpx", "aiohttp", "anyio[trio]", "requests", "typing_extensions")
_RESULT = re.compile(r"(\d+) (passed|failed)")
_EXAMPLES = "tests/test_generated_examples.py"
#: The key that the suites show; at the server's root it names the account.
_ACCOUNT = "123"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", default="var/stripe_suites", help="where the suite is fetched to")
    parser.add_argument("--port", type=int, default=12111)
    parser.add_argument("--whole", action="store_true", help="run everything, not the generated examples alone")
    asked = parser.parse_args()
    suite = fetch(Path(asked.into).resolve())
    what = "tests" if asked.whole else _EXAMPLES
    with serving(asked.port):
        for takes in (False, True):
            open_account(asked.port, takes_placeholders=takes)
            passed, failed = run(suite, asked.port, what)
            print(f"{what}, placeholder ids {'taken' if takes else 'refused'}: {passed} of {passed + failed} pass")


def fetch(into: Path) -> Path:
    """The suite's directory, with an environment beside it in which it runs."""
    suite = into / f"stripe-{VERSION}"
    if not suite.exists():
        into.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "-q"]
        subprocess.run([*pip, "install", "--target", str(into / "build"), "flit_core"], check=True)
        at = {**os.environ, "PYTHONPATH": str(into / "build")}
        source = ["download", "--no-binary", "stripe", "--no-deps", "--no-build-isolation", f"stripe=={VERSION}"]
        subprocess.run([*pip, *source, "-d", str(into)], check=True, env=at)
        with tarfile.open(into / f"stripe-{VERSION}.tar.gz") as archive:
            archive.extractall(into, filter="data")
        subprocess.run([sys.executable, "-m", "venv", str(into / "environment")], check=True)
        subprocess.run([_python(into), "-m", "pip", "-q", "install", *_NEEDS, str(suite)], check=True)
    return suite


def _python(into: Path) -> str:
    return str(into / "environment" / "bin" / "python")


@contextmanager
def serving(port: int) -> Iterator[None]:
    """Our server, for as long as the block runs."""
    at = {**os.environ, "SEAHAVEN_WORLDS": "worlds.stripe", "SEAHAVEN_LOG_LEVEL": "ERROR"}
    server = subprocess.Popen([sys.executable, "manage.py", "seahaven_serve", "--port", str(port)], env=at)
    try:
        for _ in range(100):
            time.sleep(0.2)
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/")
                break
            except OSError:
                continue
        yield
    finally:
        server.terminate()
        server.wait()


def open_account(port: int, *, takes_placeholders: bool) -> None:
    """The account that the suite's key names, anew."""
    body = b'{"startup": {"placeholder_ids": true}}' if takes_placeholders else b"{}"
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/stripe/{_ACCOUNT}",
        data=body,
        method="PUT",
        headers={"Content-Type": "application/json"},
    )
    urllib.request.urlopen(request)


def run(suite: Path, port: int, what: str) -> tuple[int, int]:
    """How many tests passed and how many failed."""
    at = {**os.environ, "STRIPE_MOCK_HOST": "127.0.0.1", "STRIPE_MOCK_PORT": str(port)}
    command = [_python(suite.parent), "-m", "pytest", what, "-q", "-n", "2", "--tb=no", "-p", "no:cacheprovider"]
    answer = subprocess.run(command, cwd=suite, env=at, capture_output=True, text=True)
    counts = {word: int(number) for number, word in _RESULT.findall(answer.stdout.strip().splitlines()[-1])}
    return counts.get("passed", 0), counts.get("failed", 0)


if __name__ == "__main__":
    main()
