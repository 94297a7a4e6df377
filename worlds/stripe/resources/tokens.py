"""How do tokens behave?"""

from __future__ import annotations

from typing import Any

from worlds.stripe import bank_accounts, entered_cards
from worlds.stripe.api import errors
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.cards import by_number, by_token
from worlds.stripe.entered_cards import ADDRESS, SOURCE_ADDRESS, EnteredCard
from worlds.stripe.models import Customer, PaymentMethod, Token

#: What a token can stand for, in the order in which they are looked for.
_KINDS = ("card", "bank_account", "pii", "account", "person", "cvc_update")
_PREFIXES = {"bank_account": "btok_", "account": "ct_", "person": "cpt_", "cvc_update": "cvctok_"}
#: Tokens of bank accounts by name, with the account numbers they stand for.
_BANK_TOKENS = {
    "btok_us_verified": "000123456789",
    "btok_us": "000123456789",
    "btok_us_verified_noAccount": "000111111116",
    "btok_us_verified_accountClosed": "000111111113",
    "btok_us_verified_insufficientFunds": "000222222227",
    "btok_us_verified_debitNotAuthorized": "000333333335",
    "btok_us_verified_invalidCurrency": "000444444440",
}

loads(Token)


@operation("PostTokens")
def create(call: Call) -> Token:
    """Make a token of what was sent, or of one of a customer's sources."""
    kinds = [kind for kind in _KINDS if kind in call.params]
    if not kinds and "customer" not in call.params:
        raise StripeError(
            "You must supply either a card, customer, bank account, personal identification number, account, or CVC "
            "update to create a token.",
            code="parameter_missing",
        )
    if len(kinds) > 1:
        raise StripeError(f"You may only specify one of these parameters: {', '.join(kinds)}.", param=kinds[1])
    kind = kinds[0] if kinds else "card"
    if kind == "card":
        return _of_card(call)
    if kind == "bank_account":
        return _of_bank_account(call, call.params["bank_account"])
    return _make(call, kind, x_data=call.params[kind])


def _make(call: Call, kind: str, **values: Any) -> Token:
    return call.make(Token, _PREFIXES.get(kind, "tok_"), type=kind, client_ip=None, **values)


def _of_card(call: Call) -> Token:
    given = call.params.get("card")
    if isinstance(given, str) or given is None:
        shown, number = _of_source(call, given)
    else:
        card = entered_cards.entered(given, call.now)
        number = card.test_card.number
        shown = shown_card(call, card)
    return _make(call, "card", card=shown, x_number=number)


def _of_source(call: Call, id: str | None) -> tuple[dict[str, Any], str]:
    """A card that a customer has already, for use on another account."""
    if "customer" not in call.params:
        raise errors.missing_parameter("customer")
    rows = PaymentMethod.objects.filter(x_account="", type="card")
    owner = Customer.objects.filter(x_account="", pk=call.params["customer"], deleted=False).first()
    if owner is None:
        raise errors.no_such("customer", call.params["customer"], param="customer", in_path=False)
    row = rows.filter(customer=owner, pk=id or owner.default_source_id).first()
    if row is None:
        raise errors.no_such("card", id or "", param="card", in_path=False)
    shown = entered_cards.as_source(row.rail, row.billing_details)
    return {"id": call.new_id("card_"), "object": "card", **shown}, row.x_number


def shown_card(call: Call, card: EnteredCard) -> dict[str, Any]:
    """A card as its token shows it."""
    details = entered_cards.billing_details(card)
    shown = entered_cards.as_source(entered_cards.rail(call, card), details)
    return {"id": call.new_id("card_"), "object": "card", **shown}


def _of_bank_account(call: Call, given: dict[str, Any]) -> Token:
    shown, number = shown_bank_account(call, given)
    return _make(call, "bank_account", bank_account=shown, x_number=number)


def shown_bank_account(call: Call, given: dict[str, Any], status: str = "new") -> tuple[dict[str, Any], str]:
    """A bank account as its token shows it, and its whole number.

    Raises: StripeError for a routing number that no bank has.
    """
    number, country = given["account_number"], given["country"].upper()
    routing = given.get("routing_number")
    if country == "US":
        if routing is None:
            raise errors.missing_parameter("bank_account[routing_number]")
        if not bank_accounts.is_routing_number(routing):
            raise StripeError(
                f"Invalid routing number for {country}: {routing}.",
                code="routing_number_invalid",
                param="bank_account[routing_number]",
            )
        if not (number.isascii() and number.isdigit()):
            raise StripeError(
                "The account number is invalid.", code="account_number_invalid", param="bank_account[account_number]"
            )
    return {
        "id": call.new_id("ba_"),
        "object": "bank_account",
        "account_holder_name": given.get("account_holder_name"),
        "account_holder_type": given.get("account_holder_type"),
        "account_type": given.get("account_type"),
        "bank_name": "STRIPE TEST BANK",
        "country": country,
        "currency": given.get("currency", "usd"),
        "fingerprint": entered_cards.fingerprint(call, f"{routing}{number}"),
        "last4": number[-4:],
        "routing_number": routing,
        "status": status,
    }, number


@operation("GetTokensToken")
def retrieve(call: Call) -> Token | dict[str, Any]:
    """A token; a published one looks like one that was just made."""
    return _known(call, call.path["token"], param="token", in_path=True)


def _known(call: Call, id: str, *, param: str, in_path: bool) -> Token:
    """The token of an id, made if it is one of the published.

    Raises: StripeError for one that is not there.
    """
    if (card := by_token(id)) is not None:
        entered = entered_cards.of_test_card(card, call.now)
        return _make(call, "card", card=shown_card(call, entered), x_number=card.number)
    if (number := _BANK_TOKENS.get(id)) is not None:
        given = {"account_number": number, "country": "US", "routing_number": bank_accounts.ROUTING_NUMBER}
        status = "verified" if "verified" in id else "new"
        shown, number = shown_bank_account(call, given, status)
        return _make(call, "bank_account", bank_account=shown, x_number=number)
    return find(call, Token, id, noun="token", param=param, in_path=in_path)


def spend(call: Call, id: str, *, param: str = "source") -> Token:
    """A token that is used now; each is good for one time, a published one always.

    Raises: StripeError for one that is not there, or was used.
    """
    token = _known(call, id, param=param, in_path=False)
    if token.used:
        raise StripeError(
            f"You cannot use a Stripe token more than once: {id}.", code="token_already_used", param=param
        )
    token.used = True
    token.save(update_fields=["used"])
    return token


def card_of(token: Token) -> EnteredCard:
    """What was entered for a token of a card."""
    shown = token.card or {}
    address = {part: shown.get(SOURCE_ADDRESS[part]) for part in ADDRESS}
    return EnteredCard(
        by_number(token.x_number),
        shown["exp_month"],
        shown["exp_year"],
        has_cvc=shown.get("cvc_check") is not None,
        preferred_network=(shown.get("networks") or {}).get("preferred"),
        name=shown.get("name"),
        address={part: value for part, value in address.items() if value},
    )
