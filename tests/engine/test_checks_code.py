"""Which code do the rules that read querysets find, and which do they leave alone?"""

import textwrap

import pytest

from worlds.engine import installed
from worlds.engine.checking import importing, ordering, returning, sets
from worlds.engine.checking.build_time import foreign_sql
from worlds.engine.checking.targets import Target

HEAD = """
from collections.abc import Iterator
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Lower
from tests.worlds.lab.models import Box, Item, Tag
from worlds.engine import Ctx, prepared, tool
"""


@pytest.fixture
def found(tmp_path):
    """What a rule finds in a module of the lab: [(line of the text, id, hint)]."""

    def look(rule, text, head=HEAD):
        (tmp_path / "module.py").write_text(head + textwrap.dedent(text).strip("\n"))
        world = installed.get("lab")
        target = Target("lab", "tests.worlds.lab", tmp_path, world)
        above = head.count("\n")
        return [(each.line - above, each.id.removeprefix("worlds."), each.hint) for each in rule(target)]

    return look


def inside(body):
    """Text as the body of a tool."""
    return "@tool\ndef look(ctx: Ctx, name: str) -> dict:\n" + textwrap.indent(
        textwrap.dedent(body).strip("\n"), "    "
    )


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("return list(Item.objects.all().values())", 'write .order_by("pk")'),
        ("return [i.label for i in Item.objects.filter(label=name)]", 'write .order_by("pk")'),
        ("return [i.label for i in Item.objects.order_by('label')]", 'write .order_by("label", "pk")'),
        ("return [i.label for i in Item.objects.order_by('-weight', '-label')]", '"-weight", "-label", "-pk"'),
        ("return [i.id for i in Item.objects.order_by('label')[:5]]", 'write .order_by("label", "pk")'),
        ("return Item.objects.order_by('weight')[0].id", 'write .order_by("weight", "pk")'),
        ("return [b.name for b in Box.objects.order_by('price').iterator()]", '"price", "pk"'),
        ("return [b.name for b in Box.objects.order_by(F('price').desc())]", '"-price", "-pk"'),
        ("return [b.name for b in Box.objects.order_by(Lower('name'))]", '"pk"'),
        ("rows = Item.objects.filter(weight=1)\nrows = rows.exclude(label='')\nreturn [i.id for i in rows]", '"pk"'),
        ("box = Box.objects.get(name=name)\nreturn [i.id for i in box.items.all()]", '"pk"'),
        ("return ', '.join(i.label for i in Item.objects.all())", '"pk"'),
        ("return [*Item.objects.values_list('id', flat=True)]", '"id"'),
        ("return list(Item.objects.values('label').annotate(n=Count('id')).order_by('-n'))", '"label"'),
        ("found = []\nfor i in Item.objects.all():\n    found.append(i.id)\nreturn found", '"pk"'),
        ("return sorted(i.id for i in Item.objects.order_by('label')[:5])", '"label", "pk"'),
        ("return list(enumerate(Item.objects.values_list('id', flat=True)))", '"id"'),
    ],
)  # fmt: skip
def test_rows_in_an_order_that_leaves_some_equal_are_found(found, body, hint):
    ((_, check_id, said),) = found(ordering.check, inside(body))
    assert check_id == "W205"
    assert hint in said


