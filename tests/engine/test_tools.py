import datetime as dt
import decimal
import enum
import functools
import sys
import types
import uuid
import warnings
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass
from typing import Annotated, Any, Literal

import orjson
import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from worlds.engine.ctx import Call, Ctx, InstanceInfo
from worlds.engine.errors import ArgumentError, ToolError, WorldBug
from worlds.engine.tools import Tool, as_tool, pending, take_pending, tool


class MyWorlds:
    pass


class Colour(enum.Enum):
    RED = "red"


class Line(BaseModel):
    """A line of an order."""

    title: str
    amount: int


class Order(BaseModel):
    model_config = ConfigDict(strict=True)
    lines: list[Line] = []


class LaxLine(BaseModel):
    model_config = ConfigDict(strict=False)
    amount: int


class Size(TypedDict):
    title: str
    width: int


@dataclass
class Address:
    city: str


def create_issue(
    ctx: Ctx,
    title: Annotated[str, Field(min_length=1)],
    priority: Annotated[int, Field(ge=0, le=4, description="0 is none, 4 is low")] = 0,
    *,
    urgent: bool = False,
) -> dict:
    """Create an issue.

    The title comes first:
        indented as it is here.
    """
    return {"title": title}


def send(ctx: Ctx, sender: Annotated[str, Field(alias="from")], to: str = "all") -> None: ...


def takes(annotation):
    """A tool with one argument, x, of a type."""

    def one(ctx, x): ...

    one.__annotations__ = {"ctx": Ctx, "x": annotation}
    return Tool.from_function(one)


def violations(of, **arguments):
    with pytest.raises(ArgumentError) as refused:
        of.validate(arguments)
    return [(v["path"], v["type"]) for v in refused.value.violations]


# What a tool is


def test_a_tool_is_named_and_described_by_its_function():
    made = Tool.from_function(create_issue)
    assert (made.name, made.fn, made.transaction) == ("create_issue", create_issue, True)
    assert made.description == "Create an issue.\n\nThe title comes first:\n    indented as it is here."
    assert made.listing() == {"name": made.name, "description": made.description, "input_schema": made.schema}
    assert repr(made) == "Tool(name='create_issue', transaction=True)"


def test_name_description_and_transaction_can_be_said_instead():
    made = Tool.from_function(create_issue, name="new-issue", description="", transaction=False)
    assert (made.name, made.description, made.transaction) == ("new-issue", "", False)


def test_a_tool_without_a_docstring_is_listed_with_an_empty_description():
    assert Tool.from_function(send).listing()["description"] == ""


def test_a_tool_cannot_be_changed():
    made = Tool.from_function(create_issue)
    with pytest.raises(FrozenInstanceError):
        made.name = "other"  # type: ignore[misc]
    made.schema["properties"].clear()
    made.listing()["input_schema"].clear()
    assert list(made.schema["properties"]) == ["title", "priority", "urgent"]


@pytest.mark.parametrize("annotation", [Ctx, Ctx[MyWorlds], "Ctx", "Ctx[MyWorlds]", "Ctx[Any]"])
def test_the_context_may_name_its_embedded_worlds_or_not(annotation):
    def fn(ctx, key: str): ...

    fn.__annotations__["ctx"] = annotation
    assert Tool.from_function(fn).schema["required"] == ["key"]


def test_the_context_may_go_without_an_annotation_where_its_name_says_what_it_is():
    assert Tool.from_function(lambda ctx: None, name="ping").validate({}) == {}


def test_a_decorated_function_is_read_through_its_wrapper():
    @functools.wraps(create_issue)
    def wrapper(*args, **kwargs): ...

    assert Tool.from_function(wrapper).schema == Tool.from_function(create_issue).schema


def test_arguments_may_bear_the_names_of_pydantics_own_methods():
    def fn(ctx: Ctx, copy: int, json: str, schema: str, self: str, model_x: int = 1): ...

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = Tool.from_function(fn)
    given = {"copy": 1, "json": "a", "schema": "b", "self": "c"}
    assert made.validate(given) == {**given, "model_x": 1}


# Registration


async def a_coroutine(ctx: Ctx) -> None: ...


async def an_async_generator(ctx: Ctx):
    yield 1


