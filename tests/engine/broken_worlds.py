"""A small world in order, and what it takes to break it in one place."""

from __future__ import annotations

import hashlib
import textwrap
from dataclasses import dataclass
from pathlib import Path

GONE = "(no such file)"
EMPTY = hashlib.sha256(b"").hexdigest()
FILES = {
    "__init__.py": "",
    "apps.py": """
        from worlds.engine import World, WorldConfig


        class Config(WorldConfig):
            name = "WORLD"
            world = World("WORLD", version="1.0.0")
        """,
    "models.py": """
        from django.db import models
        from django.utils import timezone


        class Shelf(models.Model):
            id = models.TextField(primary_key=True)
            name = models.TextField(unique=True)


        class Book(models.Model):
            id = models.TextField(primary_key=True)
            shelf = models.ForeignKey(Shelf, on_delete=models.CASCADE, related_name="books")
            title = models.TextField()
            copies = models.IntegerField(default=0)
            added_at = models.DateTimeField(default=timezone.now)

            class Meta:
                constraints = [models.UniqueConstraint(fields=["shelf", "title"], name="WORLD_once")]

            class Roles:
                bookkeeping = ("added_at",)

            def as_dict(self):
                return {"id": self.id, "title": self.title, "copies": self.copies}
        """,
    "tools/__init__.py": """
        \"""Which tools are there?\"""

        from WORLD.tools import lending, listing

        __all__ = ["lending", "listing"]
        """,
    "tools/lending.py": """
        from WORLD.models import Book, Shelf
        from worlds.engine import Ctx, ToolError, tool


        @tool
        def lend_book(ctx: Ctx, id: str) -> dict:
            \"""Lend a book; its due date is told.\"""
            book = Book.objects.filter(id=id).first()
            if book is None:
                raise ToolError("no_book", "There is no such book.")
            book.copies -= 1
            book.save()
            return book.as_dict()


        @tool
        def add_shelf(ctx: Ctx, name: str) -> dict:
            \"""Put up a shelf.\"""
            shelf = Shelf.objects.create(id=ctx.ids.token(8), name=name)
            return {"id": shelf.id}
        """,
    "tools/listing.py": """
        from WORLD.models import Book, Shelf
        from worlds.engine import Ctx, tool


        @tool
        def list_books(ctx: Ctx, shelf: str) -> list[dict]:
            \"""List the books of a shelf; `lend_book` lends one.\"""
            books = Book.objects.filter(shelf_id=shelf)
            return [book.as_dict() for book in books.order_by("title")]
        """,
    "fixtures.py": """
        from worlds.engine import recipe


        @recipe
        def full(inst):
            \"""One shelf.\"""
            inst.call("add_shelf", name="A")
        """,
    "migrations/__init__.py": "",
    "migrations/0001_initial.py": """
        import django.db.models.deletion
        import django.utils.timezone
        from django.db import migrations, models


        class Migration(migrations.Migration):
            initial = True
            operations = [
                migrations.CreateModel(
                    "Shelf",
                    [
                        ("id", models.TextField(primary_key=True, serialize=False)),
                        ("name", models.TextField(unique=True)),
                    ],
                ),
                migrations.CreateModel(
                    "Book",
                    [
                        ("id", models.TextField(primary_key=True, serialize=False)),
                        ("title", models.TextField()),
                        ("copies", models.IntegerField(default=0)),
                        ("added_at", models.DateTimeField(default=django.utils.timezone.now)),
                        (
                            "shelf",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="books", to="WORLD.shelf"
                            ),
                        ),
                    ],
                ),
                migrations.AddConstraint(
                    "book", models.UniqueConstraint(fields=("shelf", "title"), name="WORLD_once")
                ),
            ]
        """,
}
SIDECAR = f"""
format: 1
id: full
world: WORLD
description: One shelf with a name, to lend from.
parent: null
now: '2026-06-01T09:00:01.000Z'
seq: 1
nodes:
  main:
    world: WORLD
    world_version: 1.0.0
    file: main.jsonl
    sha256: {EMPTY}
    migrations:
      engine: 0001_initial
      WORLD: 0001_initial
    counts: {{}}
"""
EMBEDS = 'world = World("WORLD", version="1.0.0")\n    world.embed("sound", name="library", tool_prefix="lib_")'
SYSTEMS = "\n\nclass Systems(Worlds):\n    library: WorldHandle\n"


@dataclass(frozen=True)
class Break:
    """One way to break the world: edits, and the finding that is to come."""

    name: str
    id: str
    #: The file, and a text of the line that is named.
    file: str
    at: str
    hint: str
    #: (file, old, new); without an old text the file is written, or made longer by a text that begins with "+".
    edits: tuple[tuple[str, str, str], ...]
    says: str = ""

    @property
    def is_apart(self) -> bool:
        """While one world's migrations are broken, nobody's are run."""
        return self.id == "worlds.E103"


def write(root: Path, name: str, edits: tuple[tuple[str, str, str], ...] = ()) -> None:
    """Write a world of that name, sound but for the edits; files under "fixture/" are its fixture's."""
    texts = {file: textwrap.dedent(text).lstrip("\n") for file, text in FILES.items()}
    for file, old, new in edits:
        if old:
            assert old in texts[file], (name, file, old)
            texts[file] = texts[file].replace(old, new)
        elif new.startswith("+"):
            texts[file] += new[1:]
        elif new == GONE:
            del texts[file]
        else:
            texts[file] = new
    for file, text in texts.items():
        path = root / name / file
        if file.startswith("fixture/"):
            path = root / "fixtures" / name / "full" / file.removeprefix("fixture/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("WORLD", name))


def tool(
    body: str, imports: str = "", returns: str = "object", doc: str = '"""Do it."""\n    '
) -> tuple[str, str, str]:
    """One more tool in lending.py."""
    return (
        "tools/lending.py",
        "",
        f"+\n\n{imports}\n\n\n@tool\ndef extra(ctx: Ctx, id: str) -> {returns}:\n    {doc}{body}\n",
    )


FIXTURE = (("fixture/fixture.yaml", "", SIDECAR), ("fixture/main.jsonl", "", ""))


def fixture(old: str, new: str) -> tuple[tuple[str, str, str], ...]:
    return (("fixture/fixture.yaml", "", SIDECAR.replace(old, new)), FIXTURE[1])


LENDING, LISTING, MODELS = "tools/lending.py", "tools/listing.py", "models.py"
MIGRATION = "migrations/0001_initial.py"
_OPERATIONS_END = '    "book", models.UniqueConstraint(fields=("shelf", "title"), name="WORLD_once")\n        ),\n'


def operation(text: str, before: str = "") -> tuple[tuple[str, str, str], ...]:
    """One more operation in the migration."""
    edits = [(MIGRATION, _OPERATIONS_END, f"{_OPERATIONS_END}        {text},\n")]
    if before:
        edits.append((MIGRATION, "\n\nclass Migration", f"\n\n{before}\n\n\nclass Migration"))
    return tuple(edits)
