def test_the_report_adds_up(crm, refused):
    company = crm.call("create_company", name="Engines")["id"]

    def deal(amount, stage, close_on=None):
        return crm.call(
            "create_deal",
            name="x",
            company_id=company,
            amount_cents=amount,
            stage_id=stage,
            **({"expected_close_on": close_on} if close_on else {}),
        )["id"]

    deal(1_000, "discovery", "2026-07-15")
    deal(3_000, "proposal", "2026-07-01")
    deal(500, "proposal", "2026-05-31")
    deal(99, "demo")
    deal(10, "demo", "2026-06-01")
    crm.call("move_deal", deal_id=deal(7_000, "demo", "2026-07-01"), stage_id="closed_won")
    report = crm.call("pipeline_report")
    assert [(stage["id"], stage["deal_count"], stage["amount_cents"]) for stage in report["stages"]] == [
        ("discovery", 1, 1_000),
        ("demo", 2, 109),
        ("proposal", 2, 3_500),
        ("negotiation", 0, 0),
        ("closed_won", 1, 7_000),
        ("closed_lost", 0, 0),
    ]
    assert report["open"] == {"deal_count": 5, "amount_cents": 4_609, "weighted_cents": 1_877}
    assert report["forecast"] == [
        {"month": "2026-06", "deal_count": 1, "amount_cents": 10, "weighted_cents": 2},
        {"month": "2026-07", "deal_count": 2, "amount_cents": 4_000, "weighted_cents": 1_600},
    ]
    assert report["overdue"]["amount_cents"] == 500
    assert report["undated"]["amount_cents"] == 99
    rep = crm.call("create_user", email="rep@example.com", name="Rae")["id"]
    assert crm.call("pipeline_report", owner_id=rep)["open"]["deal_count"] == 0
    assert refused("pipeline_report", owner_id="user_x").code == "not_found"


def test_the_report_agrees_with_the_rows(startup):
    report = startup.call("pipeline_report")
    sums = "SELECT stage_id, count(*), sum(amount_cents) FROM deals GROUP BY stage_id ORDER BY stage_id"
    rows = startup.call("run_sql", query=sums)["rows"]
    assert sorted([s["id"], s["deal_count"], s["amount_cents"]] for s in report["stages"] if s["deal_count"]) == rows


def test_an_account_without_a_pipeline_reports_nothing(world):
    with world.instance(seed=1) as blank:
        assert blank.call("pipeline_report")["stages"] == []
