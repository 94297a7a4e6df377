"""What do the CRM's tests share?"""

from collections.abc import Iterator

import pytest

from worlds.engine import Instance, ToolError, World, installed


@pytest.fixture(scope="session")
def world() -> World:
    return installed.get("crm")


@pytest.fixture
def crm(world: World) -> Iterator[Instance]:
    """An account with a pipeline, its admin Robin and nothing else."""
    with world.instance("empty", seed=1) as inst:
        yield inst


@pytest.fixture
def startup(world: World) -> Iterator[Instance]:
    """The small account with some history."""
    with world.instance("small_startup", seed=1) as inst:
        yield inst


@pytest.fixture
def refused(crm: Instance):
    """Call a tool that is to refuse: answers the error, having seen that nothing was changed."""

    def call(tool: str, inst: Instance = crm, **arguments: object) -> ToolError:
        before = inst.change_log()
        with pytest.raises(ToolError) as caught:
            inst.call(tool, **arguments)
        assert inst.change_log() == before
        return caught.value

    return call
