"""How is the documentation read in a terminal?"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.markdown import Markdown

from worlds.engine.management import documentation


class Command(BaseCommand):
    help = "Print the documentation: a page as Markdown, the list of pages, or the lines that have some words."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("page", nargs="?", default="index", help="such as authoring or api/engine; default: index")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--list", action="store_true", dest="lists", help="the pages, each with its title")
        what.add_argument("--path", action="store_true", help="where the page is, or the folder of all pages")
        what.add_argument("--search", metavar="WORDS", help="every line that has all these words")

    def handle(self, *args: Any, page: str, lists: bool, path: bool, search: str | None, **options: Any) -> None:
        if lists:
            for name, where in documentation.pages().items():
                self.stdout.write(f"{name}\t{documentation.title(where)}")
        elif search is not None:
            self.stdout.write("\n".join(_found(search)))
        elif path:
            self.stdout.write(str(documentation.folder() if page == "index" else documentation.page(page)))
        else:
            self._print(documentation.page(page))

    def _print(self, path: Path) -> None:
        text = documentation.text(path)
        if self.stdout.isatty():
            Console().print(Markdown(text))
        else:
            self.stdout.write(text)


def _found(search: str) -> list[str]:
    words = search.split()
    if not words:
        raise CommandError("no words to search for; write --search 'scheduled event'")
    lines = documentation.search(words)
    if not lines:
        raise CommandError(f"no line has {' and '.join(map(repr, words))}; try fewer words")
    return lines
