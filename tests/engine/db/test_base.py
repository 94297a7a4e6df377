"""Does Django's ORM work on a store as it does on SQLite, with types that STRICT tables keep?"""

import datetime
import uuid
from decimal import Decimal

import pytest
from django.core.exceptions import FieldError
from django.db import (
    DataError,
    IntegrityError,
    OperationalError,
    ProgrammingError,
    connection,
    connections,
    models,
    transaction,
)
from django.db.models import Avg, Case, Count, Exists, F, Max, Min, OuterRef, Q, StdDev, Sum, Value, Variance, When
from django.db.models.functions import (
    Cast,
    Coalesce,
    Concat,
    ExtractHour,
    ExtractWeekDay,
    ExtractYear,
    Greatest,
    Now,
    Random,
    StrIndex,
    TruncDate,
    TruncDay,
    TruncHour,
    TruncMonth,
    TruncTime,
)
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext, isolate_apps
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.workbench import fails, lab, open_store, perform, raising
from worlds.engine.db import binding
from worlds.engine.db.base import strict_type
from worlds.engine.errors import ToolError, WorldBug

UTC = datetime.UTC
NINE = datetime.datetime(2026, 6, 1, 9, 0, 1, tzinfo=UTC)  # the first call's time


@pytest.fixture
def inst():
    with lab() as inst:
        yield inst


@pytest.fixture
def tables(inst):
    """The models of the lab, usable in the test's own thread as inside one long call."""
    from tests.worlds.lab import models

    with inst.bulk():
        yield models


def sample(**values):
    from tests.worlds.lab.models import Sample

    number = Sample.objects.count()
    return Sample.objects.create(id=uuid.UUID(int=number), **values)


# Every kind of field.

