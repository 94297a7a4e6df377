"""With what is an operation called so that it can be carried out? The least it demands, made from the facts."""

from __future__ import annotations

import json
import zlib
from typing import Any
from urllib.parse import urlencode

from worlds.engine import HttpRequest, HttpResponse, Instance
from worlds.stripe import facts
from worlds.stripe.api.operations import HAND_WRITTEN, MODELS
from worlds.stripe.generic import mentions, reference
from worlds.stripe.generic.forming import Forming
from worlds.stripe.generic.moves import MOVES
from worlds.stripe.generic.planning import plan_of
from worlds.stripe.generic.prefixes import prefix_of

_TEA = {"price_data": {"currency": "usd", "unit_amount": 500, "product_data": {"name": "Tea"}}, "quantity": 1}
#: What shapes do not say: by operation, or by the name of a parameter wherever it stands.
_GIVEN: dict[str, dict[str, Any]] = {
    "PostCheckoutSessions": {"mode": "payment", "success_url": "https://example.com/", "line_items": [_TEA]},
    "PostPaymentLinks": {"line_items": [_TEA]},
    "PostBillingCreditGrants": {"amount": {"type": "monetary", "monetary": {"currency": "usd", "value": 1000}},
                                "applicability_config": {"scope": {"price_type": "metered"}}},
    "PostTaxRegistrations": {"active_from": "now", "country": "US", "country_options": {
        "us": {"state": "CA", "type": "state_sales_tax"}}},
    "PostPaymentRecordsReportPayment": {"amount_requested": {"currency": "usd", "value": 500}, "initiated_at": 1,
                                        "payment_method_details": {"type": "custom", "custom": {"type": "cash"}}},
}  # fmt: skip
_WORDS = {
    "active_from": 1_800_000_000, "amount": 1000, "country": "US", "currency": "usd", "email": "ada@example.com",
    "end_time": 1_780_003_600, "enabled_events": ["*"], "frozen_time": 1_800_000_000, "interval": "month",
    "report_type": "balance.summary.1", "start_time": 1_780_000_000, "type": "text", "unit_amount": 500,
    "url": "https://example.com/hook", "query": "created>0",
}  # fmt: skip

#: What objects in an account from the start belong to, by the field that says so.
_ABOVE = {
    "account": "account", "charge": "charge", "customer": "customer", "fee": "application_fee", "invoice": "invoice",
    "payment_intent": "payment_intent", "source": "source", "subscription": "subscription", "transfer": "transfer",
}  # fmt: skip

#: By what those are found that stand in no path.
_FOUND_BY: dict[str, dict[str, Any]] = {
    "apps.secret": {"name": "one", "scope": {"type": "account"}},
    "tax.association": {"payment_intent": "one"},
}


def minimal(operation: facts.Operation, ids: dict[str, str]) -> dict[str, Any]:
    """The parameters an operation demands; `ids` has the id of an object of each name."""
    names = plan_of(operation.id).names
    given = _GIVEN.get(operation.id, {})
    shapes = {**operation.query, **operation.body}
    needed = (*operation.query_required, *operation.body_required)
    return {**{name: value_of(shapes[name], name, ids, names) for name in needed if name not in given}, **given}


def value_of(shape: Any, name: str, ids: dict[str, str], names: tuple[str, ...] = ()) -> Any:
    """A value of a shape; an id where one is expected."""
    shape = facts.resolved(shape)
    if isinstance(shape, str):
        if shape.startswith("s") and (expected := mentions.expected_by(name, names)):
            return ids[expected[0]]
        if name in _WORDS and shape[0] in "sitc":
            return _WORDS[name] if shape[0] in "sc" or isinstance(_WORDS[name], int) else 1
        return {"i": 1, "n": 1, "ts": 1_780_000_000, "b": True, "dec": "1", "cur": "usd", "bin": None}.get(shape, "one")
    match shape[0]:
        case "enum":
            return shape[1][0]
        case "array":
            return [value_of(shape[1], name.removesuffix("s"), ids)]
        case "map":
            return {"key": value_of(shape[1], "", ids)}
        case "object":
            return {key: value_of(shape[1][key], key, ids) for key in (shape[2] if shape[2:] else [])} or _one(
                shape, ids
            )
        case "any_of":
            return value_of(shape[1][0], name, ids, names)
    return value_of(shape[1], name, ids, names)


def _one(shape: list[Any], ids: dict[str, str]) -> dict[str, Any]:
    """Of an object that demands nothing, its first field: a form cannot carry an empty one."""
    return {key: value_of(inner, key, ids) for key, inner in sorted(shape[1].items())[:1]}


def named_in_paths() -> set[str]:
    """The objects whose ids stand in the paths of operations, and those there is one of."""
    plans = [plan_of(id) for id in facts.operations()]
    places = [place for plan in plans for place in (*plan.above, *([plan.target] if plan.target else []))]
    found = {name for plan in plans if plan.kind == "read_one" for name in plan.names}
    return found | {name for place in places for name in place.objects}


