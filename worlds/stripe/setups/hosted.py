"""Where does the holder of a bank account say which small amounts arrived?

The page stands below the account's HTTP API and needs no key: the client secret is the key.
"""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import parse_qs

from worlds.engine import Ctx, HttpRequest, HttpResponse
from worlds.stripe import facts, pages
from worlds.stripe.api import answering
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import MODELS
from worlds.stripe.models.base import Resource

#: Which operation verifies, by the name of what waits.
_OPERATIONS = {
    "payment_intent": "PostPaymentIntentsIntentVerifyMicrodeposits",
    "setup_intent": "PostSetupIntentsIntentVerifyMicrodeposits",
}
_FORM = (
    '<form method="post"><p><label>First amount, in cents <input name="first" inputmode="numeric"></label></p>'
    '<p><label>Second amount <input name="second" inputmode="numeric"></label></p>'
    '<p><label>or the code beginning with SM <input name="descriptor_code"></label></p>'
    "<p><button>Verify</button></p></form>"
)


@pages.page("microdeposits")
def page(ctx: Ctx, request: HttpRequest, client_secret: str) -> HttpResponse:
    """The question for the amounts: GET shows it, POST with `first` and `second`, or `descriptor_code`, answers it."""
    found = _waiting(client_secret)
    if found is None:
        return pages.html("Nothing to do", "<p>No bank account waits to be verified here.</p>", 404)
    if request.method != "POST":
        return pages.html("Verify your bank account", _FORM)
    name, intent = found
    params = {"client_secret": client_secret, **_given(request)}
    call = Call(ctx, facts.operations()[_OPERATIONS[name]], {"intent": intent.pk}, params, account=intent.x_account)
    try:
        answering.run(call)
    except StripeError as error:
        again = _FORM if _waiting(client_secret) else ""
        return pages.html("Not verified", f"<p>{escape(error.message)}</p>{again}", error.status)
    return pages.html("Thank you", "<p>Your bank account is verified.</p>")


def _waiting(client_secret: str) -> tuple[str, Resource] | None:
    for name in _OPERATIONS:
        model: Any = MODELS[name]
        intent = model.objects.filter(client_secret=client_secret, status="requires_action").first()
        if intent is not None and (intent.next_action or {}).get("type") == "verify_with_microdeposits":
            return name, intent
    return None


def _given(request: HttpRequest) -> dict[str, Any]:
    """What the form says, as parameters; what is no number is no amount."""
    sent = {name: values[0].strip() for name, values in parse_qs(request.body.decode("utf-8", "replace")).items()}
    if sent.get("descriptor_code"):
        return {"descriptor_code": sent["descriptor_code"]}
    amounts = [sent.get(name, "") for name in ("first", "second")]
    return {"amounts": [int(amount) if amount.isascii() and amount.isdigit() else 0 for amount in amounts]}
