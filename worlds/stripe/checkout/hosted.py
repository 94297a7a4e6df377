"""Where does a shopper pay a session, and how does a program that stands for one?

The page stands below the account's HTTP API and needs no key: the session's id is the key. `GET /_checkout/<id>` shows
it, and its form posts to the same place; `POST /_checkout/<id>/pay` takes the same as JSON, for tests and agents.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

from worlds.engine import Ctx, HttpRequest, HttpResponse
from worlds.stripe import pages
from worlds.stripe.api import answering, errors, wire
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.checkout import form, paying
from worlds.stripe.checkout.collecting import Shopper
from worlds.stripe.models import CheckoutSession

_FIELDS = frozenset(Shopper.__dataclass_fields__)
#: The numbers by which accounts are entered, by the type they are of.
_NUMBERS = {"us_bank_account": ("account_number", "routing_number"), "sepa_debit": ("iban",)}
_ADDRESS = ("city", "country", "line1", "line2", "postal_code", "state")


@pages.page("checkout")
def page(ctx: Ctx, request: HttpRequest, rest: str) -> HttpResponse:
    """A session's page: shown, paid, or come back to from the shopper's bank."""
    id, _, what = rest.partition("/")
    session = CheckoutSession.objects.filter(pk=id).first()
    if what == "pay":
        return _paid_by_program(ctx, request, session, id)
    if session is None:
        return pages.html("Nothing to pay", "<p>There is no such page; the link may be incomplete.</p>", 404)
    call = Call.of_clock(ctx, session.x_account)
    if request.method == "POST" and session.status == "open":
        return _posted(call, request, session)
    if session.status == "complete":
        return _onward(session) or form.thanks(session)
    if session.status == "expired":
        return form.over(session)
    return form.show(call, session, refusal=_refusal_of(session) if what == "return" else None)


def _onward(session: CheckoutSession) -> HttpResponse | None:
    url = paying.where_next(session)
    return None if url is None else HttpResponse(303, (("location", url),))


def _refusal_of(session: CheckoutSession) -> StripeError | None:
    """Why the last attempt came to nothing."""
    error: dict[str, Any] | None = None
    if session.payment_intent is not None:
        error = session.payment_intent.last_payment_error
    elif session.setup_intent is not None:
        error = session.setup_intent.last_setup_error
    return StripeError(error["message"], status=402) if error else None


def _posted(call: Call, request: HttpRequest, session: CheckoutSession) -> HttpResponse:
    sent = {name: values[-1].strip() for name, values in parse_qs(request.body.decode("utf-8", "replace")).items()}
    told = told_by_form(sent)
    try:
        if sent.get("action") == "update":
            shopper = Shopper(**{name: told[name] for name in told if name != "card"})
            answering.all_or_nothing(lambda: paying.price(call, session, shopper))
            return form.show(call, session, sent)
        session = paying.pay(call, session, **told)
    except StripeError as error:
        session.refresh_from_db()
        return form.show(call, session, sent, error)
    return _onward(session) or form.thanks(session)


def told_by_form(sent: dict[str, str]) -> dict[str, Any]:
    """What a shopper tells, from the fields of the form."""
    told: dict[str, Any] = {
        name: sent[name] for name in ("email", "name", "phone", "promotion_code", "shipping_rate") if sent.get(name)
    }
    number = "".join(sent.get("card_number", "").split())
    if number:
        month, year = _expiry(sent.get("card_expiry", ""))
        told["card"] = {"number": number, "exp_month": month, "exp_year": year}
        if sent.get("card_cvc"):
            told["card"]["cvc"] = sent["card_cvc"]
    if sent.get("type"):
        told["type"] = sent["type"]
        told["bank_account"] = {name: sent[name] for name in _NUMBERS.get(sent["type"], ()) if sent.get(name)}
    if address := {part: sent[f"address_{part}"] for part in _ADDRESS if sent.get(f"address_{part}")}:
        told["address"] = address
    if to := {part: sent[f"shipping_{part}"] for part in _ADDRESS if sent.get(f"shipping_{part}")}:
        told["shipping"] = {"address": to, "name": sent.get("shipping_name")}
    told["custom_fields"] = _prefixed(sent, "field_")
    numbers = {"quantities": "quantity_", "amounts": "amount_"}
    for name, prefix in numbers.items():
        told[name] = {key: int(value) for key, value in _prefixed(sent, prefix).items() if value.isdecimal()}
    told["accepts_terms"], told["wants_promotions"] = "accepts_terms" in sent, "wants_promotions" in sent
    return told


def _expiry(text: str) -> tuple[int, int]:
    """`12 / 34` as a month and a year; what cannot be read is no month."""
    month, _, year = "".join(text.split()).partition("/")
    if not (month.isdecimal() and year.isdecimal() and len(month) <= 2 and len(year) in (2, 4)):
        return 0, 0
    return int(month), int(year)


def _prefixed(sent: dict[str, str], prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): value for name, value in sent.items() if name.startswith(prefix)}


def _paid_by_program(ctx: Ctx, request: HttpRequest, session: CheckoutSession | None, id: str) -> HttpResponse:
    try:
        if session is None:
            raise errors.no_such("checkout.session", id, param="session")
        if request.method != "POST":
            raise errors.unknown_url(request.method, request.path)
        session = paying.pay(Call.of_clock(ctx, session.x_account), session, **told_by_program(request))
    except StripeError as error:
        return HttpResponse.of_json(error.body(), error.status)
    return HttpResponse.of_json({"session": wire.of(session), "redirect": paying.where_next(session)})


def told_by_program(request: HttpRequest) -> dict[str, Any]:
    """What a shopper tells, from JSON with a `Shopper`'s fields.

    Raises: StripeError for what is no JSON object, or has others.
    """
    try:
        told = request.json() if request.body.strip() else {}
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise StripeError("The body must be a JSON object.")
    if unknown := sorted(set(told) - _FIELDS):
        raise errors.unknown_parameters(unknown)
    kinds = {name: type(Shopper.__dataclass_fields__[name].default) for name in told}
    for name, value in told.items():
        wanted = _KINDS.get(name, bool if kinds[name] is bool else str)
        if value is not None and not isinstance(value, wanted):
            raise StripeError(f"Invalid {name}", param=name)
    return {name: value for name, value in told.items() if value is not None}


_KINDS: dict[str, type] = dict.fromkeys(
    ("address", "amounts", "bank_account", "card", "custom_fields", "quantities", "shipping"), dict
)
