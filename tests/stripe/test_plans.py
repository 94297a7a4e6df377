"""Do plans and shipping rates behave as published?"""


def test_a_plan_is_a_price_under_its_former_name(api):
    given = {"currency": "usd", "interval": "month", "amount": 1500, "product": {"name": "Pro"}, "id": "gold"}

    plan = api.post("/v1/plans", given)

    assert (plan["object"], plan["amount"], plan["interval"], plan["usage_type"]) == ("plan", 1500, "month", "licensed")
    price = api.get("/v1/prices/gold")
    assert (price["unit_amount"], price["recurring"]["interval"], price["product"]) == (1500, "month", plan["product"])
    assert [event["type"] for event in api.events()] == ["product.created", "price.created", "plan.created"]


def test_a_recurring_price_is_a_plan_and_another_is_none(api):
    product = api.post("/v1/products", {"name": "Pro"})["id"]
    recurring = {"currency": "usd", "unit_amount": 5, "product": product, "recurring": {"interval": "year"}}
    price = api.post("/v1/prices", recurring)["id"]
    once = api.post("/v1/prices", {"currency": "usd", "unit_amount": 5, "product": product})["id"]

    assert api.get(f"/v1/plans/{price}")["interval"] == "year"
    assert api.refused("GET", f"/v1/plans/{once}")["message"] == f"No such plan: '{once}'"
    assert [row["id"] for row in api.get("/v1/plans")["data"]] == [price]


def test_a_plan_changes_and_goes_with_its_price(api):
    given = {"currency": "usd", "interval": "month", "amount": 1500, "product": {"name": "Pro"}}
    plan = api.post("/v1/plans", given)["id"]

    assert api.post(f"/v1/plans/{plan}", {"nickname": "Old", "trial_period_days": 7})["trial_period_days"] == 7
    assert api.delete(f"/v1/plans/{plan}") == {"id": plan, "object": "plan", "deleted": True}
    assert api.refused("GET", f"/v1/plans/{plan}")["status"] == 404
    assert api.refused("GET", f"/v1/prices/{plan}")["status"] == 404
    assert api.get("/v1/prices")["data"] == []
    assert [event["type"] for event in api.events()][-2:] == ["plan.deleted", "price.deleted"]


def test_a_shipping_rate_has_a_price_and_an_estimate(api):
    given = {
        "display_name": "Ground", "fixed_amount": {"amount": 500, "currency": "usd"},
        "delivery_estimate": {"minimum": {"unit": "day", "value": 2}},
    }  # fmt: skip
    rate = api.post("/v1/shipping_rates", given)

    assert rate["type"] == "fixed_amount"
    assert rate["delivery_estimate"] == {"maximum": None, "minimum": {"unit": "day", "value": 2}}
    options = {"fixed_amount": {"currency_options": {"eur": {"amount": 450}}}}
    changed = api.post(f"/v1/shipping_rates/{rate['id']}", options)
    assert changed["fixed_amount"]["currency_options"] == {"eur": {"amount": 450, "tax_behavior": "unspecified"}}
    assert api.get("/v1/shipping_rates", {"currency": "eur"})["data"] == []
    assert api.refused("POST", "/v1/shipping_rates", {"display_name": "X"})["param"] == "fixed_amount"
    assert api.events() == []
