"""How does a recorded episode become an instance again?"""

from __future__ import annotations

from django.conf import settings

from worlds.engine import episode_documents, replaying
from worlds.engine.hosting import HOSTS, LANES, Hosted
from worlds.engine.replaying import Replay

#: The instance is for people, who look at it in the console.
DOOR = "console"
#: A replay makes many calls, so it has this many times as long as one.
PATIENCE = 5


async def reopen(document: bytes) -> tuple[Hosted, Replay]:
    """Make the moves of an episode again on a new instance; answers it, and how it went.

    Raises: EpisodeError for what cannot be replayed here; HostFull; CallTimeout.
    """
    episode = episode_documents.read(document)
    world = replaying.target(episode, None)
    with HOSTS.place():
        instance, done = await LANES.lane().run(
            replaying.rebuild, episode, world, timeout_s=settings.SEAHAVEN_CALL_TIMEOUT_S * PATIENCE
        )
        hosted = Hosted(world, instance.start, door=DOOR, idle_s=settings.SEAHAVEN_INSTANCE_IDLE_S)
        return hosted.adopt(instance), done
