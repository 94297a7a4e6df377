"""Which benchmark is wanted?

python -m benchmarks                     every one, against a server it starts
python -m benchmarks in-process …        instances and calls in one Python process
python -m benchmarks composed …          an instance of several worlds, and calls between them
python -m benchmarks serving …           an OpenEnv server over its WebSocket, ours or another
"""

from __future__ import annotations

import sys

from benchmarks import composed, in_process, serving


def main() -> None:
    chosen, *rest = sys.argv[1:] or ["all"]
    if chosen == "in-process":
        in_process.main(rest)
    elif chosen == "composed":
        composed.main(rest)
    elif chosen == "serving":
        serving.main(rest)
    elif chosen == "all":
        in_process.main([])
        composed.main([])
        serving.main([])
    else:
        sys.exit(f"{chosen!r} is no benchmark.\n{__doc__}")


if __name__ == "__main__":
    main()
