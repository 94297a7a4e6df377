"""What do the helpdesk's tests share?"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from worlds.engine import Instance, ToolError, World, installed


@pytest.fixture(scope="session")
def world() -> World:
    return installed.get("helpdesk")


@pytest.fixture
def desk(world: World) -> Iterator[Instance]:
    """An account with its admin Robin, three teams, the service levels and the first macros."""
    with world.instance("empty", seed=1) as inst:
        yield inst


@pytest.fixture
def startup(world: World) -> Iterator[Instance]:
    """The small account with some history."""
    with world.instance("small_startup", seed=1) as inst:
        yield inst


def position(inst: Instance) -> tuple[Any, ...]:
    """What calls have changed so far, and what is on the schedule."""
    return inst.change_log(), inst.inspect().rows("SELECT * FROM seahaven_events ORDER BY id")


@pytest.fixture
def refused(desk: Instance) -> Callable[..., ToolError]:
    """Call a tool that is to refuse: answers the error, having seen that nothing was changed."""

    def call(tool: str, inst: Instance = desk, **arguments: object) -> ToolError:
        before = position(inst)
        with pytest.raises(ToolError) as caught:
            inst.call(tool, **arguments)
        assert position(inst) == before
        return caught.value

    return call


@pytest.fixture
def ticket(desk: Instance) -> dict[str, Any]:
    """A new ticket of Ada's, assigned to nobody."""
    found: dict[str, Any] = desk.call(
        "create_ticket",
        subject="The engine stops",
        body="It stops after a minute.",
        requester_email="ada@example.com",
        requester_name="Ada Lovelace",
    )
    return found


@pytest.fixture
def me(desk: Instance) -> str:
    """The id of the acting agent."""
    return str(desk.call("list_agents")["current_agent_id"])


@pytest.fixture
def clocks(desk: Instance) -> Callable[[str], dict[str, Any]]:
    """The clocks of a ticket, by metric."""

    def read(ticket_id: str, inst: Instance = desk) -> dict[str, Any]:
        return {clock["metric"]: clock for clock in inst.call("get_ticket", ticket_id=ticket_id)["sla"]}

    return read
