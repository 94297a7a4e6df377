"""Is a world that is the real API found faithful under another seed, and each way of straying from it found out?"""

import json
import re
from fnmatch import fnmatchcase

import pytest

import seahaven
import worlds.stripe.http
from seahaven.fidelity import assert_faithful, cassette
from seahaven.fidelity.redacting import Redactor
from seahaven.fidelity.replay import replay
from tests.fidelity.standing_in import recorded, served
from worlds.engine import HttpResponse

stripe = pytest.importorskip("stripe")

#: What Stripe World draws by chance.
DRAWN = {
    "allowed": [
        {"path": "$..outcome.risk_score", "kind": "value", "reason": "a score is drawn for each payment"},
        {"path": "$..card.authorization_code", "kind": "value", "reason": "the bank draws it"},
    ]
}


@pytest.fixture(scope="module")
def tape(tmp_path_factory):
    """What the official SDK said to a server that stands for Stripe, and what it was answered."""
    path = tmp_path_factory.mktemp("tapes") / "payments.yaml"
    with seahaven.world("stripe").instance(seed=4, clock_mode="running") as inst, served(inst) as real:
        redactor = Redactor(kept=["token"])  # tok_visa is everybody's
        with recorded(real, path, redactor=redactor) as running:
            shop(stripe.StripeClient("sk_test_51Hsecret", base_addresses={"api": running.url}, max_network_retries=0))
    return path


def shop(client):
    api = client.v1
    ada = api.customers.create({"email": "ada@example.com", "name": "Ada", "metadata": {"order": "A-7"}})
    for name in ("bob", "eve"):
        api.customers.create({"email": f"{name}@example.com"})
    card = api.payment_methods.create({"type": "card", "card": {"token": "tok_visa"}})
    api.payment_methods.attach(card.id, {"customer": ada.id})
    intent = api.payment_intents.create({"amount": 2000, "currency": "usd", "customer": ada.id})
    paid = api.payment_intents.confirm(intent.id, {"payment_method": card.id, "return_url": "https://example.com/done"})
    charge = api.charges.retrieve(paid.latest_charge)
    api.refunds.create({"charge": charge.id, "amount": 500})
    first = api.customers.list({"limit": 1})
    api.customers.list({"limit": 2, "starting_after": first.data[0].id, "created": {"gte": ada.created}})
    with pytest.raises(stripe.InvalidRequestError):
        api.customers.retrieve("cus_N0b0dyHasTh1s")
    with pytest.raises(stripe.CardError):
        api.payment_intents.create(
            {"amount": 5, "currency": "usd", "payment_method": "pm_card_visa_chargeDeclined", "confirm": True}
            | {"amount": 500, "return_url": "https://example.com/done"}
        )
    api.checkout.sessions.create({"mode": "setup", "currency": "usd", "success_url": "https://example.com/"})
    api.webhook_endpoints.create({"url": "https://example.com/hook", "enabled_events": ["*"]})
    api.events.list({"limit": 30})
    api.customers.list()


def found(report):
    return [(each.exchange.number, each.difference.path, each.difference.kind) for each in report.undeclared]


def test_the_same_world_under_another_seed_is_faithful(tape):
    report = assert_faithful("stripe", tape, seed=99, differences=DRAWN, strict=True)
    assert report.exchanges == report.compared == len(cassette.read(tape).exchanges) > 15
    assert report.declared  # so the seeds were indeed another
    assert not report.notes


def test_the_cassette_has_no_key_and_no_secret_of_a_webhook(tape):
    text = tape.read_text()
    assert "51Hsecret" not in text
    assert "whsec_REDACTED_" in text
    assert "_secret_" not in text.replace("client_secret_", "")


def numbers(tape, method, path):
    """The exchanges of a request; a `*` stands for any id."""
    return [
        each.number
        for each in cassette.read(tape).exchanges
        if each.request.method == method and fnmatchcase(each.request.path, path)
    ]


@pytest.fixture
def stray(monkeypatch):
    """Have the world answer some requests otherwise: `change` gets and returns status and body."""
    respond = worlds.stripe.http.respond

    def straying(method, path, change):
        def answer(ctx, request):
            said = respond(ctx, request)
            if (request.method, request.path) != (method, path):
                return said
            status, body = change(said.status, json.loads(said.body))
            return HttpResponse(status, said.headers, json.dumps(body).encode())

        monkeypatch.setattr(worlds.stripe.http, "respond", answer)

    return straying


