from worlds.helpdesk.tools.sql import TABLES


def test_every_table_can_be_queried(startup):
    for table in TABLES:
        assert startup.call("run_sql", query=f"SELECT count(*) FROM {table}")["rows"][0][0] >= 0


def test_every_table_of_the_world_is_offered(startup):
    rows = startup.inspect().rows(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    assert {row["name"] for row in rows} - {"seahaven_events"} == set(TABLES)


def test_agents_only_read(refused, startup):
    assert refused("run_sql", startup, query="DELETE FROM tickets").code == "db_error"
    assert refused("run_sql", startup, query="SELECT * FROM search_index").code == "db_error"
    assert refused("run_sql", startup, query="SELECT * FROM seahaven_events").code == "db_error"


def test_the_schema_describes_itself(startup):
    described = str(startup.call("describe_schema"))
    assert "tickets" in described
    assert "first_replied_at" in described
