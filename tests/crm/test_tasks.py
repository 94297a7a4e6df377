"""Is a task of the CRM worth something when it is done, and nothing when it is not or more was touched?"""

import pytest

from worlds.crm.tasks import AMELIES_DEAL, PROPOSED_CENTS, ROWENA

DONE = {
    "respect_an_opt_out": ("update_lead", {"lead_id": ROWENA, "do_not_email": True}),
    "name_the_price_that_was_agreed": ("update_deal", {"deal_id": AMELIES_DEAL, "amount_cents": PROPOSED_CENTS}),
}
WRONG = {
    "respect_an_opt_out": ("update_lead", {"lead_id": ROWENA, "do_not_email": True, "status": "unqualified"}),
    "name_the_price_that_was_agreed": ("update_deal", {"deal_id": AMELIES_DEAL, "amount_cents": PROPOSED_CENTS - 1}),
}


@pytest.fixture(params=sorted(DONE))
def task(request, world):
    return world.tasks[request.param]


def begun(world, task):
    return world.instance(task.fixture, seed=1, task=task.as_dict())


def test_every_task_has_a_test(world):
    assert set(DONE) == set(WRONG) == set(world.tasks)
    assert all(each.fixture in world.fixture_ids() for each in world.tasks.values())


def test_done_is_worth_all_and_not_begun_nothing(world, task):
    with begun(world, task) as inst:
        assert task.grade(inst.state()) == 0
        tool, arguments = DONE[task.id]
        inst.call(tool, **arguments)
        assert task.grade(inst.state()) == 1
        assert inst.state()["task"] == {"id": task.id, "instruction": task.instruction}


def test_wrong_or_more_than_was_asked_is_worth_nothing(world, task):
    with begun(world, task) as inst:
        tool, arguments = WRONG[task.id]
        inst.call(tool, **arguments)
        assert task.grade(inst.state()) == 0
    with begun(world, task) as inst:
        tool, arguments = DONE[task.id]
        inst.call(tool, **arguments)
        inst.call("create_lead", email="ada@example.com")
        assert task.grade(inst.state()) == 0


def test_reading_costs_nothing(world, task):
    with begun(world, task) as inst:
        inst.call("search_crm", query="Rowena")
        tool, arguments = DONE[task.id]
        inst.call(tool, **arguments)
        inst.call("get_lead", lead_id=ROWENA)
        assert task.grade(inst.state()) == 1