def rows_sql(ids: dict[str, str], now: Any, skip: set[str]) -> str:
    """SQL that puts an object of each name into an account, in the state in which its actions are allowed."""
    lines = []
    for number, (key, id) in enumerate(sorted(ids.items()), 1):
        name, _, verb = key.partition(" ")
        shape = facts.objects().get(name)
        if shape is None or "id" not in shape.fields or name in skip or name in reference.names():
            continue
        values: dict[str, Any] = {"id": id, "created": int(now.timestamp())}
        values |= {field: ids[above] for field, above in _ABOVE.items() if field in facts.objects()[name].fields}
        values |= _FOUND_BY.get(name, {})
        if name.startswith("v2."):
            values["account"] = ids["v2.core.account"]
        values |= allowed_states(name, verb)
        data = json.dumps(Forming(now).object(name, values)).replace("'", "''")
        lines.append(
            "INSERT INTO objects (id, x_seq, x_account, created, object, parent, deleted, data) VALUES "
            f"('{id}', -{number}, '', '2026-06-01 09:00:00', '{name}', NULL, 0, '{data}');"
        )
    return "\n".join(lines)


def id_for(name: str) -> str:
    """An id for an object that stands in an account from the start."""
    if name in reference.names():
        return str(reference.all_of(name)[0]["id"])
    return f"{prefix_of(name.partition(' ')[0])}{'A' * 8}{zlib.crc32(name.encode()):08x}"


def in_states(names: set[str]) -> set[str]:
    """For each action that is allowed in some states only, the object and the action: `topup cancel`."""
    return {f"{name} {verb}" for (name, verb), found in MOVES.items() if found.allowed and name in names}


def allowed_states(name: str, verb: str) -> dict[str, Any]:
    """The values an object must have for an action."""
    found = MOVES.get((name, verb))
    if found is None or not found.allowed:
        return {}
    first, *inner = found.what.split(".")
    return {first: {inner[0]: found.allowed[0]} if inner else found.allowed[0]}


def maximal(operation: facts.Operation, ids: dict[str, str]) -> dict[str, Any]:
    """Every parameter of an operation, with everything in it."""
    names = plan_of(operation.id).names
    shapes = {**operation.query, **operation.body}
    given = {name: _all_of(shape, name, ids, names) for name, shape in shapes.items() if name not in _NOT_GIVEN}
    return {**given, **_GIVEN.get(operation.id, {})}


_NOT_GIVEN = frozenset({"ending_before", "expand", "id", "include", "page", "starting_after"})


def _all_of(shape: Any, name: str, ids: dict[str, str], names: tuple[str, ...] = ()) -> Any:
    shape = facts.resolved(shape)
    if isinstance(shape, list):
        if shape[0] == "object":
            return {key: _all_of(inner, key, ids) for key, inner in shape[1].items()} or {"any": "one"}
        if shape[0] == "array":
            return [_all_of(shape[1], name.removesuffix("s"), ids)]
        if shape[0] in ("null", "clearable"):
            return _all_of(shape[1], name, ids, names)
        if shape[0] == "any_of":
            return _all_of(shape[1][0], name, ids, names)
    return value_of(shape, name, ids, names)


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


def make(inst: Instance) -> dict[str, str]:
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
        answer = send(inst, "POST", operation.path, minimal(operation, _Known(made)))
        if answer.status == 200:
            made[plan.names[0]] = json.loads(answer.body)["id"]
    return made


class _Known(dict[str, str]):
    """Ids that are known; for others one that names nothing."""

    def __missing__(self, name: str) -> str:
        return id_for(name)


def flat(params: Any, prefix: str = "") -> list[tuple[str, str]]:
    """Nested values as the SDKs send them: `a[b][0][c]=v`."""
    if isinstance(params, dict):
        pairs = [(f"{prefix}[{key}]" if prefix else str(key), value) for key, value in params.items()]
    elif isinstance(params, list):
        pairs = [(f"{prefix}[{index}]", value) for index, value in enumerate(params)]
    else:
        return [(prefix, str(params).lower() if isinstance(params, bool) else str(params))]
    return [pair for key, value in pairs for pair in flat(value, key)]


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


def path_of(operation: facts.Operation, ids: dict[str, str]) -> str:
    """The path of an operation to what the account has, in a state that suits it."""
    plan, path = plan_of(operation.id), operation.path
    for place in (*plan.above, *([plan.target] if plan.target else [])):
        name = next((each for each in place.objects if each in plan.names), (*place.objects, "")[0])
        id_there = ids.get(f"{name} {plan.verb}" if place is plan.target else name) or ids.get(name, "x_1")
        path = path.replace(f"{{{place.name}}}", id_there)
    return path.replace(ids["capability"], "card_payments")
