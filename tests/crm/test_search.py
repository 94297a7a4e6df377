import pytest

from worlds.engine.searching import as_match


@pytest.fixture
def found(crm):
    def find(query, **more):
        return [(hit["type"], hit["id"]) for hit in crm.call("search_crm", query=query, **more)["results"]]

    return find


def test_everything_that_has_words_is_found(crm, found):
    company = crm.call("create_company", name="Quicksilver Mills", city="Bergamo")["id"]
    lead = crm.call("create_lead", email="ada@quicksilver.com", first_name="Ada", last_name="Bergamo")["id"]
    deal = crm.call("create_deal", name="Bergamo looms", company_id=company)["id"]
    call = crm.call("log_activity", kind="call", subject="Trip", body="Fly to Bergamo", lead_id=lead)["id"]
    note = crm.call("add_note", body="Bergamo has two airports", lead_id=lead)["id"]
    everything = {("company", company), ("lead", lead), ("deal", deal), ("activity", call), ("note", note)}
    assert set(found("bergamo")) == everything
    assert found("bergamo", types=["note"]) == [("note", note)]
    assert len(found("bergamo", limit=2)) == 2


def test_a_hit_in_a_name_comes_before_a_hit_in_the_text(crm, found):
    crm.call("create_lead", email="x@example.com", title="Looks after Minerva")
    named = crm.call("create_lead", email="y@example.com", first_name="Minerva")["id"]
    assert found("minerva")[0] == ("lead", named)


def test_ties_are_broken_by_id(crm, found):
    ids = sorted(crm.call("create_lead", email=f"twin@{n}.com", first_name="Twin")["id"] for n in range(5))
    assert [id for _, id in found("twin")] == ids


def test_words_are_matched_from_their_beginning_and_without_accents(crm, found):
    lead = crm.call("create_lead", email="zoe@example.com", first_name="Zoë", last_name="Novák")["id"]
    assert found("nov zoe") == [("lead", lead)]
    assert found("ovak") == []
    assert found('"nov"') == []
    assert found("zoe@example.com") == [("lead", lead)]


def test_the_words_found_are_marked(crm):
    crm.call("create_lead", email="ada@example.com", first_name="Ada", last_name="Lovelace")
    (hit,) = crm.call("search_crm", query="love")["results"]
    assert (hit["title"], hit["snippet"]) == ("Ada Lovelace", "Ada [Lovelace]")
    assert hit["score"] > 0


def test_the_index_follows_changes_and_only_base_rows_are_logged(crm, found):
    lead = crm.call("create_lead", email="ada@example.com", first_name="Ada")["id"]
    crm.call("update_lead", lead_id=lead, first_name="Augusta")
    assert found("augusta") == [("lead", lead)]
    assert found("ada", types=["lead"]) == [("lead", lead)]
    crm.call("update_lead", lead_id=lead, email="byron@example.com")
    assert found("ada") == []
    assert {record["table"] for record in crm.change_log()} == {"leads"}


@pytest.mark.parametrize("query", ["", "  ", '"', "*", "- !", '""'])
def test_a_query_without_a_word_is_refused(refused, query):
    error = refused("search_crm", query=query)
    assert (error.code, error.details) == ("invalid_input", {"field": "query"})


@pytest.mark.parametrize(
    "query", ['a" OR b', "a AND (b", "title:x", "NEAR(a b)", "x\0y", "a*b", "'); DROP TABLE leads"]
)
def test_no_text_is_a_syntax_error(crm, query):
    assert crm.call("search_crm", query=query) == {"results": []}


def test_queries_are_written_for_the_index():
    assert as_match('ada "grace hopper" !') == '"ada"* "grace hopper"'
    assert as_match("a\0b") == '"a"* "b"*'
