"""How does Stripe call an object when it refuses?"""

from __future__ import annotations

#: By object name, where it is not the last word of the name.
_NOUNS = {
    "payment_method": "PaymentMethod",
    "setup_intent": "setupintent",
    "promotion_code": "promotion code",
    "invoiceitem": "Invoice Item",
    "bank_account": "external account",
    "test_helpers.test_clock": "test clock",
    "checkout.session": "checkout.session",
    "tax_code": "tax code",
    "tax_id": "tax id",
    "tax_rate": "tax rate",
    "shipping_rate": "shipping rate",
    "file_link": "file link",
    "webhook_endpoint": "webhook endpoint",
    "issuing.authorization": "issuing authorization",
    "issuing.card": "issuing card",
    "issuing.cardholder": "issuing cardholder",
    "issuing.dispute": "issuing dispute",
    "issuing.transaction": "issuing transaction",
    "billing_portal.configuration": "billing portal configuration",
    "country_spec": "country spec",
    "subscription_schedule": "subscription schedule",
}


def noun_of(name: str) -> str:
    """The word for an object in `No such …`."""
    return _NOUNS.get(name, name.rpartition(".")[2])
