"""What happens when an agent sends whatever comes to its mind?"""

from random import Random
from typing import Any

from worlds.engine import ToolError

WORDS = ["", " ", "\0", "x\0y", "ü" * 30, "'; DROP", "%s", "{}", '"', "\ud800", "😀", "a" * 40, "ada@example.com"]
DATES = ["2026-06-01", "0001-01-01", "9999-12-31", "soon"]
INSTANTS = [
    "2026-05-01T00:00:00Z",
    "2026-05-01T00:00:00",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
]
NUMBERS = [-1, 0, 1, 5, 100, 10**12, 2**63]


def anything(chance: Random, schema: dict[str, Any], ids: list[str]) -> Any:
    """A value that fits a schema, or nearly."""
    if "anyOf" in schema:
        return anything(chance, chance.choice(schema["anyOf"]), ids)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    match schema.get("type"):
        case "null":
            return None
        case "boolean":
            return chance.random() < 0.5
        case "integer":
            return chance.choice(NUMBERS)
        case "array":
            return [anything(chance, schema["items"], ids) for _ in range(chance.randrange(4))]
    texts = {"date": DATES, "date-time": INSTANTS}.get(schema.get("format", ""))
    return chance.choice(texts or [*WORDS, *ids])


def test_no_arguments_make_a_bug(startup):
    chance = Random(5)
    tables = ("leads", "companies", "deals", "users", "activities", "pipeline_stages")
    ids = [row["id"] for table in tables for row in startup.inspect().rows(f"SELECT id FROM {table} LIMIT 9")]
    names = sorted(set(startup.world.tools) - {"run_sql"})
    answered, codes = set(), set()
    for _ in range(2_500):
        schema = startup.world.tools[name := chance.choice(names)].schema
        required = schema.get("required", ())
        arguments = {
            field: anything(chance, each, ids)
            for field, each in schema.get("properties", {}).items()
            if field in required or chance.random() < 0.3
        }
        try:
            startup.call(name, **arguments)
            answered.add(name)
        except ToolError as error:
            codes.add(error.code)
    assert codes == {"conflict", "invalid_arguments", "invalid_input", "not_found"}
    assert len(answered) > 25
    with startup.bulk() as ctx:
        ctx.db.execute("INSERT INTO search_index (search_index) VALUES ('integrity-check')")
        counts = "SELECT (SELECT count(*) FROM search_index) AS found, " + " + ".join(
            f"(SELECT count(*) FROM {table})" for table in ("leads", "companies", "deals", "activities", "notes")
        )
        assert len(set(ctx.db.one(f"{counts} AS wanted").values())) == 1
