"""What does a Django project look like that has just been made, and to which Seahaven was added as the docs say?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
_SETTINGS = """
from seahaven_site.joining import add_seahaven
add_seahaven(globals(), worlds=[{worlds}])
"""
_URLS = """
from django.urls import include
urlpatterns = [path("", include("seahaven_site.doors")), *urlpatterns]
"""
#: The linter's settings of this checkout but for what is first party, which every project says for itself.
_RUFF = """
line-length = 120
target-version = "py311"
[lint]
select = ["B", "C4", "DJ", "E", "F", "I", "PT", "SIM", "TID", "UP", "W"]
"""
_PYTEST = """
[pytest]
addopts = -q -p no:cacheprovider
asyncio_default_fixture_loop_scope = function
filterwarnings = error
"""


class Project:
    """`django-admin startproject mysite .`, with what Seahaven's docs say to add."""

    def __init__(self, root: Path) -> None:
        self.root = root
        #: What commands printed, by a name that a test gave.
        self.said: dict[str, str] = {}
        # What the tests of this checkout say of worlds and folders is not said to the project.
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SEAHAVEN_", "DJANGO_", "PYTEST_"))
        }
        self.environment["PYTHONPATH"] = str(CHECKOUT)
        self.run("-m", "django", "startproject", "mysite", ".")
        self._settings = (root / "mysite" / "settings.py").read_text()
        self.install()
        urls = root / "mysite" / "urls.py"
        urls.write_text(urls.read_text() + _URLS)
        (root / "ruff.toml").write_text(_RUFF)
        (root / "pytest.ini").write_text(_PYTEST)

    def install(self, *worlds: str) -> None:
        """List these worlds in the settings."""
        listed = ", ".join(f'"{world}"' for world in worlds)
        (self.root / "mysite" / "settings.py").write_text(self._settings + _SETTINGS.format(worlds=listed))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Python in the project's folder; its output is kept."""
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *arguments: str, fails: bool = False) -> str:
        """What Python printed in the project's folder, having ended well; or badly, if that is what should be."""
        process = self.start(*arguments)
        output, _ = process.communicate(timeout=120)
        assert (process.returncode != 0) == fails, output
        return output

    def ruff(self, *paths: str) -> str:
        """What the linter and the formatter have to say; nothing, if all is well."""
        ruff = str(Path(sys.executable).with_name("ruff"))
        said = ""
        for verb in (["check", "-q"], ["format", "-q", "--diff"]):
            done = subprocess.run([ruff, *verb, *paths], cwd=self.root, capture_output=True, text=True, check=False)
            said += done.stdout + done.stderr
        return said

    def files(self) -> set[str]:
        """Every file there is, but for what Python and servers keep for themselves."""
        return {
            path.relative_to(self.root).as_posix()
            for path in self.root.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts and path.relative_to(self.root).parts[0] != "var"
        }
