import types

import pytest

from worlds.engine import World, WorldBug, declaring


def module(name):
    """A module's functions, as decorators find them."""
    return types.SimpleNamespace(
        layer=_named(lambda ctx, call, next_: next_(call), name),
        hook=_named(lambda ctx: None, name),
        handler=_named(lambda ctx, payload: None, name),
        formatter=_named(lambda world, instance: {}, name),
        recipe=_named(lambda inst: None, name),
    )


def _named(fn, module):
    fn.__module__, fn.__doc__ = module, "A fixture."
    return fn


def take(package):
    world = World("shop", version="1")
    for register in declaring.take_pending(package):
        register(world)
    return world


def test_what_the_modules_of_an_app_declare_goes_to_its_world_and_to_no_other():
    mine, others = module("shop.rules.deep"), module("shopping")
    for declared in (mine, others):
        assert declaring.middleware(declared.layer) is declared.layer
        assert declaring.instance_startup(declared.hook) is declared.hook
        assert declaring.event_handler(name="h")(declared.handler) is declared.handler
        assert declaring.state_format("own/1")(declared.formatter) is declared.formatter
        assert declaring.recipe(id="r", committed=False)(declared.recipe) is declared.recipe
    world = take("shop")
    assert [layer.fn for layer in world.middlewares] == [mine.layer]
    assert [hook.fn for hook in world.startup_hooks] == [mine.hook]
    assert dict(world.event_handlers) == {"h": mine.handler}
    assert dict(world.state_formats) == {"own/1": mine.formatter}
    assert world.recipes["r"].fn is mine.recipe
    assert take("shop").middlewares == ()
    assert [layer.fn for layer in take("shopping").middlewares] == [others.layer]


def test_a_module_declares_in_the_order_it_is_written():
    layers = [_named(lambda ctx, call, next_: None, "ordered") for _ in range(3)]
    for number, layer in enumerate(layers):
        declaring.middleware(in_transaction=number == 1)(layer)
    assert [(each.fn, each.in_transaction) for each in take("ordered").middlewares] == [
        (layers[0], False),
        (layers[1], True),
        (layers[2], False),
    ]


def test_a_declaration_that_does_not_fit_is_refused_when_the_world_takes_it():
    declaring.middleware(_named(lambda ctx: None, "wrong"))
    with pytest.raises(WorldBug, match=r"must take \(ctx, call, next_\)"):
        take("wrong")


@pytest.mark.parametrize("verb", ["middleware", "instance_startup", "event_handler", "recipe"])
def test_each_decorator_says_what_it_is(verb):
    decorator = getattr(declaring, verb)
    assert decorator.__name__ == verb
    assert verb in decorator.__doc__
