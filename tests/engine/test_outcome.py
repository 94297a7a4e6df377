"""Do two runs count as the same when they did the same, and only then?"""

import itertools

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.workbench import lab, perform
from worlds.engine import Diff


def run(*steps, seed=1, startup=None):
    """The diff of a run of calls, each a tool's name and its arguments, or a function to do in a call."""
    with lab(seed=seed, startup=startup or {}) as inst:
        for step in steps:
            if callable(step):
                perform(inst, step)
            else:
                inst.call(step[0], **step[1])
        return inst.diff()


def make(name, **values):
    return "make_box", {"name": name, **values}


def put(box, label, **values):
    return "put_item", {"box": box, "label": label, **values}


def same(one, other):
    assert one.same_outcome(other) == other.same_outcome(one) == (one.outcome_differences(other) == [])
    return one.same_outcome(other)


# Items hold bytes drawn at random, which are business to the outcome; these tests write them without.


def item(box, label, weight=None):
    def act(ctx):
        from tests.worlds.lab.models import Box, Item

        Item.objects.create(box=Box.objects.get(name=box), label=label, weight=weight)

    return act


def test_a_run_has_the_outcome_of_itself_and_of_its_repetition():
    steps = [make("a"), item("a", "pen", 3), ("tag_box", {"box": "a", "code": "red"})]
    assert same(run(*steps), run(*steps))
    assert same(run(), run())
    assert not same(run(), run(*steps))


def test_other_seeds_other_order_and_other_times_make_no_other_outcome():
    one = run(
        make("a"), make("b"), item("a", "pen"), item("b", "cup"), ("tag_box", {"box": "b", "code": "red"}), seed=1
    )
    other = run(
        make("b"), ("draw", {}), ("tag_box", {"box": "b", "code": "red"}), item("b", "cup"), make("a"),
        ("change_box", {"name": "a", "price": "1.50"}), item("a", "pen"), seed=2,
    )  # fmt: skip
    assert one.as_dicts() != other.as_dicts()
    assert one.outcome_differences(other) == []
    assert same(one, other)


@settings(max_examples=40)
@given(st.permutations(range(6)), st.integers(0, 2**64 - 1))
def test_any_order_of_the_same_work_has_the_same_outcome(order, seed):
    work = [[make(name, price=f"{n}.00"), item(name, "x", n), item(name, "y")] for n, name in enumerate("abcdef")]
    assert same(run(*itertools.chain(*work)), run(*itertools.chain(*(work[n] for n in order)), seed=seed))


@pytest.mark.parametrize(
    "step",
    [
        ("change_box", {"name": "a", "price": "1.51"}),
        ("change_box", {"name": "a", "is_open": False}),
        item("a", "another"),
        item("b", "pen", 1),
        make("c"),
        ("drop_box", {"name": "b"}),
        ("tag_box", {"box": "b", "code": "red"}),
        ("tag_box", {"box": "a", "code": "blue"}),
    ],
    ids=lambda step: str(step) if isinstance(step, tuple) else None,
)
def test_one_more_step_of_business_is_another_outcome_and_is_told(step):
    steps = [make("a"), make("b"), item("a", "pen", 1), ("tag_box", {"box": "a", "code": "red"})]
    one, other = run(*steps), run(*steps, step, seed=2)
    assert not same(one, other)
    told = one.outcome_differences(other)
    assert told
    assert all(line.startswith(("only in the first: {", "only in the second: {")) for line in told)


def test_the_difference_told_is_the_row_and_the_value():
    (first, second) = run(make("a", price="1.00")).outcome_differences(run(make("a", price="2.00"), seed=9))
    assert '"price":1.0' in first
    assert '"price":2.0' in second
    assert '"name":"a"' in first


def test_columns_that_keep_books_or_are_derived_do_not_count():
    start = {"owner": "Ada"}
    one = run(("change_box", {"name": "Ada's box", "price": "3.00"}), startup=start)
    late = run(("draw", {}), ("draw", {}), ("change_box", {"name": "Ada's box", "price": "3.00"}), startup=start)
    assert one.changes[0].after != late.changes[0].after
    assert same(one, late)
    only_touched = run(("change_box", {"name": "Ada's box"}), startup=start)
    assert len(only_touched) == 1
    assert same(only_touched, run(startup=start))


