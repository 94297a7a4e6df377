"""Does a prepared query answer what its queryset would?"""

import datetime

import pytest
from django.db.models import Count

from tests.worlds.lab.models import Box, Item
from worlds.engine import WorldBug, installed, prepared


@pytest.fixture
def inst():
    with installed.get("lab").instance(seed=1, now="2026-06-01T09:00:00Z") as instance:
        for name, price in (("A", "1.50"), ("B", "2.50"), ("C", "2.50")):
            instance.call("make_box", name=name, price=price, facts={"name": name})
        for label in ("x", "y"):
            instance.call("put_item", box="B", label=label, weight=3)
        yield instance


def test_rows_are_the_models_the_queryset_gives_with_every_value_of_its_type(inst):
    by_name = prepared(lambda name: Box.objects.filter(name=name))
    with inst.inspecting():
        for name in ("A", "B", "nobody"):
            wanted = Box.objects.filter(name=name).first()
            found = by_name.first(name)
            assert found == wanted
            if wanted is not None and found is not None:
                shown = {key: value for key, value in vars(found).items() if key != "_state"}
                assert shown == {key: value for key, value in vars(wanted).items() if key != "_state"}
                assert not found._state.adding
                assert found._state.db == wanted._state.db


def test_a_prepared_query_reads_the_instance_it_is_called_in(inst):
    named = prepared(lambda name: Box.objects.filter(name=name).values_list("name", flat=True))
    with installed.get("lab").instance(seed=1) as other:
        with inst.inspecting():
            assert named("A") == ["A"]
        with other.inspecting():
            assert named("A") == []


def test_text_numbers_and_datetimes_vary_and_order_and_limits_stay(inst):
    heavy = prepared(lambda box, weight: Item.objects.filter(box__name=box, weight__gte=weight).order_by("-label")[:1])
    since = prepared(lambda at: Box.objects.filter(made_at__gt=at).order_by("name").values_list("name", flat=True))
    with inst.inspecting():
        assert [item.label for item in heavy("B", 3)] == ["y"]
        assert heavy("B", 4) == []
        assert since(datetime.datetime(2026, 6, 1, 9, 0, 1, tzinfo=datetime.UTC)) == ["B", "C"]


def test_values_and_values_list_come_out_as_they_do_of_a_queryset(inst):
    as_dicts = prepared(lambda name: Box.objects.filter(name=name).values("name", "price", "facts"))
    as_tuples = prepared(lambda price: Box.objects.filter(price=price).order_by("name").values_list("name", "is_open"))
    with inst.inspecting():
        assert as_dicts("B") == list(Box.objects.filter(name="B").values("name", "price", "facts"))
        with pytest.raises(WorldBug, match="no plain value"):
            as_tuples("2.50")


def test_one_query_serves_values_of_several_types(inst):
    found = prepared(lambda weight: Item.objects.filter(weight=weight).order_by("id").values_list("label", flat=True))
    with inst.inspecting():
        assert found(3) == ["x", "y"]
        assert found(4) == []


@pytest.mark.parametrize(
    ("build", "values", "said"),
    [
        (lambda key: Item.objects.select_related("box").filter(pk=key), (1,), "select_related"),
        (lambda key: Box.objects.prefetch_related("items").filter(pk=key), ("x",), "prefetch_related"),
        (lambda key: Box.objects.annotate(n=Count("items")).filter(pk=key), ("x",), "annotations"),
        (lambda key: Box.objects.filter(name="constant"), ("x",), "argument 0 is no plain value"),
        (lambda key: Box.objects.filter(is_open=key), (True,), "argument 0 is a bool"),
    ],
)
def test_what_cannot_be_prepared_is_refused_with_the_reason(inst, build, values, said):
    with inst.inspecting(), pytest.raises(WorldBug, match=said):
        prepared(build)(*values)


def test_a_literal_percent_sign_survives(inst):
    inst.call("make_box", name="100% wool")
    like = prepared(
        lambda name: Box.objects.filter(name__endswith="% wool", id__gt=name).values_list("name", flat=True)
    )
    with inst.inspecting():
        assert like("") == ["100% wool"]