ROUND_TRIPS = [
    ("at", datetime.datetime(2026, 2, 28, 23, 59, 59, 999000, tzinfo=UTC), "2026-02-28T23:59:59.999Z"),
    ("at", datetime.datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000Z"),
    ("day", datetime.date(2024, 2, 29), "2024-02-29"),
    ("hour", datetime.time(23, 59, 59, 123456), "23:59:59.123456"),
    ("took", datetime.timedelta(days=-1, microseconds=5), -86_399_999_995),
    ("amount", Decimal("123456789.125"), 123456789.125),
    ("amount", Decimal("-0.001"), -0.001),
    ("code", "é\0\U0001f600 '\"", "é\0\U0001f600 '\""),
    ("count", -(2**62), -(2**62)),
    ("few", 32767, 32767),
    ("share", 1e-300, 1e-300),
    ("share", float("inf"), float("inf")),
    ("is_ok", True, 1),
    ("is_ok", False, 0),
    ("facts", {"b": [1, 2.5, None, True, "é"], "a": {}}, '{"b": [1, 2.5, null, true, "\\u00e9"], "a": {}}'),
    ("facts", [], "[]"),
    ("facts", "text", '"text"'),
    ("blob", b"\0\xff" * 3000, b"\0\xff" * 3000),
    ("ref", uuid.UUID("12345678-1234-5678-1234-567812345678"), "12345678123456781234567812345678"),
    ("ip", "2001:db8::1", "2001:db8::1"),
    ("slug", "a-b", "a-b"),
    ("cents", "12.05", 1205),
]


@pytest.mark.parametrize(("field", "value", "stored"), ROUND_TRIPS, ids=repr)
def test_a_value_comes_back_from_a_strict_table_as_it_went_in(tables, field, value, stored):
    row = sample(**{field: value})
    found = tables.Sample.objects.get(**{field: value})
    assert getattr(found, field) == value
    assert type(getattr(found, field)) is type(value)
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT "{field}" FROM samples WHERE id = %s', [row.id.hex])
        assert cursor.fetchone() == (stored,)
    assert tables.Sample.objects.filter(**{f"{field}__in": [value]}).count() == 1
    assert tables.Sample.objects.exclude(**{field: value}).count() == 0


@pytest.mark.parametrize("field", sorted({field for field, *_ in ROUND_TRIPS if field not in ("code", "slug")}))
def test_null_comes_back_as_none(tables, field):
    sample(**{field: None})
    assert getattr(tables.Sample.objects.get(**{f"{field}__isnull": True}), field) is None


def test_instants_are_stored_in_utc_to_the_millisecond(tables):
    zone = datetime.timezone(datetime.timedelta(hours=-7))
    sample(at=datetime.datetime(2026, 5, 31, 20, 30, 0, 123999, tzinfo=zone))
    found = tables.Sample.objects.get().at
    assert found == datetime.datetime(2026, 6, 1, 3, 30, 0, 123000, tzinfo=UTC)
    assert found.utcoffset() == datetime.timedelta(0)


@settings(max_examples=60)
@given(st.lists(st.datetimes(datetime.datetime(1, 1, 2), datetime.datetime(9999, 12, 30)), min_size=2, max_size=5))
def test_the_order_of_stored_instants_is_the_order_of_time(moments):
    from worlds.engine.clock import iso

    stored = [iso(moment.replace(tzinfo=UTC)) for moment in moments]
    cut = [moment.replace(microsecond=moment.microsecond // 1000 * 1000) for moment in moments]
    assert sorted(range(len(moments)), key=lambda i: stored[i]) == sorted(range(len(moments)), key=lambda i: cut[i])


@pytest.mark.parametrize(
    ("field", "value"),
    [("at", b"x"), ("count", "many"), ("amount", "much"), ("is_ok", 2), ("share", b"x"), ("blob", "text"), ("few", -1),
     ("took", 1.5), ("facts", "{"), ("day", b"2026")],
)  # fmt: skip
def test_a_strict_table_refuses_the_wrong_type_from_sql(tables, field, value):
    sample()
    with pytest.raises(IntegrityError, match=r"cannot store|CHECK constraint"), transaction.atomic():
        connection.cursor().execute(f'UPDATE samples SET "{field}" = %s', [value])
    assert getattr(tables.Sample.objects.get(), field) is None


@pytest.mark.parametrize(
    ("declared", "strict"),
    [("varchar(30)", "text"), ("char(32)", "text"), ("bigint unsigned", "integer"), ("bool", "integer"),
     ("decimal", "real"), ("double precision", "real"), ("datetime", "text"), ("BLOB", "blob"), ("hstore", "hstore")],
)  # fmt: skip
def test_a_declared_type_becomes_the_strict_one_that_holds_it(declared, strict):
    assert strict_type(declared) == strict


def test_generated_columns_follow_the_others(tables):
    row = sample(code="AbC", count=21)
    row.refresh_from_db()
    assert (row.shout, row.double) == ("abc", 42)
    tables.Sample.objects.update(count=F("count") + 1)
    assert tables.Sample.objects.get(double=44).count == 22


def test_a_row_with_a_composite_key_is_found_changed_and_deleted(tables):
    tables.Shelf.objects.create(room="b", number=2)
    shelf = tables.Shelf.objects.create(room="a", number=1)
    assert shelf.pk == ("a", 1)
    tables.Shelf.objects.filter(pk=("a", 1)).update(note="full")
    assert tables.Shelf.objects.get(pk=("a", 1)).note == "full"
    assert [s.pk for s in tables.Shelf.objects.order_by("pk")] == [("a", 1), ("b", 2)]
    shelf.delete()
    assert tables.Shelf.objects.count() == 1


def test_a_model_that_extends_another_has_rows_in_both_tables(tables):
    tables.Crate.objects.create(id="c1", name="crate", wood="oak")
    assert tables.Box.objects.get(id="c1").crate.wood == "oak"
    assert tables.Crate.objects.filter(name="crate", wood="oak").exists()


# Lookups on time.


@pytest.fixture
def hours(tables):
    """Samples on 2026-06-01, one at each half hour from 00:30 UTC on."""
    start = datetime.datetime(2026, 6, 1, 0, 30, tzinfo=UTC)
    for n in range(24):
        sample(at=start + datetime.timedelta(hours=n), day=start.date() + datetime.timedelta(days=n), count=n,
               took=datetime.timedelta(hours=n), hour=(start + datetime.timedelta(hours=n)).time())  # fmt: skip
    return tables.Sample.objects


@pytest.mark.parametrize(
    ("query", "count"),
    [
        (Q(at__gt=datetime.datetime(2026, 6, 1, 12, 30, tzinfo=UTC)), 11),
        (Q(at__gte=datetime.datetime(2026, 6, 1, 12, 30, tzinfo=UTC)), 12),
        (Q(at__lt=datetime.datetime(2026, 6, 1, 2, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))), 0),
        (Q(at__range=(NINE, NINE + datetime.timedelta(hours=3))), 3),
        (Q(at__date=datetime.date(2026, 6, 1)), 24),
        (Q(at__date__gt=datetime.date(2026, 6, 1)), 0),
        (Q(at__year=2026), 24),
        (Q(at__year__gte=2027), 0),
        (Q(at__month=6, at__day=1), 24),
        (Q(at__hour=9), 1),
        (Q(at__hour__lt=9), 9),
        (Q(at__minute=30, at__second=0), 24),
        (Q(at__week_day=2), 24),
        (Q(at__time=datetime.time(9, 30)), 1),
        (Q(at__time__gte=datetime.time(22, 0)), 2),
        (Q(at__quarter=2, at__iso_year=2026, at__week=23), 24),
        (Q(day__year=2026, day__month=6), 24),
        (Q(day__gt=datetime.date(2026, 6, 20)), 4),
        (Q(day__day=5), 1),
        (Q(hour__hour=9), 1),
        (Q(hour__gt=datetime.time(20, 0)), 4),
        (Q(took__gt=datetime.timedelta(hours=20)), 3),
        (Q(at__lt=F("at") + F("took")), 23),
        (Q(at__lte=F("at") - F("took")), 1),
    ],
    ids=str,
)
def test_lookups_on_time_find_the_rows(hours, query, count):
    assert hours.filter(query).count() == count
    assert hours.exclude(query).count() == 24 - count


def test_an_instant_moved_by_a_duration_compares_with_stored_ones(hours):
    hour = datetime.timedelta(hours=1)
    assert hours.annotate(next=F("at") + hour).filter(next=NINE.replace(minute=30, second=0)).get().count == 8
    assert hours.annotate(before=F("at") - hour).filter(before__lt=F("at")).count() == 24
    assert hours.annotate(end=F("at") + F("took")).get(count=5).end == datetime.datetime(2026, 6, 1, 10, 30, tzinfo=UTC)
    later = hours.filter(at=OuterRef("at") + hour)
    assert hours.filter(Exists(later)).count() == 23
    hours.filter(count=3).update(at=F("at") + datetime.timedelta(milliseconds=250))
    assert hours.get(count=3).at == datetime.datetime(2026, 6, 1, 3, 30, 0, 250_000, tzinfo=UTC)


def test_the_difference_of_instants_is_a_duration(hours):
    found = hours.annotate(age=F("at") - hours.filter(count=0).values("at")[:1]).get(count=6)
    assert found.age == datetime.timedelta(hours=6)
    assert hours.aggregate(Sum("took"))["took__sum"] == datetime.timedelta(hours=276)
    assert hours.aggregate(Avg("took"))["took__avg"] == datetime.timedelta(hours=11.5)


def test_instants_are_cut_and_taken_apart(hours):
    one = hours.annotate(
        day_of=TruncDay("at"), hour_of=TruncHour("at"), month_of=TruncMonth("at"), date_of=TruncDate("at"),
        time_of=TruncTime("at"), h=ExtractHour("at"), y=ExtractYear("at"), w=ExtractWeekDay("at"),
    ).get(count=9)  # fmt: skip
    assert one.day_of == datetime.datetime(2026, 6, 1, tzinfo=UTC) == one.month_of
    assert one.hour_of == datetime.datetime(2026, 6, 1, 9, tzinfo=UTC)
    assert (one.date_of, one.time_of) == (datetime.date(2026, 6, 1), datetime.time(9, 30))
    assert (one.h, one.y, one.w) == (9, 2026, 2)
    assert hours.filter(at__gte=TruncHour("at")).count() == hours.filter(at__gt=TruncDay("at")).count() == 24
    assert hours.filter(at=TruncHour("at")).count() == 0
    assert list(hours.datetimes("at", "day")) == [datetime.datetime(2026, 6, 1, tzinfo=UTC)]
    assert list(hours.dates("day", "month")) == [datetime.date(2026, 6, 1)]


def test_instants_are_cut_in_another_time_zone(hours):
    from zoneinfo import ZoneInfo

    zone = ZoneInfo("America/New_York")
    one = hours.annotate(day_of=TruncDay("at", tzinfo=zone), h=ExtractHour("at", tzinfo=zone)).get(count=2)
    assert one.day_of == datetime.datetime(2026, 5, 31, tzinfo=zone)
    assert one.h == 22


def test_a_cast_to_a_date_time_or_instant_is_one(hours):
    one = hours.annotate(
        date_of=Cast("at", models.DateField()), time_of=Cast("at", models.TimeField()),
        instant=Cast("day", models.DateTimeField()), text=Cast("at", models.TextField()),
        number=Cast("count", models.CharField()), again=Cast(Cast("count", models.CharField()), models.IntegerField()),
    ).get(count=9)  # fmt: skip
    assert (one.date_of, one.time_of) == (datetime.date(2026, 6, 1), datetime.time(9, 30))
    assert one.instant == datetime.datetime(2026, 6, 10, tzinfo=UTC)
    assert (one.text, one.number, one.again) == ("2026-06-01T09:30:00.000Z", "9", 9)
    assert hours.annotate(i=Cast("day", models.DateTimeField())).filter(i__gt=F("at")).count() == 23
    assert hours.annotate(d=Cast("at", models.DateField())).filter(d=datetime.date(2026, 6, 1)).count() == 24


def test_now_is_the_call_s_time_and_compares_with_stored_instants(inst):
    from tests.worlds.lab.models import Sample

    def act(ctx):
        sample(at=ctx.clock.now(), count=0)
        sample(at=ctx.clock.now() - datetime.timedelta(milliseconds=1), count=1)
        sample(at=ctx.clock.now() + datetime.timedelta(milliseconds=1), count=2)
        assert Sample.objects.filter(at=Now()).get().count == 0
        assert Sample.objects.filter(at__lt=Now()).get().count == 1
        assert Sample.objects.filter(at__gt=Now()).get().count == 2
        assert Sample.objects.filter(at__gt=Now() - datetime.timedelta(milliseconds=1)).count() == 2
        Sample.objects.filter(count=0).update(at=Now() + datetime.timedelta(days=1))
        return Sample.objects.get(count=0).at, Sample.objects.annotate(n=Now()).get(count=0).n

    assert perform(inst, act) == (NINE + datetime.timedelta(days=1), NINE)


# Text, aggregates, and the rest of the ORM.


def test_text_lookups_work_as_on_sqlite(tables):
    for name in ("Straße 1", "STRASSE 2", "100%", "a_b", "axb"):
        tables.Box.objects.create(id=name, name=name)
    names = lambda **query: sorted(tables.Box.objects.filter(**query).values_list("name", flat=True))  # noqa: E731
    assert names(name__icontains="STRA") == ["STRASSE 2", "Straße 1"]
    assert names(name__contains="%") == ["100%"]
    assert names(name__contains="_") == ["a_b"]
    assert names(name__startswith="a_") == ["a_b"]
    assert names(name__iexact="strasse 2") == ["STRASSE 2"]
    assert names(name__regex=r"^\w+ \d$") == ["STRASSE 2", "Straße 1"]
    assert names(name__iregex="stra(ss|ß)e") == ["STRASSE 2", "Straße 1"]
    assert names(name__in=["a_b", "100%", "nobody"]) == ["100%", "a_b"]
    assert tables.Box.objects.annotate(at=StrIndex("name", Value("b"))).get(name="a_b").at == 3
    assert (
        tables.Box.objects.annotate(both=Concat("id", Value("/"), "name", output_field=models.TextField()))
        .get(name="axb")
        .both
        == "axb/axb"
    )


def test_json_is_searched_by_path(tables):
    sample(facts={"a": {"b": [1, {"c": "x"}]}, "n": 5}, count=1)
    sample(facts={"a": None}, count=2)
    find = tables.Sample.objects.filter
    assert find(facts__a__b__1__c="x").get().count == 1
    assert find(facts__n__gt=4).get().count == 1
    assert find(facts__a=None).get().count == 2
    assert find(facts__has_key="n").get().count == 1
    assert list(tables.Sample.objects.order_by("count").values_list("facts__n", flat=True)) == [5, None]


def test_aggregates_are_right(tables):
    for n in (2, 4, 4, 4, 5, 5, 7, 9):
        sample(count=n, amount=Decimal(n) / 10, code="odd" if n % 2 else "even")
    found = tables.Sample.objects.aggregate(
        Avg("count"), Sum("count"), Min("count"), Max("count"), StdDev("count"), Variance("count"),
        total=Sum("amount"), distinct=Count("count", distinct=True), sample_dev=StdDev("count", sample=True),
    )  # fmt: skip
    assert found["count__avg"] == 5.0
    assert (found["count__stddev"], found["count__variance"]) == (2.0, 4.0)
    assert found["sample_dev"] == pytest.approx(2.138, abs=0.001)
    assert (found["total"], found["distinct"]) == (Decimal("4.000"), 5)
    groups = tables.Sample.objects.values("code").annotate(n=Count("id"), s=StdDev("count")).order_by("code")
    assert [(g["code"], g["n"]) for g in groups] == [("even", 4), ("odd", 4)]
    assert tables.Sample.objects.filter(amount__gt=Decimal("0.45")).count() == 4
    assert tables.Sample.objects.annotate(x=F("amount") * 2).filter(x__gt=Decimal("1")).count() == 2
    assert tables.Sample.objects.filter(count=100).aggregate(StdDev("count"), s=Sum("count")) == {
        "count__stddev": None,
        "s": None,
    }


def test_rows_are_made_in_bulk_and_given_their_keys(tables):
    box = tables.Box.objects.create(id="b", name="b")
    items = tables.Item.objects.bulk_create([tables.Item(box=box, label=f"{n}") for n in range(2500)])
    assert [item.id for item in items] == list(range(1, 2501))
    for item in items:
        item.weight = item.id * 2
    assert tables.Item.objects.bulk_update(items, ["weight"]) == 2500
    assert tables.Item.objects.aggregate(Sum("weight"))["weight__sum"] == 2500 * 2501
    assert sum(1 for _ in tables.Item.objects.iterator(chunk_size=100)) == 2500
    assert len(tables.Item.objects.in_bulk([1, 2, 9999])) == 2
    assert tables.Item.objects.filter(id__in=range(2000)).count() == 1999
    assert tables.Item.objects.filter(weight__gt=4000).delete()[0] == 500


def test_conflicts_in_bulk_are_ignored_or_updated(tables):
    tables.Tag.objects.bulk_create([tables.Tag(code="a"), tables.Tag(code="b")])
    tables.Tag.objects.bulk_create([tables.Tag(code="b"), tables.Tag(code="c")], ignore_conflicts=True)
    assert tables.Tag.objects.count() == 3
    boxes = [tables.Box(id=f"i{n}", name=f"n{n % 2}", price=n) for n in range(2)]
    tables.Box.objects.bulk_create(boxes)
    tables.Box.objects.bulk_create(
        [tables.Box(id="other", name="n1", price="8.00")],
        update_conflicts=True,
        unique_fields=["name"],
        update_fields=["price"],
    )
    assert list(tables.Box.objects.order_by("name").values_list("id", "price")) == [
        ("i0", Decimal("0.00")),
        ("i1", Decimal("8.00")),
    ]


def test_rows_are_got_made_and_updated_in_one_step(tables):
    box, made = tables.Box.objects.get_or_create(name="x", defaults={"id": "1", "price": "2.00"})
    assert made
    assert tables.Box.objects.get_or_create(name="x", defaults={"id": "2"}) == (box, False)
    box, made = tables.Box.objects.update_or_create(name="x", defaults={"price": "3.00"})
    assert (made, box.price) == (False, "3.00")
    assert tables.Box.objects.get().price == Decimal("3.00")
    assert tables.Box.objects.update_or_create(name="y", defaults={"id": "3"})[1]


def test_related_rows_come_in_one_query_or_two(tables):
    for name in "abc":
        box = tables.Box.objects.create(id=name, name=name)
        for n in range(3):
            tables.Item.objects.create(box=box, label=f"{name}{n}")
        tables.Tag.objects.create(code=name).boxes.add(box)
    with CaptureQueriesContext(connection) as queries:
        found = [item.box.name for item in tables.Item.objects.select_related("box").order_by("id")]
        assert found == list("aaabbbccc")
        boxes = tables.Box.objects.prefetch_related("items", "tags").order_by("name")
        assert [(len(box.items.all()), [t.code for t in box.tags.all()]) for box in boxes] == [
            (3, ["a"]),
            (3, ["b"]),
            (3, ["c"]),
        ]
    assert len(queries) == 4
    assert "SELECT" in queries[0]["sql"]
    assert tables.Box.objects.annotate(n=Count("items")).filter(n=3, tags__code="b").get().name == "b"
    assert tables.Item.objects.filter(box__tags__code="a").distinct().count() == 3


def test_a_logged_query_shows_its_parameters(tables):
    with CaptureQueriesContext(connection) as queries:
        list(tables.Box.objects.filter(name="O'Hara", price__gt=Decimal("1.5"), made_at__lt=NINE))
    assert "'O''Hara'" in queries[0]["sql"]
    assert "'2026-06-01T09:00:01.000Z'" in queries[0]["sql"]


def test_raw_queries_map_to_models_and_name_their_columns(tables):
    tables.Box.objects.create(id="b", name="100%", price="1.50")
    rows = tables.Box.objects.raw("SELECT id, name, price, 1 + %s AS extra FROM boxes WHERE name LIKE '100%%'", [1])
    assert [(row.name, row.price, row.extra) for row in rows] == [("100%", Decimal("1.50"), 2)]
    assert rows.columns == ["id", "name", "price", "extra"]
    assert rows[0].is_open is True
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, price FROM boxes WHERE id = %(id)s", {"id": "b"})
        assert [column.name if hasattr(column, "name") else column[0] for column in cursor.description] == [
            "id",
            "price",
        ]
        assert cursor.fetchall() == [("b", 1.5)]


def test_sets_windows_cases_and_conditional_updates(tables):
    for n in range(6):
        sample(count=n)
    objects = tables.Sample.objects
    assert objects.filter(count__lt=2).union(objects.filter(count__gt=4)).count() == 3
    assert objects.filter(count__lt=4).intersection(objects.filter(count__gt=2)).get().count == 3
    objects.update(few=Case(When(count__gte=3, then=Value(1)), default=Value(0)))
    assert objects.filter(few=1).count() == 3
    ranked = objects.annotate(r=models.Window(models.functions.Rank(), order_by=F("count").desc())).order_by("r")
    assert [row.count for row in ranked] == [5, 4, 3, 2, 1, 0]
    assert objects.annotate(g=Greatest("count", Value(4))).filter(g=4).count() == 5
    assert objects.annotate(c=Coalesce("share", Value(7.0))).first().c == 7.0
    assert "SCAN" in objects.filter(count=1).explain().upper()


def test_random_order_is_the_instance_s():
    def orders(seed):
        with lab(seed=seed) as inst, inst.bulk():
            from tests.worlds.lab.models import Sample

            for n in range(30):
                sample(count=n)
            found = [list(Sample.objects.order_by("?").values_list("count", flat=True)) for _ in range(2)]
            return [*found, list(Sample.objects.annotate(r=Random()).values_list("r", flat=True))]

    first = orders(5)
    assert first == orders(5)
    assert first != orders(6)
    assert first[0] != first[1] != sorted(first[1])
    assert all(0 <= r < 1 for r in first[2])
    assert len(set(first[2])) == 30


# Errors and transactions.


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (lambda m: m.Box.objects.create(id="a", name="a") and m.Box.objects.create(id="b", name="a"), IntegrityError),
        (lambda m: m.Shelf.objects.create(room="a", number=None), IntegrityError),
        (lambda m: m.Box.objects.raw("SELECT nonsense")[0], OperationalError),
        (lambda m: connection.cursor().execute("SELECT %s", [1, 2]), ProgrammingError),
        (lambda m: connection.cursor().execute("SELECT zeroblob(2000000000)"), DataError),
        (lambda m: m.Box.objects.filter(nonsense=1), FieldError),
        (lambda m: m.Sample.objects.get(), models.ObjectDoesNotExist),
    ],
)
def test_errors_are_django_s(tables, act, error):
    with pytest.raises(error), transaction.atomic():
        act(tables)
    assert tables.Box.objects.count() == 0


