"""Does a reader who follows a page, from an empty folder, come to what it shows?"""

from __future__ import annotations

from pathlib import Path

from tests.documentation.blocks import ROOT, blocks
from tests.documentation.shown import WALKED
from tests.documentation.walking import Walk, copy_of_the_checkout, is_as_shown, like_a_checkout, walk

CRM = {"SEAHAVEN_WORLDS": "worlds.crm"}


def follow(walked: Walk, page: str) -> None:
    walked.follow(page, skip=WALKED[page])


def test_the_library_is_written_and_served_as_the_page_says(tmp_path: Path) -> None:
    with walk(tmp_path) as walked:
        follow(walked, "authoring.md")
        follow(walked, "tools.md")  # adds a search to it
        walked.type(
            "python manage.py seahaven_fixture migrate library && python manage.py shell -v 0 -c '"
            "import seahaven\n"
            'with seahaven.world("library").instance("branch") as inst:\n'
            '    print([hit["title"] for hit in inst.call("search_books", query="wool")])\'',
            "1 fixtures were migrated: library/branch\n['Orlando', 'The Waves']\n",
        )


def test_an_app_from_the_package_index_is_a_world_in_thirty_lines(tmp_path: Path) -> None:
    with walk(tmp_path) as walked:
        follow(walked, "reuse.md")
        config = tmp_path / "flags" / "apps.py"
        config.write_text(config.read_text().replace(', apps=("waffle",)', ""))
        (told,) = blocks("reuse.md", "text")
        walked.type(
            "python manage.py shell -v 0 -c '"
            'import seahaven; seahaven.world("flags").instance().call("list_switches")\'',
            f"…{told.text}",
        )
    written = [block.text for block in blocks("reuse.md") if block.title.startswith("flags/")]
    assert sum(text.count("\n") for text in written) < 30


def test_a_world_is_begun_in_a_checkout_as_the_quickstart_says(tmp_path: Path) -> None:
    with walk(copy_of_the_checkout(tmp_path)) as walked:
        follow(walked, "quickstart.md")


def test_a_world_is_tested_as_the_page_says(tmp_path: Path) -> None:
    with walk(tmp_path, SEAHAVEN_VAR_DIR=str(ROOT / "var" / "test"), **CRM) as walked:
        follow(walked, "testing.md")


def test_the_commands_of_the_other_pages_come_to_what_is_shown(tmp_path: Path) -> None:
    with walk(like_a_checkout(tmp_path), SEAHAVEN_VAR_DIR=str(tmp_path / "var"), **CRM) as walked:
        for page in ("index.md", "agents.md", "fixtures.md", "security.md", "serving.md"):
            follow(walked, page)


def test_output_that_is_not_as_shown_is_noticed() -> None:
    assert is_as_shown("wrote … files\n", "wrote 21\nfiles\n")
    assert not is_as_shown("wrote … files\n", "wrote 21 files and one more")
    assert not is_as_shown("1 passed\n", "11 passed\n")
