import textwrap

import pytest

from worlds.engine import scan


@pytest.fixture
def found(tmp_path):
    """What is found in a module of the given text: [(line, name, kind)]."""

    def look(text):
        file = tmp_path / "module.py"
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        return [(finding.line, finding.name, finding.kind) for finding in scan.foreign_time_and_chance(file)]

    return look


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("from datetime import datetime as d\nd.now()", "datetime.datetime.now"),
        ("import datetime as dt\ndt.datetime.now(dt.UTC)", "datetime.datetime.now"),
        ("import datetime\ndatetime.datetime.utcnow()", "datetime.datetime.utcnow"),
        ("from datetime import date\ndate.today()", "datetime.date.today"),
        ("from datetime import datetime\nfield(default=datetime.now)", "datetime.datetime.now"),
        ("import time\ntime.time()", "time.time"),
        ("import time as t\nt.time_ns()", "time.time_ns"),
        ("from time import monotonic\nmonotonic()", "time.monotonic"),
        ("from time import perf_counter_ns as now\nnow()", "time.perf_counter_ns"),
    ],
)
def test_reading_the_hosts_clock_is_found_however_it_was_imported(found, text, name):
    assert found(text) == [(2, name, "clock")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import uuid\nuuid.uuid4()", "uuid.uuid4"),
        ("from uuid import uuid4 as new\nfield(default=new)", "uuid.uuid4"),
        ("import random\nrandom.choice([1])", "random.choice"),
        ("from random import randint\nrandint(1, 2)", "random.randint"),
        ("import random\nrandom.SystemRandom()", "random.SystemRandom"),
        ("import random\nrandom.Random()", "random.Random"),
        ("import secrets\nsecrets.token_hex()", "secrets.token_hex"),
        ("from secrets import token_urlsafe\ntoken_urlsafe()", "secrets.token_urlsafe"),
        ("import os\nos.urandom(4)", "os.urandom"),
        ("import os.path\nos.urandom(4)", "os.urandom"),
        (
            "from django.utils.crypto import get_random_string\nget_random_string(4)",
            "django.utils.crypto.get_random_string",
        ),
    ],
)
def test_drawing_outside_chance_is_found_however_it_was_imported(found, text, name):
    assert found(text) == [(2, name, "chance")]


def test_what_only_looks_like_it_is_passed_over(found):
    text = '''
        import datetime, os, random, time, uuid
        from random import Random
        from django.utils import timezone
        from . import secrets
        import numpy.random

        def tool(ctx, now, today):
            """Calls datetime.now() and uuid4() in words only."""
            timezone.now()
            ctx.clock.now()
            ctx.random.random()
            ctx.ids.random.choice([1])
            ctx.time.time()
            now.today()
            secrets.token_hex()
            datetime.datetime(2026, 6, 1)
            datetime.datetime.fromisoformat("2026-06-01")
            uuid.UUID(int=1)
            uuid.uuid5(uuid.NAMESPACE_URL, "x")
            os.path.join("a", "b")
            time.sleep(0)
            Random(5).random()
            random.Random(x=5)
            numpy.random.rand()
            return "time.time()"

        def annotated(r: Random) -> random.Random: ...
        '''
    assert found(text) == []


def test_each_place_is_found_once_with_what_to_write_instead(tmp_path):
    file = tmp_path / "m.py"
    file.write_text("import datetime, uuid\nx = (datetime.datetime.now(),\n     uuid.uuid4())\n")
    findings = list(scan.foreign_time_and_chance(file))
    assert [(f.line, f.instead, f.file) for f in findings] == [
        (2, "ctx.clock.now()", file),
        (3, "ctx.ids.uuid()", file),
    ]


@pytest.mark.parametrize(
    ("line", "silenced"),
    [
        ("time.time()  # worlds.E201: measured, never stored", True),
        ("time.time()  #worlds.E201:why", True),
        ("time.time()  # worlds.E201:", False),
        ("time.time()  # worlds.E201", False),
        ("time.time()  # worlds.E202: another", False),
        ("time.time()", False),
    ],
)
def test_a_finding_is_silenced_on_its_line_with_a_reason(line, silenced):
    assert scan.is_silenced(["", line], 2, "worlds.E201") is silenced
    assert not scan.is_silenced([line], 2, "worlds.E201")


def test_instances_that_are_opened_are_found(tmp_path):
    file = tmp_path / "m.py"
    file.write_text("ctx.instance\nworld.instance('x')\nget('crm').instance()\ninstance()\n")
    assert list(scan.instances_opened(file)) == [2, 3]


def test_a_worlds_files_are_its_modules_and_no_caches(tmp_path):
    for name in ("b.py", "a.py", "tools/c.py", "tools/__pycache__/c.py", "x.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert [str(file.relative_to(tmp_path)) for file in scan.python_files(tmp_path)] == ["a.py", "b.py", "tools/c.py"]
