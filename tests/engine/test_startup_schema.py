"""Does the schema of `startup=` say what a world's hooks say?"""

import copy
from typing import Literal

import jsonschema  # type: ignore[import-untyped]

from worlds.engine import Ctx, World, installed
from worlds.engine.startup_schema import startup_schema

lab = installed.get("lab")


def test_keywords_have_the_types_defaults_and_words_of_their_hook():
    schema = startup_schema(installed.get("crm"))
    acting = schema["properties"]["acting_user"]
    assert acting["anyOf"] == [{"type": "string"}, {"type": "null"}]
    assert acting["description"].startswith("Let the agent act as one user")
    assert acting["default"] is None
    assert schema["additionalProperties"] is False
    jsonschema.Draft202012Validator.check_schema(schema)


def test_choices_required_keywords_and_any_others_are_said():
    world = copy.copy(lab)

    @world.instance_startup
    def begin(ctx: Ctx, *, size: Literal["s", "m"], **more: object) -> None:
        """Begin in a size."""

    schema = startup_schema(world)
    assert schema["properties"]["size"]["enum"] == ["s", "m"]
    assert schema["properties"]["fail"] == {"type": "boolean", "default": False}
    assert schema["required"] == ["size"]
    assert schema["additionalProperties"] is True


def test_what_a_host_fixed_cannot_be_given_and_what_has_no_schema_takes_anything():
    host = World("host", version="1.0.0")
    host.embed(lab, name="shop", startup={"owner": "Ada"})
    assert set(startup_schema(host)["properties"]) == {"fail"}

    def odd(ctx, *, thing: object = object) -> None: ...

    host.instance_startup(odd)
    assert startup_schema(host)["properties"]["thing"] == {}