def a_generator(ctx: Ctx):
    yield 1


class AsyncCallable:
    __name__ = "async_callable"

    async def __call__(self, ctx: Ctx) -> None: ...


class Unhashable:
    __name__ = "unhashable"
    __hash__ = None  # type: ignore[assignment]

    def __call__(self, ctx: Ctx) -> None: ...


def no_context() -> None: ...


def keyword_context(*, ctx: Ctx) -> None: ...


def other_context(key: str) -> None: ...


def bare_first(key) -> None: ...


def star_context(*args) -> None: ...


def unresolvable_context(ctx: "Missing") -> None: ...  # type: ignore[name-defined]  # noqa: F821


def bare(ctx: Ctx, key) -> None: ...


def positional_only(ctx: Ctx, key: str, /) -> None: ...


def star(ctx: Ctx, *keys: str) -> None: ...


def double_star(ctx: Ctx, **keys: str) -> None: ...


def list_default(ctx: Ctx, key: list[str] = []) -> None: ...  # noqa: B006


def dict_default(ctx: Ctx, key: dict[str, str] = {}) -> None: ...  # noqa: B006


def set_default(ctx: Ctx, key: set[str] = set()) -> None: ...  # noqa: B006, B008


def bytearray_default(ctx: Ctx, key: Any = bytearray()) -> None: ...  # noqa: B006, B008


def field_default(ctx: Ctx, key: list[str] = Field(default=[])) -> None: ...  # noqa: B008


def type_checking_only(ctx: Ctx, fine: int, key: "Decimal") -> None: ...  # type: ignore[name-defined]  # noqa: F821


def nested_type_checking_only(ctx: Ctx, key: list["Decimal"]) -> None: ...  # type: ignore[name-defined]  # noqa: F821


def no_type(ctx: Ctx, key: "1 +") -> None: ...  # type: ignore[valid-type]  # noqa: F722


def bytes_literal(ctx: Ctx, fine: Literal["a"], key: Literal[b"x"]) -> None: ...


def enum_literal(ctx: Ctx, key: list[Literal[Colour.RED]]) -> None: ...


def any_class(ctx: Ctx, fine: int, key: Unhashable) -> None: ...


def a_callable(ctx: Ctx, key: Callable[[], int]) -> None: ...


def partly_unfit(ctx: Ctx, key: int | Callable[[], int]) -> None: ...


def second_context(ctx: Ctx, key: Ctx) -> None: ...


def unpublishable_default(ctx: Ctx, key: Any = object()) -> None: ...  # noqa: B008


def broken_pattern(ctx: Ctx, key: Annotated[str, Field(pattern="(")]) -> None: ...


def underscored(ctx: Ctx, _key: str) -> None: ...


def pydantics_word(ctx: Ctx, model_config: str) -> None: ...


def two_wire_names(ctx: Ctx, a: str, key: Annotated[str, Field(alias="a")]) -> None: ...