@pytest.mark.parametrize(
    "body",
    [
        "return [i.id for i in Item.objects.order_by('label', 'pk')]",
        "return [i.id for i in Item.objects.order_by('label', 'id')]",
        "return [b.id for b in Box.objects.order_by('name')]",
        "return [b.id for b in Box.objects.order_by('made_at', '-name')]",
        "return [i.id for i in Item.objects.order_by('box__name', 'id')]",
        "return Item.objects.count()",
        "return Item.objects.filter(label=name).exists()",
        "return Box.objects.get(name=name).id",
        "return Item.objects.order_by('label').first().id",
        "return Item.objects.order_by('-weight').last().id",
        "return {i.label for i in Item.objects.all()}",
        "return sorted({i.label for i in Item.objects.all()})",
        "return sorted(i.label for i in Item.objects.all())",
        "return sorted(Item.objects.values_list('label', flat=True))",
        "return sorted([i.label for i in Item.objects.all()])",
        "return len(set(Item.objects.values_list('label', flat=True)))",
        "return sum(i.weight for i in Item.objects.all())",
        "return {i.id: i.label for i in Item.objects.all()}",
        "return Item.objects.aggregate(n=Count('id'))['n']",
        "return any(i.weight for i in Item.objects.all())",
        "return [b.id for b in Box.objects.filter(name=name)]",
        "return [b.id for b in Box.objects.filter(pk=name)]",
        "order = 'label' if name else '-label'\nreturn [i.id for i in Item.objects.order_by(order)]",
        "columns = ['label', 'id']\nreturn [i.id for i in Item.objects.order_by(*columns)]",
        "return [i.id for i in Item.objects.order_by('?')]",
        "return list(Item.objects.values_list('label', flat=True).order_by('label'))",
        "return list(Item.objects.values('label').annotate(n=Count('id')).order_by('label'))",
        "total = 0\nfor i in Item.objects.all():\n    total += i.weight\nreturn total",
        "for i in Item.objects.all():\n    i.delete()",
        "items = {'items': [3]}\nreturn [i for i in items.get('items')]",
        "items = ctx.state\nreturn [i for i in items.items()]",
        "rows = Item.objects.all()\nif name:\n    rows = rows.order_by('id')\nelse:\n    rows = rows.order_by('-id')\n"
        "return [i.id for i in rows]",
        "return 'list(Item.objects.all())'  # [i for i in Item.objects.all()]",
        "Item.objects.filter(label=name).update(weight=1)\nItem.objects.filter(label=name).delete()",
    ],
)  # fmt: skip
def test_an_order_that_tells_all_rows_apart_or_does_not_matter_is_left_alone(found, body):
    assert found(ordering.check, inside(body)) == []


@pytest.mark.parametrize(
    ("body", "is_found"),
    [
        ("return ctx.db.rows('SELECT id FROM items WHERE label = ?', name)", True),
        ("return ctx.db.rows(LABELS)", True),
        ("return ctx.db.rows('SELECT label, count(*) FROM items GROUP BY label')", True),
        ("return ctx.db.rows('SELECT count(*), label FROM items GROUP BY label')", True),
        ("return ctx.db.rows('SELECT id FROM items ORDER BY id')", False),
        ("return ctx.db.rows('SELECT count(*) AS n FROM items')", False),
        ("return ctx.db.rows('SELECT id FROM items WHERE id = ? LIMIT 1', name)", False),
        ("return {row['id']: row for row in ctx.db.rows('SELECT id FROM items')}", False),
        ("return len(ctx.db.rows('SELECT id FROM items'))", False),
        ("return ctx.db.one('SELECT id FROM items')", False),
        ("return ctx.db.rows(name)", False),
    ],
)
def test_sql_that_lists_rows_without_an_order_is_found(found, body, is_found):
    text = inside(body) + "\n\n\nLABELS = 'SELECT label FROM items -- ORDER BY id'\n"
    assert [check_id for _, check_id, _ in found(ordering.check, text)] == ["W205"] * is_found


def test_a_prepared_query_counts_when_its_rows_are_listed(found):
    uses = {
        "[i.label for i in _of(box)]": [1],
        "_of.first(box)": [],
        "{i.label for i in _of(box)}": [],
        "len(_of(box))": [],
    }
    for use, lines in uses.items():
        text = f"_of = prepared(lambda box: Item.objects.filter(box=box))\n\ndef labels(box):\n    return {use}"
        assert [line for line, _, _ in found(ordering.check, text)] == lines


@pytest.mark.parametrize(
    "body",
    [
        "return Box.objects.get(name=name)",
        "return Box.objects.filter(name=name).first()",
        "box = Box.objects.create(id=name, name=name)\nreturn box",
        "box = Box(id=name)\nbox.save()\nreturn {'box': box}",
        "return Box.objects.all()",
        "return list(Box.objects.order_by('name'))",
        "return [box for box in Box.objects.order_by('name')]",
        "return {'boxes': [{'box': 1}, Box.objects.get(name=name)]}",
        "rows = Item.objects.order_by('id')\nif name:\n    rows = rows.filter(label=name)\nreturn rows.values('id')",
        "return Box.objects.get(name=name) if name else None",
    ],
)
def test_a_tool_that_hands_out_models_is_found(found, body):
    assert {check_id for _, check_id, _ in found(returning.check, inside(body))} == {"E208"}


