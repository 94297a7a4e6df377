"""What happens when an agent sends whatever comes to its mind?"""

from random import Random
from typing import Any

from worlds.engine import ToolError

WORDS = ["", " ", "\0", "x\0y", "ü" * 30, "'; DROP", "%s", "{}", '"', "\ud800", "😀", "a" * 40, "ada@example.com"]
PLACEHOLDERS = ["{{customer.name}}", "{{ ticket.number }} {{x}}", "{{{{agent.name}}}}", "{{"]
INSTANTS = [
    "2026-05-01T00:00:00Z",
    "2026-05-01T00:00:00",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "soon",
]
NUMBERS = [-1, 0, 1, 5, 100, 1048, 10**12, 2**63]
ADDRESSES = ["ada@example.com", " BO@example.com", "theo@larkspur.app", "colette@atelier-colette.fr", "nobody"]
COUNTED = ("tickets", "messages", "customers", "macros")


def anything(chance: Random, schema: dict[str, Any], texts: list[str]) -> Any:
    """A value that fits a schema, or nearly."""
    if "anyOf" in schema:
        return anything(chance, chance.choice(schema["anyOf"]), texts)
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
            return [anything(chance, schema["items"], texts) for _ in range(chance.randrange(4))]
    if schema.get("format") == "date-time":
        return chance.choice(INSTANTS)
    return chance.choice(texts)


def texts_for(field: str, ids: list[str]) -> list[str]:
    """What somebody might write into a field, mostly what belongs there."""
    if "email" in field:
        return [*ADDRESSES, *ADDRESSES, *WORDS]
    return [*ids, *ids, *WORDS] if "id" in field else [*WORDS, *PLACEHOLDERS]


def test_no_arguments_make_a_bug(startup):
    chance = Random(5)
    look = startup.inspect()
    ids = [row["id"] for row in look.rows("SELECT id FROM tickets ORDER BY status = 'closed', number LIMIT 24")]
    for table in ("customers", "agents", "macros", "teams"):
        ids += [row["id"] for row in look.rows(f"SELECT id FROM {table} ORDER BY id LIMIT 6")]
    names = sorted(set(startup.world.tools) - {"run_sql"})
    answered, codes = set(), set()
    for turn in range(2_500):
        schema = startup.world.tools[name := chance.choice(names)].schema
        required = schema.get("required", ())
        arguments = {
            field: anything(chance, each, texts_for(field, ids))
            for field, each in schema.get("properties", {}).items()
            if field in required or chance.random() < 0.25
        }
        try:
            startup.call(name, **arguments)
            answered.add(name)
        except ToolError as error:
            codes.add(error.code)
        if turn % 100 == 0:
            startup.advance(hours=chance.choice((1, 30, 120)))
    assert codes == {"conflict", "invalid_arguments", "invalid_input", "not_found"}
    assert len(answered) > 27, sorted(set(names) - answered)
    with startup.bulk() as ctx:
        ctx.db.execute("INSERT INTO search_index (search_index) VALUES ('integrity-check')")
        wanted = " + ".join(f"(SELECT count(*) FROM {table})" for table in COUNTED)
        counts = f"SELECT (SELECT count(*) FROM search_index) AS found, {wanted} AS wanted"
        assert len(set(ctx.db.one(counts).values())) == 1
    check_the_books(startup)


def check_the_books(inst):
    """What the rows promise each other, whatever was done to them."""
    for broken in (
        "SELECT id FROM tickets WHERE status = 'solved' AND (assignee_id IS NULL OR auto_close_event IS NULL)",
        "SELECT id FROM tickets WHERE status <> 'solved' AND auto_close_event IS NOT NULL",
        "SELECT id FROM tickets WHERE (status = 'closed') <> (closed_at IS NOT NULL)",
        "SELECT id FROM tickets WHERE status IN ('solved', 'closed') AND waiting_since IS NOT NULL",
        "SELECT id FROM tickets WHERE merged_into_id IS NOT NULL AND status <> 'closed'",
        "SELECT id FROM sla_clocks WHERE (status = 'running') <> (event IS NOT NULL)",
        "SELECT id FROM sla_clocks WHERE (status = 'breached') <> (breached_at IS NOT NULL)",
        "SELECT id FROM sla_clocks WHERE status IN ('met', 'cancelled') AND stopped_at IS NULL",
        "SELECT c.id FROM sla_clocks c LEFT JOIN seahaven_events e ON e.id = c.event "
        "WHERE c.status = 'running' AND e.at IS NOT c.due_at",
        "SELECT c.id FROM sla_clocks c JOIN tickets t ON t.id = c.ticket_id "
        "WHERE c.metric = 'resolution' AND c.status = 'running' AND t.status IN ('pending', 'on_hold', 'solved')",
        "SELECT c.id FROM sla_clocks c JOIN tickets t ON t.id = c.ticket_id "
        "WHERE c.metric = 'first_reply' AND c.stopped_at IS NULL AND t.first_replied_at IS NOT NULL",
    ):
        assert inst.inspect().rows(broken) == [], broken
