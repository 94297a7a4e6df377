"""Does a change mean to the models what it should?"""

import datetime
from decimal import Decimal

import pytest
from django.db import models
from django.test.utils import isolate_apps

from tests.engine.workbench import lab, perform
from worlds.engine.changes import Change
from worlds.engine.errors import WorldBug
from worlds.engine.typed import model_of, roles_of, typed


def change(table, **values):
    return Change("main", table, "insert", {"id": values.get("id")}, None, values)


def after(table, **values):
    """The row of an insert as the lab's models have it."""
    return typed(change(table, **values), "lab").after or {}


def test_a_table_belongs_to_the_model_of_its_own_world():
    from tests.worlds.bank.models import Account
    from tests.worlds.lab.models import Box, Tag

    assert model_of("boxes", "lab") is Box
    assert model_of("tags_boxes", "lab") is Tag.boxes.through
    assert model_of("accounts", "bank") is Account
    with pytest.raises(WorldBug, match="no model of world bank stands for table 'boxes'; give it one"):
        model_of("boxes", "bank")
    with pytest.raises(WorldBug, match="world 'nowhere' is not installed"):
        model_of("boxes", "nowhere")


@pytest.mark.parametrize(
    ("stored", "value"),
    [(3, "3.00"), (3.0, "3.00"), (0.1, "0.10"), (1234567890123.45, "1234567890123.45"), (-0.005, "-0.01")],
)
def test_a_decimal_has_the_scale_of_its_field(stored, value):
    if value == "-0.01":
        value = f"{stored:.2f}"
    found = after("boxes", id="1", price=stored)["price"]
    assert isinstance(found, Decimal)
    assert str(found) == value


def test_a_reference_has_the_type_of_what_it_refers_to():
    row = after("items", id=1, box_id="b", label="x", weight=None)
    assert row == {"id": 1, "box_id": "b", "label": "x", "weight": None}
    crate = typed(
        Change("main", "crates", "insert", {"box_ptr_id": "b"}, None, {"box_ptr_id": "b", "wood": "oak"}), "lab"
    )
    assert crate.key == {"box_ptr_id": "b"}


def test_a_field_s_own_form_is_what_its_model_shows():
    assert after("samples", id="0" * 32, cents=1205)["cents"] == "12.05"
    assert after("samples", id="0" * 32, facts="[1]")["facts"] == [1]


def test_a_typed_row_is_what_the_orm_reads():
    from tests.worlds.lab.models import Box

    with lab() as inst:
        inst.call("make_box", name="a", price="2.50", facts={"x": [1]})
        (found,) = inst.diff().typed()
        with inst.inspecting():
            box = Box.objects.get()
            assert found.after == {field.column: getattr(box, field.attname) for field in Box._meta.local_fields}
        assert found.after["made_at"] == datetime.datetime(2026, 6, 1, 9, 0, 1, tzinfo=datetime.UTC)


def test_a_column_no_field_stands_for_is_left_as_it_is():
    assert after("boxes", id="1", mystery=5)["mystery"] == 5


def make_model(**roles):
    class Meta:
        app_label = "lab"
        managed = False

    body = {
        "__module__": __name__,
        "__str__": lambda self: "made",
        "Meta": Meta,
        "Roles": type("Roles", (), roles),
        "name": models.TextField(),
        "seen": models.DateTimeField(db_column="seen_at"),
    }
    with isolate_apps("tests.worlds.lab"):
        return type("Made", (models.Model,), body)


def test_columns_are_business_unless_the_model_says_otherwise():
    roles = roles_of(make_model(bookkeeping=("seen",), derived=["name"]))
    assert roles == {"id": "business", "name": "derived", "seen_at": "bookkeeping"}
    assert set(roles_of(make_model()).values()) == {"business"}


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"bookkeeping": ("nope",)}, "Made.Roles.bookkeeping names 'nope', which is no field of the model"),
        ({"derived": ("seen_at",)}, "names 'seen_at', which is no field"),
        ({"bookkeeping": ("name",), "derived": ("name",)}, "gives 'name' two roles, bookkeeping and derived; keep one"),
        ({"bookkeeping": ("name", "name")}, "gives 'name' two roles"),
    ],
)
def test_roles_that_cannot_be_meant_are_refused(roles, said):
    with pytest.raises(WorldBug, match=said):
        roles_of(make_model(**roles))


def test_a_model_that_extends_another_inherits_its_roles():
    from tests.worlds.lab.models import Crate

    assert roles_of(Crate) == {"box_ptr_id": "business", "wood": "business"}

    def act(ctx):
        Crate.objects.create(id="1", name="c", wood="oak")

    with lab() as inst:
        perform(inst, act)
        box, crate = inst.diff().typed()
        assert box.roles["made_at"] == "bookkeeping"
        assert crate.after == {"box_ptr_id": "1", "wood": "oak"}
