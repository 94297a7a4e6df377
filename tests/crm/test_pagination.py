import base64

import pytest

LISTS = [
    ("list_leads", "leads", {}),
    ("list_leads", "leads", {"order": "oldest", "status": "working"}),
    ("list_stale_leads", "leads", {"days": 20}),
    ("list_companies", "companies", {}),
    ("list_deals", "deals", {"order": "oldest"}),
    ("list_activities", "activities", {}),
    ("list_activities", "activities", {"kind": "task"}),
    ("list_tasks", "tasks", {"is_done": True}),
    ("list_users", "users", {}),
]


def pages(inst, tool, **arguments):
    """Every page of a list."""
    cursor = None
    while True:
        page = inst.call(tool, **arguments, **({"cursor": cursor} if cursor else {}))
        yield page
        cursor = page["next_cursor"]
        assert page["has_next"] == (cursor is not None)
        if cursor is None:
            return


@pytest.mark.parametrize(("tool", "name", "filters"), LISTS)
@pytest.mark.parametrize("limit", [1, 3, 7])
def test_pages_hold_every_row_once_in_one_order(startup, tool, name, filters, limit):
    whole = [row["id"] for page in pages(startup, tool, **filters, limit=100) for row in page[name]]
    walked = [row["id"] for page in pages(startup, tool, **filters, limit=limit) for row in page[name]]
    assert walked == whole
    assert len(set(whole)) == len(whole) > 0


def test_rows_of_one_instant_are_told_apart_by_id(world):
    with world.instance("empty", seed=1, clock_mode="fixed") as inst:
        ids = sorted(inst.call("create_lead", email=f"{n}@example.com")["id"] for n in range(9))
        for order, expected in (("oldest", ids), ("newest", ids[::-1])):
            walked = [row["id"] for page in pages(inst, "list_leads", order=order, limit=2) for row in page["leads"]]
            assert walked == expected


def test_a_page_stays_where_it_was_when_rows_come_in_before_it(crm):
    ids = [crm.call("create_lead", email=f"{n}@example.com")["id"] for n in range(4)]
    first = crm.call("list_leads", limit=2)
    crm.call("create_lead", email="new@example.com")
    second = crm.call("list_leads", limit=2, cursor=first["next_cursor"])
    assert [lead["id"] for lead in second["leads"]] == [ids[1], ids[0]]


def test_the_last_page_may_be_full(crm):
    for n in range(2):
        crm.call("create_lead", email=f"{n}@example.com")
    page = crm.call("list_leads", limit=2)
    assert (len(page["leads"]), page["has_next"], page["next_cursor"]) == (2, False, None)
    assert crm.call("list_companies") == {"companies": [], "next_cursor": None, "has_next": False}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("list_leads", {"order": "oldest"}),
        ("list_leads", {"status": "working"}),
        ("list_stale_leads", {}),
        ("list_deals", {}),
    ],
)
def test_a_cursor_is_refused_by_every_other_list(startup, refused, tool, arguments):
    cursor = startup.call("list_leads", limit=1)["next_cursor"]
    error = refused(tool, startup, cursor=cursor, **arguments)
    assert (error.code, error.details) == ("invalid_input", {"field": "cursor"})
    assert error.message.startswith("This cursor does not belong to this list.")


def test_a_default_that_is_written_out_changes_nothing(startup):
    cursor = startup.call("list_leads", limit=1)["next_cursor"]
    assert startup.call("list_leads", cursor=cursor, order="newest", status=None)["leads"]


@pytest.mark.parametrize("cursor", ["", "x", "ü", "!!!!", "bnVsbA", base64.b64encode(b"[1,2]").decode(), "a" * 400])
def test_what_is_no_cursor_is_refused(refused, cursor):
    assert refused("list_leads", cursor=cursor).code == "invalid_input"


def test_a_cursor_that_was_tampered_with_is_refused(startup, refused):
    cursor = startup.call("list_leads", limit=1)["next_cursor"]
    text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    scope = text.split('"')[1]
    for value in ('"soon"', "null", "[]", "7", '{"a": 1}', '"2026-06-01T09:00:00.000Z","\\ud800"', '"2026-02-30"'):
        forged = base64.urlsafe_b64encode(f'["{scope}",{value},"lead_x"]'.encode()).decode()
        assert refused("list_leads", startup, cursor=forged).code == "invalid_input"


@pytest.mark.parametrize("limit", [0, -1, 101, "5", True])
def test_a_limit_is_a_number_from_1_to_100(refused, limit):
    assert refused("list_leads", limit=limit).code == "invalid_arguments"
