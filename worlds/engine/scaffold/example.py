"""What is in the files of a world that begins as an example: items that people book for a time?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template

from worlds.engine.scaffold.layout import laid_out, text
from worlds.engine.scaffold.place import Place

_HERE = Path(__file__).resolve().parent
_TEMPLATES = _HERE / "templates"
_SUFFIX = ".txt"
_PARTS = (
    ("apps.py", "its name, version and description"),
    ("models.py", "what it stores; `as_dict()` is how a tool shows a row"),
    ("tools/", "what an agent can do, a module for each resource; `arguments.py` is what several tools take"),
    ("errors.py", "what it refuses, a class for each refusal"),
    ("events.py", "what happens by the passing of time"),
    ("fixtures.py", "recipes: how the starting states are made"),
    ("tasks.py", "instructions with graders"),
    ("admin.py", "the lists of the admin"),
    ("migrations/", "Django's migrations"),
)


def example(place: Place, description: str) -> dict[Path, str]:
    """Every file of the world but its migration and its fixtures, by its name from the project's root."""
    words = words_of(place, description, _PARTS)
    files = {}
    for template in sorted(_TEMPLATES.rglob(f"*{_SUFFIX}")):
        name = template.relative_to(_TEMPLATES).as_posix().removesuffix(_SUFFIX)
        files.update(filled(place, name, words))
    return files


def filled(place: Place, name: str, words: Mapping[str, str], *, folder: str = "templates") -> dict[Path, str]:
    """One template's file, {its name: its content}."""
    content = Template((_HERE / folder / f"{name}{_SUFFIX}").read_text(encoding="utf-8")).substitute(words)
    kind, _, inner = name.partition("/")
    target = place.app if kind == "app" else place.tests
    if name.endswith(".py") and content:
        content = laid_out(content, first_party=place.first_party)
    return {target.relative_to(place.root) / inner: content}


def words_of(place: Place, description: str, parts: Iterable[tuple[str, str]], more: str = "") -> dict[str, str]:
    """What the templates are filled with."""
    title = place.name.replace("_", " ").capitalize()
    return {
        "name": place.name,
        "label": place.label,
        "package": place.package,
        # The names of indexes have at most 30 characters, and no two apps share one.
        "short": place.label[:13].rstrip("_"),
        "title": title,
        "title_literal": text(title),
        "description": description,
        "description_literal": text(description),
        "classname": "".join(part.capitalize() for part in place.name.split("_")),
        "files": table(parts),
        "tests_folder": place.tests.relative_to(place.root).as_posix(),
        "fixtures_folder": _below(place.fixtures, place.root),
        "manage": "python manage.py",
        "pytest": "python -m pytest",
        "more": more,
        "environment_import": "" if place.is_home else "import os\n",
        "environment": "" if place.is_home else _ENVIRONMENT.format(settings=_settings_module()),
    }


def table(parts: Iterable[tuple[str, str]]) -> str:
    """The rows of a table of files."""
    return "\n".join(f"| `{name}` | {what} |" for name, what in parts)


_ENVIRONMENT = """
# Before any test module asks for a world: which project is it in?
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "{settings}")

"""


def _settings_module() -> str:
    from django.conf import settings

    return settings.SETTINGS_MODULE


def _below(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if root in path.parents else path.as_posix()