def test_a_failed_block_is_undone_and_the_call_goes_on(inst):
    from tests.worlds.lab.models import Box

    def act(ctx):
        Box.objects.create(id="1", name="one")
        for _ in range(3):
            fails(
                IntegrityError,
                transaction.atomic(),
                lambda: Box.objects.create(id="2", name="two"),
                transaction.atomic(lambda: Box.objects.create(id="3", name="three")),
                lambda: Box.objects.create(id="4", name="one"),
            )
        Box.objects.create(id="5", name="five")
        with transaction.atomic():
            Box.objects.create(id="6", name="six")
            sid = transaction.savepoint()
            Box.objects.create(id="7", name="seven")
            transaction.savepoint_rollback(sid)

    perform(inst, act)
    assert [row["name"] for row in inst.inspect().rows("SELECT name FROM boxes ORDER BY id")] == ["one", "five", "six"]
    assert len(inst.change_log()) == 3


def test_set_rollback_undoes_the_innermost_block(inst):
    from tests.worlds.lab.models import Box

    def act(ctx):
        with transaction.atomic():
            Box.objects.create(id="1", name="one")
            transaction.set_rollback(True)
        return Box.objects.count()

    assert perform(inst, act) == 0


def test_an_error_swallowed_without_a_savepoint_fails_the_call_and_says_why(inst):
    from tests.worlds.lab.models import Box

    def act(ctx):
        Box.objects.create(id="1", name="one")
        try:
            with transaction.atomic(savepoint=False):
                Box.objects.create(id="2", name="one")
        except IntegrityError:
            pass

    with pytest.raises(WorldBug, match=r"an atomic\(savepoint=False\) block .* the error was swallowed"):
        perform(inst, act)
    assert inst.change_log() == []
    assert inst.call("list_boxes") == []


