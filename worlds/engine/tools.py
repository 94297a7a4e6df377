"""What makes a function a tool?"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, TypedDict, TypeVar, Unpack, get_origin, get_type_hints, overload

import orjson
from pydantic import BaseModel, ConfigDict, PydanticUserError, ValidationError, create_model
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import SchemaError

from worlds.engine import mentions
from worlds.engine.ctx import Ctx
from worlds.engine.errors import ArgumentError, WorldBug
from worlds.engine.results import plain_json
from worlds.engine.violations import violations_of

F = TypeVar("F")

#: Words of the protocols that carry the calls.
RESERVED = frozenset({"reset", "step", "state", "close"})
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")

_CONFIG = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, protected_namespaces=())
_UNFIT = (PydanticUserError, SchemaError, NameError, TypeError, ValueError)

#: Core schema types that answer a plain JSON value alike in pydantic's JSON mode and its Python mode. `any` is not
#: among them: in Python mode it would hand the caller's own lists and dicts to the tool.
_SAME_IN_BOTH_MODES = re.compile(
    "str|int|bool|float|none|literal|nullable|default|list|dict|union|(model|typed-dict)(-fields?)?|definition(s|-ref)"
)


@dataclass(frozen=True, slots=True)
class _Parameters:
    """What a tool takes: the pydantic model of it, and how arguments are held against the model."""

    model: type[BaseModel]
    schema: bytes
    #: Python name -> name on the wire, in order.
    wire: dict[str, str]
    by_position: tuple[str, ...]
    #: What validation is asked for. True reaches nested models too, whatever they say; pydantic's `strict` config
    #: does not. But True also overrules a `strict=False`, so where there is one each type decides for itself.
    strict: bool | None
    #: May plain JSON values be checked as they are, with no detour through text?
    direct: bool


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A verb of a world: a function, what it takes and what the agent reads. Called as fn(ctx, **validated)."""

    name: str
    description: str = field(repr=False)
    fn: Callable[..., Any] = field(repr=False)
    transaction: bool
    _parameters: _Parameters = field(repr=False)

    @classmethod
    def from_function(
        cls,
        fn: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        transaction: bool = True,
    ) -> Tool:
        """The tool that `fn` is; its signature is the schema, its docstring the description.

        Raises: WorldBug naming the tool and the parameter that cannot be one, and the edit to make.
        """
        name = getattr(fn, "__name__", "") if name is None else name
        check_name(name)
        _check_callable(fn, f"tool {name}")
        if description is None:
            description = inspect.cleandoc(fn.__doc__ or "")
        return cls(name, description, fn, transaction, _read_parameters(fn, f"tool {name}"))

    @property
    def params(self) -> type[BaseModel]:
        """The pydantic model of the arguments."""
        return self._parameters.model

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments; a new copy each time, so a change to it reaches nobody else."""
        return orjson.loads(self._parameters.schema)

    def renamed(self, name: str, others: Mapping[str, str]) -> Tool:
        """The tool under another name; its descriptions call the `others` by theirs, arguments keep their names."""
        schema = self.schema
        others = {old: new for old, new in others.items() if old not in self._parameters.wire.values()}
        mentions.rename_in(schema, others)
        parameters = dataclasses.replace(self._parameters, schema=orjson.dumps(schema))
        description = mentions.renamed(self.description, others)
        return dataclasses.replace(self, name=name, description=description, _parameters=parameters)

    def listing(self) -> dict[str, Any]:
        """The tool as an agent reads it."""
        return {"name": self.name, "description": self.description, "input_schema": self.schema}

    def validate(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The keyword arguments for `fn`, defaults filled in.

        Plain JSON values are checked in JSON form (ISO text for a datetime, an array for a tuple); if any argument
        is another Python object, all are checked as Python objects. Both are strict.
        Raises: ArgumentError with every violation.
        """
        parameters = self._parameters
        validator = parameters.model.__pydantic_validator__
        if parameters.direct:
            try:
                return validator.validate_python(arguments, strict=True).__dict__
            except ValidationError:
                pass  # found again below, and said in the words of JSON
        given = dict(arguments) if isinstance(arguments, Mapping) else arguments
        text = plain_json(given)
        try:
            if text is None:
                checked = validator.validate_python(given, strict=parameters.strict)
            else:
                checked = validator.validate_json(text, strict=parameters.strict)
        except ValidationError as error:
            raise ArgumentError(self.name, violations_of(error, given)) from None
        return checked.__dict__

    def bind(self, /, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The arguments of a typed call, by their names on the wire; not validated yet.

        Raises: WorldBug for too many by position, and for one given twice.
        """
        wire, names = self._parameters.wire, self._parameters.by_position
        if len(args) > len(names):
            taken = f"{len(names)} arguments by position ({', '.join(names)})"
            raise WorldBug(f"tool {self.name} takes {taken}, not {len(args)}; drop the others or name them")
        bound = {wire[name]: value for name, value in zip(names, args, strict=False)}
        for name, value in kwargs.items():
            if (key := wire.get(name, name)) in bound:
                raise WorldBug(f"tool {self.name} was given {name!r} twice; drop one of the two")
            bound[key] = value
        return bound


class ToolOptions(TypedDict, total=False):
    """What may be said of a function that becomes a tool."""

    name: str | None
    description: str | None
    transaction: bool


def as_tool(obj: Tool | Callable[..., Any], **options: Unpack[ToolOptions]) -> Tool:
    """`obj` as a tool; one that is built already is taken as it is.

    Raises: WorldBug for options given along with a built tool, and whatever keeps a function from being one.
    """
    if not isinstance(obj, Tool):
        return Tool.from_function(obj, **options)
    if options:
        raise WorldBug(f"tool {obj.name} is built already; give Tool.from_function() its {', '.join(options)}")
    return obj


#: Tools of modules whose world has not taken them yet, by module name.
pending: dict[str, list[Tool]] = {}


@overload
def tool(fn: F, **options: Unpack[ToolOptions]) -> F: ...
@overload
def tool(fn: None = None, **options: Unpack[ToolOptions]) -> Callable[[F], F]: ...
def tool(fn: Any = None, **options: Unpack[ToolOptions]) -> Any:
    """Make a module-level function a tool of the world whose app holds the module; answers the function itself.

    A tool built by Tool.from_function() belongs to the module that calls this, since its function may come from afar.
    """
    if fn is None:
        return functools.partial(tool, **options)
    module = sys._getframe(1).f_globals["__name__"] if isinstance(fn, Tool) else getattr(fn, "__module__", None)
    pending.setdefault(module or "", []).append(as_tool(fn, **options))
    return fn


def take_pending(package: str) -> list[Tool]:
    """The tools defined in `package` and below it, in the order of definition; each is handed out once."""
    modules = [module for module in pending if module == package or module.startswith(f"{package}.")]
    return [found for module in modules for found in pending.pop(module)]


def check_name(name: str) -> None:
    """Raise WorldBug unless `name` may be a tool's."""
    if not isinstance(name, str) or not _TOOL_NAME.fullmatch(name):
        raise WorldBug(f"tool {name!r:.150}: write a name of 1 to 128 ASCII letters, digits, _ and -, or pass name=")
    if name in RESERVED:
        raise WorldBug(f"tool {name}: {name!r} is a word of the protocol; rename the function or pass name=")


def _check_callable(fn: Any, what: str) -> None:
    if isinstance(fn, type) or not callable(fn):
        raise WorldBug(f"{what} is no function; write one with def")
    try:
        hash(fn)
    except TypeError:
        raise WorldBug(f"{what}: {type(fn).__name__} is not hashable; write a function, or give it __hash__") from None
    for code in (fn, type(fn).__call__):
        if inspect.iscoroutinefunction(code) or inspect.isasyncgenfunction(code):
            raise WorldBug(f"{what} is async; write it with def, it runs on a thread of its own")
        if inspect.isgeneratorfunction(code):
            raise WorldBug(f"{what} is a generator; return a list instead of yielding")


def _read_parameters(fn: Callable[..., Any], what: str) -> _Parameters:
    try:
        first, *rest = inspect.signature(fn).parameters.values()
    except NameError as error:  # Python 3.14 evaluates annotations here
        raise WorldBug(f"{what}: {error.name!r} in its annotations is not importable at run time; import it") from error
    except ValueError:
        raise WorldBug(f"{what} has no context; make its first parameter `ctx: Ctx`") from None
    _check_ctx(first, fn, what)
    fields = {p.name: _read_field(p, fn, f"{what}, parameter {p.name}") for p in rest}
    by_position = tuple(p.name for p in rest if p.kind is p.POSITIONAL_OR_KEYWORD)
    try:
        parameters = _compile(fields, by_position)
    except _UNFIT as error:
        # Pydantic seldom says which field it is about, so each is tried alone.
        for name, spec in fields.items():
            try:
                _compile({name: spec}, ())
            except _UNFIT as own:
                raise WorldBug(f"{what}, parameter {name}: {_explain(own, spec[0])}") from own
        raise WorldBug(f"{what}: {_explain(error, list(fields))}") from error
    if parameters.strict is None:
        _check_choices(fields, what)
    return parameters


def _check_ctx(parameter: inspect.Parameter, fn: Callable[..., Any], what: str) -> None:
    what = f"{what}, parameter {parameter.name}"
    if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
        raise WorldBug(f"{what}: the context is passed by position; make `ctx: Ctx` the first parameter")
    if parameter.annotation is parameter.empty and parameter.name == "ctx":
        return
    annotation = _resolve(parameter.annotation, fn, what)
    annotation = get_origin(annotation) or annotation
    if not (isinstance(annotation, type) and issubclass(annotation, Ctx)):
        raise WorldBug(f"{what}: the first parameter is the context; write `ctx: Ctx` before it")


def _read_field(parameter: inspect.Parameter, fn: Callable[..., Any], what: str) -> tuple[Any, Any]:
    if parameter.kind is parameter.VAR_POSITIONAL or parameter.kind is parameter.VAR_KEYWORD:
        raise WorldBug(f"{what}: an agent must see every argument; name them one by one instead of {parameter}")
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise WorldBug(f"{what}: arguments are passed by name; drop the `/`, or put it right after ctx")
    if parameter.annotation is parameter.empty:
        raise WorldBug(f"{what}: it has no annotation to make a schema of; write `{parameter.name}: str` or its type")
    default = parameter.default
    value = default.default if isinstance(default, FieldInfo) else default
    if isinstance(value, (list, dict, set, bytearray)):
        kind = type(value).__name__
        raise WorldBug(f"{what}: calls would share its default; write None, or Field(default_factory={kind})")
    return _resolve(parameter.annotation, fn, what), ... if default is parameter.empty else default


def _resolve(annotation: Any, fn: Callable[..., Any], what: str) -> Any:
    """The annotation with every name in it looked up where `fn` was written."""
    origin = inspect.unwrap(fn)
    names = getattr(origin, "__globals__", None) or getattr(type(origin).__call__, "__globals__", {})
    holder = SimpleNamespace(__annotations__={"it": annotation})
    try:
        return get_type_hints(holder, globalns=names, include_extras=True)["it"]
    except NameError as error:
        raise WorldBug(
            f"{what}: {error.name!r} in its annotation is not known at run time; import it at the top of the module, "
            f"outside TYPE_CHECKING"
        ) from error
    except (AttributeError, SyntaxError, TypeError) as error:
        raise WorldBug(f"{what}: its annotation {annotation!r:.80} is no type ({error}); correct it") from error


class _SchemaWriter(GenerateJsonSchema):
    """Writes no titles: pydantic makes them up of names. A property called "title" stays, it is no schema's own."""

    def generate(self, schema: Any, mode: Any = "validation") -> dict[str, Any]:
        written = super().generate(schema, mode)
        for each in (written, *written.get("$defs", {}).values()):
            each.pop("title", None)
        return written

    def generate_inner(self, schema: Any) -> dict[str, Any]:
        written = super().generate_inner(schema)
        written.pop("title", None)
        return written

    def nullable_schema(self, schema: Any) -> dict[str, Any]:
        # What an author says of `X` in `X | None` belongs to the argument, where an agent looks for it.
        written = super().nullable_schema(schema)
        inner = written.get("anyOf", ({},))[0]
        if "description" in inner:
            written["description"] = inner.pop("description")
        return written

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def emit_warning(self, kind: Any, detail: str) -> None:
        raise PydanticInvalidForJsonSchema(detail)  # what cannot be published must not be left out in silence


def _compile(fields: dict[str, Any], by_position: tuple[str, ...]) -> _Parameters:
    model = _model(fields)
    wire: dict[str, str] = {}
    for name in fields:
        if name not in model.model_fields:
            raise ValueError("that name is not free for an argument; rename it, Field(alias=...) keeps its wire name")
        alias = model.model_fields[name].validation_alias or name
        if not isinstance(alias, str) or alias in wire.values():
            raise ValueError("an argument has one name on the wire, and no other argument has it; correct its alias")
        wire[name] = alias
    nodes = list(_nodes(model.__pydantic_core_schema__))
    for value in (value for node in nodes if node["type"] == "literal" for value in node["expected"]):
        if type(value) not in (str, int, bool, type(None)):
            raise ValueError(f"JSON cannot carry {value!r:.60} in its Literal; write str, int, bool or None there")
    relaxed = any(node.get("strict") is False or node.get("config", {}).get("strict") is False for node in nodes)
    return _Parameters(
        model=model,
        schema=orjson.dumps(model.model_json_schema(schema_generator=_SchemaWriter)),
        wire=wire,
        by_position=by_position,
        strict=None if relaxed else True,
        direct=not relaxed and all(_is_same_in_both_modes(node) for node in nodes),
    )


def _model(fields: dict[str, Any]) -> type[BaseModel]:
    with warnings.catch_warnings():
        # The model is never called as one, so an argument may well be named `copy` or `json`.
        warnings.filterwarnings("ignore", 'Field name ".*" in ".*" shadows an attribute')
        return create_model("Arguments", __config__=_CONFIG, **fields)


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every node of a pydantic core schema, in no particular order."""
    todo = [schema]
    while todo:
        item = todo.pop()
        if isinstance(item, dict):
            if isinstance(item.get("type"), str):
                yield item
                item = {k: v for k, v in item.items() if k not in ("metadata", "default", "expected", "serialization")}
            todo += item.values()
        elif isinstance(item, (list, tuple)):
            todo += item


def _is_same_in_both_modes(node: dict[str, Any]) -> bool:
    # A key such as "1" is an int to the one mode and text to the other.
    keys = node["keys_schema"]["type"] if "keys_schema" in node else "str"
    return keys == "str" and _SAME_IN_BOTH_MODES.fullmatch(node["type"]) is not None


def _check_choices(fields: dict[str, Any], what: str) -> None:
    """Where one type is lax, every nested type with a config must say what it is: it would be lax in silence."""
    for name, spec in fields.items():
        model = _model({name: spec})
        for node in _nodes(model.__pydantic_core_schema__):
            if "strict" not in node.get("config", {"strict": True}):
                raise WorldBug(
                    f"{what}, parameter {name}: beside an argument with strict=False, {node['cls'].__name__} must "
                    f"choose; write ConfigDict(strict=True) as its model_config (or strict=False to take '5' for 5)"
                )


def _explain(error: Exception, annotation: Any) -> str:
    if isinstance(error, (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema)):
        return (
            f"{annotation!r:.80} has no JSON Schema; write a scalar, a list or a dict of them, a model or a dataclass"
        )
    return str(error).partition("\n")[0][:300]
