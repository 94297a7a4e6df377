"""Which code does the documentation show, and what is said of it?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
#: Every page, as it is named in tests: "README.md", "authoring.md", "api/engine.md".
PAGES = ("README.md", *sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")))

_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """One fenced block of a page; `title` is the file it is said to be, if it is."""

    page: str
    line: int
    language: str
    title: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def first_line(self) -> str:
        return self.text.partition("\n")[0].strip()


def path_of(page: str) -> Path:
    return ROOT / page if page == "README.md" else DOCS / page


def blocks(page: str, *languages: str) -> list[Block]:
    """The blocks of a page, in order, those of some languages if any are named."""
    return [block for block in _blocks(page) if not languages or block.language in languages]


def _blocks(page: str) -> Iterator[Block]:
    for token in MarkdownIt().parse(path_of(page).read_text(encoding="utf-8")):
        if token.type == "fence":
            assert token.map is not None
            language, _, rest = token.info.partition(" ")
            title = _TITLE.search(rest)
            yield Block(page, token.map[0] + 1, language, title[1] if title else "", token.content)
