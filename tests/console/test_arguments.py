"""Does what stands in the form for a tool's arguments mean exactly these arguments, whatever the schema?"""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest
from django.template.loader import render_to_string
from hypothesis import given, settings
from hypothesis import strategies as st

from console.tools.argument_form import Form
from console.tools.arguments import MOST_ROWS, Wrong, arguments_in, read, written
from console.tools.shapes import MISSING, shape_of
from worlds.engine import installed

# What a browser would send for a page.


class Sending(HTMLParser):
    """Reads a form as a browser does, and knows what it would send when nobody touches it."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.sent: dict[str, list[str]] = {}
        self._select: tuple[str, list[tuple[str, bool]]] | None = None
        self._area: tuple[str, list[str]] | None = None
        self.feed(html)

    def _add(self, name: str, value: str) -> None:
        self.sent.setdefault(name, []).append(value.replace("\n", "\r\n"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        name = told.get("name") or ""
        if tag == "input" and name:
            if told.get("type") in ("radio", "checkbox"):
                if "checked" in told:
                    self._add(name, told.get("value") or "")
            else:
                value = told.get("value") or ""
                assert "\n" not in value, "an input would lose it"
                self._add(name, value)
        elif tag == "select":
            self._select = name, []
        elif tag == "option" and self._select:
            self._select[1].append((told.get("value") or "", "selected" in told))
        elif tag == "textarea":
            self._area = name, []

    def handle_data(self, data: str) -> None:
        if self._area:
            self._area[1].append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "select" and self._select:
            name, options = self._select
            chosen = [value for value, is_chosen in options if is_chosen] or [value for value, _ in options[:1]]
            for value in chosen:
                self._add(name, value)
            self._select = None
        elif tag == "textarea" and self._area:
            name, pieces = self._area
            self._add(name, "".join(pieces).removeprefix("\n"))
            self._area = None


def shown(schema: Any, arguments: dict[str, Any]) -> str:
    shape = shape_of(schema)
    fields = Form(shape, written(shape, arguments)).fields
    return "".join(render_to_string("console/tools/_argument.html", {"field": field}) for field in fields)


def same(one: Any, other: Any) -> bool:
    """1, 1.0 and true are three."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def check_round_trip(schema: Any, arguments: dict[str, Any]) -> None:
    found, errors = read(shape_of(schema), Sending(shown(schema, arguments)).sent)
    assert all("needed" in error or "Choose" in error for error in errors.values()), errors
    assert same(found, arguments), f"{found} is not {arguments}"


# Schemas, and what they allow.

TEXTS = st.text(max_size=12) | st.sampled_from(["", " ", "a\nb", "\na", "a\r\nb", "\0", '"x" <b>&amp;', "ærlig 🚢"])
KEYS = st.sampled_from(["name", "to", "a/b", "a|b", "a?", "*", "0", "~1", "ø", "is it", '"q"', "%2A"])
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=5,
)
Pair = tuple[Any, Any]


def scalars() -> st.SearchStrategy[Any]:
    return st.one_of(
        st.fixed_dictionaries({"type": st.just("string")}, optional={
            "maxLength": st.sampled_from([10, 5000]), "minLength": st.sampled_from([0, 1]),
            "format": st.sampled_from(["date", "date-time", "email", "uri", "uuid", "odd"]),
            "pattern": st.sampled_from(["^a+$", "[", "(?<x>a)", "^<[^<>\\s]+>$"]), "default": TEXTS,
        }),
        st.fixed_dictionaries({"type": st.sampled_from(["integer", "number"])}, optional={
            "minimum": st.sampled_from([0, 1.5, "odd"]), "maximum": st.integers(0, 9),
            "exclusiveMinimum": st.just(0), "multipleOf": st.sampled_from([5, 0, -1]),
        }),
        st.just({"type": "boolean"}), st.just({"type": "null"}), st.just({}), st.just(True),
        st.fixed_dictionaries({"enum": st.lists(JSONS, max_size=15)}),
        st.fixed_dictionaries({"const": JSONS}),
    )  # fmt: skip


def composed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    objects = st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(KEYS, inner, max_size=4)},
        optional={
            "required": st.lists(KEYS, max_size=3),
            "additionalProperties": st.booleans(),
            "description": TEXTS,
            "x-unheard-of": JSONS,
        },
    )
    return st.one_of(
        objects,
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}, optional={
            "maxItems": st.integers(0, 4), "minItems": st.integers(0, 1),
        }),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
        inner.map(lambda each: {"oneOf": [each, {"type": "null"}], "default": None}),
        inner.map(lambda each: {"allOf": [each], "description": "one"}),
        inner.map(lambda each: {"$ref": "#/$defs/One", "$defs": {"One": each}}),
        st.just({"type": ["string", "null"]}), st.just({"type": ["integer", "string"]}),
    )  # fmt: skip