def test_queries_after_such_an_error_are_refused(inst):
    from tests.worlds.lab.models import Box

    def act(ctx):
        try:
            with transaction.atomic(savepoint=False):
                raise ValueError
        except ValueError:
            pass
        Box.objects.count()

    with pytest.raises(TransactionManagementError, match="until the end of the 'atomic' block"):
        perform(inst, act)
    assert perform(inst, lambda ctx: Box.objects.count()) == 0


def test_a_row_that_refers_to_nothing_fails_the_call_at_its_end(inst):
    from tests.worlds.lab.models import Box, Item

    with pytest.raises(IntegrityError, match="FOREIGN KEY constraint failed"):
        perform(inst, lambda ctx: Item.objects.create(box_id="nobody", label="x"))

    def repaired_in_time(ctx):
        Item.objects.create(box_id="late", label="x")
        Box.objects.create(id="late", name="late")

    perform(inst, repaired_in_time)
    assert inst.inspect().one("SELECT count(*) AS n FROM items") == {"n": 1}


def test_a_durable_block_may_be_the_outermost_of_a_call_and_no_inner_one(inst):
    from tests.worlds.lab.models import Box

    def act(ctx):
        with transaction.atomic(durable=True):
            Box.objects.create(id="1", name="one")
        with transaction.atomic(), transaction.atomic(durable=True):
            pass

    with pytest.raises(RuntimeError, match="durable atomic block cannot be nested"):
        perform(inst, act)
    assert inst.call("list_boxes") == []


