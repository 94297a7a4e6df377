"""What do the mail world's tests share?"""

from collections.abc import Iterator

import pytest

from worlds.engine import Instance, ToolError, World, installed


@pytest.fixture(scope="session")
def world() -> World:
    return installed.get("mail")


@pytest.fixture
def mail(world: World) -> Iterator[Instance]:
    """A company of three: the admin Robin, whose mailbox is acted in, Theo, Ines, and a mailbox they share."""
    with world.instance("empty", seed=1) as inst:
        inst.call("create_mailbox", address="theo@firstday.app", name="Theo Marsh")
        inst.call("create_mailbox", address="ines@firstday.app", name="Ines Duarte", signature="Ines | Firstday")
        inst.call(
            "create_mailbox",
            address="hello@firstday.app",
            name="Firstday",
            kind="shared",
            aliases=["info@firstday.app"],
        )
        yield inst


@pytest.fixture
def startup(world: World) -> Iterator[Instance]:
    """The small company with some history."""
    with world.instance("small_startup", seed=1) as inst:
        yield inst


@pytest.fixture
def refused(mail: Instance):
    """Call a tool that is to refuse: answers the error, having seen that nothing was changed."""

    def call(tool: str, inst: Instance = mail, **arguments: object) -> ToolError:
        before, waiting = inst.change_log(), scheduled(inst)
        with pytest.raises(ToolError) as caught:
            inst.call(tool, **arguments)
        assert inst.change_log() == before
        assert scheduled(inst) == waiting
        return caught.value

    return call


def scheduled(inst: Instance) -> list[tuple[str, str]]:
    """What waits on the schedule: handler and time."""
    return [(row["handler"], row["at"]) for row in inst.inspect().rows("SELECT * FROM seahaven_events ORDER BY at, id")]


@pytest.fixture
def inbox(mail: Instance):
    """The messages in a mailbox's inbox, the latest first."""

    def found(address: str = "robin@firstday.app", query: str = "in:inbox") -> list[dict]:
        hits = mail.call("search_messages", mailbox=address, query=query, limit=100)["messages"]
        return [mail.call("get_message", message_id=hit["id"]) for hit in hits]

    return found


@pytest.fixture
def arrive(mail: Instance):
    """Let a message from outside arrive; answers what the gateway said of the first mailbox it reached."""

    def deliver(to: str = "robin@firstday.app", **arguments) -> dict:
        given = {"from_address": "ada@example.com", "from_name": "Ada", "subject": "Hello", "body": "Good morning."}
        answer = mail.call("deliver_external", to=[to], **{**given, **arguments})
        return {**answer["delivered"][0], "header_id": answer["message_id_header"]}

    return deliver