def lax_beside_model(ctx: Ctx, n: Annotated[int, Field(strict=False)], key: list[Line]) -> None: ...


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (a_coroutine, "tool a_coroutine is async; write it with def"),
        (an_async_generator, "tool an_async_generator is async; write it with def"),
        (a_generator, "tool a_generator is a generator; return a list"),
        (AsyncCallable(), "tool async_callable is async; write it with def"),
        (Unhashable(), "tool unhashable: Unhashable is not hashable; write a function"),
        (Line, "tool Line is no function; write one with def"),
        (no_context, "tool no_context has no context; make its first parameter `ctx: Ctx`"),
        (keyword_context, "tool keyword_context, parameter ctx: the context is passed by position; make `ctx: Ctx`"),
        (other_context, "tool other_context, parameter key: the first parameter is the context; write `ctx: Ctx`"),
        (bare_first, "tool bare_first, parameter key: the first parameter is the context; write `ctx: Ctx`"),
        (star_context, "tool star_context, parameter args: the context is passed by position; make `ctx: Ctx`"),
        (unresolvable_context, "tool unresolvable_context, parameter ctx: 'Missing' in its annotation is not known"),
        (bare, "tool bare, parameter key: it has no annotation to make a schema of; write `key: str`"),
        (positional_only, "tool positional_only, parameter key: arguments are passed by name; drop the `/`"),
        (star, "tool star, parameter keys: an agent must see every argument; name them one by one instead of *keys"),
        (double_star, "tool double_star, parameter keys: an agent must see every argument; name them one by one"),
        (list_default, "tool list_default, parameter key: calls would share its default; write None, or Field(default"),
        (dict_default, "tool dict_default, parameter key: calls would share its default; write None"),
        (set_default, "tool set_default, parameter key: calls would share its default; write None"),
        (bytearray_default, "tool bytearray_default, parameter key: calls would share its default; write None"),
        (field_default, "tool field_default, parameter key: calls would share its default; write None"),
        (type_checking_only, "tool type_checking_only, parameter key: 'Decimal' in its annotation is not known at run"),
        (nested_type_checking_only, "tool nested_type_checking_only, parameter key: 'Decimal' in its annotation"),
        (no_type, "tool no_type, parameter key: its annotation '1 +' is no type"),
        (bytes_literal, "tool bytes_literal, parameter key: JSON cannot carry b'x' in its Literal; write str, int"),
        (enum_literal, "tool enum_literal, parameter key: JSON cannot carry <Colour.RED: 'red'> in its Literal; write"),
        (any_class, "tool any_class, parameter key: <class '{here}.Unhashable'> has no JSON Schema; write a"),
        (
            a_callable,
            "tool a_callable, parameter key: collections.abc.Callable[[], int] has no JSON Schema; write a",
        ),
        (
            partly_unfit,
            "tool partly_unfit, parameter key: int | collections.abc.Callable[[], int] has no JSON Schema; write a",
        ),
        (second_context, "tool second_context, parameter key: <class 'worlds.engine.ctx.Ctx'> has no JSON Schema"),
        (unpublishable_default, "tool unpublishable_default, parameter key: typing.Any has no JSON Schema"),
        (broken_pattern, "tool broken_pattern, parameter key: "),
        (underscored, "tool underscored, parameter _key: that name is not free for an argument; rename it"),
        (pydantics_word, "tool pydantics_word, parameter model_config: that name is not free for an argument; rename"),
        (two_wire_names, "tool two_wire_names: an argument has one name on the wire, and no other argument has it"),
        (
            lax_beside_model,
            "tool lax_beside_model, parameter key: beside an argument with strict=False, Line must choo",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_function_that_is_no_tool_is_refused_by_tool_and_parameter_with_the_edit_to_make(fn, message):
    with pytest.raises(WorldBug) as refused:
        Tool.from_function(fn)
    assert str(refused.value).startswith(message.format(here=__name__))
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("name", ["reset", "step", "state", "close"])
def test_words_of_the_protocol_are_no_names_for_tools(name):
    with pytest.raises(WorldBug, match=f"tool {name}: '{name}' is a word of the protocol; rename"):
        Tool.from_function(create_issue, name=name)


@pytest.mark.parametrize("name", ["", "a b", "a.b", "é", "a\n", "x" * 129])
def test_names_that_doors_cannot_carry_are_refused(name):
    with pytest.raises(WorldBug, match="write a name of 1 to 128 ASCII letters, digits, _ and -, or pass name="):
        Tool.from_function(create_issue, name=name)


def test_a_lambda_needs_a_name():
    with pytest.raises(WorldBug, match="'<lambda>': write a name"):
        Tool.from_function(lambda ctx: None)


# The schema


def test_the_schema_publishes_constraints_descriptions_and_defaults_and_no_titles():
    assert Tool.from_function(create_issue).schema == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "minLength": 1},
            "priority": {
                "type": "integer",
                "minimum": 0,
                "maximum": 4,
                "default": 0,
                "description": "0 is none, 4 is low",
            },
            "urgent": {"type": "boolean", "default": False},
        },
        "required": ["title"],
        "additionalProperties": False,
    }