def test_a_world_cannot_end_the_call_s_transaction(inst):
    from tests.worlds.lab.models import Box

    for act in (transaction.commit, transaction.rollback, lambda: transaction.set_autocommit(True)):
        with pytest.raises(TransactionManagementError):
            perform(inst, lambda ctx, act=act: (Box.objects.create(id="1", name="one"), act()))
    for sql in ("ROLLBACK", "COMMIT"):
        with pytest.raises(WorldBug, match="the transaction of this call was ended inside it"):
            perform(inst, lambda ctx, sql=sql: ctx.db.execute(sql))
    assert inst.call("list_boxes") == []
    assert perform(inst, lambda ctx: ctx.db.in_transaction) is True


def test_autocommit_and_transactions_of_its_own_in_a_tool_without_one(inst):
    from tests.worlds.lab.models import Box

    def act(ctx):
        Box.objects.create(id="1", name="one")
        with transaction.atomic(durable=True):
            Box.objects.create(id="2", name="two")
        fails(
            IntegrityError,
            transaction.atomic(),
            lambda: Box.objects.create(id="3", name="three"),
            lambda: Box.objects.create(id="4", name="one"),
        )
        raise ToolError("enough", "enough")

    with pytest.raises(ToolError, match="enough"):
        perform(inst, act, freely=True)
    assert [(r["i"], r["key"]) for r in inst.change_log()] == [(0, {"id": "1"}), (0, {"id": "2"})]


