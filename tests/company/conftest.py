"""What do the company's tests share?"""

from collections.abc import Iterator

import pytest

from worlds.engine import Instance, ToolError, World, installed


@pytest.fixture(scope="session")
def world() -> World:
    return installed.get("company")


@pytest.fixture
def studio(world: World) -> Iterator[Instance]:
    """Fieldnote Studio, the agency."""
    with world.instance("agency", seed=1) as inst:
        yield inst


@pytest.fixture
def larkspur(world: World) -> Iterator[Instance]:
    with world.instance("small_startup", seed=1) as inst:
        yield inst


@pytest.fixture
def refused():
    """Call a tool that is to refuse: answers the error, having seen that nothing was changed in any store."""

    def call(inst: Instance, tool: str, **arguments: object) -> ToolError:
        before = inst.change_log()
        with pytest.raises(ToolError) as caught:
            inst.call(tool, **arguments)
        assert inst.change_log() == before
        return caught.value

    return call


def one(inst: Instance, sql: str, *params: object) -> dict:
    """The one row of a query that joins what it likes."""
    found = inst.inspect().rows(sql, *params)
    assert len(found) == 1, found
    return found[0]