def test_the_schema_of_nested_types_keeps_its_definitions_and_the_properties_called_title():
    def fn(ctx: Ctx, order: Order, size: Size, colour: Colour = Colour.RED, title: str = "title"): ...

    line = {
        "description": "A line of an order.",
        "type": "object",
        "properties": {"title": {"type": "string"}, "amount": {"type": "integer"}},
        "required": ["title", "amount"],
    }
    assert Tool.from_function(fn).schema == {
        "type": "object",
        "$defs": {
            "Colour": {"enum": ["red"], "type": "string"},
            "Line": line,
            "Order": {
                "type": "object",
                "properties": {"lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}, "default": []}},
            },
            "Size": {
                "type": "object",
                "properties": {"title": {"type": "string"}, "width": {"type": "integer"}},
                "required": ["title", "width"],
                "additionalProperties": False,
            },
        },
        "properties": {
            "order": {"$ref": "#/$defs/Order"},
            "size": {"$ref": "#/$defs/Size"},
            "colour": {"$ref": "#/$defs/Colour", "default": "red"},
            "title": {"type": "string", "default": "title"},
        },
        "required": ["order", "size"],
        "additionalProperties": False,
    }


def test_a_title_that_an_author_gives_is_dropped_like_the_others():
    assert takes(Annotated[int, Field(title="Amount")]).schema["properties"] == {"x": {"type": "integer"}}


# Validation


def test_validated_arguments_come_with_their_defaults():
    made = Tool.from_function(create_issue)
    assert made.validate({"title": "a"}) == {"title": "a", "priority": 0, "urgent": False}
    assert made.validate(types.MappingProxyType({"title": "a"}))["title"] == "a"


def test_a_tool_that_takes_nothing_refuses_everything():
    made = Tool.from_function(lambda ctx: None, name="ping")
    assert made.validate({}) == {}
    assert violations(made, x=1) == [("x", "extra_forbidden")]


@pytest.mark.parametrize(
    ("annotation", "value", "kind"),
    [
        (int, "5", "int_type"),
        (int, 2.0, "int_type"),
        (int, True, "int_type"),
        (bool, 1, "bool_type"),
        (bool, "true", "bool_type"),
        (str, 5, "string_type"),
        (str, None, "string_type"),
        (float, "1.5", "float_type"),
        (float, float("nan"), "finite_number"),
        (list[int], {"a": 1}, "list_type"),
        (Literal["a", "b"], "c", "literal_error"),
        (dt.datetime, 5, "datetime_type"),
        (uuid.UUID, "x", "uuid_parsing"),
        (Colour, "blue", "enum"),
        (Any | None, ..., "missing"),
    ],
)
def test_nothing_is_converted_in_silence(annotation, value, kind):
    arguments = {} if value is ... else {"x": value}
    assert violations(takes(annotation), **arguments) == [("x", kind)]


def test_every_violation_is_reported_at_once_in_the_words_of_json():
    def fn(ctx: Ctx, a: int, b: list[int], c: Line, d: str): ...

    with pytest.raises(ArgumentError) as refused:
        Tool.from_function(fn).validate({"a": "5", "b": {}, "c": [], "e": 1})
    assert refused.value.to_dict() == {
        "code": "invalid_arguments",
        "message": "Invalid arguments for fn: a: Input should be a valid integer; b: Input should be a valid array; "
        "c: Input should be an object; d: Field required; e: Extra inputs are not permitted",
        "details": {
            "violations": [
                {"path": "a", "message": "Input should be a valid integer", "type": "int_type"},
                {"path": "b", "message": "Input should be a valid array", "type": "list_type"},
                {"path": "c", "message": "Input should be an object", "type": "model_type"},
                {"path": "d", "message": "Field required", "type": "missing"},
                {"path": "e", "message": "Extra inputs are not permitted", "type": "extra_forbidden"},
            ]
        },
    }


def test_a_path_leads_through_the_arguments_and_shows_no_labels_of_unions():
    made = takes(list[Line | int])
    assert violations(made, x=[1, {"title": "a", "amount": "5"}]) == [("x.1.amount", "int_type"), ("x.1", "int_type")]
    assert violations(takes(dict[str, Line]), x={"k": {"title": "a"}}) == [("x.k.amount", "missing")]


def test_an_authors_own_check_speaks_in_its_own_words():
    def even(value):
        if value % 2:
            raise ValueError("must be even")
        if value == 0:
            raise ToolError("zero", "must not be 0")
        return value

    made = takes(Annotated[int, AfterValidator(even)])
    with pytest.raises(ArgumentError, match="x: must be even$"):
        made.validate({"x": 1})
    with pytest.raises(ToolError, match="must not be 0"):
        made.validate({"x": 0})


@pytest.mark.parametrize(
    "arguments",
    [
        {"x": "a" * 10**6},
        {"a" * 10**6: 1},
        {"x": {"a" * 10**6: 1}},
        {"x": list(range(10**5))},
        [1],
        {"x": b"a" * 10**6},
    ],
)
def test_a_refusal_is_small_however_large_the_arguments(arguments):
    with pytest.raises(ArgumentError) as refused:
        takes(list[str]).validate(arguments)
    assert len(orjson.dumps(refused.value.to_dict())) < 25_000
    assert len(refused.value.violations) <= 101


def test_violations_beyond_the_first_hundred_are_counted():
    with pytest.raises(ArgumentError) as refused:
        takes(list[str]).validate({"x": list(range(150))})
    assert refused.value.violations[99]["path"] == "x.99"
    assert refused.value.violations[100:] == [{"path": "", "message": "and 50 more", "type": "too_many_violations"}]


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        (dt.datetime, "2026-06-01T00:00:00Z", dt.datetime(2026, 6, 1, tzinfo=dt.UTC)),
        (dt.date, "2026-06-01", dt.date(2026, 6, 1)),
        (uuid.UUID, "00000000-0000-0000-0000-000000000001", uuid.UUID(int=1)),
        (decimal.Decimal, "1.10", decimal.Decimal("1.10")),
        (decimal.Decimal, 1.5, decimal.Decimal("1.5")),
        (tuple[int, str], [1, "a"], (1, "a")),
        (set[int], [1, 2], {1, 2}),
        (Colour, "red", Colour.RED),
        (dict[int, str], {"1": "a"}, {1: "a"}),
        (Address, {"city": "Bern"}, Address("Bern")),
        (list[dt.date], ["2026-06-01"], [dt.date(2026, 6, 1)]),
    ],
)
def test_plain_values_are_checked_as_json_and_other_objects_as_python(annotation, value, expected):
    made = takes(annotation)
    assert made.validate({"x": value}) == {"x": expected}
    assert made.validate({"x": expected}) == {"x": expected}


