"""How does another process replay what this one exported?

`python -m tests.engine.replays` reads documents, one a line, and prints for each what a replay said, one a line.
"""

import sys

import orjson


def world_of(document):
    """The world of a document, of those that only tests compose too."""
    from tests.engine.town import town
    from worlds.engine import installed

    return town if document.world.name == town.name else installed.get(document.world.name)


def said(data):
    """What a thorough replay of a document says: divergences, and what it did not get past."""
    from worlds.engine.episode_documents import read
    from worlds.engine.replaying import replay

    document = read(data)
    done = replay(document, world_of(document), thorough=True)
    return {"divergences": list(map(str, done.divergences)), "made": done.made, "stopped": done.stopped}


if __name__ == "__main__":
    import logging

    import django

    django.setup()
    logging.disable(logging.CRITICAL)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(orjson.dumps(said(line)) + b"\n")
        sys.stdout.buffer.flush()
