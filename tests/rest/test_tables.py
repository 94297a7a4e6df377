"""What can be seen of an instance's rows, and is it only seeing?"""

import pytest


@pytest.fixture
def instance(api):
    made = api.opened("lab", seed=1)
    for name, price in (("Ada", "3.00"), ("bob", "10.50"), ("Cid", "10.50"), ("ada two", "0.00")):
        made.result("make_box", name=name, price=price)
    made.result("put_item", box="bob", label="nail", weight=5)
    made.result("put_item", box="bob", label="saw")
    return made


def names(answer):
    assert answer.status == 200, answer.body
    return [row["name"] for row in answer.json["results"]]


def test_the_tables_are_listed_with_their_columns(instance):
    tables = {table["name"]: table for table in instance.get("/tables").json["results"]}
    assert {"boxes", "items", "tags", "shelves", "samples"} <= set(tables)
    assert not [name for name in tables if name.startswith(("django_", "sqlite_", "seahaven_"))]
    boxes = tables["boxes"]
    assert (boxes["node"], boxes["world"], boxes["row_count"]) == ("main", "lab", 4)
    columns = {column["name"]: column for column in boxes["columns"]}
    assert columns["id"] == {"name": "id", "type": "TEXT", "nullable": False, "key": 1}
    keys = {column["name"]: column["key"] for column in tables["shelves"]["columns"] if column["key"]}
    assert keys == {"room": 1, "number": 2}
    assert instance.get("/tables?node=main&limit=1").json["count"] == len(tables)


def test_rows_are_sorted_filtered_and_paged(instance):
    rows = "/tables/boxes/rows"
    assert names(instance.get(f"{rows}?sort=name")) == ["Ada", "Cid", "ada two", "bob"]
    assert names(instance.get(f"{rows}?sort=-price,name")) == ["Cid", "bob", "Ada", "ada two"]
    assert names(instance.get(f"{rows}?filter=name:eq:bob")) == ["bob"]
    assert names(instance.get(f"{rows}?filter=name:contains:ADA&sort=name")) == ["Ada", "ada two"]
    assert names(instance.get(f"{rows}?filter=price:gt:5&filter=name:ne:bob")) == ["Cid"]
    assert len(names(instance.get(f"{rows}?filter=is_open:eq:1"))) == 4
    page = instance.get(f"{rows}?sort=name&limit=2&offset=1").json
    assert ([row["name"] for row in page["results"]], page["count"]) == (["Cid", "ada two"], 4)


def test_values_are_shown_as_sqlite_stores_them(instance):
    first, second = instance.get("/tables/items/rows?sort=id").json["results"]
    assert (first["weight"], second["weight"]) == (5, None)
    assert isinstance(first["blob"], str)
    assert [row["label"] for row in instance.get("/tables/items/rows?filter=weight:null").json["results"]] == ["saw"]
    found = instance.get("/tables/items/rows?filter=weight:notnull").json["results"]
    assert [row["label"] for row in found] == ["nail"]


@pytest.mark.parametrize(
    ("path", "status", "code", "hint"),
    [
        ("/tables/boxs/rows", 404, "unknown_table", "did you mean 'boxes'?"),
        ("/tables/django_migrations/rows", 404, "unknown_table", "it has: "),
        ("/tables/boxes/rows?node=mian", 404, "unknown_table", "did you mean 'main'?"),
        ("/tables?node=mian", 422, "unknown_node", "did you mean 'main'?"),
        ("/tables/boxes/rows?sort=nmae", 422, "unknown_column", "did you mean 'name'?"),
        ("/tables/boxes/rows?filter=nmae:eq:a", 422, "unknown_column", "did you mean 'name'?"),
        ("/tables/boxes/rows?filter=name", 422, "invalid", "no column:comparison:value"),
        ("/tables/boxes/rows?filter=name:is:a", 422, "invalid", "no column:comparison:value"),
        ("/tables/boxes/rows?filter=name:eq", 422, "invalid", "takes a value"),
        ("/tables/boxes/rows?filter=name:null:x", 422, "invalid", "takes no value"),
        ("/tables/boxes/rows?name=a", 422, "invalid", "there is no such field"),
    ],
)
def test_names_that_are_not_there_are_refused_with_the_nearest(instance, path, status, code, hint):
    answer = instance.get(path)
    assert answer.is_refusal == (status, code)
    assert hint in answer.error["message"]


def test_sql_reads_and_cannot_write(instance):
    answer = instance.post(
        "/sql", {"query": "SELECT name, price FROM boxes WHERE name > ? ORDER BY 1", "params": ["b"]}
    )
    assert answer.json == {"columns": ["name", "price"], "rows": [["bob", 10.5]], "truncated": False}
    short = instance.post("/sql", {"query": "SELECT name FROM boxes", "limit": 3}).json
    assert (len(short["rows"]), short["truncated"]) == (3, True)
    before = instance.get("/state").body
    for query in (
        "DELETE FROM boxes",
        "UPDATE boxes SET name = 1",
        "DROP TABLE boxes",
        "ATTACH 'x' AS y",
        "select",
        "",
    ):
        refused = instance.post("/sql", {"query": query})
        assert refused.status == 422
        assert refused.error["code"] in ("db_error", "invalid")
    assert "incomplete" in instance.post("/sql", {"query": "select"}).error["details"]["sqlite"]
    assert instance.post("/sql", {"query": "SELECT ?", "params": [{}]}).is_refusal == (422, "invalid")
    assert instance.get("/state").body == before