def test_one_python_object_makes_the_whole_call_python():
    def fn(ctx: Ctx, key: uuid.UUID, pair: tuple[int, int]): ...

    made = Tool.from_function(fn)
    assert made.validate({"key": str(uuid.UUID(int=1)), "pair": [1, 2]})["pair"] == (1, 2)
    assert made.validate({"key": uuid.UUID(int=1), "pair": (1, 2)})["pair"] == (1, 2)
    assert violations(made, key=uuid.UUID(int=1), pair=[1, 2]) == [("pair", "tuple_type")]


def test_text_that_is_not_unicode_is_no_plain_value():
    made = takes(tuple[str, ...])
    assert violations(made, x=["\ud800"]) == [("x", "tuple_type")]
    assert made.validate({"x": ("\ud800",)}) == {"x": ("\ud800",)}


def test_numbers_beyond_64_bits_are_plain_values_too():
    def fn(ctx: Ctx, n: int, at: dt.date): ...

    assert Tool.from_function(fn).validate({"n": 2**70, "at": "2026-06-01"})["n"] == 2**70


PLAIN: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -5,
    1.0,
    1.5,
    "",
    "a",
    "1",
    [],
    [1],
    ["a"],
    [1.5, None],
    {},
    {"a": 1},
    {"title": "a"},
]
PLAIN += [{"title": "a", "amount": 1}, {"title": "a", "width": 1}, [[1]], [{"title": "a", "amount": 1}], {"lines": []}]


@pytest.mark.parametrize(
    "annotation",
    [int, str, bool, float, None, int | None, int | str, float | int, int | float | bool, Literal["a", 1, True], Line]
    + [
        Order,
        Size,
        Order | Size | Line,
        list[int],
        list[float | None],
        list[Line],
        dict[str, int],
        dict[str, list[int]],
    ]
    + [Annotated[int, Field(gt=0)], Annotated[str, Field(pattern="^a")], Annotated[list[int], Field(min_length=1)]],
)
def test_the_short_way_answers_what_the_way_through_json_answers(annotation):
    made = takes(annotation)
    assert made._parameters.direct
    for value in PLAIN:
        try:
            expected = made.params.model_validate_json(orjson.dumps({"x": value}), strict=True).x
        except ValueError:
            assert violations(made, x=value)
        else:
            got = made.validate({"x": value})["x"]
            assert (got, type(got)) == (expected, type(expected))