def test_which_row_a_row_belongs_to_is_business():
    boxes = [make("a"), make("b")]
    assert not same(run(*boxes, item("a", "pen")), run(*boxes, item("b", "pen")))


def shelf(room, number, name):
    def act(ctx):
        from tests.worlds.lab.models import Box, Shelf

        Shelf.objects.create(room=room, number=number, holds=Box.objects.get(name=name))

    return act


def test_a_row_with_a_composite_key_is_known_by_it_and_may_refer_to_new_rows():
    one = run(make("a"), make("b"), shelf("r", 1, "a"), shelf("r", 2, "b"))
    assert same(one, run(make("b"), make("a"), shelf("r", 2, "b"), shelf("r", 1, "a"), seed=2))
    assert not same(one, run(make("a"), make("b"), shelf("r", 2, "a"), shelf("r", 1, "b")))


def test_a_natural_key_is_business():
    steps = [make("a")]
    assert not same(
        run(*steps, ("tag_box", {"box": "a", "code": "red"})), run(*steps, ("tag_box", {"box": "a", "code": "blu"}))
    )


# Ids in other places than foreign keys.


def box_with(name, facts):
    """A box whose facts are made of the ids of boxes made before: `facts(ids by name)`."""

    def act(ctx):
        from tests.worlds.lab.models import Box

        ids = dict(Box.objects.values_list("name", "id"))
        Box.objects.create(id=f"box_{ctx.ids.token(12)}", name=name, facts=facts(ids))

    return act


@pytest.mark.parametrize(
    "facts",
    [
        lambda ids: {"of": ids["a"]},
        lambda ids: {"all": [ids["a"], ids["b"], {"deep": ids["b"]}]},
        lambda ids: {ids["a"]: 1, ids["b"]: 2},
        lambda ids: {"text": f"merged from {ids['a']} and ({ids['b']})."},
        lambda ids: {"url": f"https://shop.test/boxes/{ids['a']}/items?also={ids['b']}#top"},
        lambda ids: ids["a"],
    ],
)
def test_the_id_of_a_new_row_is_found_in_json_and_in_text(facts):
    one = run(make("a"), make("b"), box_with("c", facts))
    assert same(one, run(make("b"), make("a"), ("draw", {}), box_with("c", facts), seed=2))

    def swapped(ids):
        return facts({"a": ids["b"], "b": ids["a"]})

    assert not same(one, run(make("a"), make("b"), box_with("c", swapped)))


def test_json_with_its_keys_in_another_order_is_the_same():
    one = run(make("a", facts={"x": 1, "y": [{"p": 1, "q": 2}]}))
    assert same(one, run(make("a", facts={"y": [{"q": 2, "p": 1}], "x": 1})))
    assert not same(one, run(make("a", facts={"x": 1, "y": [{"p": 2, "q": 1}]})))
    assert not same(run(make("a", facts={"x": [1, 2]})), run(make("a", facts={"x": [2, 1]})))


def test_odd_json_can_be_compared():
    facts = {"big": 10**30, "half": "\ud800", "deep": [[[[]]]], "": None}

    def act(ctx):
        from tests.worlds.lab.models import Box

        Box.objects.create(id=ctx.ids.token(12), name="a", facts=facts)

    assert same(run(act), run(act, seed=2))


def test_ids_that_begin_alike_are_not_confused():
    def named(*names):
        def act(ctx):
            from tests.worlds.lab.models import Box

            for name in names:
                Box.objects.create(id=f"lead-{name}", name=name)
            Box.objects.create(id=ctx.ids.token(12), name="last", facts={"of": "lead-12 and lead-1"})

        return act

    assert same(run(named("1", "12")), run(named("12", "1"), seed=2))
    assert not same(run(named("1", "12")), run(named("1", "13")))


def test_short_ids_stand_for_themselves():
    def act(label):
        def act(ctx):
            from tests.worlds.lab.models import Box

            Box.objects.create(id="7", name="seven")
            Box.objects.create(id=ctx.ids.token(12), name="other", facts={"n": label})

        return act

    assert same(run(act("7")), run(act("7"), seed=2))
    assert not same(run(act("7")), run(act("8")))


