"""Which server and which browser do the console's tests use?"""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.openenv.servers import ROOT, Server

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WORLDS = "worlds.crm,tests.worlds.lab,tests.worlds.bank"


@pytest.fixture(scope="session")
def var_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server keeps what it makes, with a control database that is ready and the users `vi`, `op` and `cu`."""
    folder = tmp_path_factory.mktemp("var")
    environment = {
        **os.environ, "DJANGO_SETTINGS_MODULE": "seahaven_site.settings", "SEAHAVEN_WORLDS": WORLDS,
        "SEAHAVEN_VAR_DIR": str(folder),
    }  # fmt: skip
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "migrate", "--verbosity", "0"], cwd=ROOT, env=environment, check=True)
    people = """
from django.contrib.auth.models import Group, User
for name, role in {"vi": "viewer", "op": "operator", "cu": "curator"}.items():
    user = User.objects.create_user(name, password="sea", is_staff=role == "curator")
    user.groups.add(Group.objects.get(name=role))
User.objects.create_superuser("root", password="sea")
User.objects.create_user("nobody", password="sea")
"""
    subprocess.run([*manage, "shell", "--command", people], cwd=ROOT, env=environment, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def server(var_dir: Path) -> Iterator[Server]:
    """The real server, open to this machine."""
    with Server(worlds=WORLDS, var_dir=var_dir, open_console=1, log_level="WARNING") as running:
        yield running
        log = running.log()
        assert "Traceback" not in log, log


@pytest.fixture(scope="session")
def guarded(var_dir: Path) -> Iterator[Server]:
    """The real server, where people log in."""
    with Server(worlds=WORLDS, var_dir=var_dir, log_level="WARNING") as running:
        yield running


class Console:
    """Somebody who uses the console without a browser."""

    def __init__(self, server: Server) -> None:
        self.http = httpx.Client(base_url=server.url, follow_redirects=True, timeout=30, trust_env=False)

    def get(self, path: str, **params: Any) -> httpx.Response:
        return self.http.get(f"/console/{path}", params=params or None)

    def part(self, path: str, **params: Any) -> httpx.Response:
        """What htmx asks for."""
        return self.http.get(f"/console/{path}", params=params or None, headers={"HX-Request": "true"})

    def post(self, path: str, **data: Any) -> httpx.Response:
        """Send a form, with its token."""
        if "csrftoken" not in self.http.cookies:
            self.get("")
        token = str(self.http.cookies.get("csrftoken"))
        return self.http.post(f"/console/{path}", data=data, headers={"X-CSRFToken": token})

    def log_in(self, name: str, password: str = "sea") -> Console:
        self.get("login/")
        token = str(self.http.cookies.get("csrftoken"))
        answer = self.http.post(
            "/console/login/", data={"username": name, "password": password}, headers={"X-CSRFToken": token}
        )
        assert "/login/" not in str(answer.url), answer.text
        return self

    def open(self, world: str = "crm", fixture: str = "small_startup", **start: Any) -> str:
        """Open an instance as the page does; answers its id."""
        answer = self.post(f"instances/open/{world}/", fixture=fixture, seed=1, **start)
        found = re.search(r"/instances/([0-9a-f-]{36})/", str(answer.url))
        assert found, answer.text
        return found[1]

    def call(self, instance_id: str, tool: str, arguments: str = "{}") -> httpx.Response:
        answer = self.post(f"instances/{instance_id}/tools/{tool}/", arguments=arguments)
        assert answer.status_code == 200, answer.text
        return answer


@pytest.fixture
def console(server: Server) -> Iterator[Console]:
    somebody = Console(server)
    yield somebody
    somebody.http.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright; for one module, since no other loop runs in a thread beside its own."""
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


#: Where pictures of the pages are kept, when they are wanted: SEAHAVEN_SCREENSHOTS=1.
PICTURES = ROOT / "docs" / "console" if os.environ.get("SEAHAVEN_SCREENSHOTS") else None
#: Chromium writes WebP, too, a third as large as PNG.
_TO_WEBP = """async (png) => {
    const image = new Image();
    image.src = "data:image/png;base64," + png;
    await image.decode();
    const height = Math.min(image.height, 1600);
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.7).split(",")[1];
}"""


def picture(page: Any, name: str) -> None:
    """Keep what a page looks like, as docs/console/<name>.webp, when pictures are wanted."""
    if PICTURES is None:
        return
    png = base64.b64encode(page.screenshot(full_page=True)).decode()
    aside = page.context.new_page()
    PICTURES.mkdir(parents=True, exist_ok=True)
    (PICTURES / f"{name}.webp").write_bytes(base64.b64decode(aside.evaluate(_TO_WEBP, png)))
    aside.close()


class Trouble(list[str]):
    """What a page should not do: errors, requests that fail, requests to elsewhere."""

    def listen(self, page: Any, own: str) -> None:
        page.on("console", lambda message: self.extend([f"console: {message.text}"] * (message.type == "error")))
        page.on("pageerror", lambda error: self.append(f"script: {error}"))
        page.on("requestfailed", lambda request: self._failed(request))
        page.on("request", lambda request: self.extend([f"elsewhere: {request.url}"] * (own not in request.url)))

    def _failed(self, request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":  # the page was left meanwhile
            self.append(f"failed: {request.url} {request.failure}")


@pytest.fixture
def page(chromium: Any, server: Server) -> Iterator[Any]:
    """A page at the console's home; in the end it must have had no trouble."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, base_url=server.url)
    opened = context.new_page()
    opened.set_default_timeout(10_000)
    trouble = Trouble()
    trouble.listen(opened, server.address)
    opened.goto("/console/")
    yield opened
    context.close()
    assert trouble == []
