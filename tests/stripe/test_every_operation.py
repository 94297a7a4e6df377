"""Does every published operation answer, and with an object of its published shape?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.stripe import asking
from tests.stripe.conftest import NOW, flat
from worlds.engine import HttpRequest, HttpResponse, Instance, World
from worlds.stripe import facts
from worlds.stripe.api.operations import HAND_WRITTEN, MODELS
from worlds.stripe.facts import conforming
from worlds.stripe.generic.planning import plan_of

_AT = datetime.fromisoformat(NOW)
_ID = "id"
#: Created through the API because they have tables of their own.
_MADE: dict[str, tuple[str, dict[str, Any]]] = {
    "customer": ("/v1/customers", {"name": "Ada"}),
    "product": ("/v1/products", {"name": "Pro"}),
    "price": ("/v1/prices", {"currency": "usd", "unit_amount": 500, "product": _ID}),
    "payment_method": ("/v1/payment_methods", {"type": "card", "card": {"token": "tok_visa"}}),
    "payment_intent": ("/v1/payment_intents", {"amount": 500, "currency": "usd"}),
    "setup_intent": ("/v1/setup_intents", {}),
}


@pytest.fixture(scope="module")
def ids(world: World) -> dict[str, str]:
    """The id of an object of each name that stands in a path, and of each in a state its action wants."""
    names = asking.named_in_paths()
    with world.instance(seed=1, now=NOW) as inst:
        made = _make(inst)
    return {name: made.get(name) or asking.id_for(name) for name in sorted(names | asking.in_states(names))}


@pytest.fixture(scope="module")
def populated(world: World, ids: dict[str, str]) -> Iterator[Instance]:
    """An account with an object of every name; those with tables were made through the API."""
    with world.instance(seed=1, now=NOW, setup_sql=asking.rows_sql(ids, _AT, set(MODELS))) as inst:
        _make(inst)
        yield inst


def _make(inst: Instance) -> dict[str, str]:
    """What has a table is made through the API, as far as its operation takes the least: the same ids every time."""
    made: dict[str, str] = {}
    for name, (path, params) in _MADE.items():
        answer = send(inst, "POST", path, {key: made[key] if value is _ID else value for key, value in params.items()})
        assert answer.status == 200, answer.body
        made[name] = json.loads(answer.body)["id"]
    for id in sorted(HAND_WRITTEN):
        plan, operation = plan_of(id), facts.operations()[id]
        if plan.kind != "create" or plan.above or not set(plan.names) & set(MODELS) - set(made):
            continue
        answer = send(inst, "POST", operation.path, asking.minimal(operation, _Known(made)))
        if answer.status == 200:
            made[plan.names[0]] = json.loads(answer.body)["id"]
    return made


class _Known(dict[str, str]):
    """Ids that are known; for others one that names nothing."""

    def __missing__(self, name: str) -> str:
        return asking.id_for(name)


def send(inst: Instance, method: str, path: str, params: dict[str, Any], *, is_json: bool = False) -> HttpResponse:
    headers = {"authorization": "Bearer sk_test_1"}
    if is_json:
        return inst.http(HttpRequest.of(method, path, body=json.dumps(params), headers={
            **headers, "content-type": "application/json"}))  # fmt: skip
    text = urlencode(flat(params))
    if method == "POST":
        return inst.http(HttpRequest.of(method, path, body=text, headers={
            **headers, "content-type": "application/x-www-form-urlencoded"}))  # fmt: skip
    return inst.http(HttpRequest.of(method, path, query=text, headers=headers))


def upload(inst: Instance, path: str, params: dict[str, Any]) -> HttpResponse:
    parts: list[tuple[str, str | None, str]] = [
        (name, None, str(value)) for name, value in params.items() if value is not None
    ]
    parts.append(("file", "one.png", "content"))
    body = "".join(
        f'--edge\r\nContent-Disposition: form-data; name="{name}"'
        + (f'; filename="{filename}"\r\nContent-Type: image/png' if filename else "")
        + f"\r\n\r\n{value}\r\n"
        for name, filename, value in parts
    )
    return inst.http(HttpRequest.of("POST", path, body=f"{body}--edge--\r\n", headers={
        "authorization": "Bearer sk_test_1", "content-type": "multipart/form-data; boundary=edge"}))  # fmt: skip


def path_of(operation: facts.Operation, ids: dict[str, str]) -> str:
    """The path of an operation to what the account has, in a state that suits it."""
    plan, path = plan_of(operation.id), operation.path
    for place in (*plan.above, *([plan.target] if plan.target else [])):
        name = next((each for each in place.objects if each in plan.names), (*place.objects, "")[0])
        id_there = ids.get(f"{name} {plan.verb}" if place is plan.target else name) or ids.get(name, "x_1")
        path = path.replace(f"{{{place.name}}}", id_there)
    return path.replace(ids["capability"], "card_payments")


@pytest.mark.parametrize("id", sorted(facts.operations()))
def test_it_answers_with_an_object_of_its_shape(id: str, populated: Instance, ids: dict[str, str]) -> None:
    operation, plan = facts.operations()[id], plan_of(id)
    with populated.fork() as inst:
        path = path_of(operation, ids)
        params = asking.minimal(operation, ids)
        if any(facts.resolved(shape) == "bin" for shape in operation.body.values()):
            answer = upload(inst, path, params)
        else:
            answer = send(inst, operation.method, path, params, is_json=operation.is_v2 and operation.method == "POST")
    body = json.loads(answer.body) if answer.body.startswith(b"{") else {}
    assert answer.status < 500, body
    assert "Unrecognized request URL" not in str(body.get("error"))
    if id not in HAND_WRITTEN and not set(plan.names) & set(MODELS):
        assert answer.status == 200, (path, params, body)
    if answer.status == 200:
        assert conforming.problems_of_answer(operation, body) == []


@pytest.mark.parametrize("id", [id for id in sorted(facts.operations()) if id not in HAND_WRITTEN])
def test_whatever_is_given_the_answer_keeps_its_shape(id: str, populated: Instance, ids: dict[str, str]) -> None:
    operation = facts.operations()[id]
    params = asking.maximal(operation, ids)
    with populated.fork() as inst:
        answer = send(
            inst, operation.method, path_of(operation, ids), params,
            is_json=operation.is_v2 and operation.method == "POST",
        )  # fmt: skip
    body = json.loads(answer.body) if answer.body.startswith(b"{") else {}
    assert answer.status in (200, 400, 404), body
    if answer.status == 200:
        assert conforming.problems_of_answer(operation, body) == []
