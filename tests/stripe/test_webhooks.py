"""Are events queued for the endpoints that want them, and does what became of them stay?"""

import json

import pytest

from worlds.engine import HttpRequest
from worlds.engine.episode_documents import read
from worlds.engine.replaying import replay

stripe = pytest.importorskip("stripe")
URL = "http://127.0.0.1:9/hook"


@pytest.fixture
def endpoint(api):
    return api.post("/v1/webhook_endpoints", {"url": URL, "enabled_events": ["customer.created", "charge.failed"]})


def _answer(account, status, error=None):
    """Let every delivery that is due be answered so; answers their keys."""
    now = account.clock.now()
    due = [(node, each) for node, each in account.outgoing() if each.at <= now]
    for node, each in due:
        account.report(node, each.key, {"status": status, "error": error})
    return [each.key for _, each in due]


def _deliveries(account):
    return json.loads(account.http(HttpRequest.of("GET", "/_webhooks")).body)["deliveries"]


def test_the_secret_is_shown_once(api, endpoint):
    assert endpoint["secret"].startswith("whsec_")
    assert len(endpoint["secret"]) == 38
    assert (endpoint["status"], endpoint["api_version"], endpoint["application"]) == ("enabled", None, None)
    assert "secret" not in api.get(f"/v1/webhook_endpoints/{endpoint['id']}")
    assert "secret" not in api.get("/v1/webhook_endpoints")["data"][0]


@pytest.mark.parametrize(
    ("params", "param"),
    [
        ({"url": "example.com/hook", "enabled_events": ["*"]}, "url"),
        ({"url": URL, "enabled_events": ["nothing.happened"]}, "enabled_events[0]"),
        ({"url": URL, "enabled_events": ["*", "charge.failed"]}, "enabled_events"),
        ({"url": URL}, "enabled_events"),
        ({"enabled_events": ["*"]}, "url"),
        ({"url": URL, "enabled_events": ["*"], "api_version": "1999-01-01"}, "api_version"),
    ],
)
def test_an_endpoint_that_cannot_be_is_refused(api, params, param):
    assert api.refused("POST", "/v1/webhook_endpoints", params)["param"] == param


def test_there_are_sixteen_endpoints_at_most(api):
    for _ in range(16):
        made = api.post("/v1/webhook_endpoints", {"url": URL, "enabled_events": ["*"]})

    refused = api.refused("POST", "/v1/webhook_endpoints", {"url": URL, "enabled_events": ["*"]})
    assert refused["message"] == "You have reached the maximum of 16 test webhook endpoints."
    api.delete(f"/v1/webhook_endpoints/{made['id']}")
    assert api.post("/v1/webhook_endpoints", {"url": URL, "enabled_events": ["*"]})


def test_an_event_is_sent_signed_to_those_that_want_its_type(api, account, endpoint):
    everything = api.post("/v1/webhook_endpoints", {"url": URL, "enabled_events": ["*"]})
    customer = api.post("/v1/customers", {"name": "Ada"})
    api.post("/v1/products", {"name": "Pro"})

    sent = [each for _, each in account.outgoing()]

    assert [each.group for each in sent] == [endpoint["id"], everything["id"], everything["id"]]
    (_, signature), *_ = sent[0].sign(4_000_000_000)
    event = stripe.Webhook.construct_event(sent[0].body.decode(), signature, endpoint["secret"])
    assert (event.type, event.data.object.id, event.pending_webhooks) == ("customer.created", customer["id"], 2)
    assert dict(sent[0].headers)["user-agent"].startswith("Stripe/1.0")
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.Webhook.construct_event(sent[0].body.decode(), signature, everything["secret"])


def test_nothing_is_queued_for_a_refused_request(api, account, endpoint):
    api.refused("POST", "/v1/customers", {"tax_id_data": [{"type": "eu_vat", "value": "hello"}]})

    assert account.outgoing() == []


