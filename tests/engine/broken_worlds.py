"""A small world in order, and forty ways in which an author breaks one: what is written where, and what is said of it."""

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


BREAKS = [
    # Schema.
    Break("unmigrated", "worlds.E101", MODELS, "", "run `manage.py makemigrations WORLD`",
          ((MODELS, "copies = models.IntegerField(default=0)", "copies = models.IntegerField(default=0)\n    pages = models.IntegerField(default=0)"),),
          "Add field pages to book"),
    Break("role_of_nothing", "worlds.E102", MODELS, "class Roles", "name fields of this model, each once",
          ((MODELS, '("added_at",)', '("aded_at",)'),), "'aded_at', which is no field"),
    Break("two_roles", "worlds.E102", MODELS, "class Roles", "name fields of this model, each once",
          ((MODELS, 'bookkeeping = ("added_at",)', 'bookkeeping = ("added_at",)\n        derived = ("added_at",)'),), "two roles"),
    Break("unknown_role", "worlds.E102", MODELS, "class Roles", "name fields of this model, each once",
          ((MODELS, "bookkeeping =", "book_keeping ="),), "book_keeping is no role"),
    Break("migration_fails", "worlds.E104", MIGRATION, "RunSQL", "correct this migration",
          operation('migrations.RunSQL("UPDATE no_table SET a = 1")'), "no such table: no_table"),
    Break("no_migrations", "worlds.E101", MODELS, "", "run `manage.py makemigrations WORLD`",
          ((MIGRATION, "", GONE),), "Create model"),
    Break("sql_of_now", "worlds.W105", MIGRATION, "CURRENT_TIMESTAMP", "write the value itself",
          operation('migrations.RunSQL("INSERT INTO WORLD_shelf VALUES (CURRENT_TIMESTAMP, \'a\')")'), "CURRENT_TIMESTAMP"),
    Break("python_of_now", "worlds.W105", MIGRATION, "django.utils.timezone.now()", "write the value itself",
          operation("migrations.RunPython(fill)", "def fill(apps, editor):\n    django.utils.timezone.now()"), "timezone.now"),
    Break("lost_dependency", "worlds.E103", MIGRATION, "dependencies", "restore the migration that is missing",
          ((MIGRATION, "initial = True", 'dependencies = [("WORLD", "0000_lost")]'),), "0000_lost"),
    Break("migration_syntax", "worlds.E103", MIGRATION, "operations = =", "correct this migration",
          ((MIGRATION, "operations = [", "operations = = ["),)),
    Break("no_migration_class", "worlds.E103", MIGRATION, "", "write `class Migration(migrations.Migration):` in it",
          ((MIGRATION, "class Migration(", "class Migrations("),)),
    # Time and chance.
    Break("host_clock", "worlds.E201", LENDING, "d.now()", "use ctx.clock.now()",
          (tool("return str(d.now())", "from datetime import datetime as d", "str"),)),
    Break("host_today", "worlds.E201", LENDING, "date.today()", "use ctx.clock.now().date()",
          (tool("return str(date.today())", "from datetime import date", "str"),)),
    Break("host_nanoseconds", "worlds.E201", LENDING, "time.time_ns()", "use ctx.clock.ms()",
          (tool("return time.time_ns()", "import time", "int"),)),
    Break("default_of_host", "worlds.E201", MODELS, "default=datetime.now", "write default=timezone.now",
          ((MODELS, "default=timezone.now", "default=datetime.now"), (MODELS, "from django.db import models", "from datetime import datetime\n\nfrom django.db import models"),
           (MIGRATION, "(default=django.utils.timezone.now)),", "(default=datetime.datetime.now)),  # worlds.E201: as the model"),
           (MIGRATION, "import django.utils.timezone", "import datetime"))),
    Break("default_at_import", "worlds.E201", LENDING, "at=timezone.now()", "write `timezone.now` without calling it",
          ((LENDING, "", "+\n\nfrom django.utils import timezone\n\n\ndef due(at=timezone.now()):\n    return at\n"),)),
    Break("foreign_uuid", "worlds.E202", LENDING, "uuid.uuid4()", "use ctx.ids.uuid()",
          (tool("return str(uuid.uuid4())", "import uuid", "str"),)),
    Break("foreign_random", "worlds.E202", LENDING, "choice([1, 2])", "use ctx.random",
          (tool("return choice([1, 2])", "from random import choice", "int"),)),
    Break("foreign_secrets", "worlds.E202", LENDING, "secrets.token_hex", "use ctx.ids.token(n)",
          (tool("return secrets.token_hex(4)", "import secrets", "str"),)),
    Break("foreign_bytes", "worlds.E202", LENDING, "os.urandom", "use ctx.random.randbytes(n)",
          (tool("return os.urandom(4).hex()", "import os", "str"),)),
    # Tools.
    Break("undescribed", "worlds.W203", LENDING, "def extra", "write a docstring for WORLD.tools.lending.extra",
          (tool("return 1", doc=""),)),
    Break("instance_inside", "worlds.E204", LENDING, ".instance()", "work on ctx and the models",
          (tool('return str(installed.get("WORLD").instance())', "from worlds.engine import installed", "str"),)),
    Break("unordered_list", "worlds.W205", LENDING, "for b in Book.objects", 'write .order_by("pk")',
          (tool("return [b.title for b in Book.objects.filter(copies=1)]"),)),
    Break("order_with_ties", "worlds.W205", LENDING, 'order_by("-copies")', 'write .order_by("-copies", "-pk")',
          (tool('return [b.id for b in Book.objects.order_by("-copies")[:3]]'),)),
    Break("unordered_related", "worlds.W205", LENDING, "shelf.books.all()", 'write .order_by("pk")',
          (tool("shelf = Shelf.objects.get(id=id)\n    return [b.id for b in shelf.books.all()]"),)),
    Break("returns_model", "worlds.E208", LENDING, "return Book.objects.get", "return row.as_dict()",
          (tool("return Book.objects.get(id=id)"),), "returns a Book"),
    Break("returns_queryset", "worlds.E208", LENDING, 'return {"books"', "return [row.as_dict()",
          (tool('return {"books": Book.objects.order_by("id")}'),), "returns a queryset of Book"),
    Break("annotated_model", "worlds.E208", LENDING, "-> Shelf", "write -> dict",
          (tool("raise NotImplementedError", returns="Shelf"),), "is annotated to return a Shelf"),
    Break("query_at_import", "worlds.E210", LENDING, "COUNT =", "move it into the function that needs it",
          ((LENDING, "", "+\n\nCOUNT = Book.objects.count()\n"),)),
    Break("kept_queryset", "worlds.E210", LENDING, "for b in ALL", "write ALL.all() here",
          ((LENDING, "", '+\n\nALL = Book.objects.order_by("id")\n'), tool("return [b.id for b in ALL]"))),
    Break("set_as_list", "worlds.W214", LENDING, "list({", "write sorted(…) around the set",
          (tool("return list({b.title for b in Book.objects.all()})"),)),
    # Discovery.
    Break("orphan", "worlds.E301", "tools/returning.py", "nobody", "write `from WORLD.tools import returning`",
          (("tools/returning.py", "", "nobody = 1\n"),)),
    Break("no_such_module", "worlds.E302", LENDING, "import requets", "correct the name, or install what provides requets",
          ((LENDING, "", "+\n\nimport requets\n"),), "No module named 'requets'"),
    Break("syntax", "worlds.E302", LENDING, "def broken(", "correct the line", ((LENDING, "", "+\n\ndef broken(:\n"),)),
    Break("bad_tool", "worlds.E302", LENDING, "@tool\ndef extra", "make the edit that the message names",
          ((LENDING, "", "+\n\n@tool\ndef extra(ctx: Ctx, id) -> dict:\n    return {}\n"),), "it has no annotation to make a schema of"),
    Break("no_world", "worlds.E302", "apps.py", "class Config", "make the edit that the message names",
          (("apps.py", 'world = World("WORLD", version="1.0.0")', "pass"),), "declares no world"),
    Break("no_config", "worlds.E302", "apps.py", "from", "write `class …Config(WorldConfig):`",
          (("apps.py", "class Config(WorldConfig):", "class Config:"),), "no class in it extends WorldConfig"),
    Break("apps_fail", "worlds.E302", "apps.py", "World(", "make the edit that the message names",
          (("apps.py", 'World("WORLD", version="1.0.0")', 'World("a/b", version="1.0.0")'),), "is not a world name"),
    Break("no_python", "worlds.E304", "words.py", "a = = 1", "correct the line", (("words.py", "", "fine = 1\na = = 1\n"),)),
    # Composition.
    Break("no_such_world", "worlds.E303", "apps.py", "world.embed", "mend the embed() call",
          (("apps.py", 'world = World("WORLD", version="1.0.0")', EMBEDS.replace('"sound"', '"sond"')),), "did you mean 'sound'"),
    Break("no_such_tool", "worlds.E303", "apps.py", "world.embed", "mend the embed() call",
          (("apps.py", 'world = World("WORLD", version="1.0.0")', EMBEDS.replace("lib_\"", 'lib_", tools=["lend_bok"]')),), "lend_bok"),
    Break("unknown_child", "worlds.E209", LENDING, "ctx.worlds.libary", "write ctx.worlds.library",
          (("apps.py", 'world = World("WORLD", version="1.0.0")', EMBEDS), tool('return ctx.worlds.libary.call("add_shelf", name=id)'))),
    Break("nothing_embedded", "worlds.E209", LENDING, "ctx.worlds", "embed it in apps.py first",
          (tool('return ctx.worlds["library"].call("add_shelf", name=id)'),)),
    Break("unknown_tool_of_child", "worlds.E213", LENDING, "add_shelve", "write 'add_shelf'",
          (("apps.py", 'world = World("WORLD", version="1.0.0")', EMBEDS), tool('return ctx.worlds.library.call("add_shelve", name=id)'))),
    Break("stale_systems", "worlds.E211", LENDING, "archive: WorldHandle", "take the line out",
          (("apps.py", 'world = World("WORLD", version="1.0.0")', EMBEDS),
           (LENDING, "", f"+\n\nfrom worlds.engine import WorldHandle, Worlds\n{SYSTEMS}    archive: WorldHandle\n"))),
    Break("missing_systems", "worlds.W212", LENDING, "class Systems", "write `library: WorldHandle` in it",
          (("apps.py", 'world = World("WORLD", version="1.0.0")', EMBEDS),
           (LENDING, "", f"+\n\nfrom worlds.engine import WorldHandle, Worlds\n{SYSTEMS.replace('library: WorldHandle', 'pass')}"))),
    Break("described_by_another", "worlds.W206", "../sound/tools/listing.py", "def list_books", "say in the description what is done",
          (("apps.py", 'world = World("WORLD", version="1.0.0")', EMBEDS.replace('lib_"', 'lib_", without_tools=["lend_book"]')),), "lend_book"),
    Break("two_names", "worlds.W207", "apps.py", "class Config", "leave one out where it is embedded",
          (("apps.py", 'world = World("WORLD", version="1.0.0")',
            EMBEDS.replace('lib_"', 'lib_", tools=["add_shelf"], scope="one"') + "\n    " + EMBEDS.split("\n    ")[1].replace("library", "again").replace('lib_"', 'two_", tools=["add_shelf"], scope="one"')),)),
    # Fixtures.
    Break("damaged_sidecar", "worlds.E401", "fixture.yaml", "seq:", "restore fixture.yaml", fixture("seq: 1", "seq: one")),
    Break("odd_now", "worlds.E401", "fixture.yaml", "now:", "restore fixture.yaml", fixture("01.000Z", "01Z"), "write it as 2026"),
    Break("changed_rows", "worlds.E402", "main.jsonl", "", "restore the file from version control",
          (FIXTURE[0], ("fixture/main.jsonl", "", "{}\n"))),
    Break("stale_rows", "worlds.W403", "fixture.yaml", "0000_before", "run `manage.py seahaven_fixture migrate WORLD full`",
          fixture("WORLD: 0001_initial", "WORLD: 0000_before")),
    Break("other_composition", "worlds.E404", "fixture.yaml", "", "run `manage.py seahaven_fixture migrate WORLD full`",
          (("apps.py", 'world = World("WORLD", version="1.0.0")', EMBEDS), *FIXTURE), "has a store 'library'"),
    Break("says_nothing", "worlds.W405", "fixture.yaml", "description:", "say in fixture.yaml",
          fixture("One shelf with a name, to lend from.", "TODO")),
    Break("stray_file", "worlds.W406", "state.sqlite-wal", "", "remove it", (*FIXTURE, ("fixture/state.sqlite-wal", "", "x"))),
    Break("no_such_parent", "worlds.E407", "fixtures.py", "@recipe(parent", "there are: full",
          (("fixtures.py", "", '+\n\n@recipe(parent="empty")\ndef more(inst):\n    """More."""\n'),), "'empty'"),
    # Silences.
    Break("no_reason", "worlds.E001", LENDING, "# worlds.E201\n", "write `# worlds.E201: why",
          (tool("return time.monotonic()  # worlds.E201: why\n    # worlds.E201", "import time"),)),
    Break("silences_nothing", "worlds.W002", LENDING, "# worlds.E202", "take the comment out",
          (tool("return 1  # worlds.E202: no chance here"),)),
]  # fmt: skip
