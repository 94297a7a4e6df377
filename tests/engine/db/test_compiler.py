"""Are the link rows of a many-to-many field the same in every process?"""

import os
import subprocess
import sys

SCRIPT = """
import os, django
django.setup()
from worlds.engine import installed
with installed.get("lab").instance(seed=1, now="2026-06-01T09:00:00Z") as inst:
    for name in ("A", "B", "C", "D", "E"):
        inst.call("make_box", name=name)
    with inst.bulk() as ctx:
        from tests.worlds.lab.models import Box, Tag
        tag = Tag.objects.create(code="red")
        tag.boxes.add(*Box.objects.all())
        tag.boxes.set(Box.objects.exclude(name="B"))
    print(inst.inspect().rows("SELECT id, box_id FROM tags_boxes ORDER BY id"))
"""


def test_adding_several_links_at_once_replays_whatever_the_processes_hash_seed():
    seen = set()
    for hash_seed in ("0", "1", "2"):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": hash_seed,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "SEAHAVEN_LOG_LEVEL": "ERROR",
        }
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        seen.add(run.stdout)
    assert len(seen) == 1
    assert seen.pop().count("box_id") == 4
