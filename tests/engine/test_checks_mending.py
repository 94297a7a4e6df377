"""Are the edits of `--fix` made whole, or not at all?"""

import textwrap

import pytest

from worlds.engine import installed
from worlds.engine.checking import discovering, ordering, time_and_chance
from worlds.engine.checking.findings import Edit, Finding
from worlds.engine.checking.mending import mend
from worlds.engine.checking.targets import Target

HEAD = "from tests.worlds.lab.models import Box, Item\nfrom worlds.engine import Ctx\n\n\n"


@pytest.fixture
def module(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("first = 1\nsecond = 2\n")
    return file


def edit(file, line, column, end_column, text):
    return Edit(file, line, column, line, end_column, text)


def finding(*edits, message="it"):
    return Finding("worlds.E201", message, "mend it", edits[0].file, edits[0].line, edits=edits)


def test_an_edit_that_crosses_another_waits_for_the_next_time(module):
    one = finding(edit(module, 1, 8, 9, "10"), message="one")
    other = finding(edit(module, 1, 0, 9, "other = 3"), message="other")
    (mended,) = mend([one, other])
    assert module.read_text() == "first = 10\nsecond = 2\n"
    assert mended.findings == (one,)
    assert "-first = 1\n+first = 10\n" in mended.diff


def test_an_edit_that_would_break_a_file_is_not_made_and_the_others_are(module):
    breaking = finding(edit(module, 1, 8, 9, "("), message="breaking")
    sound = finding(edit(module, 2, 9, 10, "20"), message="sound")
    (mended,) = mend([breaking, sound])
    assert module.read_text() == "first = 1\nsecond = 20\n"
    assert mended.findings == (sound,)


def test_edits_of_one_finding_are_made_together_or_not_at_all(module, tmp_path):
    other = tmp_path / "other.py"
    other.write_text("third = 3\n")
    assert mend([finding(edit(module, 1, 8, 9, "10"), edit(other, 1, 8, 9, "("))]) == []
    assert (module.read_text(), other.read_text()) == ("first = 1\nsecond = 2\n", "third = 3\n")


def test_an_edit_that_two_findings_share_is_made_once(module):
    shared = edit(module, 1, 0, 0, "import time\n")
    mend([finding(shared, edit(module, 1, 8, 9, "10")), finding(shared, edit(module, 2, 9, 10, "20"))])
    assert module.read_text() == "import time\nfirst = 10\nsecond = 20\n"


@pytest.fixture
def mended(tmp_path):
    """A module of the lab after a rule's edits, made until there are none."""

    def after(rule, text, head=HEAD):
        file = tmp_path / "module.py"
        file.write_text(head + textwrap.dedent(text).strip("\n") + "\n", encoding="utf-8")
        for _ in range(3):
            mend(rule(Target("lab", "tests.worlds.lab", tmp_path, installed.get("lab"))))
        return file.read_text(encoding="utf-8").removeprefix(head).removesuffix("\n")

    return after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("list(Item.objects.all())", 'list(Item.objects.all().order_by("pk"))'),
        ("list(Item.objects.order_by('-label'))", "list(Item.objects.order_by('-label', \"-pk\"))"),
        ("list(Item.objects.order_by('label',))", "list(Item.objects.order_by('label', \"pk\",))"),
        ("Item.objects.filter(weight=1)[:5]", 'Item.objects.filter(weight=1).order_by("pk")[:5]'),
        ("list(Item.objects.values('label').annotate(n=Count('id')))", None),
        (
            "list(Item.objects.values('label').annotate(n=Count('id')).order_by('-n'))",
            "list(Item.objects.values('label').annotate(n=Count('id')).order_by('-n', \"label\"))",
        ),
    ],
)
def test_an_order_is_made_total_where_the_rows_are_asked_for(mended, before, after):
    head = f"from django.db.models import Count\n{HEAD}def look(ctx: Ctx):\n    return "
    wanted = after or before.removesuffix(")") + '.order_by("label"))'
    assert mended(ordering.check, before, head) == wanted


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("datetime.now()", "ctx.clock.now()"),
        ("datetime.now(UTC).isoformat()", "ctx.clock.now().isoformat()"),
        ("datetime.now(tz=UTC)", "ctx.clock.now()"),
        ("datetime.now(PARIS)", "datetime.now(PARIS)"),
        ("date.today()", "ctx.clock.now().date()"),
        ("time.time() - 5", "(ctx.clock.ms() / 1000) - 5"),
        ("str(uuid4())", "str(ctx.ids.uuid())"),
        ("uuid4().hex", "uuid4().hex"),
        ("random.choice([1])", "ctx.random.choice([1])"),
        ("random.SystemRandom()", "random.SystemRandom()"),
        ("secrets.token_hex(4)", "secrets.token_hex(4)"),
        ("time.monotonic()", "time.monotonic()"),
    ],
)
def test_time_and_chance_are_read_from_the_context_where_that_comes_to_the_same(mended, before, after):
    head = (
        "import random, secrets, time\nfrom datetime import UTC, date, datetime\nfrom uuid import uuid4\n"
        f"{HEAD}PARIS = None\n\ndef look(context: Ctx):\n    return "
    )
    assert mended(time_and_chance.check, before, head) == after.replace("ctx.", "context.")


def test_a_default_of_the_host_becomes_djangos_with_its_import(mended):
    text = "from datetime import datetime\n\n\nat = field(default=datetime.now)"
    assert mended(time_and_chance.check, text, "") == (
        "from datetime import datetime\nfrom django.utils import timezone\n\n\nat = field(default=timezone.now)"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "from tests.worlds.lab.tools import extra as extra\n"),
        ('"""What?"""\n', '"""What?"""\n\nfrom tests.worlds.lab.tools import extra as extra\n'),
        (
            "import os\n\n__all__ = ['os']\n",
            "import os\nfrom tests.worlds.lab.tools import extra\n\n__all__ = ['os', \"extra\"]\n",
        ),
        ("import os", "import os\nfrom tests.worlds.lab.tools import extra as extra\n"),
    ],
)  # fmt: skip
def test_a_module_that_nobody_imports_is_imported_by_its_package_once(tmp_path, before, after):
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "__init__.py").write_text(before)
    (folder / "extra.py").write_text("x = 1\n")
    for _ in range(2):
        mend(discovering.check_modules(Target("lab", "tests.worlds.lab", tmp_path, installed.get("lab"))))
    assert (folder / "__init__.py").read_text() == after


def test_a_file_with_a_byte_order_mark_is_read_as_python_reads_it(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("def f(ctx): import time; return time.time()\n", encoding="utf-8-sig")
    target = Target("lab", "tests.worlds.lab", tmp_path, installed.get("lab"))
    findings = list(time_and_chance.check(target))
    assert [each.line for each in findings] == [1]
    mend(findings)
    assert file.read_text(encoding="utf-8-sig") == "def f(ctx): import time; return ctx.clock.ms() / 1000\n"


def test_a_file_in_another_encoding_is_read_and_not_mended(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("# coding: latin-1\nimport time\ndef f(ctx): return 'ü', time.time()\n", encoding="latin-1")
    target = Target("lab", "tests.worlds.lab", tmp_path, installed.get("lab"))
    findings = list(time_and_chance.check(target))
    assert [each.line for each in findings] == [3]
    assert mend(findings) == []
