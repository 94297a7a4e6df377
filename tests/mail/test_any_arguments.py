"""What happens when an agent sends whatever comes to its mind?"""

from random import Random
from typing import Any

from worlds.engine import ToolError

WORDS = ["", " ", "\0", "x\0y", "ü" * 30, "'; DROP", "%s", "{}", '"', "\ud800", "😀", "a" * 40, "_", "-", "Re: Re:"]
WORDS += ["Ada <ada@example.com>", "<a@b>", "<a@example.com>", "in:inbox -is:read", "ada@example.com", "2026-06-01"]
ADDRESSES = [f"{name}@larkspur.app" for name in ("maren", "theo", "jonas", "nobody", "hello", "support")]
INSTANTS = [
    "2026-05-01T00:00:00Z",
    "2026-07-01T00:00:00Z",
    "2026-07-01T00:00:00",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
]
NUMBERS = [-1, 0, 1, 5, 100, 10**12, 2**63]


Ids = dict[str, list[str]]


def anything(chance: Random, field: str, schema: dict[str, Any], ids: Ids, defs: dict[str, Any]) -> Any:
    """A value that fits a schema, or nearly; ids are often of the kind that the field's name speaks of."""
    if "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return anything(chance, field, chance.choice(schema["anyOf"]), ids, defs)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    if "const" in schema:
        return schema["const"]
    match schema.get("type"):
        case "null":
            return None
        case "boolean":
            return chance.random() < 0.5
        case "integer":
            return chance.choice(NUMBERS)
        case "array":
            return [anything(chance, field, schema["items"], ids, defs) for _ in range(chance.choice((0, 1, 1, 1, 3)))]
        case "object":
            return some_of(chance, schema, ids, defs)
    if schema.get("format") == "date-time":
        return chance.choice(INSTANTS)
    kind = next((kind for kind in ids if f"{kind}_id" in field), chance.choice(list(ids)))
    return chance.choice([chance.choice(WORDS), chance.choice(ADDRESSES), chance.choice(ids[kind])])


def some_of(chance: Random, schema: dict[str, Any], ids: Ids, defs: dict[str, Any]) -> dict[str, Any]:
    """The required fields and some of the others."""
    required = schema.get("required", ())
    return {
        field: anything(chance, field, each, ids, defs)
        for field, each in schema.get("properties", {}).items()
        if field in required or chance.random() < 0.3
    }


def test_no_arguments_make_a_bug(startup):
    chance = Random(5)
    ids: Ids = {
        kind: [row["id"] for row in startup.inspect().rows(f"SELECT id FROM {kind}s ORDER BY id LIMIT 12")]
        for kind in ("message", "thread", "draft", "attachment", "filter")
    }
    names = sorted(set(startup.world.tools) - {"run_sql"})
    answered, codes = set(), set()
    for number in range(6_000):
        schema = startup.world.tools[name := chance.choice(names)].schema
        try:
            startup.call(name, **some_of(chance, schema, ids, schema.get("$defs", {})))
            answered.add(name)
        except ToolError as error:
            codes.add(error.code)
        if number % 300 == 0:
            startup.advance(days=3)
    assert codes == {"conflict", "invalid_arguments", "invalid_input", "not_found"}
    assert len(answered) >= 26
    with startup.bulk() as ctx:
        ctx.db.execute("INSERT INTO search_index (search_index) VALUES ('integrity-check')")
        counts = ctx.db.one("SELECT (SELECT count(*) FROM search_index) AS found, count(*) AS wanted FROM messages")
        assert counts["found"] == counts["wanted"]
    latest = "(SELECT max(received_at) FROM messages WHERE thread_id = threads.id)"
    assert startup.inspect().rows(f"SELECT id FROM threads WHERE last_message_at <> {latest}") == []
