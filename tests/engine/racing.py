"""How do tests let two processes do one thing at the same moment?"""

import os
import subprocess
import sys
from pathlib import Path

_SCRIPT = """
import sys
from pathlib import Path
import django
django.setup()
{prepared}
print("ready", flush=True)
sys.stdin.readline()
{raced}
"""


def race(prepared, raced, *arguments):
    """Run `raced` in two processes at once, each after its `prepared`; answers what each of them complained of."""
    script = _SCRIPT.format(prepared=prepared, raced=raced)
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", script, *map(str, arguments)],
            env={**os.environ, "SEAHAVEN_LOG_LEVEL": "WARNING"},
            cwd=Path(__file__).resolve().parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    return [racer.communicate()[1] for racer in racers]
