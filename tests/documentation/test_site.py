"""Is the site of the documentation built without a dead link, without a network, and does a browser like it?"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import pytest
import yaml

from tests.documentation.blocks import PAGES, ROOT

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
#: Pages of every kind: prose, code, wide and long tables, pictures, the reference.
LOOKED_AT = ("index", "authoring", "settings", "stripe-coverage", "console", "api/engine")
#: What a page loads by itself, by tag: where the address is.
LOADED = {"img": "src", "link": "href", "script": "src", "source": "src", "iframe": "src"}


class _Reader(HTMLParser):
    """What a page has, what it leads to, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = dict(attrs)
        self.anchors |= {value for name, value in attrs if name in ("id", "name") and value}
        if tag == "a" and has.get("href"):
            self.links.append(str(has["href"]))
        if tag in LOADED and has.get(LOADED[tag]) and has.get("rel") not in ("canonical", "prev", "next", "alternate"):
            self.loads.append(str(has[LOADED[tag]]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built as `make docs` does, but elsewhere and with no way out to a network."""
    folder = tmp_path_factory.mktemp("site")
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    (handler,) = [plugin["mkdocstrings"] for plugin in settings["plugins"] if "mkdocstrings" in plugin]
    handler["handlers"]["python"]["paths"] = [str(ROOT)]
    shutil.copytree(ROOT / "docs", folder / "docs")
    (folder / "mkdocs.yml").write_text(yaml.safe_dump({**settings, "docs_dir": "docs", "site_dir": "site"}))
    done = subprocess.run(
        [Path(sys.executable).parent / "zensical", "build", "--strict", "--config-file", "mkdocs.yml"],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return folder / "site"


def test_every_page_is_in_the_navigation() -> None:
    def listed(entry: Any) -> Iterator[str]:
        if isinstance(entry, str):
            yield entry
        else:
            for each in entry.values() if isinstance(entry, dict) else entry:
                yield from listed(each)

    shown = list(listed(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]))
    assert sorted(shown) == sorted(page for page in PAGES if page != "README.md")


def test_every_link_leads_to_a_page_and_a_place_in_it(site: Path) -> None:
    pages = {path: _Reader(path.read_text()) for path in site.rglob("*.html") if path.name != "404.html"}
    assert len(pages) == len(PAGES) - 1
    dead = []
    for path, page in pages.items():
        for link in page.links:
            if link.startswith(("http:", "https:", "mailto:", "javascript:")):
                continue
            address, anchor = urldefrag(link)
            target = (path.parent / unquote(address)).resolve() if address else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists() or (
                anchor and target.suffix == ".html" and unquote(anchor) not in pages[target].anchors
            ):
                dead.append(f"{path.relative_to(site)}: {link}")
    assert dead == []


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        loads = _Reader(path.read_text()).loads
        assert [each for each in loads if each.startswith(("http:", "https:", "//"))] == [], path


def test_the_reference_says_what_the_docstrings_say(site: Path) -> None:
    page = (site / "api" / "engine.html").read_text()
    assert "A private copy of a fixture, or of the world with no rows; use it as a context manager." in page
    assert "Register how a fixture is built" in page, "World has what it inherits"


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_finds_nothing_amiss_on_a_wide_and_a_narrow_screen(site: Path, scheme: Any) -> None:
    sync_api = pytest.importorskip("playwright.sync_api")
    amiss: list[str] = []
    with _served(site) as url, sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for width in (1280, 390):
            page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
            page.on("console", lambda told: amiss.append(told.text) if told.type in ("error", "warning") else None)
            page.on("pageerror", lambda error: amiss.append(str(error)))
            page.on("response", lambda answer: amiss.extend([answer.url] * (answer.status >= 400)))
            page.on(
                "request",
                lambda request: None if request.url.startswith((url, "data:", "blob:")) else amiss.append(request.url),
            )
            for name in LOOKED_AT:
                page.goto(f"{url}/{name}.html", wait_until="load")
                if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                    amiss.append(f"{name} is wider than {width}")
            colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
            brightness = sum(int(part) for part in colour[4:-1].split(",")[:3])
            assert (brightness < 200) == (scheme == "dark"), colour
            page.close()
        browser.close()
    assert amiss == []


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
