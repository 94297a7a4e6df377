"""What does pytest give the tests of a world, with nothing to set up?

Fixtures: `world`, and `instance`, which is a fresh one for every test. The marker `seahaven` says how it begins:

    @pytest.mark.seahaven("small_startup", seed=3)
    def test_it(instance): ...
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import seahaven

if TYPE_CHECKING:
    from worlds.engine import Instance, World

#: What the marker takes besides the fixture.
OPTIONS = ("world", "seed", "now", "clock_mode", "state_format", "task", "startup", "setup_sql", "episode_id")
_HOW = '@pytest.mark.seahaven("small_startup", seed=1); None instead of a fixture is a start with no rows'


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the command line and the settings of pytest name the world."""
    parser.getgroup("seahaven").addoption(
        "--seahaven-world", metavar="NAME", help="the world whose instances the fixtures `world` and `instance` are"
    )
    parser.addini(
        "seahaven_world", "the world of the fixtures `world` and `instance`, unless --seahaven-world names one"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers", f"seahaven(fixture, *, {', '.join(OPTIONS)}): how the `instance` of a test begins, as reset takes it"
    )


@pytest.fixture(scope="session")
def world(request: pytest.FixtureRequest) -> World:
    """The world that is tested: the one that is named, or the only one installed."""
    name = request.config.getoption("--seahaven-world") or request.config.getini("seahaven_world")
    if name:
        return seahaven.world(name)
    installed = seahaven.worlds()
    if len(installed) == 1:
        return seahaven.world(installed[0])
    raise pytest.UsageError(
        f"which world is tested? {', '.join(installed) or 'None'} installed; say --seahaven-world NAME, write "
        f'seahaven_world = "NAME" under [tool.pytest.ini_options], or @pytest.mark.seahaven(…, world="NAME")'
    )


@pytest.fixture
def instance(request: pytest.FixtureRequest) -> Iterator[Instance]:
    """An instance of its own for each test, begun as its marker `seahaven` says and destroyed in the end."""
    fixture, options = _start(request.node)
    name = options.pop("world", None)
    chosen: World = request.getfixturevalue("world") if name is None else seahaven.world(name)
    begun = chosen.instance(fixture, **options)
    try:
        yield begun
    finally:
        begun.destroy()


def _start(item: Any) -> tuple[str | None, dict[str, Any]]:
    """What the nearest marker says: that of the test, else of its class, else of its module."""
    __tracebackhide__ = True
    found = list(item.iter_markers_with_node("seahaven"))
    if not found:
        pytest.fail(f"the fixture `instance` needs to know where to begin: {_HOW}", pytrace=False)
    node, marker = found[0]
    if sum(each is node for each, _ in found) > 1:
        pytest.fail(f"{node.name} has two markers `seahaven`; keep one, it says all", pytrace=False)
    options = dict(marker.kwargs)
    given = [*marker.args, *([options.pop("fixture")] if "fixture" in options else [])]
    if len(given) != 1:
        what = "no fixture" if not given else f"{len(given)} fixtures, {', '.join(map(repr, given))}"
        pytest.fail(f"the marker `seahaven` of {node.name} names {what}; write {_HOW}", pytrace=False)
    if strange := sorted(set(options) - set(OPTIONS)):
        pytest.fail(
            f"the marker `seahaven` of {node.name} has no {strange[0]!r}; it takes: {', '.join(OPTIONS)}", pytrace=False
        )
    return given[0], options
