"""Do events reach a receiver on a real port, from the server as it stands?"""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen

import pytest

from tests.stripe.conftest import client_of

stripe = pytest.importorskip("stripe")


class Receiver(ThreadingHTTPServer):
    """Takes what is posted to it; `answers` are the statuses of the next requests, 200 once there are no more."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests, self.answers, self.came = [], [], threading.Condition()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/hook"

    def wait(self, count, within_s=15):
        """The requests so far, once there are so many."""
        with self.came:
            assert self.came.wait_for(lambda: len(self.requests) >= count, within_s), self.requests
            return list(self.requests)


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        with self.server.came:
            status = self.server.answers.pop(0) if self.server.answers else 200
            self.server.requests.append((self.path, dict(self.headers), body))
            self.server.came.notify_all()
        if status is None:
            time.sleep(30)
        self.send_response(status)
        if status == 302:
            self.send_header("location", self.server.url.replace("/hook", "/elsewhere"))
        self.end_headers()

    def log_message(self, *args):
        pass


@pytest.fixture
def receiver():
    with Receiver() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_an_event_arrives_signed(sdk, receiver):
    endpoint = sdk.v1.webhook_endpoints.create({"url": receiver.url, "enabled_events": ["customer.created"]})
    customer = sdk.v1.customers.create({"name": "Ada"})

    ((path, headers, body),) = receiver.wait(1)

    event = stripe.Webhook.construct_event(body, headers["stripe-signature"], endpoint.secret)
    assert (path, event.type, event.data.object.id) == ("/hook", "customer.created", customer.id)
    assert headers["user-agent"].startswith("Stripe/1.0")
    assert headers["content-type"] == "application/json; charset=utf-8"
    assert sdk.v1.events.retrieve(event.id).type == "customer.created"


def test_events_of_one_endpoint_arrive_in_their_order(sdk, receiver):
    sdk.v1.webhook_endpoints.create({"url": receiver.url, "enabled_events": ["*"]})
    names = [f"Customer {number}" for number in range(20)]
    for name in names:
        sdk.v1.customers.create({"name": name})

    assert [json.loads(body)["data"]["object"]["name"] for _, _, body in receiver.wait(20)] == names


def test_a_receiver_that_fails_is_tried_again_and_one_that_redirects_too(sdk, receiver):
    receiver.answers[:] = [500, 302]
    sdk.v1.webhook_endpoints.create({"url": receiver.url, "enabled_events": ["customer.created"]})
    sdk.v1.customers.create({"name": "Ada"})

    requests = receiver.wait(3)

    assert {path for path, _, _ in requests} == {"/hook"}
    assert len({body for _, _, body in requests}) == 1
    signatures = {headers["stripe-signature"] for _, headers, _ in requests}
    assert len(signatures) > 1


def test_a_receiver_that_hangs_holds_up_nobody_else(server, sdk, receiver):
    receiver.answers[:] = [None]
    sdk.v1.webhook_endpoints.create({"url": receiver.url, "enabled_events": ["customer.created"]})
    other = client_of(server, "another")
    other.v1.webhook_endpoints.create({"url": receiver.url, "enabled_events": ["product.created"]})
    sdk.v1.customers.create({"name": "Ada"})
    receiver.wait(1)

    began = time.monotonic()
    sdk.v1.customers.create({"name": "Bob"})
    other.v1.products.create({"name": "Pro"})
    receiver.wait(2, within_s=5)

    assert time.monotonic() - began < 5


def test_nothing_is_sent_to_hosts_that_are_not_allowed(sdk):
    sdk.v1.webhook_endpoints.create({"url": "http://192.0.2.1/hook", "enabled_events": ["customer.created"]})
    sdk.v1.customers.create({"name": "Ada"})

    found = _wait_for_attempt(sdk)

    assert "SEAHAVEN_WEBHOOK_HOSTS" in found["attempts"][0]["error"]


def _wait_for_attempt(sdk, within_s=10):
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        answer = sdk.raw_request("get", "/_webhooks").data
        if answer["deliveries"] and answer["deliveries"][0]["attempts"]:
            return answer["deliveries"][0]
        time.sleep(0.05)
    raise AssertionError("no attempt was noted")


def test_what_the_clock_does_is_sent_too(server, receiver):
    _, opened, _ = _put(server, "/stripe/slow", {"clock_mode": "tick"})
    sdk = client_of(server, "slow")
    sdk.v1.webhook_endpoints.create({"url": receiver.url, "enabled_events": ["customer.tax_id.updated"]})
    sdk.v1.customers.create({"name": "Ada", "tax_id_data": [{"type": "eu_vat", "value": "000000000"}]})

    status, *_ = server.post(f"/api/v1/instances/{opened['id']}/advance", {"seconds": 60})

    assert status == 200
    assert b"customer.tax_id.updated" in receiver.wait(1)[0][2]


def _put(server, path, body):
    request = Request(server.url + path, data=json.dumps(body).encode(), method="PUT")
    with urlopen(request) as answer:
        return answer.status, json.load(answer), answer.headers