def test_a_transaction_left_open_is_undone_and_the_next_call_works(inst):
    from tests.worlds.lab.models import Box

    def act(ctx):
        ctx.db.execute("BEGIN")
        Box.objects.create(id="1", name="one")

    with pytest.raises(WorldBug, match="transaction"):
        perform(inst, act, freely=True)
    assert inst.change_log() == []
    assert inst.call("list_boxes") == []
    assert inst.call("make_box", name="next")["name"] == "next"


# What waits for the commit.


def test_commit_hooks_run_inside_the_call_in_order_and_what_they_write_is_of_the_call(inst):
    from tests.worlds.lab.models import Box

    ran = []

    def act(ctx):
        transaction.on_commit(lambda: ran.append(Box.objects.create(id="2", name="two").id))
        transaction.on_commit(lambda: transaction.on_commit(lambda: ran.append("from a hook")))
        fails(
            LookupError,
            transaction.atomic(),
            lambda: transaction.on_commit(lambda: ran.append("never")),
            raising(LookupError),
        )
        with transaction.atomic():
            transaction.on_commit(lambda: ran.append("inner"))
        Box.objects.create(id="1", name="one")
        return list(ran)

    assert perform(inst, act) == []
    assert ran == ["2", "inner", "from a hook"]
    assert [(record["i"], record["key"]["id"]) for record in inst.change_log()] == [(0, "1"), (0, "2")]


