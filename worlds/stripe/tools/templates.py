"""Which questions can be asked of the data without writing SQL?"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from worlds.stripe.tools import errors

_PLACE = re.compile(r":([a-z_]+)")


@dataclass(frozen=True, slots=True)
class Template:
    """A question: `parameters` are what it takes, with what stands for one that is not given."""

    title: str
    sql: str
    parameters: dict[str, Any] = field(default_factory=dict)


TEMPLATES = {
    "revenue_by_month": Template(
        "What was taken, given back and paid in fees in each month, by currency",
        "SELECT substr(created, 1, 7) AS month, currency, sum(amount) FILTER (WHERE amount > 0) AS gross, "
        "sum(amount) FILTER (WHERE amount < 0) AS given_back, sum(fee) AS fees, sum(net) AS net "
        "FROM balance_transactions WHERE type <> 'payout' GROUP BY month, currency ORDER BY month, currency",
    ),
    "top_customers": Template(
        "The customers who paid most, refunds taken off",
        "SELECT customers.id, customers.name, customers.email, charges.currency, "
        "sum(charges.amount_captured - charges.amount_refunded) AS paid, count(*) AS payments FROM charges "
        "JOIN customers ON customers.id = charges.customer WHERE charges.status = 'succeeded' "
        "GROUP BY customers.id, charges.currency ORDER BY paid DESC, customers.id LIMIT :limit",
        {"limit": 10},
    ),
    "declines_by_reason": Template(
        "Why payments failed, since a date",
        "SELECT coalesce(outcome->>'reason', failure_code) AS reason, failure_code, count(*) AS charges, "
        "sum(amount) AS amount FROM charges WHERE status = 'failed' AND created >= :since "
        "GROUP BY 1, 2 ORDER BY charges DESC, reason",
        {"since": "2000-01-01"},
    ),
    "refund_rate": Template(
        "Which part of each month's payments was refunded",
        "SELECT substr(created, 1, 7) AS month, currency, count(*) AS payments, "
        "sum(amount_refunded > 0) AS refunded, "
        "round(100.0 * sum(amount_refunded) / sum(amount_captured), 2) AS percent "
        "FROM charges WHERE status = 'succeeded' AND captured GROUP BY month, currency ORDER BY month, currency",
    ),
    "open_disputes": Template(
        "Disputes that wait for an answer, the most urgent first",
        "SELECT id, charge, amount, currency, reason, status, "
        "datetime(evidence_details->>'due_by', 'unixepoch') AS due_by FROM disputes "
        "WHERE status IN ('needs_response', 'warning_needs_response') ORDER BY evidence_details->>'due_by'",
    ),
    "payouts": Template(
        "What went to the bank, the latest first",
        "SELECT id, amount, currency, status, arrival_date, automatic FROM payouts ORDER BY created DESC LIMIT :limit",
        {"limit": 20},
    ),
    "new_customers_by_month": Template(
        "How many customers came in each month",
        "SELECT substr(created, 1, 7) AS month, count(*) AS customers FROM customers GROUP BY month ORDER BY month",
    ),
    "customer_payments": Template(
        "Every charge of one customer",
        "SELECT id, created, amount, amount_refunded, currency, status, failure_code, description FROM charges "
        "WHERE customer = :customer ORDER BY created DESC",
        {"customer": None},
    ),
}


def described(name: str) -> dict[str, Any]:
    """A template as an agent reads it.

    Raises: WrongQuery for one that is not there.
    """
    template = _get(name)
    return {
        "object": "query_template",
        "name": name,
        "title": template.title,
        "sql": template.sql,
        "parameters": [
            {"name": key, "required": value is None, "default": value} for key, value in template.parameters.items()
        ],
    }


def filled(name: str, parameters: dict[str, Any]) -> str:
    """The SQL of a template with its parameters in place.

    Raises: WrongQuery for a parameter that is unknown, missing, or neither text nor a whole number.
    """
    template = _get(name)
    for key, value in parameters.items():
        if key not in template.parameters:
            takes = ", ".join(template.parameters) or "none"
            raise errors.WrongQuery(f"Template {name} has no parameter '{key:.60}'; it takes: {takes}.")
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise errors.WrongQuery(f"Template {name}: '{key}' must be text or a whole number.")
    values = {**template.parameters, **parameters}
    for key, value in values.items():
        if value is None:
            raise errors.WrongQuery(f"Template {name} needs '{key}' in parameters.")
    return _PLACE.sub(lambda place: _literal(values[place[1]]), template.sql)


def _get(name: str) -> Template:
    if name not in TEMPLATES:
        raise errors.WrongQuery(f"No such template: '{name:.100}'. There are: {', '.join(TEMPLATES)}.")
    return TEMPLATES[name]


def _literal(value: Any) -> str:
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"
