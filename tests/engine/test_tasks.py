"""Is a task what its grader says it is, and a mistake in one named with the edit?"""

import copy

import pytest

from tests.engine.workbench import lab
from worlds.engine import WorldBug, installed


@pytest.fixture
def world():
    return copy.copy(installed.get("lab"))


def test_a_grader_becomes_a_task_of_its_own_world(world):
    @world.task(fixture=None, seed=3, startup={"greeting": "hi"})
    def make_a_box(document):
        """Make one box."""
        return len(document["state"]["db"]["log"])

    task = world.tasks["make_a_box"]
    assert (task.instruction, task.fixture, task.seed, task.startup) == ("Make one box.", None, 3, {"greeting": "hi"})
    assert task.as_dict() == {"id": "make_a_box", "instruction": "Make one box."}
    assert dict(installed.get("lab").tasks) == {}
    with lab() as inst:
        assert task.grade(inst.state()) == 0.0
        inst.call("make_box", name="a")
        assert task.grade(inst.state()) == 1.0


def test_the_instruction_may_be_given_apart(world):
    world.task(lambda document: 1, fixture="small", id="look", instruction="  Look.\n  Twice.")
    assert world.tasks["look"].instruction == "Look.\nTwice."


def asks(document):
    """Do it."""
    return 1


def silent(document):
    return 1


def takes_two(document, more):
    """Do it."""


async def waits(document):
    """Do it."""


@pytest.mark.parametrize(
    ("grader", "options", "says"),
    [
        (silent, {}, "task silent asks nothing; write the instruction as the docstring of silent"),
        (takes_two, {}, "must take one state document"),
        (waits, {}, "must be a plain function"),
        (asks, {"id": "no/name"}, "a task id"),
    ],
)
def test_what_is_no_task_is_refused_with_the_edit(world, grader, options, says):
    with pytest.raises(WorldBug, match=says):
        world.task(grader, fixture=None, **options)


def test_two_tasks_have_two_ids(world):
    world.task(asks, fixture=None)
    with pytest.raises(WorldBug, match="has a task 'asks' already; give one of the two another id="):
        world.task(asks, fixture=None)


@pytest.mark.parametrize("answer", [True, None, "1", float("nan")])
def test_a_grade_is_a_number(world, answer):
    world.task(lambda document: answer, fixture=None, id="x", instruction="Do it.")
    with pytest.raises(WorldBug, match="the grader of task x answered .*; let it return a number"):
        world.tasks["x"].grade({})