def test_a_failing_commit_hook_undoes_the_call(inst):
    from tests.worlds.lab.models import Box

    def act(ctx):
        Box.objects.create(id="1", name="one")
        transaction.on_commit(lambda: Box.objects.create(id="2", name="one"))

    with pytest.raises(IntegrityError):
        perform(inst, act)
    assert inst.change_log() == []
    assert inst.call("list_boxes") == []


def test_a_failing_robust_hook_is_logged_and_undone_alone(inst, caplog):
    from tests.worlds.lab.models import Box

    def fails():
        Box.objects.create(id="2", name="two")
        raise LookupError("a broken hook")

    def act(ctx):
        Box.objects.create(id="1", name="one")
        transaction.on_commit(fails, robust=True)
        transaction.on_commit(lambda: Box.objects.create(id="3", name="three"))

    perform(inst, act)
    assert [box["id"] for box in inst.call("list_boxes")] == ["1", "3"]
    assert "fails failed" in caplog.text
    assert "a broken hook" in caplog.text


def test_hooks_of_a_failed_call_are_forgotten(inst):
    ran = []

    def act(ctx):
        transaction.on_commit(lambda: ran.append("never"))
        raise ToolError("no", "no")

    with pytest.raises(ToolError):
        perform(inst, act)
    inst.call("list_boxes")
    assert ran == []


