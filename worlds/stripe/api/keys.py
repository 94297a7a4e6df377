"""Who asks? Secret, restricted and publishable keys, and the account they act for."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass

from worlds.engine import HttpRequest
from worlds.stripe.api.errors import StripeError

_KEY = re.compile(r"(sk|rk|pk)_(test|live)_[A-Za-z0-9_-]+")
_REALM = (("www-authenticate", 'Bearer realm="Stripe"'),)
#: What a publishable key may ask for; the rest of the client's side shows a client secret.
_PUBLISHABLE = frozenset(
    [
        "PostTokens",
        "GetTokensToken",
        "PostSources",
        "GetSourcesSource",
        "PostPaymentMethods",
        "PostConfirmationTokens",
        "GetConfirmationTokensConfirmationToken",
        "GetPaymentIntentsIntent",
        "PostPaymentIntentsIntentConfirm",
        "GetSetupIntentsIntent",
        "PostSetupIntentsIntentConfirm",
    ]
)


@dataclass(frozen=True, slots=True)
class Key:
    """A key that was shown."""

    value: str
    kind: str

    @property
    def is_publishable(self) -> bool:
        return self.kind == "pk"


def key_of(request: HttpRequest) -> Key:
    """The key a request shows, as Bearer or as the user of Basic.

    Raises: StripeError for none, and for one that is none of Stripe's.
    """
    value = shown_in(request)
    if not value:
        raise StripeError(
            "You did not provide an API key. You need to provide your API key in the Authorization header, using "
            "Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See "
            "https://stripe.com/docs/api#authentication for details, or we can help at https://support.stripe.com/.",
            status=401,
            headers=_REALM,
        )
    found = _KEY.fullmatch(value)
    if found is None:
        raise StripeError(f"Invalid API Key provided: {masked(value)}", status=401, headers=_REALM)
    if found[2] == "live":
        raise StripeError(
            f"Expired API Key provided: {masked(value)}", status=401, code="api_key_expired", headers=_REALM
        )
    return Key(value, found[1])


def shown_in(request: HttpRequest) -> str:
    """The key as it was shown, "" for none."""
    scheme, _, given = (request.header("authorization") or "").partition(" ")
    value = given.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().partition(":")[0]
        except (binascii.Error, UnicodeDecodeError):
            return ""
    return value if scheme.lower() == "bearer" else ""


def require_allowed(key: Key, operation_id: str, missing: Sequence[str]) -> None:
    """Refuse what a key is not good for; `missing` are the permissions it lacks for the operation.

    Raises: StripeError for a publishable key out of its place, and a restricted one without the permission.
    """
    if key.is_publishable and operation_id not in _PUBLISHABLE:
        raise StripeError(
            "This API call cannot be made with a publishable API key. Please use a secret API key. You can find a list "
            "of your API keys at https://dashboard.stripe.com/account/apikeys.",
            status=403,
            code="secret_key_required",
        )
    if missing:
        raise StripeError(
            f"The provided key '{masked(key.value)}' does not have the required permissions for this endpoint. Having "
            f"the 'rak_{missing[0]}' permission would allow this request to continue.",
            status=403,
        )


def masked(value: str) -> str:
    """A key as messages show it."""
    return f"{value[:8]}{'*' * max(len(value) - 12, 3)}{value[-4:]}"
