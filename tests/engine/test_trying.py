"""Does a trial find what would make a bad fixture, and leave nothing behind?"""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests.engine.town import opened
from tests.engine.workbench import NOW, lab
from tests.worlds.lab.models import Box, Item
from worlds.engine import Ctx, dispatch, installed, trying
from worlds.engine.trying import Trial, try_out


def named(trials: list[Trial]) -> dict[str, list[str]]:
    return {trial.name: trial.problems for trial in trials if not trial.is_fine}


def test_rows_that_make_a_good_fixture_pass_every_check_and_leave_nothing() -> None:
    images = Path(settings.SEAHAVEN_VAR_DIR) / "images"
    with lab() as inst:
        with inst.bulk():
            Item.objects.create(box=Box.objects.create(id="b1", name="red"), label="ball", blob=b"\x00")
        known, log = set(images.iterdir()), inst.change_log()
        trials = try_out(inst)
        # The lab is awkward on purpose: some of its tools are bugs.
        assert set(named(trials)) == {"The contract"}
        assert [trial.name for trial in trials][:3] == ["System checks", "References", "Values"]
        assert len(trials) == 7
        assert (set(images.iterdir()), inst.change_log()) == (known, log)


def test_a_world_inside_another_is_tried_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trying, "PROMISES", ("start",))  # tools of the town sleep, and never end
    with opened() as inst:
        with inst.bulk(node="north") as ctx:
            ctx.db.execute("PRAGMA defer_foreign_keys = 1")
            Box.objects.create(id="b1", name="red")
        assert named(try_out(inst)) == {}


def test_a_tool_that_never_ends_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def spin(ctx: Ctx) -> None:
        """Never end."""
        while True:
            pass

    world = copy.copy(installed.get("lab"))
    world._tools = {}
    world.tool(spin)
    monkeypatch.setattr(trying, "PATIENCE_S", 0.5)
    with world.instance(seed=1, now=NOW) as inst:
        (told,) = named(try_out(inst))["The contract"]
    assert told == "calling every tool took longer than 0.5 s and was stopped; does one of them never end?"


def test_a_fixture_that_is_there_passes_every_check() -> None:
    with installed.get("crm").instance("small_startup", seed=0) as inst:
        assert named(try_out(inst)) == {}


def test_a_value_that_no_form_would_take_is_named_with_its_row() -> None:
    with installed.get("crm").instance("small_startup", seed=0) as inst:
        with inst.bulk() as ctx:
            ctx.db.execute("UPDATE users SET name = ? WHERE id = (SELECT min(id) FROM users)", "x" * 200)
        (told,) = named(try_out(inst))["Values"]
        assert re.fullmatch(r"main: crm\.User user_\w+: name: .*at most 100 characters.*", told)


def test_a_schema_that_was_changed_by_hand_is_not_frozen_and_nothing_is_tried_on_it() -> None:
    with lab() as inst:
        with inst.bulk() as ctx:
            ctx.db.execute("CREATE TABLE jars (id INTEGER PRIMARY KEY)")
        trials = try_out(inst)
        assert "changed by hand" in named(trials)["Freezing"][0]
        assert trials[-1].name == "Freezing"


def test_a_tool_that_breaks_is_named_with_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    run_call = dispatch.run_call

    def breaking(at: Any, route: Any, arguments: Any, *, is_replay: bool = False) -> Any:
        if route.tool.name == "list_deals" and "stage_id" not in arguments:
            raise ZeroDivisionError("no rows")
        return run_call(at, route, arguments, is_replay=is_replay)

    with installed.get("crm").instance("empty", seed=0) as inst:
        monkeypatch.setattr(dispatch, "run_call", breaking)
        told = [each for each in named(try_out(inst))["The contract"] if each.startswith("[calls]")]
    assert told[0].startswith("[calls] tool list_deals with {}: the call ends in ZeroDivisionError: no rows. Fix:")
