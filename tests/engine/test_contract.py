"""Does the contract find what a world breaks, and nothing in one that keeps it?"""

import copy
import itertools
import time
from typing import Any

import pytest
from pydantic import BaseModel

from tests.engine.workbench import lab, perform
from tests.worlds.lab.models import Box
from worlds.engine import Ctx, ToolError, WorldBug, contract, installed
from worlds.engine.contract import dump, examine

bank = installed.get("bank")
WAITS = ("slow", "spin")
counter = itertools.count()


def bank_with(*tools):
    """The bank, with tools besides."""
    world = copy.copy(bank)
    world._tools = dict(bank.tools)
    for tool in tools:
        world.tool(tool)
    return world


def put_box(ctx: Ctx, name: str) -> str:
    """Put a box there."""
    if Box.objects.filter(name=name).exists():
        raise ToolError("taken", f"A box named {name} exists")
    return Box.objects.create(id=f"box_{ctx.ids.token(12)}", name=name).id


def boxes_with(*tools):
    """The lab, with nothing but these tools and `put_box`."""
    world = copy.copy(installed.get("lab"))
    world._tools = {}
    for tool in (put_box, *tools):
        world.tool(tool)
    return world


def breaches(world, **options):
    asked: dict[str, Any] = {"skip": set(WAITS) & set(world.tools), "rounds": 4} | options
    return examine(world, None, **asked).breaches


def test_a_world_that_keeps_its_promises_has_no_breach():
    found = examine(bank, None, skip=WAITS)
    assert found.breaches == []
    assert found.answered["deposit"] == 6
    assert found.refused["boom"] == 6
    assert "slow" not in found.answered


def test_ids_in_rows_reach_the_tools_that_ask_for_them():
    def open_box(ctx: Ctx, box_id: str) -> dict:
        """Open a box."""
        return {"name": Box.objects.get(id=box_id).name if Box.objects.filter(id=box_id).exists() else None}

    def find(ctx: Ctx, name: str) -> bool:
        """Is there a box of that name?"""
        return Box.objects.filter(name=name).exists()

    world = boxes_with(open_box, find)
    begun = world.instance

    def instance(*args: Any, **options: Any) -> Any:
        inst = begun(*args, **options)
        inst.call("put_box", name="sea chest")
        return inst

    world.instance = instance
    hits = []
    find_was = contract._Examination._answer

    def noting(self, inst, tool, arguments, **more):
        answer = find_was(self, inst, tool, arguments, **more)
        hits.append((tool, answer["answer"]))
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contract._Examination, "_answer", noting)
        assert breaches(world, rules=("calls",), rounds=8) == []
    assert ("open_box", {"name": "sea chest"}) in hits
    assert ("find", True) in hits


def a_clock(ctx: Ctx) -> float:
    """Tell the time of the machine."""
    return time.time()


def a_counter(ctx: Ctx) -> int:
    """Count in the process."""
    return next(counter)


def a_bug(ctx: Ctx, name: str) -> str:
    """Look up what is not there."""
    nothing: dict[str, str] = {}
    return nothing[name]


def an_object(ctx: Ctx) -> Any:
    """Answer what is no JSON."""
    return object()


def an_unordered_list(ctx: Ctx) -> list[str]:
    """List the boxes as they come."""
    return list(Box.objects.values_list("name", flat=True))


def an_ordered_list(ctx: Ctx) -> list[str]:
    """List the boxes by name."""
    return list(Box.objects.order_by("name").values_list("name", flat=True))


@pytest.mark.parametrize(
    ("tool", "rules", "says"),
    [
        (a_clock, {"replay", "fork", "order"}, "state outside the models"),
        (a_counter, {"replay", "fork", "order"}, "state outside the models"),
        (a_bug, {"calls"}, "ends in KeyError"),
        (an_object, {"calls"}, "object"),
        (an_unordered_list, {"order"}, "order_by"),
        (an_ordered_list, set(), ""),
    ],
)
def test_what_a_tool_gets_wrong_is_named_with_the_edit(tool, rules, says):
    found = breaches(boxes_with(tool))
    assert {breach.rule for breach in found} - {"arguments"} == rules
    assert says in " ".join(map(str, found))
    if rules:
        assert any(f"tool {tool.__name__}" in breach.place for breach in found)


def test_a_tool_that_takes_what_its_schema_does_not_is_found():
    class Loose(BaseModel):
        size: int

    def take(ctx: Ctx, size: int) -> int:
        """Take a size."""
        return size

    world = boxes_with(take)
    validate = type(world.tools["take"]).validate

    def lenient(self, arguments):
        if self.name != "take":
            return validate(self, arguments)
        return {"size": Loose(size=1).size}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(world.tools["take"]), "validate", lenient)
        found = breaches(world, rules=("arguments",))
    assert {breach.what for breach in found} == {
        "size is taken and does not fit the schema",
        "no_such_argument is taken and does not fit the schema",
    }


def test_a_refusal_that_does_not_say_what_is_wrong_is_found():
    def sulk(ctx: Ctx, size: int) -> int:
        """Take a size."""
        return size

    world = boxes_with(sulk)
    validate = type(world.tools["sulk"]).validate

    def sulking(self, arguments):
        if self.name == "sulk" and set(arguments) != {"size"}:
            raise ToolError("no", "No.")
        return validate(self, arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(world.tools["sulk"]), "validate", sulking)
        (missing, unknown) = breaches(world, rules=("arguments",))
    assert (missing.what, missing.arguments) == ("the refusal does not name size: No.", "{}")
    assert "does not name no_such_argument" in unknown.what


def test_a_start_that_is_not_the_same_again_is_found():
    world = boxes_with()

    @world.instance_startup
    def fill(ctx: Ctx) -> None:
        Box.objects.create(id=str(next(counter)), name="a")

    (breach,) = breaches(world, rules=("start",), seeds=(1,))
    assert breach.what == "two resets differ in main.boxes"


def test_a_dump_tells_every_table_and_any_change():
    with lab() as inst, lab() as other:
        assert dump(inst) == dump(other)
        perform(inst, lambda ctx: Box.objects.create(id="b", name="b"))
        (changed,) = set(dump(inst)) - set(dump(other))
        assert changed[:2] == ("main.boxes", 1)


@pytest.mark.parametrize(("options", "says"), [({"rules": ["colour"]}, "rule"), ({"skip": ["nope"]}, "tool to skip")])
def test_what_is_not_there_is_said(options, says):
    with pytest.raises(WorldBug, match=f"there is no {says}"):
        examine(bank, None, **options)
