"""How does Django know the mail world?"""

from worlds.engine import World, WorldConfig


class MailConfig(WorldConfig):
    """The app of the mail world."""

    name = "worlds.mail"
    label = "mail"
    verbose_name = "Mail"
    world = World(
        "mail",
        version="1.0.0",
        description=(
            "Workplace mail: the mailboxes of a company with threads, drafts, scheduled sends, labels, filters, "
            "out-of-office replies and search."
        ),
    )
