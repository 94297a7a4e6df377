"""What does Stripe publish itself, the same for every account: countries, rates, tax codes, climate products?"""

from __future__ import annotations

import functools
import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from worlds.stripe.generic.forming import Forming

_FILES = Path(__file__).parent / "published"
_SINCE = datetime(2026, 1, 1, tzinfo=UTC)
#: Object name to file name.
_TABLES = {
    "climate.product": "climate_products",
    "climate.supplier": "climate_suppliers",
    "country_spec": "countries",
    "exchange_rate": "rates",
    "issuing.physical_bundle": "physical_bundles",
    "reporting.report_type": "report_types",
    "tax_code": "tax_codes",
}


def names() -> frozenset[str]:
    """The objects that are published."""
    return frozenset(_TABLES)


def find(name: str, id: str) -> dict[str, Any] | None:
    """A published object by its id."""
    return _all(name).get(id) if name in _TABLES else None


def all_of(name: str) -> list[dict[str, Any]]:
    """Every published object of a name, in the order they are listed."""
    return list(_all(name).values())


@functools.cache
def _all(name: str) -> dict[str, dict[str, Any]]:
    lines = (_FILES / f"{_TABLES[name]}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line]
    made = {"country_spec": _countries, "exchange_rate": _rates}.get(name)
    former = Forming(_SINCE)
    return {row["id"]: former.object(name, row) for row in (made(rows) if made else rows)}


def _countries(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each row names a country and its currency; money may be sent from any country to any other."""
    currencies = sorted({row["currency"] for row in rows})
    countries = sorted(row["id"] for row in rows)
    person = ["dob.day", "dob.month", "dob.year", "first_name", "last_name", "address.city", "address.line1"]
    needed = {
        "company": {"minimum": ["business_type", "company.name", "external_account"], "additional": ["company.tax_id"]},
        "individual": {"minimum": ["business_type", "external_account", *(f"individual.{part}" for part in person)],
                       "additional": ["individual.verification.document"]},
    }  # fmt: skip
    return [
        {
            "id": row["id"],
            "default_currency": row["currency"],
            "supported_bank_account_currencies": {row["currency"]: [row["id"]]},
            "supported_payment_currencies": currencies,
            "supported_payment_methods": row.get("payment_methods", ["card", "stripe"]),
            "supported_transfer_countries": countries,
            "verification_fields": needed,
        }
        for row in rows
    ]


def _rates(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each row says what a US dollar is in a currency; every other rate follows."""
    per_dollar = {row["id"]: Decimal(row["per_usd"]) for row in rows}
    return [
        {
            "id": base,
            "rates": {
                other: float(round(value / worth, 6)) for other, value in sorted(per_dollar.items()) if other != base
            },
        }
        for base, worth in sorted(per_dollar.items())
    ]
