"""How does somebody say how an instance begins: with a form of what `reset` takes?

The fields of the startup keywords are made from the schema that OpenEnv's clients read, one for each.
"""

from __future__ import annotations

from typing import Any

from django import forms

from console.lineage import Entry
from console.wording import sentence
from worlds.engine import SeahavenError, Start, World, fixtures
from worlds.engine.clock import parse_instant
from worlds.engine.names import check_name
from worlds.engine.startup_schema import startup_schema

CLOCKS = (
    ("", "the world's own"),
    ("tick", "tick: a second a call"),
    ("fixed", "fixed: stands still until it is advanced"),
    ("running", "running: as time passes"),
    ("wall", "wall: this machine's"),
)
#: Before the name of a keyword in the name of its field.
KEYWORD = "startup."
_SPELLCHECK = {"spellcheck": "false", "autocomplete": "off"}


class _JSONField(forms.JSONField):
    """A value as JSON; nothing is shown as nothing, not as null."""

    def prepare_value(self, value: Any) -> Any:
        return "" if value is None else value if isinstance(value, str) else super().prepare_value(value)


class OpenForm(forms.Form):
    """How an instance begins: what `reset` takes."""

    fixture = forms.ChoiceField(required=False)
    seed = forms.IntegerField(
        required=False,
        label="Seed",
        help_text="Fixes every draw of chance: the same seed gives the same run.",
        widget=forms.NumberInput(attrs=_SPELLCHECK),
    )
    now = forms.CharField(
        required=False,
        label="Clock starts at",
        help_text="When the fixture was frozen, unless you say so: 2026-06-01T09:00:00Z.",
        widget=forms.TextInput(attrs=_SPELLCHECK),
    )
    clock_mode = forms.ChoiceField(required=False, choices=CLOCKS, label="Clock")
    startup = _JSONField(
        required=False,
        label="Startup keywords as JSON",
        widget=forms.Textarea(attrs={"rows": 3, **_SPELLCHECK}),
        error_messages={"invalid": 'This is no JSON. Write an object of keywords, such as {"acting_user": "ada"}.'},
    )
    setup_sql = forms.CharField(
        required=False,
        strip=False,
        label="Setup SQL",
        help_text="Statements to run on the starting state, before the first call.",
        widget=forms.Textarea(attrs={"rows": 4, **_SPELLCHECK}),
    )

    def __init__(self, world: World, entries: dict[str, Entry], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fixture: Any = self.fields["fixture"]
        fixture.choices = [*((each.id, each.id) for each in entries.values() if each.can_be_opened), ("", "blank")]
        there = ", ".join(id or "blank" for id, _ in fixture.choices)
        fixture.error_messages["invalid_choice"] = f"There is no fixture %(value)s to open; there are: {there}."
        schema = startup_schema(world)
        self._schemas: dict[str, dict[str, Any]] = schema["properties"]
        for keyword, about in self._schemas.items():
            self.fields[KEYWORD + keyword] = field_for(keyword, about, keyword in schema["required"])
        self.takes_any: bool = schema["additionalProperties"]
        also = "Any other keyword" if self.takes_any else "The same keywords, as an object"
        self.fields["startup"].help_text = f'{also}: {{"keyword": value}}.'

    @property
    def keyword_fields(self) -> list[forms.BoundField]:
        """The fields of the startup keywords."""
        return [self[KEYWORD + keyword] for keyword in self._schemas]

    @property
    def has_keywords(self) -> bool:
        """Was a keyword given, or refused?"""
        names = [*(KEYWORD + keyword for keyword in self._schemas), "startup"]
        return any(self[name].value() or self[name].errors for name in names)

    def clean_startup(self) -> dict[str, Any]:
        given = self.cleaned_data["startup"]
        if given in (None, ""):
            return {}
        if not isinstance(given, dict):
            raise forms.ValidationError('Write an object of keywords, such as {"acting_user": "ada@example.com"}.')
        return given

    def clean_now(self) -> str | None:
        given: str = self.cleaned_data["now"]
        if not given:
            return None
        try:
            parse_instant(given, "now")
        except SeahavenError as error:
            raise forms.ValidationError(sentence(error)) from None
        return given

    def clean(self) -> dict[str, Any]:
        told = super().clean() or self.cleaned_data
        startup = dict(told.get("startup") or {})
        for keyword, schema in self._schemas.items():
            value = told.get(KEYWORD + keyword)
            if value in (None, ""):
                continue
            if keyword in startup:
                self.add_error("startup", f"{keyword} is given twice: in its field and in this JSON. Take one away.")
            startup[keyword] = _typed(schema, value)
        return {**told, "startup": startup}

    def start(self) -> Start:
        """The start, of a form that is valid."""
        told = self.cleaned_data
        return Start(
            fixture=told["fixture"] or None,
            seed=told["seed"],
            now=told["now"],
            clock_mode=told["clock_mode"] or None,
            startup=told["startup"],
            setup_sql=told["setup_sql"] or None,
        )


def field_for(keyword: str, schema: dict[str, Any], is_required: bool) -> forms.Field:
    """A field for one startup keyword."""
    kind = _kind(schema)
    default = schema.get("default")
    unless = "" if default in (None, "") else f" Unless given: {_word(default)}."
    about: dict[str, Any] = {
        "required": False,  # it may stand in the JSON; the engine says what is missing
        "label": f"{keyword} (needed)" if is_required else keyword,
        "help_text": f"{schema.get('description', '')}{unless}".strip(),
    }
    if "enum" in kind:
        return forms.ChoiceField(choices=[("", "not given"), *((_word(v), _word(v)) for v in kind["enum"])], **about)
    match kind.get("type"):
        case "boolean":
            return forms.ChoiceField(choices=[("", "not given"), ("true", "yes"), ("false", "no")], **about)
        case "integer":
            return forms.IntegerField(min_value=kind.get("minimum"), max_value=kind.get("maximum"), **about)
        case "number":
            return forms.FloatField(**about)
        case "string":
            return forms.CharField(strip=False, widget=forms.TextInput(attrs=_SPELLCHECK), **about)
    shape = _shape(kind)
    about["help_text"] = f"{about['help_text']} As JSON: {shape}.".strip()
    wrong = {"invalid": f"This is no JSON; write {shape}."}
    return _JSONField(widget=forms.Textarea(attrs={"rows": 2, **_SPELLCHECK}), error_messages=wrong, **about)


def _shape(kind: dict[str, Any]) -> str:
    """An example of a value, in JSON."""
    match kind.get("type"):
        case "array":
            return f"[{_shape(kind.get('items', {}))}, …]"
        case "object":
            inner = kind.get("additionalProperties")
            return f'{{"…": {_shape(inner) if isinstance(inner, dict) else "…"}}}'
        case "string":
            return '"…"'
        case "integer" | "number":
            return "1"
        case "boolean":
            return "true"
    return "…"


def _kind(schema: dict[str, Any]) -> dict[str, Any]:
    """What a value is that is not null."""
    kinds = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
    return kinds[0] if len(kinds) == 1 else {}


def _typed(schema: dict[str, Any], value: Any) -> Any:
    """What was chosen, as the keyword takes it."""
    kind = _kind(schema)
    if "enum" in kind:
        return next((each for each in kind["enum"] if _word(each) == value), value)
    return value == "true" if kind.get("type") == "boolean" else value


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class FreezeForm(forms.Form):
    """What a new fixture is called, and what it is good for."""

    fixture = forms.CharField(
        max_length=128,
        label="Id",
        help_text="What trainers name it by, such as late_quarter.",
        widget=forms.TextInput(attrs=_SPELLCHECK),
    )
    description = forms.CharField(
        label="Description",
        help_text="What state it is and what it is good for; whoever chooses a fixture reads this.",
        widget=forms.Textarea(attrs={"rows": 5}),
    )

    def __init__(self, world: World, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._world = world

    def clean_fixture(self) -> str:
        """A name that is good for a folder, and free."""
        given: str = self.cleaned_data["fixture"]
        try:
            check_name(given, "a fixture id")
        except SeahavenError as error:
            raise forms.ValidationError(sentence(error)) from None
        name = self._world.name
        taken = {*fixtures.ids(name), *self._world.recipes}
        if given in taken:
            raise forms.ValidationError(f"World {name} has a fixture {given} already; choose another id.")
        if given.lower() in {each.lower() for each in taken}:
            raise forms.ValidationError(f"World {name} has a fixture that differs from {given} in letter case only.")
        return given
