"""How does a long log reach a client that reads it to its end?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from django.http import StreamingHttpResponse

#: So many lines are sent together.
LINES = 500
MEDIA_TYPE = "application/x-ndjson"


def lines(records: Sequence[bytes]) -> StreamingHttpResponse:
    """Newline-delimited JSON, a record a line.

    Sent as fast as the client reads; what is kept meanwhile is the list of records, which the log has anyway.
    """
    return StreamingHttpResponse(_chunks(records), content_type=MEDIA_TYPE)


async def _chunks(records: Sequence[bytes]) -> AsyncIterator[bytes]:
    for start in range(0, len(records), LINES):
        yield b"\n".join(records[start : start + LINES]) + b"\n"
