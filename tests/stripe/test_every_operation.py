"""Does every published operation answer, and with an object of its published shape?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.stripe import asking
from tests.stripe.asking import path_of, send
from worlds.engine import HttpRequest, HttpResponse, Instance
from worlds.stripe import facts
from worlds.stripe.api.operations import HAND_WRITTEN, MODELS
from worlds.stripe.facts import conforming
from worlds.stripe.generic.planning import plan_of


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
