"""Is a store behind the aliases for the length of a block, and everything as before after it?"""

import threading
from typing import Any

import pytest
from django.db import connections

from tests.engine.workbench import lab
from worlds.engine import active
from worlds.engine.db import binding
from worlds.engine.errors import WorldBug


def wrapper() -> Any:
    """Something to stand for a store's connection."""
    return object()


def aliases():
    """What stands behind the aliases on this thread, without opening anything."""
    here = connections._connections  # type: ignore[attr-defined]
    return {alias: getattr(here, alias, None) for alias in connections.settings}


def test_aliases_are_after_a_block_what_they_were_before_it():
    before = aliases()
    with lab() as inst:
        with inst.inspecting():
            inside = aliases()
            assert inside["default"] is inside["world"] is not None
        assert aliases() == before
        with pytest.raises(ZeroDivisionError), inst.inspecting():
            raise ZeroDivisionError
        assert aliases() == before
        with lab() as other, other.inspecting(), pytest.raises(WorldBug):
            inst.call("list_boxes")
        assert aliases() == before
    assert active.current() is None


def test_bindings_nest_and_come_off_in_order():
    before, one, two = aliases(), wrapper(), wrapper()
    outer = binding.bind(one)
    inner = binding.bind(two)
    assert connections["world"] is connections["default"] is two
    binding.unbind(inner)
    assert connections["world"] is connections["default"] is one
    binding.unbind(outer)
    assert aliases() == before


def test_a_binding_holds_on_its_own_thread_only():
    seen = []
    bound = binding.bind(wrapper())
    try:
        thread = threading.Thread(target=lambda: seen.append(aliases()))
        thread.start()
        thread.join()
    finally:
        binding.unbind(bound)
    assert seen == [dict.fromkeys(connections.settings)]


def test_what_stood_behind_an_alias_before_stands_there_again():
    control = wrapper()
    here = connections._connections  # type: ignore[attr-defined]
    before = aliases()["default"]
    here.default = control
    try:
        binding.unbind(binding.bind(wrapper()))
        assert connections["default"] is control
    finally:
        if before is None:
            del here.default
        else:
            here.default = before
