"""What is kept of the people behind an account?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import changing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.validating import CLEARED
from worlds.stripe.connect.requirements import acting
from worlds.stripe.models import Account, Person

_PLAIN = (
    "address", "dob", "email", "first_name", "full_name_aliases", "gender", "last_name", "maiden_name", "metadata",
    "nationality", "phone", "political_exposure", "relationship",
)  # fmt: skip
_ADDRESS = ("city", "country", "line1", "line2", "postal_code", "state")
_RELATIONSHIP = (
    "authorizer", "director", "executive", "legal_guardian", "owner", "percent_ownership", "representative", "title",
)  # fmt: skip
_FLAGS = frozenset(_RELATIONSHIP) - {"percent_ownership", "title"}
_DOCUMENT = {"back": None, "details": None, "details_code": None, "front": None}


@wire.shaped("person")
def _shape(person: Person) -> dict[str, Any]:
    told = person.relationship
    is_known = bool(person.first_name and person.last_name and person.dob)
    documents = {name: {**_DOCUMENT, **(person.verification.get(name) or {})} for name in _DOCUMENTS}
    return {
        "address": {part: (person.address or {}).get(part) for part in _ADDRESS},
        "dob": {part: (person.dob or {}).get(part) for part in ("day", "month", "year")},
        "relationship": {
            name: told.get(name, False if name in _FLAGS else None) for name in _RELATIONSHIP
        },
        "requirements": {
            "alternatives": [], "currently_due": [], "errors": [], "eventually_due": [], "past_due": [],
            "pending_verification": [],
        },
        "verification": {
            **documents, "details": None, "details_code": None, "status": "verified" if is_known else "unverified",
        },
    }  # fmt: skip


_DOCUMENTS = ("additional_document", "document")


def write(call: Call, account: Account, params: dict[str, Any], person: Person | None = None, **more: Any) -> Person:
    """Make a person of an account, or change one; tells of it."""
    values = {name: value for name, value in changing.values(params, _PLAIN, person).items() if value is not None}
    for name in ("address", "dob", "full_name_aliases"):
        if params.get(name) == CLEARED:
            values[name] = [] if name == "full_name_aliases" else {}
    if params.get("id_number"):
        values |= {"id_number_provided": True, "ssn_last_4_provided": account.country == "US"}
    if params.get("ssn_last_4"):
        values["ssn_last_4_provided"] = True
    if "verification" in params:
        values["verification"] = {**(person.verification if person else {}), **params["verification"]}
    theirs = acting(call, account.id)
    if person is None:
        made = call.make(Person, "person_", account=account, **values, **more)
        theirs.emit("person.created", made)
        return made
    previous = changing.change(person, values)
    if previous:
        theirs.emit("person.updated", person, previous)
    return person


def individual(account: Account) -> Person | None:
    """The person that an account of an individual is."""
    return Person.objects.filter(account=account, x_is_individual=True, deleted=False).first()
