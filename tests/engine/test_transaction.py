import sys
from pathlib import Path

import pytest
from django.db import transaction

import worlds.engine
from tests.engine.town import EMPTY, opened, stored
from tests.engine.workbench import perform
from tests.worlds.lab.models import Box
from worlds.engine import InstanceClosed, ToolError, WorldBug

ENGINE = str(Path(worlds.engine.__file__).parent)


def write_everywhere(ctx):
    """A row in every store."""
    Box.objects.create(id="host", name="host")
    ctx.worlds.north.call("make_box", name="north")
    ctx.worlds.south.call("make_box", name="south")
    ctx.worlds.bank.call("deposit", amount=7)


EVERYWHERE = {"main": {"host"}, "north": {"north"}, "south": {"south"}, "bank": {7}}


class Stopped(BaseException):
    """Stops the work, as Ctrl+C or a time limit would."""


class StopAt:
    """Raises at the n-th line of the engine that runs from the moment several stores begin to commit."""

    def __init__(self, n):
        self.n, self.lines, self.is_on = n, 0, False

    def __enter__(self):
        sys.settrace(self._trace)
        return self

    def __exit__(self, *exc_info):
        sys.settrace(None)

    def _trace(self, frame, event, arg):
        if not frame.f_code.co_filename.startswith(ENGINE):
            return None
        if frame.f_code.co_name == "commit_pages":
            self.is_on = True
        return self._line

    def _line(self, frame, event, arg):
        if event == "return" and frame.f_code.co_name == "_commit" and arg is None:
            self.is_on = False
        if self.is_on and event == "line":
            self.lines += 1
            if self.lines == self.n:
                raise Stopped
        return self._line


def test_stopped_at_any_point_between_the_commits_all_is_written_or_nothing():
    with opened() as inst, StopAt(0) as whole:
        perform(inst, write_everywhere)
    assert whole.lines > 100
    outcomes = []
    for n in range(1, whole.lines + 1):
        with opened() as inst:
            try:
                with StopAt(n):
                    perform(inst, write_everywhere)
            except BaseException:
                pass
            found = stored(inst)
            assert found in (EVERYWHERE, EMPTY), f"half done when stopped at line {n}: {found}"
            # The instance lives, and says of its rows what is true.
            log = {change["world"] for change in inst.change_log()}
            assert log == ({*EVERYWHERE} if found == EVERYWHERE else set()), n
            inst.call("north_make_box", name="after")
            assert "after" in stored(inst)["north"]
            outcomes.append(found == EVERYWHERE)
    assert {True, False} == set(outcomes)


def test_a_caller_that_fails_takes_the_embedded_writes_with_it():
    def act(ctx):
        write_everywhere(ctx)
        ctx.worlds.north.state["seen"] = True
        raise ToolError("refused", "no")

    with opened() as inst:
        with pytest.raises(ToolError, match="no"):
            perform(inst, act)
        assert stored(inst) == EMPTY
        assert inst.change_log() == []
        assert perform(inst, lambda ctx: ctx.worlds.north.state) == {}


def test_an_embedded_call_that_fails_is_undone_and_the_caller_goes_on():
    def act(ctx):
        ctx.worlds.north.call("make_box", name="kept")
        for how in ("refusal", "bug"):
            with pytest.raises((ToolError, ValueError)):
                ctx.worlds.north.call("fail_after_writing", how=how)
        with pytest.raises(ToolError):
            ctx.worlds.south.call("fail_after_writing", how="refusal")
        ctx.worlds.south.call("make_box", name="kept too")
        return ctx.worlds.north.state | ctx.worlds.south.state

    with opened() as inst:
        assert perform(inst, act) == {}
        assert stored(inst) == EMPTY | {"north": {"kept"}, "south": {"kept too"}}


def test_an_embedded_write_that_breaks_a_reference_undoes_all(caplog):
    def act(ctx):
        Box.objects.create(id="host", name="host")
        ctx.worlds.bank.call("deposit", amount=7)
        ctx.worlds.south.call("fail_after_writing", how="dangling")

    with opened() as inst:
        with pytest.raises(Exception, match="FOREIGN KEY constraint failed"):
            perform(inst, act)
        assert stored(inst) == EMPTY


@pytest.mark.parametrize("ends_well", [True, False])
def test_an_atomic_block_of_the_host_covers_what_embedded_worlds_do_in_it(ends_well):
    def act(ctx):
        ctx.worlds.bank.call("deposit", amount=1)
        try:
            with transaction.atomic():
                Box.objects.create(id="inside", name="inside")
                ctx.worlds.bank.call("deposit", amount=10)
                with ctx.worlds.north.entered(), transaction.atomic():
                    Box.objects.create(id="inside", name="inside")
                if not ends_well:
                    raise KeyError
        except KeyError:
            pass
        ctx.worlds.bank.call("deposit", amount=100)

    with opened() as inst:
        perform(inst, act)
        inside = {"inside"} if ends_well else set()
        balance = {111 if ends_well else 101}
        assert stored(inst) == EMPTY | {"main": inside, "north": inside, "bank": balance}