# The connection.


def test_outside_a_call_the_database_is_not_there_and_says_what_to_do():
    with pytest.raises(OperationalError, match="no instance is running on this thread"):
        connections["world"].cursor()


def test_closing_the_connection_inside_a_call_leaves_it_open(inst):
    from tests.worlds.lab.models import Box

    def act(ctx):
        Box.objects.create(id="1", name="one")
        connection.close()
        connections.close_all()
        connection.close_if_unusable_or_obsolete()
        return Box.objects.count()

    assert perform(inst, act) == 1
    assert inst.call("list_boxes")[0]["id"] == "1"


def test_the_schema_s_tables_are_strict_and_made_by_migrations(inst):
    listed = inst.inspect().rows("SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
    own = {row["name"]: row["strict"] for row in listed if not row["name"].startswith("sqlite_")}
    assert own.keys() >= {"boxes", "items", "tags", "tags_boxes", "samples", "shelves", "crates"}
    assert set(own.values()) == {1}


def test_a_table_altered_by_a_migration_stays_strict_and_keeps_its_rows():
    class Meta:
        app_label = "lab"
        managed = False

    @isolate_apps("tests.worlds.lab")
    def thing(code):
        return type("Thing", (models.Model,), {"__module__": __name__, "Meta": Meta, "code": code, "__str__": str})

    first = thing(models.CharField(max_length=10))
    second = thing(models.CharField(max_length=20, null=True, unique=True))
    at = models.DateTimeField(default=datetime.datetime(2026, 6, 1, 9, tzinfo=UTC))
    at.set_attributes_from_name("at")
    at.model = second
    with open_store() as store:
        bound = binding.bind(store.wrapper)
        try:
            with store.wrapper.schema_editor() as editor:
                editor.create_model(first)
            store.connection.run("INSERT INTO lab_thing (code) VALUES ('a'), ('b')")
            with store.wrapper.schema_editor() as editor:
                editor.alter_field(first, first._meta.get_field("code"), second._meta.get_field("code"))
                editor.add_field(second, at)
        finally:
            binding.unbind(bound)
        run = store.connection.run
        assert run("SELECT id, code, at FROM lab_thing") == [
            (1, "a", "2026-06-01T09:00:00.000Z"),
            (2, "b", "2026-06-01T09:00:00.000Z"),
        ]
        assert run("SELECT strict FROM pragma_table_list WHERE name = 'lab_thing'") == [(1,)]
