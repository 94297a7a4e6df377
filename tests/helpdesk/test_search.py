import pytest


@pytest.fixture
def found(desk):
    def find(query, **more):
        return [(hit["type"], hit["id"]) for hit in desk.call("search_helpdesk", query=query, **more)["results"]]

    return find


def test_everything_that_has_words_is_found(desk, found):
    ticket = desk.call(
        "create_ticket",
        subject="Bergamo looms",
        body="They stopped in Bergamo",
        requester_email="ada@quicksilver.com",
        requester_name="Ada Bergamo",
    )
    note = desk.call("add_note", ticket_id=ticket["id"], body="Bergamo has two airports")["message"]["id"]
    macro = desk.call("create_macro", title="Bergamo", text="Fly there")["id"]
    everything = {
        ("ticket", ticket["id"]),
        ("message", ticket["message_id"]),
        ("message", note),
        ("customer", ticket["requester_id"]),
        ("macro", macro),
    }
    assert set(found("bergamo")) == everything
    assert found("bergamo", types=["ticket"]) == [("ticket", ticket["id"])]
    assert len(found("bergamo", limit=2)) == 2


def test_a_message_comes_with_its_ticket(desk, ticket):
    (hit,) = desk.call("search_helpdesk", query="minute")["results"]
    assert (hit["type"], hit["ticket_id"], hit["snippet"]) == (
        "message",
        ticket["id"],
        "It stops after a [minute].",
    )


def test_customers_are_found_by_company_address_and_what_is_known(desk, found):
    customer = desk.call(
        "create_customer",
        email="zoe@mills.com",
        name="Zoë Novák",
        company_name="Old Mill",
        about="Never call on Fridays",
    )["id"]
    for query in ("nov zoe", '"old mill"', "zoe@mills.com", "fridays"):
        assert found(query) == [("customer", customer)]
    desk.call("update_customer", customer_id=customer, about="")
    assert found("fridays") == []


def test_ties_are_broken_by_id(desk, found):
    ids = sorted(desk.call("create_customer", email=f"twin@{n}.com", name="Twin")["id"] for n in range(5))
    assert [id for _, id in found("twin")] == ids


def test_only_base_rows_are_logged(desk, ticket):
    desk.call("update_ticket", ticket_id=ticket["id"], subject="Another")
    tables = {record["table"] for record in desk.change_log()}
    assert tables == {"customers", "tickets", "messages", "sla_clocks", "ticket_history"}


@pytest.mark.parametrize("query", ["", "  ", '"', "*", "- !", '""'])
def test_a_query_without_a_word_is_refused(refused, query):
    error = refused("search_helpdesk", query=query)
    assert (error.code, error.details) == ("invalid_input", {"field": "query"})


@pytest.mark.parametrize("query", ['a" OR b', "a AND (b", "title:x", "x\0y", "a*b", "'); DROP TABLE tickets"])
def test_no_text_is_a_syntax_error(desk, query):
    assert isinstance(desk.call("search_helpdesk", query=query)["results"], list)