SCHEMAS = st.recursive(scalars(), composed, max_leaves=6)
TOOLS = st.fixed_dictionaries(
    {"type": st.just("object"), "properties": st.dictionaries(KEYS, SCHEMAS, max_size=4)},
    optional={"required": st.lists(KEYS, max_size=3), "additionalProperties": st.booleans()},
)


def allowed(schema: Any, root: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Values a schema is for."""
    if not isinstance(schema, dict) or depth > 6:
        return JSONS
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        target = {**root.get("$defs", {}), **schema.get("$defs", {})}.get(name, {})
        return allowed(target, root, depth + 1)
    for word in ("anyOf", "oneOf"):
        if schema.get(word):
            return st.one_of([allowed(each, root, depth + 1) for each in schema[word]])
    if "allOf" in schema:
        return allowed(schema["allOf"][0], root, depth + 1)
    if schema.get("enum"):
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    match schema.get("type"):
        case "string":
            return TEXTS | st.sampled_from(["2026-06-01", "2026-06-01T09:00:00Z", "ada@example.com", "2026-02-30"])
        case "integer":
            return st.integers()
        case "number":
            return st.floats(allow_nan=False, allow_infinity=False) | st.integers()
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "array":
            return st.lists(allowed(schema.get("items", {}), root, depth + 1), max_size=4)
        case "object":
            known = {name: allowed(each, root, depth + 1) for name, each in schema.get("properties", {}).items()}
            needed = {name: known[name] for name in schema.get("required", ()) if name in known}
            rest = {name: each for name, each in known.items() if name not in needed}
            extra = (
                st.just({}) if schema.get("additionalProperties") is False else st.dictionaries(KEYS, JSONS, max_size=2)
            )
            return st.builds(lambda more, own: {**more, **own}, extra, st.fixed_dictionaries(needed, optional=rest))
    return JSONS


@st.composite
def tools_and_arguments(draw: st.DrawFn) -> tuple[Any, Any]:
    schema = draw(TOOLS)
    return schema, draw(allowed(schema, schema))


@settings(max_examples=150)
@given(tools_and_arguments())
def test_a_form_that_nobody_touched_says_the_arguments_it_was_filled_in_with(pair: tuple[Any, Any]) -> None:
    check_round_trip(*pair)


@settings(max_examples=80)
@given(TOOLS, st.dictionaries(KEYS, JSONS, max_size=4))
def test_what_does_not_fit_the_schema_is_kept_too(schema: Any, arguments: dict[str, Any]) -> None:
    check_round_trip(schema, arguments)


@settings(max_examples=80)
@given(JSONS)
def test_whatever_a_schema_is_it_makes_a_form(schema: Any) -> None:
    odd = {"type": "object", "properties": {"it": schema, "list": {"type": "array", "items": schema}}}
    check_round_trip(odd, {"it": {"a": [1, None]}, "list": ["x"]})
    assert read(shape_of(schema), {})[0] == {}


LISTINGS = {
    f"{world}.{tool['name']}": tool["input_schema"]
    for world in installed.names()
    for tool in (getattr(route, "tool", route).listing() for route in installed.get(world).surface.values())
}


@pytest.mark.parametrize("name", LISTINGS)
def test_every_tool_of_every_world_has_a_form(name: str) -> None:
    schema = LISTINGS[name]

    @settings(max_examples=3, derandomize=True)
    @given(allowed(schema, schema))
    def check(arguments: dict[str, Any]) -> None:
        check_round_trip(schema, arguments)

    check()
    known = shape_of(schema).properties
    assert known.keys() == schema["properties"].keys()
    for argument, shape in known.items():
        assert shape.kind != "json" or "properties" not in schema["properties"][argument]


# What people type.


def typed(schema: dict[str, Any], **sent: str | list[str]) -> Any:
    whole = {"type": "object", "properties": schema, "required": sorted(n for n, s in schema.items() if s.pop("!", 0))}
    found, errors = read(
        shape_of(whole), {f"/{name}": [value] if isinstance(value, str) else value for name, value in sent.items()}
    )
    return errors or found


def test_what_is_left_empty_is_left_out() -> None:
    assert typed({"a": {"type": "string"}, "n": {"type": "integer"}}, a="", n="") == {}
    inner = {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}
    assert read(shape_of({"properties": {"o": inner}}), {"/o/b": [""]}) == ({}, {})


def test_empty_and_null_are_sent_when_somebody_says_so() -> None:
    schema = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert typed({"a": dict(schema)}, **{"a": "", "a?": "empty"}) == {"a": ""}
    assert typed({"a": dict(schema)}, **{"a": "x", "a?": "null"}) == {"a": None}
    assert typed({"l": {"type": "array", "items": {}}}, **{"l?": "empty"}) == {"l": []}


def test_numbers_are_read_as_they_are_written() -> None:
    for text, value in (("1", 1), ("1.0", 1.0), ("-0.5", -0.5), ("1e3", 1000.0), (".5", 0.5)):
        assert same(typed({"n": {"type": "number"}}, n=text), {"n": value})
    assert same(typed({"n": {"type": "integer"}}, n="2.0"), {"n": 2})
    assert typed({"n": {"type": "integer"}}, n="2.5") == {"/n": "2.5 is no whole number."}
    for odd in ("NaN", "inf", "true", "x", "1e999", '"1"'):
        assert "no number" in typed({"n": {"type": "number"}}, n=odd)["/n"]


def test_a_mistake_names_its_field_and_all_else_stays() -> None:
    schema = {
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string"},
            "to": {"type": "array", "items": {"type": "object", "properties": {"age": {"type": "integer"}}}},
        },
    }
    sent = {"/name": [""], "/to/0/age": ["old"], "/to/1/age": ["3"]}
    found, errors = read(shape_of(schema), sent)
    assert found == {"to": [{"age": 3}]}
    form = Form(shape_of(schema), sent, errors)
    assert [(name, error) for _, name, error in form.errors] == [
        ("name", "This is needed; to send an empty text, say so beside it."),
        ("to › 1 › age", "'old' is no number."),
    ]
    html = "".join(render_to_string("console/tools/_argument.html", {"field": field}) for field in form.fields)
    assert 'value="old"' in html
    assert 'value="3"' in html
    assert html.count("aria-invalid") == 2


def test_a_list_has_one_free_row_until_it_is_full() -> None:
    schema = {"properties": {"tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2}}}
    shape = shape_of(schema)
    for sent, rows in (({}, 1), ({"/tags/0": ["a"]}, 2), ({"/tags/0": ["a"], "/tags/1": ["b"]}, 2)):
        assert len(Form(shape, sent).fields[0].children) == rows
    assert read(shape, {"/tags/0": ["a"], "/tags/7": ["b"], "/tags/3": [""]})[0] == {"tags": ["a", "b"]}


def test_what_leads_back_to_itself_ends_as_json() -> None:
    schema = {
        "$defs": {
            "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "v": {"type": "string"}}}
        },
        "properties": {"root": {"$ref": "#/$defs/Node"}, "lost": {"$ref": "#/$defs/Nobody"}},
    }
    shape = shape_of(schema)
    assert shape.properties["root"].properties["next"].kind == "json"
    assert shape.properties["lost"].kind == "json"
    check_round_trip(schema, {"root": {"next": {"next": {"v": "x"}}}})


def test_a_wide_and_deep_schema_is_bounded() -> None:
    level: dict[str, Any] = {"type": "string"}
    for _ in range(9):
        level = {"type": "object", "properties": {f"p{n}": level for n in range(9)}}
    assert len(shown(level, {})) < 2_000_000


def test_options_of_a_list_are_ticked_unless_their_order_says_something() -> None:
    schema = {"properties": {"clear": {"type": "array", "items": {"enum": ["a", "b", "c"]}}}}
    assert Sending(shown(schema, {"clear": ["a", "c"]})).sent["/clear"] == ['"a"', '"c"']
    assert Sending(shown(schema, {"clear": ["c", "a"]})).sent["/clear/0"] == ['"c"']
    check_round_trip(schema, {"clear": ["c", "a", "a"]})


def test_a_long_list_is_json() -> None:
    schema = {"properties": {"ids": {"type": "array", "items": {"type": "string"}}}}
    sent = Sending(shown(schema, {"ids": ["x"] * (MOST_ROWS + 1)})).sent
    assert len(sent) < 5
    check_round_trip(schema, {"ids": ["x"] * (MOST_ROWS + 1)})


def test_limits_stand_in_the_page() -> None:
    html = shown(
        {
            "required": ["n"],
            "properties": {
                "n": {"type": "integer", "exclusiveMinimum": 0, "maximum": 9, "description": "How many <b>"},
                "s": {"type": "string", "maxLength": 20, "pattern": "^a+$", "default": "aa"},
                "d": {"type": "string", "format": "date"},
                "b": {"type": "boolean"},
            },
        },
        {},
    )
    for wanted in (
        'min="1"',
        'max="9"',
        "required",
        'maxlength="20"',
        'pattern="(?:a+)"',
        'type="date"',
        'type="radio"',
    ):
        assert wanted in html, wanted
    assert "How many &lt;b&gt;" in html
    assert "&quot;aa&quot;" in html


def test_json_that_is_none_says_where() -> None:
    assert arguments_in(" ") == {}
    for text, said in (
        ("{email}", "line 1 column 2"),
        ("[1]", "an object"),
        ('{"a": NaN}', "NaN"),
        ("[" * 99999, "deep"),
    ):
        with pytest.raises(Wrong, match=said):
            arguments_in(text)


def test_missing_is_no_value() -> None:
    assert not MISSING
    assert shape_of({"properties": {"a": {"type": "string", "default": None}}}).properties["a"].default is None
