"""Do customers' balances, and the cash they send, behave as published?"""


def test_a_balance_moves_by_transactions(api):
    customer = api.post("/v1/customers")["id"]
    path = f"/v1/customers/{customer}/balance_transactions"

    first = api.post(path, {"amount": -500, "currency": "usd", "description": "Goodwill"})
    second = api.post(path, {"amount": 200, "currency": "usd"})

    assert (first["type"], first["ending_balance"], second["ending_balance"]) == ("adjustment", -500, -300)
    shown = api.get(f"/v1/customers/{customer}")
    assert (shown["balance"], shown["currency"]) == (-300, "usd")
    assert [row["amount"] for row in api.get(path)["data"]] == [200, -500]
    assert api.events("customer.updated")[0]["previous_attributes"] == {"balance": 0, "currency": None}


def test_a_balance_has_one_currency(api):
    customer = api.post("/v1/customers")["id"]
    api.post(f"/v1/customers/{customer}/balance_transactions", {"amount": 5, "currency": "usd"})

    given = {"amount": 5, "currency": "eur"}
    assert api.refused("POST", f"/v1/customers/{customer}/balance_transactions", given)["param"] == "currency"


def test_a_balance_that_is_set_leaves_a_transaction(api):
    customer = api.post("/v1/customers", {"balance": 1000})
    api.post(f"/v1/customers/{customer['id']}", {"balance": 400})

    rows = api.get(f"/v1/customers/{customer['id']}/balance_transactions")["data"]

    assert [(row["type"], row["amount"], row["ending_balance"]) for row in rows] == [
        ("adjustment", -600, 400),
        ("initial", 1000, 1000),
    ]
    assert customer["balance"] == 1000


def test_only_the_words_of_a_transaction_change(api):
    customer = api.post("/v1/customers")["id"]
    path = f"/v1/customers/{customer}/balance_transactions"
    row = api.post(path, {"amount": 5, "currency": "usd"})["id"]

    assert api.post(f"{path}/{row}", {"description": "Why"})["description"] == "Why"
    assert api.refused("POST", f"{path}/{row}", {"amount": 6})["code"] == "parameter_unknown"
    assert api.refused("GET", "/v1/customers/cus_x/balance_transactions")["param"] == "customer"


def test_cash_that_arrives_is_a_balance_in_its_currency(api):
    customer = api.post("/v1/customers", {"cash_balance": {"settings": {"reconciliation_mode": "manual"}}})["id"]
    row = api.post(f"/v1/test_helpers/customers/{customer}/fund_cash_balance", {"amount": 700, "currency": "eur"})

    assert (row["type"], row["ending_balance"]) == ("funded", 700)
    assert row["funded"]["bank_transfer"]["type"] == "eu_bank_transfer"
    shown = api.get(f"/v1/customers/{customer}", {"expand": ["cash_balance"]})["cash_balance"]
    assert shown["available"] == {"eur": 700}
    assert shown["settings"] == {"reconciliation_mode": "manual", "using_merchant_default": False}
    rows = api.get(f"/v1/customers/{customer}/cash_balance_transactions")["data"]
    assert [each["id"] for each in rows] == [row["id"]]
    assert "cash_balance" not in api.get(f"/v1/customers/{customer}")


def test_the_place_of_a_customer_for_taxes_is_shown_when_asked_for(api):
    customer = api.post("/v1/customers", {"address": {"country": "DE"}, "tax": {"ip_address": "192.0.2.1"}})["id"]

    tax = api.get(f"/v1/customers/{customer}", {"expand": ["tax"]})["tax"]

    assert (tax["automatic_tax"], tax["location"]["country"], tax["ip_address"]) == ("supported", "DE", "192.0.2.1")
