"""How do the people behind connected accounts behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe.api import listing, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.connect import persons, requirements
from worlds.stripe.models import Account, Person
from worlds.stripe.resources import connected_accounts, tokens

loads(Person)


@operation("PostAccountsAccountPersons", "PostAccountsAccountPeople")
def create(call: Call) -> Person:
    account = connected_accounts.found(call)
    before = wire.of(account)
    person = persons.write(call, account, _given(call))
    requirements.settle(call, account, before)
    return person


def _given(call: Call) -> dict[str, Any]:
    """What is told of a person: in the request, or by a token of it."""
    if "person_token" not in call.params:
        return call.params
    return {**call.params, **tokens.spend(call, call.params["person_token"], param="person_token").x_data}


def _found(call: Call) -> tuple[Account, Person]:
    account = connected_accounts.found(call)
    person = find(call, Person, call.path["person"], noun="person", param="person")
    if person.account_id != account.id:
        person = find(call, Person, "", noun="person", param="person")
    return account, person


@operation("GetAccountsAccountPersonsPerson", "GetAccountsAccountPeoplePerson")
def retrieve(call: Call) -> Person:
    return _found(call)[1]


@operation("PostAccountsAccountPersonsPerson", "PostAccountsAccountPeoplePerson")
def update(call: Call) -> Person:
    account, person = _found(call)
    before = wire.of(account)
    persons.write(call, account, _given(call), person)
    requirements.settle(call, account, before)
    return person


@operation("DeleteAccountsAccountPersonsPerson", "DeleteAccountsAccountPeoplePerson")
def delete(call: Call) -> Person:
    account, person = _found(call)
    before = wire.of(account)
    requirements.acting(call, account.id).emit("person.deleted", person)
    person.deleted = True
    person.save(update_fields=["deleted"])
    requirements.settle(call, account, before)
    return person


@operation("GetAccountsAccountPersons", "GetAccountsAccountPeople")
def list_all(call: Call) -> dict[str, Any]:
    rows = Person.objects.filter(account=connected_accounts.found(call), deleted=False)
    for name, wanted in call.params.get("relationship", {}).items():
        rows = rows.filter(**{f"relationship__{name}": True}) if wanted else rows
    return listing.page(call, rows, noun="person")