def test_a_tool_never_gets_hold_of_the_callers_own_lists():
    for annotation in (Any, dict, list, list[Any], dict[str, Any], list[list[int]]):
        given = {"x": {"a": [1]}} if "dict" in str(annotation) or annotation is Any else {"x": [[1]]}
        got = takes(annotation).validate(given)["x"]
        (got["a"] if isinstance(got, dict) else got[0]).append(2)
        assert given in ({"x": {"a": [1]}}, {"x": [[1]]})


# Strictness


@pytest.mark.parametrize("annotation", [Line, Address, Order, Size, list[Line], dict[str, Line]])
def test_nested_types_are_strict_whether_they_say_so_or_not(annotation):
    bad = {"title": "a", "amount": "5", "city": 5, "width": "5", "lines": [{"title": "a", "amount": "5"}]}
    fields = {Address: ["city"], Order: ["lines"], Size: ["title", "width"]}.get(annotation, ["title", "amount"])
    value = {name: bad[name] for name in fields}
    wrapped = [value] if annotation == list[Line] else {"k": value} if annotation == dict[str, Line] else value
    assert [kind for _, kind in violations(takes(annotation), x=wrapped)] in (["int_type"], ["string_type"])


def test_one_argument_can_be_relaxed():
    def fn(ctx: Ctx, n: Annotated[int, Field(strict=False)], m: int, at: dt.date | None = None): ...

    made = Tool.from_function(fn)
    assert made.validate({"n": "5", "m": 5, "at": "2026-06-01"}) == {"n": 5, "m": 5, "at": dt.date(2026, 6, 1)}
    assert violations(made, n="5", m="5") == [("m", "int_type")]


def test_a_nested_type_can_be_relaxed_and_its_neighbours_stay_strict():
    def fn(ctx: Ctx, lax: LaxLine, order: Order, size: Size, address: Address): ...

    with pytest.raises(WorldBug, match="parameter order: .* Line must choose; write ConfigDict"):
        Tool.from_function(fn)

    def fixed(ctx: Ctx, lax: LaxLine, size: Size, address: Address): ...

    made = Tool.from_function(fixed)
    given = {"lax": {"amount": "5"}, "size": {"title": "a", "width": 1}, "address": {"city": "Bern"}}
    assert made.validate(given)["lax"].amount == 5
    assert violations(made, **{**given, "address": {"city": 5}}) == [("address.city", "string_type")]


# Names on the wire


def test_an_alias_is_the_only_name_on_the_wire():
    made = Tool.from_function(send)
    assert made.validate({"from": "me"}) == {"sender": "me", "to": "all"}
    assert made.schema["required"] == ["from"]
    assert violations(made, sender="me") == [("from", "missing"), ("sender", "extra_forbidden")]


def test_a_typed_call_binds_by_position_and_translates_names():
    made = Tool.from_function(send)
    assert made.bind("me", "you") == {"from": "me", "to": "you"}
    assert made.bind(sender="me") == {"from": "me"}
    assert made.bind("me", nobody=1) == {"from": "me", "nobody": 1}
    assert made.bind() == {}


def test_a_typed_call_with_too_many_arguments_names_those_there_are():
    with pytest.raises(WorldBug, match=r"takes 2 arguments by position \(title, priority\), not 3; drop the others"):
        Tool.from_function(create_issue).bind("a", 1, True)


@pytest.mark.parametrize("twice", [{"sender": "x"}, {"from": "x"}])
def test_a_typed_call_that_gives_an_argument_twice_is_refused(twice):
    with pytest.raises(WorldBug, match="tool send was given '(sender|from)' twice; drop one of the two"):
        Tool.from_function(send).bind("me", **twice)


# Registration with a world


@pytest.fixture
def module(monkeypatch):
    """A way to run code in a module of a world's."""
    before = dict(pending)
    pending.clear()

    def run(name, source):
        space = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, space)
        exec("from worlds.engine.ctx import Ctx\nfrom worlds.engine.tools import Tool, tool\n" + source, vars(space))
        return space

    yield run
    pending.clear()
    pending.update(before)


