def test_tags_are_replaced_as_a_set(crm):
    lead = crm.call("create_lead", email="ada@example.com")["id"]
    tagged = crm.call("set_tags", record_type="lead", record_id=lead, tags=["Hot", "  trade   fair", "hot"])
    assert tagged == {"record_type": "lead", "record_id": lead, "tags": ["hot", "trade fair"]}
    crm.call("set_tags", record_type="lead", record_id=lead, tags=["cold", "hot"])
    assert crm.call("get_lead", lead_id=lead)["tags"] == ["cold", "hot"]
    crm.call("set_tags", record_type="lead", record_id=lead, tags=[])
    assert crm.call("get_lead", lead_id=lead)["tags"] == []


def test_a_tag_is_made_once_and_shared(crm):
    lead = crm.call("create_lead", email="ada@example.com")["id"]
    deal = crm.call("create_deal", name="One", contact_id=lead)["id"]
    crm.call("set_tags", record_type="lead", record_id=lead, tags=["hot"])
    crm.call("set_tags", record_type="deal", record_id=deal, tags=["HOT"])
    assert crm.call("run_sql", query="SELECT name FROM tags")["rows"] == [["hot"]]
    assert crm.call("get_deal", deal_id=deal)["tags"] == ["hot"]


def test_setting_the_same_tags_again_leaves_no_trace(crm):
    lead = crm.call("create_lead", email="ada@example.com")["id"]
    crm.call("set_tags", record_type="lead", record_id=lead, tags=["a", "b"])
    before = crm.change_log()
    crm.call("set_tags", record_type="lead", record_id=lead, tags=["B", "a"])
    assert crm.change_log() == before


def test_tags_say_something_about_something(crm, refused):
    lead = crm.call("create_lead", email="ada@example.com")["id"]
    assert refused("set_tags", record_type="lead", record_id=lead, tags=["a", " "]).code == "invalid_input"
    assert refused("set_tags", record_type="lead", record_id="lead_x", tags=[]).code == "not_found"
    assert refused("set_tags", record_type="deal", record_id=lead, tags=[]).code == "not_found"
