"""Do the people, customers, threads and tickets of a company agree across its stores?"""

import pytest

from worlds.engine import curating

FIXTURES = ["empty", "small_startup", "agency"]


@pytest.fixture(params=FIXTURES)
def see(request, world):
    with world.instance(request.param, seed=1) as inst:
        yield inst.inspect().rows


def test_every_account_belongs_to_an_employee_of_the_same_name(see):
    accounts = """
        SELECT email, name, is_active FROM crm.users UNION ALL SELECT email, name, is_active FROM helpdesk.agents
        UNION ALL SELECT address, name, is_active FROM mail.mailboxes WHERE kind = 'personal'
                     AND address IN (SELECT email FROM employees)
    """
    wrong = f"""
        SELECT a.email FROM ({accounts}) a LEFT JOIN employees e ON e.email = a.email
         WHERE e.id IS NULL OR e.name <> a.name OR (e.left_at IS NULL) <> a.is_active
    """
    assert see(wrong) == []


def test_employees_point_at_their_own_accounts(see):
    assert (
        see("SELECT e.email FROM employees e JOIN crm.users u ON u.id = e.crm_user_id WHERE u.email <> e.email") == []
    )
    assert (
        see("SELECT email FROM employees WHERE crm_user_id <> '' AND crm_user_id NOT IN (SELECT id FROM crm.users)")
        == []
    )
    agents = "SELECT e.email FROM employees e LEFT JOIN helpdesk.agents a ON a.id = e.helpdesk_agent_id"
    assert see(f"{agents} WHERE e.helpdesk_agent_id <> '' AND (a.id IS NULL OR a.email <> e.email)") == []


def test_everybody_who_works_here_has_an_open_mailbox(see):
    missing = """
        SELECT email FROM employees WHERE left_at IS NULL
           AND email NOT IN (SELECT address FROM mail.mailboxes WHERE is_active = 1)
    """
    assert see(missing) == []


def test_named_customers_of_the_helpdesk_are_in_the_crm_under_the_same_name(see):
    wrong = """
        SELECT c.email, c.name, l.first_name, l.last_name FROM helpdesk.customers c
          LEFT JOIN crm.leads l ON l.email = c.email
         WHERE c.name <> '' AND c.company_name <> ''
           AND substr(c.email, instr(c.email, '@') + 1) NOT IN (SELECT name FROM mail.domains)
           AND (l.id IS NULL OR trim(l.first_name || ' ' || l.last_name) <> c.name)
    """
    assert see(wrong) == []


def test_one_address_has_one_name_in_mail_and_crm(see):
    wrong = """
        SELECT DISTINCT m.from_address, m.from_name FROM mail.messages m JOIN crm.leads l ON l.email = m.from_address
         WHERE m.from_name <> '' AND m.from_name <> trim(l.first_name || ' ' || l.last_name)
    """
    assert see(wrong) == []


def test_tickets_made_of_mail_say_what_the_mail_said(see):
    pairs = see(
        """
        SELECT t.subject, m.subject AS mailed, c.email, m.from_address FROM helpdesk.tickets t
          JOIN helpdesk.customers c ON c.id = t.requester_id
          JOIN mail.messages m ON m.subject = t.subject AND m.folder = 'archive' AND m.from_address = c.email
        """
    )
    assert all(pair["subject"] == pair["mailed"] for pair in pairs)


def test_the_agency_has_tickets_of_its_clients_letters(world):
    with world.instance("agency", seed=1) as inst:
        letters = inst.inspect().rows(
            "SELECT t.number FROM helpdesk.tickets t JOIN helpdesk.customers c ON c.id = t.requester_id "
            "JOIN mail.messages m ON m.subject = t.subject AND m.from_address = c.email AND m.folder = 'archive'"
        )
        tickets = inst.inspect().rows("SELECT number FROM helpdesk.tickets")
        assert len(letters) == len(tickets) == 12


@pytest.mark.parametrize("fixture_id", FIXTURES)
def test_fixtures_load_and_come_out_again_as_the_same_text(world, fixture_id):
    assert curating.verify(world, fixture_id) == []


@pytest.mark.parametrize("fixture_id", FIXTURES)
def test_recipes_make_the_same_bytes_again(world, fixture_id, tmp_path):
    again = world.build_fixture(fixture_id, folder=tmp_path)
    committed = next(fixture for fixture in world.fixtures() if fixture.id == fixture_id)
    for path in committed.sidecar.nodes:
        assert again.file(path).read_bytes() == committed.file(path).read_bytes(), path