@pytest.mark.parametrize(
    "body",
    [
        "return Box.objects.get(name=name).id",
        "box = Box.objects.get(name=name)\nreturn {'id': box.id, 'name': box.name}",
        "return list(Box.objects.order_by('name').values('id'))",
        "return [box.id for box in Box.objects.order_by('name')]",
        "return [{'id': box.id} for box in Box.objects.order_by('name')]",
        "return Box.objects.values('id').first()",
        "box = Box.objects.first()\nreturn box and {'id': box.id}",
        "return Box.objects.count()",
        "box = Box.objects.first()\nbox = box.name\nreturn box",
        "labels = ctx.state\nreturn labels.items.get('x')",
    ],
)
def test_a_tool_that_hands_out_json_is_left_alone(found, body):
    assert found(returning.check, inside(body)) == []


def test_a_function_that_is_no_tool_may_hand_out_models(found):
    assert found(returning.check, "def helper() -> QuerySet[Box]:\n    return Box.objects.all()") == []


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("N = Item.objects.count()", True),
        ("FIRST = Item.objects.order_by('id').first()", True),
        ("NAMES = [t.code for t in Tag.objects.all()]", True),
        ("NAMES = list(Tag.objects.values_list('code', flat=True))", True),
        ("class Kept:\n    first = Item.objects.first()", True),
        ("def f(n=Item.objects.count()): ...", True),
        ("from django.db import connection\nC = connection.cursor()", True),
        ("OPEN = Item.objects.filter(weight=1)\n\ndef f():\n    return [i.id for i in OPEN]", True),
        ("OPEN = Item.objects.filter(weight=1)\n\ndef f():\n    return OPEN.count()", False),
        ("OPEN = Item.objects.filter(weight=1)\n\ndef f():\n    return [i.id for i in OPEN.order_by('id')]", False),
        ("OF = prepared(lambda box: Item.objects.filter(box=box))", False),
        ("MANAGER = Item.objects", False),
        ("def f():\n    return Item.objects.count()", False),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    N = Item.objects.count()", False),
        ("f = lambda: Item.objects.count()", False),
        ("TEXT = 'Item.objects.count()'  # Item.objects.count()", False),
    ],
)  # fmt: skip
def test_a_query_at_import_is_found_and_one_that_is_only_made_is_not(found, text, is_found):
    assert [check_id for _, check_id, _ in found(importing.check, text)] == ["E210"] * is_found


@pytest.mark.parametrize(
    ("body", "is_found"),
    [
        ("return list({name})", True),
        ("return [x for x in set(name)]", True),
        ("return ', '.join({x for x in name})", True),
        ("return sorted({name})", False),
        ("return sorted([x for x in {name}])", False),
        ("return len({name})", False),
        ("return name in {'a', 'b'}", False),
        ("return {x for x in {name}} == {name}", False),
    ],
)
def test_a_list_of_a_set_is_found_unless_it_is_sorted(found, body, is_found):
    assert [check_id for _, check_id, _ in found(sets.check, inside(body))] == ["W214"] * is_found


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("INSERT INTO t VALUES (CURRENT_TIMESTAMP)", ["CURRENT_TIMESTAMP"]),
        ("UPDATE t SET a = datetime('now')", ["datetime('now'"]),
        ("CREATE TABLE t (a); INSERT INTO t VALUES (random())", ["random()"]),
        ("INSERT INTO t SELECT strftime('%s', 'now')", ["strftime('%s', 'now'"]),
        ("UPDATE t SET a = date()", ["date()"]),
        ("CREATE TABLE t (a TEXT DEFAULT CURRENT_TIMESTAMP)", []),
        ("CREATE TRIGGER x AFTER INSERT ON t BEGIN UPDATE t SET a = datetime('now'); END;", []),
        ("INSERT INTO t VALUES ('now', 'CURRENT_DATE') -- CURRENT_TIMESTAMP", []),
        ("INSERT INTO t VALUES ('2026-06-01')", []),
        ("/* datetime('now') */ UPDATE t SET a = date(b)", []),
    ],
)
def test_sql_of_a_migration_that_writes_rows_with_the_builds_time_is_found(script, words):
    assert [word for _, word in foreign_sql(script)] == words