def test_savepoints_of_one_store_undo_the_others_as_often_as_they_are_gone_back_to():
    def act(ctx):
        point = transaction.savepoint()
        for _ in range(2):
            ctx.worlds.bank.call("deposit", amount=5)
            Box.objects.create(id="again", name="again")
            transaction.savepoint_rollback(point)
        ctx.worlds.bank.call("deposit", amount=1)
        transaction.savepoint_commit(point)
        transaction.savepoint()  # never released

    with opened() as inst:
        perform(inst, act)
        assert stored(inst) == EMPTY | {"bank": {1}}


@pytest.mark.parametrize("ends_well", [True, False])
def test_a_transaction_of_a_tool_without_one_covers_embedded_worlds(ends_well):
    def act(ctx):
        ctx.worlds.north.call("make_box", name="stands")
        with transaction.atomic():
            Box.objects.create(id="inside", name="inside")
            ctx.worlds.north.call("make_box", name="inside")
            if not ends_well:
                raise ToolError("refused", "no")

    with opened() as inst:
        if ends_well:
            perform(inst, act, freely=True)
        else:
            with pytest.raises(ToolError):
                perform(inst, act, freely=True)
        inside = {"inside"} if ends_well else set()
        assert stored(inst) == EMPTY | {"main": inside, "north": {"stands"} | inside}
        assert [c["after"]["name"] for c in inst.change_log()] == [
            *(["inside"] if ends_well else []), *sorted(["stands", *inside], key=lambda name: name != "inside"),
        ] or len(inst.change_log()) == (3 if ends_well else 1)  # fmt: skip


def test_stopped_at_any_point_a_tool_without_a_transaction_leaves_whole_transactions():
    def act(ctx):
        ctx.worlds.north.call("make_box", name="first")
        with transaction.atomic():
            Box.objects.create(id="both", name="both")
            ctx.worlds.north.call("make_box", name="both")

    with opened() as inst, StopAt(0) as whole:
        perform(inst, act, freely=True)
    for n in range(1, whole.lines + 1):
        with opened() as inst:
            try:
                with StopAt(n):
                    perform(inst, act, freely=True)
            except BaseException:
                pass
            found = stored(inst)
            assert ("both" in found["main"]) == ("both" in found["north"]), f"half done at line {n}: {found}"
            logged = {(c["world"], c["after"]["name"]) for c in inst.change_log()}
            assert logged == {(path, name) for path in ("main", "north") for name in found[path]}, n


def test_what_waits_for_the_commit_runs_as_its_own_world_and_inside_the_call():
    def hook():
        Box.objects.create(id="hook", name="hook")

    def act(ctx):
        with ctx.worlds.south.entered():
            transaction.on_commit(hook)
        ctx.worlds.bank.call("deposit", amount=1)

    with opened() as inst:
        perform(inst, act)
        assert stored(inst) == EMPTY | {"south": {"hook"}, "bank": {1}}
        assert {c["i"] for c in inst.change_log()} == {0}


def test_a_swallowed_failure_inside_an_embedded_world_undoes_the_embedded_call():
    def act(ctx):
        ctx.worlds.bank.call("deposit", amount=1)

        def inner(child):
            Box.objects.create(id="x", name="x")
            try:
                with transaction.atomic(savepoint=False):
                    raise KeyError
            except KeyError:
                pass

        from tests.worlds.lab.tools import ACTS

        ACTS["inner"] = inner
        with pytest.raises(WorldBug, match="failed inside this call and the error was swallowed"):
            ctx.worlds.north.call("perform", act="inner")
        ctx.worlds.north.call("make_box", name="later")

    with opened() as inst:
        perform(inst, act)
        assert stored(inst) == EMPTY | {"north": {"later"}, "bank": {1}}


def test_an_instance_interrupted_while_it_notes_what_changed_is_closed(monkeypatch):
    from worlds.engine.store import Store

    with opened() as inst:
        inst.call("make_box", name="before")

        def interrupted(store):
            raise KeyboardInterrupt

        monkeypatch.setattr(Store, "end_capture", interrupted)
        with pytest.raises(KeyboardInterrupt):
            inst.call("make_box", name="lost")
        monkeypatch.undo()
        with pytest.raises(InstanceClosed, match="interrupted while it noted what a call changed"):
            inst.state()