def test_decorated_functions_wait_for_their_world_in_the_order_of_definition(module):
    here = module(
        "shop.tools.orders", "@tool\ndef b(ctx: Ctx): ...\n@tool(name='z', transaction=False)\ndef a(ctx): ..."
    )
    module("shop.tools", "@tool\ndef c(ctx: Ctx): ...")
    module("shopping.tools", "@tool\ndef d(ctx: Ctx): ...")
    taken = take_pending("shop")
    assert [(t.name, t.transaction) for t in taken] == [("b", True), ("z", False), ("c", True)]
    assert isinstance(here.a, types.FunctionType)
    assert take_pending("shop") == []
    assert [t.name for t in take_pending("shopping")] == ["d"]


def test_a_built_tool_belongs_to_the_module_that_registers_it(module):
    made = Tool.from_function(send, name="mail")
    here = module("shop.tools", "def register(made):\n    return tool(made)")
    assert here.register(made) is made
    assert take_pending("shop") == [made]


def test_a_function_from_elsewhere_that_is_no_tool_is_refused_where_it_is_defined(module):
    with pytest.raises(WorldBug, match="tool a is async"):
        module("shop.tools", "@tool\nasync def a(ctx: Ctx): ...")
    assert take_pending("shop") == []


def test_a_built_tool_takes_no_options():
    made = Tool.from_function(create_issue)
    assert as_tool(made) is made
    assert as_tool(create_issue, name="other").name == "other"
    for options in ({"transaction": True}, {"name": None}, {"description": "x"}):
        with pytest.raises(WorldBug, match=f"create_issue is built already; .* its {next(iter(options))}"):
            as_tool(made, **options)
        with pytest.raises(WorldBug, match="is built already"):
            tool(made, **options)


# The context


class Node:
    clock, ids, random, worlds, db = object(), object(), object(), object(), object()
    info = InstanceInfo("i-1", "small_startup", b"seed")

    def __init__(self):
        self.state = {}
        self.asked = []

    def schedule(self, at, handler, payload):
        self.asked.append((at, handler, payload))
        return 7

    def unschedule(self, event_id):
        return event_id == 7

    def next_seq(self):
        return 3


def test_a_context_shows_its_node_and_its_call():
    node, call = Node(), Call("send", {"to": "all"}, Tool.from_function(send))
    ctx: Ctx = Ctx(node, call)
    for name in ("clock", "ids", "random", "state", "worlds", "db"):
        assert getattr(ctx, name) is getattr(node, name)
    assert ctx.call is call
    assert ctx.instance is node.info
    assert Ctx[MyWorlds](node).call is None
    assert ctx.schedule("2026-06-01T00:00:00Z", "remind") == 7
    assert node.asked == [("2026-06-01T00:00:00Z", "remind", None)]
    assert (ctx.unschedule(7), ctx.unschedule(8)) == (True, False)
    assert ctx.seq() == 3


def test_a_context_is_read_only_and_says_where_to_keep_things():
    ctx: Ctx = Ctx(Node(), None)
    for name in ("clock", "call", "_node", "cache"):
        with pytest.raises(AttributeError, match=f"ctx.{name} cannot be set; keep it in ctx.state"):
            setattr(ctx, name, 1)
    ctx.state["cache"] = 1
    assert ctx.state == {"cache": 1}


def test_a_call_and_what_is_known_of_the_instance_cannot_be_changed():
    call = Call("send", {"to": "all"}, Tool.from_function(send))
    for record, name in ((call, "name"), (Node.info, "seed")):
        with pytest.raises(FrozenInstanceError):
            setattr(record, name, "x")
    assert "seed" not in repr(Node.info)


def test_a_changed_copy_of_a_call_leaves_the_call_alone():
    call = Call("send", {"to": "all", "from": "me"}, Tool.from_function(send), "main/mail")
    changed = call.with_arguments(to="you")
    assert changed.arguments == {"to": "you", "from": "me"}
    assert (changed.name, changed.tool, changed.node) == (call.name, call.tool, "main/mail")
    assert call.arguments == {"to": "all", "from": "me"}
