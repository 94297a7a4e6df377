"""Does the documentation say truly how each operation is answered?"""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from worlds.stripe import coverage, facts

_PAGE = Path(__file__).parents[2] / "docs" / "stripe-coverage.md"


def test_the_page_is_current() -> None:
    call_command("stripe_coverage", check=str(_PAGE))


def test_it_names_every_operation() -> None:
    page = coverage.document()
    assert len(facts.published()) == 594
    for operation in facts.operations().values():
        assert f"- `{operation.method} {operation.path}` " in page


def test_a_page_that_is_out_of_date_is_told(tmp_path: Path) -> None:
    old = tmp_path / "old.md"
    old.write_text("old")
    with pytest.raises(CommandError, match="out of date"):
        call_command("stripe_coverage", check=str(old))
