import pytest


def test_a_customer_is_created_and_read_back(desk):
    customer = desk.call("create_customer", email=" ADA@Example.com ", name=" Ada ", company_name="Engines", phone="1")
    assert (customer["email"], customer["name"], customer["company_name"]) == ("ada@example.com", "Ada", "Engines")
    assert desk.call("get_customer", customer_id=customer["id"]) == {
        **customer,
        "other_emails": [],
        "ticket_count": 0,
        "unsolved_ticket_count": 0,
        "good_rating_count": 0,
        "bad_rating_count": 0,
    }


def test_tickets_and_ratings_are_counted(desk, ticket):
    desk.call("create_ticket", subject="x", body="x", requester_id=ticket["requester_id"])
    desk.call("reply_to_ticket", ticket_id=ticket["id"], body="x", status="solved")
    desk.call("rate_ticket", ticket_id=ticket["id"], score="bad")
    shown = desk.call("get_customer", customer_id=ticket["requester_id"])
    assert (shown["ticket_count"], shown["unsolved_ticket_count"]) == (2, 1)
    assert (shown["good_rating_count"], shown["bad_rating_count"]) == (0, 1)


def test_an_address_belongs_to_one_customer(desk, refused, ticket):
    error = refused("create_customer", email="ada@example.com")
    assert error.details == {"customer_id": ticket["requester_id"]}
    other = desk.call("create_customer", email="bo@example.com")["id"]
    assert refused("update_customer", customer_id=other, email="ADA@example.com").code == "conflict"


@pytest.mark.parametrize("email", ["ada", "ada@", "@example.com", "a b@example.com", "ada@example", ""])
def test_what_is_no_address_is_refused(refused, email):
    assert refused("create_customer", email=email).details == {"field": "email"}


def test_customers_are_found_by_exact_address_first_or_other(desk, ticket):
    customer = ticket["requester_id"]
    desk.call("update_customer", customer_id=customer, email="ada@engines.com")

    def found(email):
        return [each["id"] for each in desk.call("list_customers", email=email)["customers"]]

    assert found("ada@engines.com") == found(" ADA@example.com") == [customer]
    assert found("ada@example") == found("") == []


def test_a_former_address_is_still_known(desk, refused, ticket):
    customer = ticket["requester_id"]
    changed = desk.call("update_customer", customer_id=customer, email="ada@engines.com")
    assert (changed["email"], changed["other_emails"]) == ("ada@engines.com", ["ada@example.com"])
    again = desk.call("create_ticket", subject="x", body="x", requester_email="ada@example.com")
    assert again["requester_id"] == customer
    assert refused("create_customer", email="ada@example.com").code == "conflict"
    back = desk.call("update_customer", customer_id=customer, email="ada@example.com")
    assert (back["email"], back["other_emails"]) == ("ada@example.com", ["ada@engines.com"])


def test_customers_are_changed_and_a_change_to_nothing_leaves_no_trace(desk, ticket):
    customer = ticket["requester_id"]
    changed = desk.call("update_customer", customer_id=customer, name="", about="Prefers letters", phone="1")
    assert (changed["name"], changed["about"], changed["updated_at"]) == ("", "Prefers letters", desk.clock.iso())
    before = desk.change_log()
    same = desk.call("update_customer", customer_id=customer, email="ada@example.com", name="", phone=" 1 ")
    assert (same, desk.change_log()) == (changed, before)


def test_customers_are_listed_and_filtered(desk):
    one = desk.call("create_customer", email="a@example.com", company_name="Engines")["id"]
    two = desk.call("create_customer", email="b@example.com")["id"]

    def listed(**filters):
        return [each["id"] for each in desk.call("list_customers", **filters)["customers"]]

    assert listed() == [two, one]
    assert listed(order="oldest") == [one, two]
    assert listed(company_name="Engines") == [one]


def test_unknown_customers_are_not_found(refused):
    assert refused("get_customer", customer_id="cust_x").code == "not_found"
    assert refused("update_customer", customer_id="cust_x").code == "not_found"
