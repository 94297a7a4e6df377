"""What is still wanted of an account before it may do what it asked for, and what may it do meanwhile?"""

from __future__ import annotations

import dataclasses
from typing import Any

from worlds.stripe import facts
from worlds.stripe.api import changing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.models import Account, Capability, ExternalAccount, Person

_OF_A_PERSON = (
    "first_name", "last_name", "dob.day", "dob.month", "dob.year", "email", "phone", "address.line1", "address.city",
    "address.postal_code",
)  # fmt: skip
_OF_A_COMPANY = ("name", "phone", "address.line1", "address.city", "address.postal_code")
#: What is wanted in the US besides.
_PERSON_IN_US, _COMPANY_IN_US = ("address.state", "ssn_last_4"), ("address.state", "tax_id")
#: Everything that can be asked for.
NAMES = frozenset(facts.objects()["account_capabilities"].fields)


def acting(call: Call, account: str) -> Call:
    """The same call, acting for another account."""
    return dataclasses.replace(call, account=account)


def due(account: Account) -> list[str]:
    """The fields that are wanted, by the names under which they are given."""
    wanted: list[str] = []
    if account.business_type is None:
        wanted.append("business_type")
    profile = account.business_profile
    if not profile.get("mcc"):
        wanted.append("business_profile.mcc")
    if not profile.get("url") and not profile.get("product_description"):
        wanted.append("business_profile.url")
    if not ExternalAccount.objects.filter(account=account, deleted=False).exists():
        wanted.append("external_account")
    wanted += [f"tos_acceptance.{part}" for part in ("date", "ip") if not account.tos_acceptance.get(part)]
    wanted += _of_people(account)
    return sorted(wanted)


def _of_people(account: Account) -> list[str]:
    in_us = account.country == "US"
    if account.business_type in (None, "individual"):
        person = Person.objects.filter(account=account, x_is_individual=True, deleted=False).first()
        return _missing(person, "individual", in_us=in_us)
    company = account.company or {}
    fields = (*_OF_A_COMPANY, *(_COMPANY_IN_US if in_us else ()))
    wanted = [f"company.{field}" for field in fields if not _told(company, field)]
    people = Person.objects.filter(account=account, deleted=False, relationship__representative=True)
    person = people.order_by("x_seq").first()
    return wanted + _missing(person, person.id if person is not None else "representative", in_us=in_us)


def _missing(person: Person | None, name: str, *, in_us: bool) -> list[str]:
    fields = (*_OF_A_PERSON, *(_PERSON_IN_US if in_us else ()))
    if person is None:
        return [f"{name}.{field}" for field in fields]
    told = {
        "dob": person.dob, "address": person.address, "first_name": person.first_name, "last_name": person.last_name,
        "email": person.email, "phone": person.phone,
        "ssn_last_4": person.ssn_last_4_provided or person.id_number_provided,
    }  # fmt: skip
    return [f"{name}.{field}" for field in fields if not _told(told, field)]


def _told(given: dict[str, Any], path: str) -> bool:
    here: Any = given
    for step in path.split("."):
        here = (here or {}).get(step)
    return bool(here)


def settle(call: Call, account: Account, before: dict[str, Any] | None = None) -> None:
    """Reckon anew what is wanted of an account and what it may do, save it, and tell of what has changed.

    `before` is how the account looked before the request; without it nothing is told of the account itself.
    """
    asked = list(Capability.objects.filter(account=account, requested=True).order_by("x_seq"))
    wanted = due(account) if asked else []
    allowed = not wanted and account.x_rejected is None
    for capability in asked:
        status = "active" if allowed else "inactive"
        if capability.status != status:
            capability.status = status
            capability.save(update_fields=["status"])
            call_for = acting(call, account.id)
            call_for.emit("capability.updated", capability)
    account.capabilities = {each.x_name: each.status for each in asked}
    account.charges_enabled = allowed and any(each.x_name.endswith("_payments") for each in asked)
    account.payouts_enabled = allowed and bool(asked)
    account.details_submitted = account.details_submitted or (bool(asked) and not wanted)
    account.requirements = _shown(account, wanted)
    account.save()
    if before is not None:
        previous = changing.differences(before, wire.of(account))
        if previous:
            acting(call, account.id).emit("account.updated", account, previous)


def _shown(account: Account, wanted: list[str]) -> dict[str, Any]:
    reason = f"rejected.{account.x_rejected}" if account.x_rejected else "requirements.past_due" if wanted else None
    return {
        "currently_due": wanted, "eventually_due": wanted, "past_due": wanted, "disabled_reason": reason,
    }  # fmt: skip


def request(call: Call, account: Account, wanted: dict[str, Any]) -> None:
    """Ask for capabilities, or give them up: `{name: {"requested": true}}`."""
    for name, told in wanted.items():
        if "requested" in told:
            ask(call, account, name, requested=told["requested"])


def ask(call: Call, account: Account, name: str, *, requested: bool) -> Capability:
    """Ask for one capability, or give it up."""
    row = Capability.objects.filter(account=account, x_name=name).first()
    if row is None:
        row = call.make(Capability, "", id=f"{account.id}/{name}", account=account, x_name=name)
    row.requested = requested
    row.requested_at = (row.requested_at or call.now) if requested else None
    row.status = "unrequested" if not requested else row.status if row.status != "unrequested" else "inactive"
    row.save()
    return row
