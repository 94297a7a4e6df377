"""How do the pages of the documentation get into a wheel?

Beside the engine, where `manage.py seahaven_docs` looks for them; their pictures stay out. A checkout needs no copy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PagesHook(BuildHookInterface[Any]):
    """Called by hatchling for every wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        docs = Path(self.root) / "docs"
        if version != "editable":
            for page in docs.rglob("*.md"):
                build_data["force_include"][str(page)] = f"worlds/engine/docs/{page.relative_to(docs).as_posix()}"
