from worlds.mail.tools.sql import TABLES


def test_every_table_can_be_queried(startup):
    for table in TABLES:
        assert startup.call("run_sql", query=f"SELECT count(*) FROM {table}")["rows"][0][0] >= 0


def test_every_table_of_the_world_is_offered_but_that_of_contents(startup):
    rows = startup.inspect().rows(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    assert {row["name"] for row in rows} - {"seahaven_events", "files"} == set(TABLES)


def test_agents_only_read(refused, startup):
    assert refused("run_sql", startup, query="DELETE FROM messages").code == "db_error"
    assert refused("run_sql", startup, query="SELECT * FROM files").code == "db_error"
    assert refused("run_sql", startup, query="SELECT missing FROM messages").message == "no such column: missing"


def test_lists_of_addresses_can_be_taken_apart(startup):
    query = "SELECT DISTINCT value FROM messages, json_each(to_addresses) WHERE value LIKE 'rowena%'"
    assert startup.call("run_sql", query=query)["rows"] == [["rowena.pike@zephyrhairstudio.co.nz"]]


def test_the_schema_describes_itself(startup):
    described = str(startup.call("describe_schema"))
    assert "messages" in described
    assert "received_at" in described
