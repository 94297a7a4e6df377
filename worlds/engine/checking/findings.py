"""What is a finding, and which rules are there?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

#: Every rule by its id, which keeps its meaning and is never used again for something else. E0 is about the checks
#: themselves, E1 the schema, E2 code, E3 discovery and composition, E4 fixtures; W are warnings.
RULES = {
    "worlds.E001": "A finding is silenced without a reason",
    "worlds.W002": "A silence that silences nothing",
    "worlds.E101": "Models changed since the last migration",
    "worlds.E102": "Column roles that contradict, or name no field",
    "worlds.E103": "Migrations that do not fit together",
    "worlds.E104": "Migrations that do not run",
    "worlds.W105": "A migration writes rows with the time or chance of the build",
    "worlds.W106": "A field of another app defaults to the host's clock or chance",
    "worlds.E201": "World code reads the host's clock",
    "worlds.E202": "World code draws chance that no seed replays",
    "worlds.W203": "A tool with no description",
    "worlds.E204": "An instance opened inside world code",
    "worlds.W205": "A list without a total order",
    "worlds.W206": "A description names a tool the agent cannot call",
    "worlds.W207": "One tool under two names",
    "worlds.E208": "A tool returns a model or a queryset",
    "worlds.E209": "An unknown world in ctx.worlds",
    "worlds.E210": "A query at import",
    "worlds.E211": "A Worlds class names a world that is not embedded",
    "worlds.W212": "A Worlds class leaves an embedded world out",
    "worlds.E213": "A call of a tool that the embedded world does not have",
    "worlds.W214": "A list made of a set, whose order is another in each process",
    "worlds.E301": "A module that is never imported",
    "worlds.E302": "A world that cannot be loaded",
    "worlds.E303": "A composition that does not fit together",
    "worlds.E304": "A file that is no Python",
    "worlds.E401": "A damaged fixture.yaml",
    "worlds.E402": "Rows that changed since the fixture was frozen",
    "worlds.W403": "Rows of an older schema",
    "worlds.E404": "A fixture that disagrees with the composition",
    "worlds.W405": "A fixture whose description says nothing",
    "worlds.W406": "A stray file in a fixture's folder",
    "worlds.E407": "A recipe that begins with a fixture that does not exist",
    "worlds.E408": "A task that is given in a fixture that does not exist",
}


@dataclass(frozen=True, slots=True)
class Edit:
    """Text to write in place of a stretch of a file; lines count from 1, columns from 0, in UTF-8 bytes."""

    file: Path
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a world, where, and the edit to make."""

    id: str
    message: str
    hint: str
    file: Path | None = None
    line: int = 0
    #: The last line on which a comment may silence it.
    last: int = 0
    #: What it is about where no line can be commented: "crm", "crm.close_deal", "crm/small_startup".
    subject: str = ""
    #: What `--fix` does; only what is mechanical and safe.
    edits: tuple[Edit, ...] = ()
    #: The world under check; what is found may be in the files of one it embeds.
    world: str = ""

    @property
    def severity(self) -> str:
        return "error" if self.id.startswith("worlds.E") else "warning"

    @property
    def place(self) -> str:
        """`path:line`, the path as seen from here; what it is about when it is at no file."""
        if self.file is None:
            return self.subject
        return f"{shown(self.file)}:{self.line}" if self.line else shown(self.file)


def shown(file: Path) -> str:
    """A path as a reader in the working directory would write it."""
    try:
        return str(file.relative_to(Path.cwd()))
    except ValueError:
        return str(file)