def test_a_field_that_is_missing_or_too_much_is_found(tape, stray):
    def change(status, body):
        body["nickname"] = body.pop("email")
        return status, body

    stray("POST", "/v1/customers", change)
    expected = [
        (number, path, kind)
        for number in numbers(tape, "POST", "/v1/customers")
        for path, kind in (("$.email", "missing"), ("$.nickname", "extra"))
    ]
    report = replay("stripe", tape, seed=5, differences=DRAWN)
    assert found(report) == expected
    text = str(report)
    assert text.count("\nPOST /v1/customers\n") == 1
    assert '#1  POST /v1/customers  recorded "ada@example.com"; the world: nothing' in text


def test_another_status_and_another_code_are_found(tape, stray):
    def change(status, body):
        body["error"]["code"] = "no_such_thing"
        return 400, body

    stray("GET", "/v1/customers/cus_N0b0dyHasTh1s", change)
    report = replay("stripe", tape, seed=5, differences=DRAWN)
    (number,) = numbers(tape, "GET", "/v1/customers/cus_N0b0dyHasTh1s")
    assert found(report) == [(number, "status", "status"), (number, "$.error.code", "value")]
    document = report.as_dict()
    assert document["faithful"] is False
    assert document["undeclared"][0] == {
        "exchange": number,
        "request": "GET /v1/customers/cus_N0b0dyHasTh1s",
        "path": "status",
        "kind": "status",
        "recorded": 404,
        "world": 400,
    }
    assert any("cus_N0b0dyHasTh1s, which no answer before it gave" in note for note in report.notes)


def test_a_list_in_another_order_is_one_difference_and_not_one_for_each_cell(tape, stray):
    stray("GET", "/v1/customers", lambda status, body: (status, {**body, "data": body["data"][::-1]}))
    report = replay("stripe", tape, seed=5, differences=DRAWN)
    *_, number = numbers(tape, "GET", "/v1/customers")
    assert (number, "$.data", "order") in found(report)
    assert {kind for _, _, kind in found(report)} == {"order"}


def test_another_things_id_is_no_id_like_any_other(tape, stray):
    before = []

    def change(status, body):
        before.append(body["id"])
        return status, {**body, "id": before[0]} if len(before) == 3 else body

    stray("POST", "/v1/customers", change)
    report = replay("stripe", tape, seed=5, differences=DRAWN)
    third = numbers(tape, "POST", "/v1/customers")[2]
    (difference,) = [each.difference for each in report.undeclared if each.exchange.number == third]
    assert (difference.path, difference.kind) == ("$.id", "identity")
    assert difference.note.startswith(f"{before[0]} is the recorded cus_")


def test_an_instant_that_is_too_late_and_a_number_that_is_text_are_found(tape, stray):
    def change(status, body):
        return status, {**body, "created": body["created"] + 3600, "amount": str(body["amount"])}

    stray("POST", "/v1/refunds", change)
    (number,) = numbers(tape, "POST", "/v1/refunds")
    report = replay("stripe", tape, seed=5, differences=DRAWN)
    assert sorted(found(report)) == [(number, "$.amount", "type"), (number, "$.created", "time")]
    (note,) = [each.difference.note for each in report.undeclared if each.difference.kind == "time"]
    assert re.fullmatch(r"\S+ s (before|after) it was asked there, \S+ minutes after it was asked here", note)


def test_a_world_that_raises_is_told_from_one_that_answers(tape, monkeypatch):
    respond = worlds.stripe.http.respond

    def answer(ctx, request):
        if request.path == "/v1/refunds":
            raise KeyError("charge")
        return respond(ctx, request)

    monkeypatch.setattr(worlds.stripe.http, "respond", answer)
    report = replay("stripe", tape, seed=5, differences=DRAWN)
    (first,) = [each for each in report.undeclared if each.difference.kind == "failed"]
    assert first.exchange.request.path == "/v1/refunds"
    assert first.difference.world == "KeyError: 'charge'"


def test_a_failed_assertion_shows_the_report_and_a_stale_rule_fails_only_a_strict_one(tape):
    stale = {"allowed": [*DRAWN["allowed"], {"path": "$.x", "request": "GET /v3/x", "reason": "it was so once"}]}
    report = assert_faithful("stripe", tape, differences=stale)
    assert [why for _, why in report.stale] == ["the cassette has no such request"]
    with pytest.raises(AssertionError, match=r"stale: the differences: allowed\[2\], GET /v3/x \$.x"):
        assert_faithful("stripe", tape, differences=stale, strict=True)
    with pytest.raises(AssertionError, match=r"undeclared differences, 0 declared\n\nGET /v1/charges/\*\n"):
        assert_faithful("stripe", tape, seed=99)