# Rows that say the same.


def twins(*contents):
    """Samples that differ in nothing but the boxes that name them."""

    def act(ctx):
        from tests.worlds.lab.models import Box, Sample

        for labels in contents:
            sample = Sample.objects.create(id=ctx.ids.uuid(), code="twin")
            for label in labels:
                Box.objects.create(id=ctx.ids.token(12), name=label, facts={"of": sample.id})

    return act


def test_rows_that_say_the_same_are_told_apart_by_what_refers_to_them():
    one = run(twins("ab", "c"))
    assert same(one, run(twins("c", "ba"), seed=2))
    assert not same(one, run(twins("a", "bc")))
    assert not same(one, run(twins("abc", "")))
    assert not same(one, run(twins("abc")))


def test_rows_that_say_the_same_are_counted():
    assert same(run(twins("", "", "")), run(twins("", "", ""), seed=2))
    assert not same(run(twins("", "", "")), run(twins("", "")))


def test_a_row_that_extends_another_belongs_to_it():
    def crates(*pairs):
        def act(ctx):
            from tests.worlds.lab.models import Crate

            for name, wood in pairs:
                Crate.objects.create(id=ctx.ids.token(12), name=name, wood=wood)

        return act

    one = run(crates(("a", "oak"), ("b", "elm")))
    assert same(one, run(crates(("b", "elm"), ("a", "oak")), seed=2))
    assert not same(one, run(crates(("a", "elm"), ("b", "oak"))))


def test_a_change_of_old_rows_is_compared_by_their_keys():
    start = {"owner": "Ada"}
    one = run(item("Ada's box", "pen"), startup=start)
    assert same(one, run(item("Ada's box", "pen"), startup=start))
    dropped = run(("drop_box", {"name": "Ada's box"}), startup=start)
    assert same(dropped, run(("drop_box", {"name": "Ada's box"}), startup=start))
    assert not same(dropped, run(startup=start))


def test_an_old_row_that_comes_to_refer_to_a_new_one():
    def moved(name):
        def act(ctx):
            from tests.worlds.lab.models import Box, Item

            Item.objects.filter(label="old").update(box=Box.objects.get(name=name))

        return act

    def diff(*steps):
        with lab(startup={"owner": "Ada"}) as inst:
            perform(inst, item("Ada's box", "old"))
            inst._at.log.cut(0)
            for step in steps:
                perform(inst, step) if callable(step) else inst.call(step[0], **step[1])
            return inst.diff()

    one = diff(make("a"), make("b"), moved("a"))
    assert [change.op for change in one] == ["insert", "insert", "update"]
    assert same(one, diff(("draw", {}), make("b"), make("a"), moved("a")))
    assert not same(one, diff(make("a"), make("b"), moved("b")))


def test_outcomes_can_be_compared_from_documents_alone():
    with lab() as inst:
        inst.call("make_box", name="a")
        document = orjson.loads(inst.state_json())
    assert same(Diff.of(document), run(make("a"), seed=3))


def test_tables_without_models_are_compared_column_by_column():
    def records(key, value):
        row = {"id": key, "v": value}
        return [{"world": "main", "table": "mystery", "op": "insert", "key": {"id": key}, "before": None, "after": row}]

    worlds = {"main": "lab"}
    assert same(Diff(records("abcdefgh", 1), worlds), Diff(records("hgfedcba", 1), worlds))
    assert not same(Diff(records("abcdefgh", 1), worlds), Diff(records("abcdefgh", 2), worlds))


def test_a_large_run_is_compared_in_reasonable_time():
    import time

    def act(ctx):
        from tests.worlds.lab.models import Box, Item

        boxes = [Box(id=ctx.ids.token(12), name=f"b{n}", facts={"n": n}) for n in range(2000)]
        Box.objects.bulk_create(boxes)
        Item.objects.bulk_create(Item(box=boxes[n % 2000], label=f"see {boxes[n // 2].id}") for n in range(4000))

    one, other = run(act), run(act, seed=2)
    began = time.perf_counter()
    assert one.outcome_differences(other) == []
    assert time.perf_counter() - began < 5
