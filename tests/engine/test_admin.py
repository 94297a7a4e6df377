"""Does the admin's form keep a row to the byte, and fill in what a world keeps for itself?"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.admin import AdminSite
from django.db import models
from django.forms import modelform_factory
from django.test import RequestFactory

from tests.engine.workbench import lab
from tests.worlds.lab.models import Box, Crate, Item, Sample, Shelf, Tag
from worlds.engine.admin import Instant, RowForm, Verbatim, WorldAdmin, admin_of, can_be_shown, is_filled, mint
from worlds.engine.clock import from_ms

SITE = AdminSite(name="rows")


def shown(model: type[models.Model]) -> Any:
    return WorldAdmin(model, SITE)


def test_a_model_gets_a_list_a_search_and_the_lines_of_what_goes_with_it() -> None:
    found = shown(Box)
    assert found.list_display[0] == "id"
    assert "facts" not in found.list_display
    assert {"id", "name"} <= set(found.search_fields)
    assert [lines.model for lines in found.inlines] == [Item, Crate]
    assert admin_of(Box) is WorldAdmin
    assert not can_be_shown(Shelf)


def test_django_adds_an_s_to_everything_and_this_does_not() -> None:
    assert shown(Box)
    assert Box._meta.verbose_name_plural == "boxes"


@pytest.mark.parametrize(
    ("text", "is_changed"), [("  a\r\nb ", False), ("  a\nb ", False), ("a\nb", True), ("  a\r\nb", True)]
)
def test_line_ends_of_a_browser_and_white_space_are_no_change(text: str, is_changed: bool) -> None:
    field = Verbatim()
    assert field.has_changed("  a\nb ", text) == is_changed
    assert field.clean("  a\r\nb ") == "  a\nb "


def test_an_instant_is_read_and_written_to_the_millisecond() -> None:
    field = Instant()
    moment = from_ms(1_780_000_000_123)
    text = field.prepare_value(moment)
    assert text.endswith(".123Z")
    assert field.clean(text) == moment
    assert not field.has_changed(moment, text)
    assert field.clean("2026-06-01T11:00:00+02:00") == datetime(2026, 6, 1, 9, tzinfo=UTC)
    with pytest.raises(Exception, match="with its offset"):
        field.clean("2026-06-01T11:00:00")


def test_an_id_of_a_new_row_is_like_those_there_are_and_free() -> None:
    assert is_filled(Box._meta.pk)
    assert not is_filled(Tag._meta.pk)  # people name it
    assert not is_filled(Sample._meta.pk)
    with lab() as inst, inst.bulk():
        first = mint(Box)
        assert first.startswith("box_")
        Box.objects.create(id="crate_aB3dE6", name="red")
        other = mint(Box)
        assert other.startswith("crate_")
        assert len(other) == len("crate_aB3dE6")
        Box.objects.all().delete()
        Box.objects.create(id="box_00001_aB3dE6", name="red")
        one, two = mint(Box), mint(Box)
        assert one < two
        assert len(one) == len("box_00001_aB3dE6")


def test_a_row_that_is_saved_untouched_does_not_change() -> None:
    with lab() as inst:
        with inst.bulk():
            Box.objects.create(id="b1", name=" red\n", facts={"b": 1, "a": []}, made_at=from_ms(1_780_000_000_123))
        before = inst.change_log()
        with inst.bulk():
            admin = shown(Box)
            request = RequestFactory().get("/")
            fields = {f.name: admin.formfield_for_dbfield(f, request) for f in Box._meta.concrete_fields if f.editable}
            box = Box.objects.get(id="b1")
            form_class = modelform_factory(Box, form=RowForm, fields=list(fields))
            form_class.base_fields.update({name: field for name, field in fields.items() if field is not None})
            empty = form_class(instance=box)
            data = {name: empty[name].value() for name in empty.fields}
            data = {name: "" if value is None else value for name, value in data.items()}
            data |= {f"initial-{name}": value for name, value in data.items()}  # what a browser sends of a default
            form = form_class(data | {"name": " red\r\n"}, instance=box)
            assert form.is_valid(), form.errors
            assert form.changed_data == []
            models.Model.save(form.save(commit=False), update_fields=["name", "facts", "made_at", "price"])
        assert inst.change_log() == before
