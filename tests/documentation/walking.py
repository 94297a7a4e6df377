"""How does a test follow a page that builds a project from an empty folder?

A block with a title is the file of that name, written as the page comes to it: `title="library/models.py"`, or
`title="site/settings.py, at its end"` to add to one. A `console` block is typed, `$` by `$`; what the page shows below
a command must come out, `…` standing for anything, and a command that fails must be shown to. A command ending in `&`
goes on while the rest of the page is read.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.documentation.blocks import ROOT, Block, blocks

_AT_ITS_END = ", at its end"


class Walk:
    """A page that is followed in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: list[subprocess.Popen[str]] = []
        #: What a page says, and what is done instead here.
        self.instead = {"seahaven_serve": "seahaven_serve --port 0"}
        venv = Path(sys.executable).parent
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("DJANGO_", "SEAHAVEN_"))},
            "PATH": f"{venv}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": "120",
            "NO_COLOR": "1",
            "PYTHONDONTWRITEBYTECODE": "",  # a page types a dozen commands: each would compile everything
            # A reader's environment has no asyncio plugin that asks for this.
            "PYTEST_ADDOPTS": "-o asyncio_default_fixture_loop_scope=function -p no:cacheprovider",
        }
        # So that pytest looks no further up for settings: folders of tests lie below one that anybody may write in.
        if not (folder / "pyproject.toml").exists():
            (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")

    def follow(self, page: str, *, skip: dict[str, str] | None = None) -> None:
        """Write and type everything a page says; `skip` are commands that are not typed, each with the reason."""
        for block in blocks(page):
            if block.title:
                self._write(block)
            elif block.language == "console":
                for command, shown in commands(block):
                    if command not in (skip or {}):
                        self.type(command, shown, str(block))

    def _write(self, block: Block) -> None:
        name = block.title.removesuffix(_AT_ITS_END)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name == block.title:
            path.write_text(self._here(block.text))
        else:
            path.write_text(path.read_text() + self._here(block.text))

    def _here(self, text: str) -> str:
        for said, instead in self.instead.items():
            text = text.replace(said, instead)
        return text

    def type(self, command: str, shown: str = "", where: str = "") -> None:
        """Type a command; what is shown of its output must come out."""
        command, shown = self._here(command), self._here(shown)
        if command.startswith("export "):
            self.environment |= dict(re.findall(r"(\w+)=(\S+)", command))
            return
        if command.endswith(" &"):
            self._start(where, command.removesuffix(" &"), shown)
            return
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0 or shown, f"{where}: {command}\n{done.stdout}"
        if shown:
            assert is_as_shown(shown, done.stdout), f"{where}: {command}\n{done.stdout}\nThe page shows:\n{shown}"

    def _start(self, where: str, command: str, shown: str) -> None:
        process = subprocess.Popen(
            ["bash", "-c", f"exec {command}"],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.running.append(process)
        assert process.stdout is not None
        said = process.stdout.readline()
        announced = re.search(r"http://\S+", said)
        assert announced, f"{where}: {command}"
        self.instead["http://127.0.0.1:8000"] = announced[0]
        assert is_as_shown(self._here(shown), said), f"{where}: {command}\n{said}"

    def stop(self) -> None:
        for process in self.running:
            with process:
                process.send_signal(signal.SIGTERM)
                process.wait(20)


@contextmanager
def walk(folder: Path, **environment: str) -> Iterator[Walk]:
    """Walk in an empty folder, its servers stopped in the end."""
    walked = Walk(folder)
    walked.environment |= environment
    try:
        yield walked
    finally:
        walked.stop()


def like_a_checkout(folder: Path) -> Path:
    """A folder from which the commands of this checkout can be typed; what they write stays in it."""
    (folder / "manage.py").symlink_to(ROOT / "manage.py")
    return folder


def copy_of_the_checkout(folder: Path) -> Path:
    """The packages of this checkout again, for commands that write among them."""
    for name in ("seahaven", "seahaven_site", "worlds", "openenv_api", "console"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "static"))
    (folder / "tests").mkdir()
    (folder / "fixtures").mkdir()
    for name in ("manage.py", "pyproject.toml", "tests/__init__.py", "tests/settings.py"):
        shutil.copy(ROOT / name, folder / name)
    (folder / ".venv").symlink_to(Path(sys.executable).parents[1])
    return folder


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command of a `console` block, and the output that is shown below it."""
    command, shown = "", ""
    for line in block.text.splitlines(keepends=True):
        if line.startswith("$ "):
            if command:
                yield command, shown
            command, shown = line[2:].rstrip("\n"), ""
        elif command.endswith("\\") and not shown:
            command += "\n" + line.rstrip("\n")
        else:
            shown += line
    if command:
        yield command, shown


def is_as_shown(shown: str, came: str) -> bool:
    """Did what a page shows come out, `…` standing for anything; the last words may be wrapped otherwise."""
    pattern = r".*?".join(re.escape(part) for part in " ".join(shown.split()).split("…"))
    return re.search(rf"^{pattern}\s*$", " ".join(came.split()), re.DOTALL) is not None
