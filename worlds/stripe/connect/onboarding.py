"""Where does the owner of a connected account tell what is wanted of them?

The page stands below the platform's HTTP API and needs no key: the link is the key, and is good for one time. `GET
/_connect/<link>` shows what is wanted with answers that will do, and its form posts them to the same place.
"""

from __future__ import annotations

from datetime import timedelta
from html import escape
from typing import Any
from urllib.parse import parse_qs

from worlds.engine import Ctx, HttpRequest, HttpResponse
from worlds.stripe import currencies, ledger, pages
from worlds.stripe.api import answering
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.connect import accounts, persons, requirements
from worlds.stripe.models import Account, AccountLink, Person

LASTS = timedelta(minutes=5)
_SESSION_LASTS = timedelta(hours=1)
#: Answers that will do, by the last part of what is wanted.
_ANSWERS = {
    "business_type": "individual", "mcc": "5734", "url": "https://shop.example.com", "first_name": "Jenny",
    "last_name": "Rosen", "day": "1", "month": "1", "year": "1990", "phone": "+15551234567", "line1": "1 Main Street",
    "city": "Springfield", "postal_code": "97477", "state": "OR", "ssn_last_4": "0000", "name": "Example Company",
    "tax_id": "000000000", "email": "jenny@example.com", "external_account": "000123456789",
}  # fmt: skip


def link(
    call: Call, account: Account, type: str, *, refresh_url: str | None = None, return_url: str | None = None
) -> AccountLink:
    """An address for an account's owner."""
    row: AccountLink = AccountLink.objects.create(
        id=call.token(40), account=account, created=call.now, type=type, refresh_url=refresh_url,
        return_url=return_url, expires_at=call.now + (_SESSION_LASTS if type == "account_session" else LASTS),
    )  # fmt: skip
    return row


@pages.page("connect")
def page(ctx: Ctx, request: HttpRequest, id: str) -> HttpResponse:
    """What is wanted of an account: GET shows it, POST with answers gives them."""
    row = AccountLink.objects.filter(pk=id).exclude(type__in=("login", "oauth_code")).select_related("account").first()
    if row is None or row.account is None or row.account.deleted:
        return pages.html("Nothing to do", "<p>There is no such page; the link may be incomplete.</p>", 404)
    call = Call.of_clock(ctx)
    if row.used or row.expires_at <= call.now:
        if row.refresh_url:
            return HttpResponse(303, (("location", row.refresh_url),))
        return pages.html("This link has expired", "<p>Please ask for another one.</p>", 410)
    if request.method != "POST":
        return _form(row.account)
    sent = {name: values[-1].strip() for name, values in parse_qs(request.body.decode("utf-8", "replace")).items()}
    account = row.account
    try:
        answering.all_or_nothing(lambda: answer(call, account, sent))
    except StripeError as error:
        return _form(account, sent, error)
    row.used = True
    row.save(update_fields=["used"])
    if row.return_url:
        return HttpResponse(303, (("location", row.return_url),))
    return pages.html("Thank you", "<p>Your account is set up.</p>")


def _form(account: Account, sent: dict[str, str] | None = None, refusal: StripeError | None = None) -> HttpResponse:
    fields = "".join(
        f'<p><label>{escape(_label(name))}<input name="{escape(name)}" '
        f'value="{escape((sent or {}).get(name, _suggested(account, name)))}" required></label></p>'
        for name in requirements.due(account)
        if not name.startswith("tos_acceptance")
    )
    alert = f'<p role="alert" class="alert">{escape(refusal.message)}</p>' if refusal is not None else ""
    agreed = '<p><label><input type="checkbox" name="accepts" value="yes" checked required> I agree</label></p>'
    button = "<p><button>Submit</button></p>"
    title = "Tell us about your business"
    return pages.html(title, f'{alert}<form method="post">{fields}{agreed}{button}</form>', 400 if refusal else 200)


def _label(name: str) -> str:
    *before, last = name.split(".")
    whose = {"individual": "Your", "representative": "Representative's", "company": "Company's"}.get(
        before[0] if before else "", ""
    )
    return f"{whose} {last.replace('_', ' ')}".strip().capitalize()


def _suggested(account: Account, name: str) -> str:
    last = name.rpartition(".")[2]
    if name == "business_type":
        return account.business_type or _ANSWERS[name]
    return (account.email or _ANSWERS[last]) if last == "email" else _ANSWERS.get(last, "")


def answer(call: Call, account: Account, sent: dict[str, str] | None = None) -> None:
    """Give everything that is wanted of an account: what was sent, and an answer that will do for the rest.

    Raises: StripeError for answers that cannot be.
    """
    sent = sent or {}
    # A business that tells what kind it is may be asked for more.
    for _ in range(2):
        wanted = requirements.due(account)
        given = {name: sent.get(name) or _suggested(account, name) for name in wanted}
        if given:
            _give(call, account, given)
            account.refresh_from_db()
    before_submitting = account.details_submitted
    if not before_submitting:
        account.details_submitted = True
        account.save(update_fields=["details_submitted"])


def _give(call: Call, account: Account, given: dict[str, str]) -> None:
    params: dict[str, Any] = {}
    of_person: dict[str, Any] = {}
    person: Person | None = None
    for name, value in given.items():
        first, _, rest = name.partition(".")
        if first == "tos_acceptance":
            params["tos_acceptance"] = {"date": call.now_s, "ip": "127.0.0.1"}
        elif first == "external_account":
            params["external_account"] = _bank_account(account, value)
        elif first in ("representative",) or first.startswith("person_"):
            person = Person.objects.filter(pk=first).first()
            _put(of_person, rest, value)
        else:
            _put(params, name, value)
    accounts.change(call, account, params)
    if of_person:
        of_person["relationship"] = {"representative": True, "title": "Owner"}
        before = accounts.shown(account)
        persons.write(call, account, of_person, person)
        requirements.settle(call, account, before)


def _put(into: dict[str, Any], path: str, value: str) -> None:
    *steps, last = path.split(".")
    for step in steps:
        into = into.setdefault(step, {})
    is_number = last in ("day", "month", "year")
    if is_number and not (value.isascii() and value.isdigit()):
        raise StripeError(f"Invalid integer: {value}", code="parameter_invalid_integer", param=path)
    into[last] = int(value) if is_number else value


def _bank_account(account: Account, number: str) -> dict[str, Any]:
    return {
        "object": "bank_account", "country": account.country, "currency": account.default_currency,
        "account_number": number, **({"routing_number": "110000000"} if account.country == "US" else {}),
    }  # fmt: skip


@pages.page("express")
def dashboard(ctx: Ctx, request: HttpRequest, id: str) -> HttpResponse:
    """What the owner of an account sees of it."""
    row = AccountLink.objects.filter(pk=id, type="login").select_related("account").first()
    if row is None or row.account is None:
        return pages.html("Nothing to see", "<p>There is no such page; the link may be incomplete.</p>", 404)
    account = row.account
    totals = ledger.totals(Call.of_clock(ctx, account.id))
    lines = "".join(
        f'<tr><th scope="row">{status.capitalize()}<td>{escape(currencies.written(sum(kinds.values()), currency))}'
        for status, parts in totals.items()
        for currency, kinds in parts.items()
    )
    state = "can" if account.payouts_enabled else "cannot"
    name = escape(account.business_profile.get("name") or account.email or account.id)
    return pages.html(name, f"<p>This account {state} be paid out.</p><table><caption>Balance</caption>{lines}</table>")