def test_a_disabled_endpoint_is_told_of_nothing(api, account, endpoint):
    assert api.post(f"/v1/webhook_endpoints/{endpoint['id']}", {"disabled": True})["status"] == "disabled"
    api.post("/v1/customers")
    assert account.outgoing() == []

    api.post(f"/v1/webhook_endpoints/{endpoint['id']}", {"disabled": False})
    api.post("/v1/customers")
    assert len(account.outgoing()) == 1


def test_a_deleted_endpoint_gets_no_more(api, account, endpoint):
    api.post("/v1/customers")

    gone = api.delete(f"/v1/webhook_endpoints/{endpoint['id']}")

    assert gone == {"id": endpoint["id"], "object": "webhook_endpoint", "deleted": True}
    assert account.outgoing() == []
    assert api.refused("GET", f"/v1/webhook_endpoints/{endpoint['id']}")["status"] == 404


def test_a_delivery_is_tried_again_on_the_clock_until_it_is_given_up(api, account, endpoint):
    api.post("/v1/customers")
    attempts = 0
    for _ in range(8):
        attempts += len(_answer(account, 500))
        account.advance(seconds=4)

    (log,) = _deliveries(account)
    assert (attempts, log["status"], log["response_status"]) == (4, "failed", 500)
    assert [attempt["status"] for attempt in log["attempts"]] == [500] * 4
    assert api.get("/v1/events", {"type": "customer.created"})["data"][0]["pending_webhooks"] == 0


def test_what_was_received_is_not_sent_again(api, account, endpoint):
    api.post("/v1/customers")
    assert api.get("/v1/events", {"type": "customer.created"})["data"][0]["pending_webhooks"] == 1
    _answer(account, None, "no answer within 10 s")
    account.advance(seconds=1)

    assert _answer(account, 204) != []
    assert account.outgoing() == []
    assert api.get("/v1/events", {"delivery_success": False})["data"] == []
    (log,) = _deliveries(account)
    assert [attempt["error"] for attempt in log["attempts"]] == ["no answer within 10 s", None]


def test_retries_are_set_when_the_account_begins(world):
    from tests.stripe.conftest import NOW, Api

    with world.instance(seed=1, now=NOW, startup={"webhook_retries": []}) as account:
        api = Api(account)
        api.post("/v1/webhook_endpoints", {"url": URL, "enabled_events": ["*"]})
        api.post("/v1/customers")
        _answer(account, 500)

        assert _deliveries(account)[0]["status"] == "failed"
        assert len(api.get("/v1/events", {"delivery_success": False})["data"]) == 1


def test_a_delivery_is_sent_again_on_request(api, account, endpoint):
    api.post("/v1/customers")
    (key,) = _answer(account, 200)

    account.http(HttpRequest.of("POST", f"/_webhooks/{key}/resend"))

    assert [each.key for _, each in account.outgoing()] == [key]
    page = account.http(HttpRequest.of("GET", "/_webhooks", headers={"accept": "text/html"}))
    assert b"customer.created" in page.body


def test_a_report_is_told_again_by_a_replay(world, api, account, endpoint):
    api.post("/v1/customers")
    _answer(account, 500)
    account.advance(seconds=2)
    _answer(account, 200)
    api.post("/v1/customers")
    document = account.export()

    done = replay(read(json.dumps(document).encode()), world)

    assert [move["kind"] for move in document["moves"]].count("report") == 2
    assert (done.divergences, done.made) == ([], len(document["moves"]))


def test_the_platform_is_told_of_its_accounts_where_it_asks_for_that(api, account):
    connected = api.post("/v1/accounts", {"type": "express", "country": "US"})["id"]
    own = api.post("/v1/webhook_endpoints", {"url": URL, "enabled_events": ["customer.created"]})["id"]
    theirs = {"url": URL, "enabled_events": ["customer.created"], "connect": True}
    of_accounts = api.post("/v1/webhook_endpoints", theirs)["id"]

    api.post("/v1/customers", stripe_account=connected)
    api.post("/v1/customers")

    sent = [(each.group, json.loads(each.body).get("account")) for _, each in account.outgoing()]
    assert sorted(sent) == sorted([(of_accounts, connected), (own, None)])
