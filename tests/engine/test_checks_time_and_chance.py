import textwrap

import pytest

from worlds.engine.checking import importing, sources, time_and_chance


@pytest.fixture
def found(tmp_path):
    """What is found in a module of the given text: [(line, name, kind)]."""

    def look(text):
        file = tmp_path / "module.py"
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        source = sources.Source(file, "world.module")
        return [(use.node.lineno, use.name, use.kind) for use in time_and_chance.uses(source)]

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
        ("from datetime import datetime\ndatetime.today()", "datetime.datetime.today"),
        ("import time\ntime.time_ns()", "time.time_ns"),
        ("import time\ntime.localtime()", "time.localtime"),
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
        ("import uuid\nuuid.uuid1()", "uuid.uuid1"),
        ("import numpy as np\nnp.random.rand()", "numpy.random.rand"),
        ("import numpy as np\nnp.random.default_rng()", "numpy.random.default_rng"),
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
        from . import secrets  # time.time()
        import numpy as np
        rng = np.random.default_rng(5)

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
            return "time.time()"

        def annotated(r: Random) -> random.Random: ...
        '''
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "found_at"),
    [
        ("default = timezone.now()", [(2, "django.utils.timezone.now", "import")]),
        ("class Row:\n    at = field(default=timezone.now())", [(3, "django.utils.timezone.now", "import")]),
        ("def tool(ctx, at=timezone.now()): ...", [(2, "django.utils.timezone.now", "import")]),
        ("class Row:\n    at = field(default=timezone.now)", []),
        ("def tool(ctx):\n    return timezone.now()", []),
        ("later = lambda: timezone.now()", []),
    ],
)
def test_djangos_clock_is_the_hosts_while_a_module_is_imported(found, text, found_at):
    assert found(f"from django.utils import timezone\n{text}\n") == found_at


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("ctx.instance\nworld.instance('x')\nget('crm').instance()\ninstance()\n", [2, 3]),
        ("'world.instance()'  # world.instance()\n", []),
    ],
)
def test_instances_that_are_opened_are_found(tmp_path, text, lines):
    file = tmp_path / "m.py"
    file.write_text(text)
    assert list(importing.instances_opened(sources.Source(file, "m"))) == lines


def test_a_worlds_files_are_its_modules_and_no_caches_and_no_tests(tmp_path):
    for name in (
        "b.py",
        "a.py",
        "tools/c.py",
        "tools/__pycache__/c.py",
        "tests/d.py",
        "test_e.py",
        "conftest.py",
        "x.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = [str(file.relative_to(tmp_path)) for file in sources.python_files(tmp_path)]
    assert found == ["a.py", "b.py", "tools/c.py"]


@pytest.mark.parametrize(
    ("line", "silences"),
    [
        ("time.time()  # worlds.E201: measured, never stored", [(("worlds.E201",), "measured, never stored")]),
        ("time.time()  #worlds.E201:why", [(("worlds.E201",), "why")]),
        ("f()  # noqa: X1  # worlds.E201, worlds.E202: why", [(("worlds.E201", "worlds.E202"), "why")]),
        ("time.time()  # worlds.E201:", [(("worlds.E201",), "")]),
        ("time.time()  # worlds.E201", [(("worlds.E201",), "")]),
        ("text = '# worlds.E201: only text'", []),
        ("time.time()", []),
    ],
)
def test_a_comment_silences_with_a_reason_and_text_does_not(tmp_path, line, silences):
    file = tmp_path / "m.py"
    file.write_text(f"{line}\n")
    assert [(each.ids, each.reason) for each in sources.Source(file, "m").silences] == silences
