"""Which benchmark is wanted?

python -m benchmarks                     every one, against a server it starts
python -m benchmarks in-process …        instances and calls in one Python process
python -m benchmarks composed …          an instance of several worlds, and calls between them
python -m benchmarks serving …           an OpenEnv server over its WebSocket, ours or another
python -m benchmarks rest …              calls over the REST API, beside the WebSocket's
python -m benchmarks doors …             calls a second in process, over OpenEnv, REST and MCP, in one run
python -m benchmarks pages …             pages of the console, with 300 instances open and a table of 100,000 rows
python -m benchmarks recording …         what it costs to record episodes
python -m benchmarks stripe …            Stripe World's API, beside localstripe's
python -m benchmarks mcp-calls …         calls over MCP, on pipes and over HTTP
python -m benchmarks mcp-sessions …      a thousand MCP sessions at once, and thousands that come and go; takes minutes
"""

from __future__ import annotations

import sys

from benchmarks import composed, doors, in_process, mcp_calls, mcp_sessions, pages, recording, rest, serving, stripe


def main() -> None:
    chosen, *options = sys.argv[1:] or ["all"]
    if chosen == "in-process":
        in_process.main(options)
    elif chosen == "composed":
        composed.main(options)
    elif chosen == "serving":
        serving.main(options)
    elif chosen == "rest":
        rest.main(options)
    elif chosen == "doors":
        doors.main(options)
    elif chosen == "pages":
        pages.main(options)
    elif chosen == "recording":
        recording.main(options)
    elif chosen == "stripe":
        stripe.main(options)
    elif chosen == "mcp-calls":
        mcp_calls.main(options)
    elif chosen == "mcp-sessions":
        mcp_sessions.main(options)
    elif chosen == "all":
        in_process.main([])
        composed.main([])
        serving.main([])
        rest.main([])
        doors.main([])
        recording.main([])
        mcp_calls.main([])
        pages.main([])
        stripe.main([])
    else:
        sys.exit(f"{chosen!r} is no benchmark.\n{__doc__}")


if __name__ == "__main__":
    main()
