import copy
from typing import Any

import pytest

from worlds.engine import Ctx, Tool, World, WorldBug
from worlds.engine.composing import tree_of


class MyWorlds:
    pass


@pytest.fixture
def world():
    return World("shop", version="1.0.0")


def a_tool(ctx: Ctx) -> None:
    """Do nothing."""


# The declaration


@pytest.mark.parametrize("name", ["crm", "My World-1.0", "a", "x" * 128, "con-sole", "a.b"])
def test_a_name_is_what_may_be_a_folder_on_every_system(name):
    assert World(name, version="1").name == name


@pytest.mark.parametrize("name", ["", "a/b", "é", "con.txt", "NUL", " x", "x ", "x.", ".x", "x" * 129, "a\n", None, 5])
def test_other_names_are_refused(name):
    with pytest.raises(WorldBug, match="is not a world name: "):
        World(name, version="1")


def test_a_world_says_what_it_is_when_nothing_is_said_of_it(world):
    assert (world.description, world.default_clock_mode) == ("Seahaven world shop", "tick")
    assert (world.pinned_format, world.untracked_tables) == ("seahaven.state/1", frozenset())
    assert repr(world) == "<World shop 1.0.0>"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"default_clock_mode": "slow"}, "default_clock_mode is 'slow'; choose one of fixed, tick, running, wall"),
        ({"state_format": "mine"}, "'mine' is no state format's name; write family/1"),
        ({"untracked_tables": "logs"}, r"untracked_tables is a tuple of names; write \('logs',\)"),
    ],
)
def test_a_declaration_that_does_not_fit_is_refused(options, message):
    with pytest.raises(WorldBug, match=message):
        World("shop", version="1", **options)


def test_the_views_are_read_only(world):
    world.tool(a_tool)
    for view in (world.tools, world.state_formats, world.event_handlers, world.recipes):
        with pytest.raises(TypeError):
            view["x"] = None
    assert isinstance(world.middlewares, tuple)
    assert isinstance(world.startup_hooks, tuple)


def test_every_verb_is_a_decorator_and_a_call_and_answers_the_function(world):
    def layer(ctx, call, next_): ...

    def hook(ctx): ...

    def handler(ctx, payload): ...

    def made(inst):
        """A fixture."""

    assert world.tool(a_tool) is a_tool
    assert world.tool(name="other")(a_tool) is a_tool
    assert world.middleware(layer) is layer
    assert world.middleware(in_transaction=True)(layer) is layer
    assert world.instance_startup(hook) is hook
    assert world.event_handler(handler) is handler
    assert world.event_handler(name="x")(handler) is handler
    assert world.state_format("own/1")(handler) is handler
    assert world.recipe(made) is made
    assert world.recipe(id="two", committed=False)(made) is made
    assert list(world.tools) == ["a_tool", "other"]
    assert [layer.in_transaction for layer in world.middlewares] == [False, True]
    assert list(world.event_handlers) == ["handler", "x"]
    assert [(r.id, r.committed, r.description) for r in world.recipes.values()] == [
        ("made", True, "A fixture."),
        ("two", False, "A fixture."),
    ]


# Tools


def test_two_tools_cannot_share_a_name(world):
    world.tool(a_tool)
    with pytest.raises(WorldBug, match="world shop has a tool 'a_tool' already"):
        world.tool(a_tool)


def test_a_tool_that_is_built_already_is_registered_as_it_is(world):
    built = Tool.from_function(a_tool, name="built", description="As it is.")
    world.tool(built)
    assert world.tools["built"] is built


def test_a_function_that_is_two_tools_must_be_called_by_name(world):
    world.tool(a_tool)
    assert tree_of(world).tool_of(a_tool).tool.name == "a_tool"
    world.tool(a_tool, name="twin")
    with pytest.raises(WorldBug, match="a_tool is 2 tools of world shop: a_tool, twin; use a name"):
        tree_of(world).tool_of(a_tool)
    with pytest.raises(WorldBug, match="<lambda> is no tool of world shop; decorate it"):
        tree_of(world).tool_of(lambda ctx: None)


# Middleware, hooks, handlers, formats


async def soon(ctx, call, next_): ...


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (lambda ctx, call: None, r"must take \(ctx, call, next_\)"),
        (lambda ctx, call, next_, more: None, r"must take \(ctx, call, next_\)"),
        (lambda *, ctx, call, next_: None, r"must take \(ctx, call, next_\)"),
        (5, "5 cannot be called"),
        (soon, "soon is async; worlds run synchronously"),
    ],
)
def test_middleware_of_another_shape_is_refused_at_once(world, fn, message):
    with pytest.raises(WorldBug, match=message):
        world.middleware(fn)
    assert world.middlewares == ()


def test_middleware_may_be_any_callable_of_three(world):
    class Layer:
        def __call__(self, ctx, call, next_): ...

    world.middleware(Layer())
    world.middleware(lambda *args: None)
    world.middleware(lambda ctx, call, next_, more=None: None)
    assert len(world.middlewares) == 3


