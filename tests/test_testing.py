"""Does `assert_changes` accept exactly what changed, and say readably what did not?"""

import pytest

from seahaven.testing import assert_changes, contract, delete, insert, update
from tests.engine.workbench import lab, perform
from tests.worlds.lab.models import Box, Item


@pytest.fixture
def inst():
    with lab() as made:
        perform(made, lambda ctx: Box.objects.create(id="b1", name="sea chest", price="2.50"))
        perform(made, lambda ctx: Box.objects.create(id="b2", name="crate"))
        begun = made.fork()
        made.destroy()
        begun.rewind(call=1)
        yield begun
        begun.destroy()


def failure(run, *expected):
    with pytest.raises(AssertionError) as caught:
        assert_changes(run, *expected)
    return str(caught.value).splitlines()


def test_a_run_that_did_nothing_changed_nothing():
    with lab() as blank:
        assert_changes(blank)
        assert_changes(blank.diff())
        assert_changes(blank.state())


def test_cells_are_compared_as_models_have_them_or_as_they_are_stored_or_judged(inst):
    assert_changes(
        inst,
        insert("boxes", name="crate", is_open=True),
        insert("boxes", "b1", name=str.islower, price="2.50", is_open=1),
    )
    assert_changes(inst.state(), insert("main.boxes", {"id": "b2"}), insert("boxes"))


def test_what_is_not_expected_is_shown_with_its_cells(inst):
    said = failure(inst, insert("boxes", "b1"))
    assert said[0] == "1 not expected"
    assert said[1].startswith("  unexpected  insert boxes 'b2': name='crate', price=Decimal('0.00'), is_open=True")


def test_what_is_missing_is_shown_beside_what_comes_nearest(inst):
    said = failure(inst, insert("boxes", "b1", name="see chest"), insert("boxes", "b2"))
    assert said[0] == "1 of 2 expected changes missing, 1 not expected"
    assert said[1] == "  missing     insert boxes 'b1': name='see chest'"
    assert said[2].startswith("    nearest   insert boxes 'b1': name='sea chest'")
    assert said[3].strip() == "name is 'sea chest', not 'see chest'"


def test_one_change_is_not_two_of_the_expected(inst):
    assert failure(inst, insert("boxes"), insert("boxes"), insert("boxes"))[0] == "1 of 3 expected changes missing"
    # The first fits both, the second one only: no order of telling them loses a pair.
    assert_changes(inst, insert("boxes"), insert("boxes", "b1"))
    assert_changes(inst, insert("boxes", "b1"), insert("boxes"))


def test_an_update_names_every_column_that_is_business():
    with lab() as made:
        with made.bulk() as _:
            Box.objects.create(id="b1", name="sea chest", price="2.50")
        start = made.checkpoint()

        def change(ctx):
            Box.objects.filter(id="b1").update(name="chest", price="3.00", luck=0.5)

        perform(made, change)
        with pytest.raises(AssertionError):
            assert_changes(made)
        changes = [record for record in made.change_log() if record["op"] == "update"]
        document = {**made.state(), "state": {"db": {"log": changes}}}
        assert_changes(document, update("boxes", "b1", name="chest", price="3.00", before={"name": "sea chest"}))
        said = failure(document, update("boxes", "b1", name="chest", before={"name": "crate"}, is_open=False))
        assert [line.strip() for line in said[3:6]] == [
            "is_open did not change",
            "before, name is 'sea chest', not 'crate'",
            "price changed too, to Decimal('3.00')",
        ]
        made.rewind(start)


def test_a_row_that_is_gone_had_these_cells():
    with lab() as made:
        with made.bulk() as _:
            box = Box.objects.create(id="b1", name="sea chest")
            Item.objects.create(box=box, label="pen", blob=b"ink")
        perform(made, lambda ctx: Item.objects.get(label="pen").delete())
        changes = [record for record in made.change_log() if record["op"] == "delete"]
        document = {**made.state(), "state": {"db": {"log": changes}}}
        assert_changes(document, delete("items", 1, label="pen", blob=b"ink"))
        assert "it is a delete" in failure(document, insert("items", 1))[3]


def test_every_kind_of_fixture_has_a_test_of_its_own_in_a_contract():
    kept = contract("bank", fixtures=[None], skip={"slow": "it waits", "spin": "it never ends"})
    kept().test_every_promise_is_kept(None)
    assert kept.__doc__ == "What every world promises, of bank."


def test_a_broken_promise_is_told_with_the_call_and_the_edit(monkeypatch):
    broken = contract("bank", fixtures=[None], rounds=1, skip={"slow": "it waits", "spin": "it never ends"})
    import time

    from tests.worlds.bank import tools

    monkeypatch.setattr(tools, "Account", time)  # the module has no `objects`
    with pytest.raises(AssertionError) as caught:
        broken().test_every_promise_is_kept(None)
    said = str(caught.value).splitlines()
    assert said[0] == "world bank breaks 2 of its promises"
    assert '[calls] blank, seed 1, tool deposit with {"amount":' in said[1]
    assert "ends in AttributeError" in said[1]
    assert "Fix: raise a ToolError" in said[1]