def no_context(): ...


def keyword_context(*, ctx): ...


def other_context(ctx: int): ...


def positional(ctx, level): ...


async def soon_started(ctx): ...


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (no_context, "no_context must take ctx first"),
        (keyword_context, "keyword_context must take ctx first"),
        (other_context, "its first parameter is the context, annotate it Ctx"),
        (positional, r"put 'level' after \*, as a keyword"),
        (soon_started, "must be a plain function"),
        ("x", "must be a plain function"),
    ],
)
def test_startup_hooks_of_another_shape_are_refused_at_once(world, fn, message):
    with pytest.raises(WorldBug, match=message):
        world.instance_startup(fn)
    assert world.startup_hooks == ()


@pytest.mark.parametrize("annotation", [Ctx, Ctx[MyWorlds], "Ctx", "Ctx[MyWorlds]", "engine.Ctx[Any]"])
def test_the_context_of_a_hook_may_name_its_worlds_as_a_type_or_as_text(world, annotation):
    def hook(ctx, *, level: int = 0): ...

    hook.__annotations__["ctx"] = annotation
    world.instance_startup(hook)
    assert world.startup_hooks[0].keywords == {"level"}


def test_an_event_handler_takes_a_payload_and_has_a_name_of_its_own(world):
    def handler(ctx, payload): ...

    world.event_handler(handler)
    with pytest.raises(WorldBug, match="has an event handler 'handler' already"):
        world.event_handler(handler)
    with pytest.raises(WorldBug, match=r"must take \(ctx, payload\)"):
        world.event_handler(lambda ctx: None)


@pytest.mark.parametrize("name", ["mine", "mine/0", "mine/01", "mine/x", "/1", "mine/1/2", "", None, "my fmt/1"])
def test_a_formats_name_is_a_family_and_a_number(world, name):
    with pytest.raises(WorldBug, match="is no state format's name"):
        world.state_format(name)


def test_a_formats_name_is_free_and_not_the_engines_and_its_function_takes_world_and_instance(world):
    world.state_format("mine/1")(lambda world, instance: {})
    with pytest.raises(WorldBug, match="has a state format 'mine/1' already"):
        world.state_format("mine/1")
    for name in ("seahaven.state/2", "seahaven.state+mine/1"):
        with pytest.raises(WorldBug, match=r"formats named seahaven.\* are the engine's"):
            world.state_format(name)
    with pytest.raises(WorldBug, match=r"must take \(world, instance\)"):
        world.state_format("mine/2")(lambda world: {})
    assert list(world.state_formats) == ["mine/1"]


# Recipes


def test_a_recipe_needs_a_docstring_and_a_name_of_its_own(world):
    def small(inst: Any) -> None:
        """A small shop.

        With nothing in it.
        """

    world.recipe(small)
    recipe = world.recipes["small"]
    assert recipe.description == "A small shop.\n\nWith nothing in it."
    assert (recipe.parent, recipe.now, recipe.seed) == (None, "2026-06-01T09:00:00.000Z", 0)
    with pytest.raises(WorldBug, match="has a recipe 'small' already"):
        world.recipe(small)
    with pytest.raises(WorldBug, match="recipe <lambda> has no docstring|is not a fixture id"):
        world.recipe(lambda inst: None)
    with pytest.raises(WorldBug, match="recipe bare has no docstring; it is the fixture's description"):
        world.recipe(lambda inst: None, id="bare")
    with pytest.raises(WorldBug, match="is not a fixture id"):
        world.recipe(small, id="a/b")
    with pytest.raises(WorldBug, match="now of recipe late is 'late', which is no instant"):
        world.recipe(small, id="late", now="late")


def test_a_recipe_begins_when_it_says_or_when_its_parent_was_frozen_or_at_one_fixed_time(world):
    def made(inst: Any) -> None:
        """A fixture."""

    world.recipe(made, id="a")
    world.recipe(made, id="b", parent="a")
    world.recipe(made, id="c", parent="a", now="2027-01-01T01:00:00+01:00")
    begins = [recipe.now for recipe in world.recipes.values()]
    assert begins == ["2026-06-01T09:00:00.000Z", None, "2027-01-01T00:00:00.000Z"]


# Copies


def test_what_is_registered_with_a_copy_is_unknown_to_the_original(world):
    world.tool(a_tool)
    twin = copy.copy(world)
    assert list(twin.tools) == ["a_tool"]
    twin.tool(a_tool, name="more")
    twin.middleware(lambda ctx, call, next_: None)
    twin.instance_startup(lambda ctx: None)
    twin.event_handler(lambda ctx, payload: None, name="h")
    twin.state_format("own/1")(lambda world, instance: {})
    twin.app_labels = ("other",)
    assert list(world.tools) == ["a_tool"]
    assert (world.middlewares, world.startup_hooks, world.event_handlers, world.state_formats) == ((), (), {}, {})
    assert world.app_labels == ()
    assert (type(twin), twin.name) == (World, "shop")
