"""How does each of Stripe's test cards behave?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from worlds.stripe.card_numbers import brand_of, digits_of

#: "unless_set_up": needed off-session too, unless the card was set up for it; "already_set_up": only on-session.
Authentication = Literal["never", "optional", "required", "frictionless", "unless_set_up", "already_set_up"]
Dispute = Literal["fraudulent", "product_not_received", "inquiry", "early_fraud_warning", "several"]
Decline = tuple[str, str | None]


@dataclass(frozen=True, slots=True)
class TestCard:
    """One published test card: what it is, and what comes of using it.

    `name` is what follows `pm_card_` and `tok_`, "" where there is no such name; `decline` is (code, decline_code).
    """

    name: str
    number: str
    brand: str
    funding: str = "credit"
    country: str = "US"
    decline: Decline | None = None
    #: Is it refused already when it is attached to a customer?
    declines_on_attach: bool = True
    authentication: Authentication = "never"
    #: What becomes of it once the shopper has authenticated, where that is no success.
    decline_after_authentication: Decline | None = None
    #: Does asking the issuer for 3D Secure fail? Then nothing is there to complete.
    is_authentication_broken: bool = False
    #: Can the card do 3D Secure at all?
    is_authentication_supported: bool = True
    dispute: Dispute | None = None
    refund: Literal["pending", "fails"] | None = None
    #: Checks that do not pass: (name in `card.checks`, result).
    checks: tuple[tuple[str, str], ...] = ()
    risk: Literal["normal", "elevated", "highest"] = "normal"
    is_available_at_once: bool = False
    #: Other names of the same card.
    also: tuple[str, ...] = ()
    #: Networks besides the brand's own.
    networks: tuple[str, ...] = ()

    @property
    def last4(self) -> str:
        return self.number[-4:]


_GENERIC, _FUNDS = ("card_declined", "generic_decline"), ("card_declined", "insufficient_funds")
_CVC, _LINE1, _ZIP = "cvc_check", "address_line1_check", "address_postal_code_check"

_PLAIN = (
    TestCard("visa", "4242424242424242", "visa", also=("us",)),
    TestCard("visa_debit", "4000056655665556", "visa", "debit"),
    TestCard("mastercard", "5555555555554444", "mastercard"),
    TestCard("", "2223003122003222", "mastercard"),
    TestCard("mastercard_debit", "5200828282828210", "mastercard", "debit"),
    TestCard("mastercard_prepaid", "5105105105105100", "mastercard", "prepaid"),
    TestCard("amex", "378282246310005", "amex", is_authentication_supported=False,
             also=("amex_threeDSecureNotSupported",)),
    TestCard("", "371449635398431", "amex", is_authentication_supported=False),
    TestCard("discover", "6011111111111117", "discover"),
    TestCard("", "6011000990139424", "discover"),
    TestCard("discover_debit", "6011981111111113", "discover", "debit"),
    TestCard("diners", "3056930009020004", "diners"),
    TestCard("", "36227206271667", "diners"),
    TestCard("jcb", "3566002020360505", "jcb", country="JP"),
    TestCard("unionpay", "6200000000000005", "unionpay", country="CN"),
    TestCard("unionpay_debit", "6200000000000047", "unionpay", "debit", "CN"),
    TestCard("", "6205500000000000004", "unionpay", country="CN"),
    TestCard("visa_cartesBancaires", "4000002500001001", "visa", country="FR", networks=("cartes_bancaires",)),
    TestCard("mastercard_cartesBancaires", "5555552500001001", "mastercard", country="FR",
             networks=("cartes_bancaires",)),
    TestCard("visa_debit_eftposAuCoBranded", "4000050360000001", "visa", "debit", "AU", networks=("eftpos_au",)),
    TestCard("mastercard_debit_eftposAuCoBranded", "5555050360000080", "mastercard", "debit", "AU",
             networks=("eftpos_au",)),
    TestCard("debit_visaFsaProductCode", "4000051230000072", "visa", "debit", also=("debit_visaHsaProductCode",)),
    TestCard("mastercard_debit_mastercardFsaProductCode", "5200828282828897", "mastercard", "debit"),
)  # fmt: skip
_COUNTRIES = (
    ("AE", "4000007840000001"), ("AR", "4000000320000021"), ("AT", "4000000400000008"), ("AU", "4000000360000006"),
    ("BE", "4000000560000004"), ("BG", "4000001000000000"), ("BR", "4000000760000002"), ("BY", "4000001120000005"),
    ("CA", "4000001240000000"), ("CH", "4000007560000009"), ("CL", "4000001520000001"), ("CN", "4000001560000002"),
    ("CO", "4000001700000003"), ("CR", "4000001880000005"), ("CY", "4000001960000008"), ("CZ", "4000002030000002"),
    ("DE", "4000002760000016"), ("DK", "4000002080000001"), ("EC", "4000002180000000"), ("EE", "4000002330000009"),
    ("ES", "4000007240000007"), ("FI", "4000002460000001"), ("FR", "4000002500000003"), ("GB", "4000008260000000"),
    ("GI", "4000002920000005"), ("GR", "4000003000000030"), ("HK", "4000003440000004"), ("HR", "4000001910000009"),
    ("HU", "4000003480000005"), ("IE", "4000003720000005"), ("IN", "4000003560000008"), ("IT", "4000003800000008"),
    ("JP", "4000003920000003"), ("LI", "4000004380000004"), ("LT", "4000004400000000"), ("LU", "4000004420000006"),
    ("LV", "4000004280000005"), ("MT", "4000004700000007"), ("MX", "4000004840008001"), ("MY", "4000004580000002"),
    ("NL", "4000005280000002"), ("NO", "4000005780000007"), ("NZ", "4000005540000008"), ("PA", "4000005910000000"),
    ("PE", "4000006040000068"), ("PL", "4000006160000005"), ("PT", "4000006200000007"), ("PY", "4000006000000066"),
    ("RO", "4000006420000001"), ("SA", "4000006820000007"), ("SE", "4000007520000008"), ("SG", "4000007020000003"),
    ("SI", "4000007050000006"), ("SK", "4000007030000001"), ("TW", "4000001580000008"),
    ("UY", "4000008580000003"),
)  # fmt: skip
_FROM_ABROAD = (
    *(TestCard(country.lower(), number, "visa", country=country) for country, number in _COUNTRIES),
    TestCard("gb_debit", "4000058260000005", "visa", "debit", "GB"),
    TestCard("gb_mastercard", "5555558265554449", "mastercard", country="GB"),
    TestCard("ae_mastercard", "5200007840000022", "mastercard", country="AE"),
    TestCard("th_credit", "4000007640000003", "visa", country="TH", also=("th",)),
    TestCard("th_debit", "4000057640000008", "visa", "debit", "TH"),
    TestCard("", "3530111333300000", "jcb", country="JP"),
)
_DECLINED = (
    TestCard("visa_chargeDeclined", "4000000000000002", "visa", decline=_GENERIC, also=("chargeDeclined",)),
    TestCard("visa_chargeDeclinedInsufficientFunds", "4000000000009995", "visa", decline=_FUNDS,
             also=("chargeDeclinedInsufficientFunds",)),
    TestCard("visa_chargeDeclinedLostCard", "4000000000009987", "visa", decline=("card_declined", "lost_card"),
             also=("chargeDeclinedLostCard",)),
    TestCard("visa_chargeDeclinedStolenCard", "4000000000009979", "visa", decline=("card_declined", "stolen_card"),
             also=("chargeDeclinedStolenCard",)),
    TestCard("visa_chargeDeclinedVelocityLimitExceeded", "4000000000006975", "visa",
             decline=("card_declined", "card_velocity_exceeded"), also=("chargeDeclinedVelocityLimitExceeded",)),
    TestCard("chargeDeclinedExpiredCard", "4000000000000069", "visa", decline=("expired_card", None),
             also=("visa_chargeDeclinedExpiredCard",)),
    TestCard("chargeDeclinedIncorrectCvc", "4000000000000127", "visa", decline=("incorrect_cvc", None),
             also=("visa_chargeDeclinedIncorrectCvc",)),
    TestCard("chargeDeclinedProcessingError", "4000000000000119", "visa", decline=("processing_error", None),
             also=("visa_chargeDeclinedProcessingError",)),
    TestCard("chargeDeclinedFraudulent", "4100000000000019", "visa", decline=("card_declined", "fraudulent"),
             risk="highest", also=("radarBlock", "visa_chargeDeclinedFraudulent")),
    TestCard("chargeCustomerFail", "4000000000000341", "visa", decline=_GENERIC, declines_on_attach=False,
             also=("visa_chargeCustomerFail",)),
)  # fmt: skip
_CHECKED = (
    TestCard("cvcCheckFail", "4000000000000101", "visa", checks=((_CVC, "fail"),)),
    TestCard("avsFail", "4000000000000010", "visa", checks=((_LINE1, "fail"), (_ZIP, "fail"))),
    TestCard("avsLine1Fail", "4000000000000028", "visa", checks=((_LINE1, "fail"),)),
    TestCard("avsZipFail", "4000000000000036", "visa", checks=((_ZIP, "fail"),)),
    TestCard("avsUnchecked", "4000000000000044", "visa", checks=((_LINE1, "unavailable"), (_ZIP, "unavailable"))),
    TestCard("riskLevelHighest", "4000000000004954", "visa", risk="highest"),
    TestCard("riskLevelElevated", "4000000000009235", "visa", risk="elevated"),
    TestCard("cvcCheckFailElevatedRisk", "4000058400307872", "visa", checks=((_CVC, "fail"),), risk="elevated"),
    TestCard("avsZipFailElevatedRisk", "4000058400306072", "visa", checks=((_ZIP, "fail"),), risk="elevated"),
    TestCard("highFraudDisputeScore", "4000008400000407", "visa", risk="elevated"),
    TestCard("highEfwScore", "4000008400000159", "visa", risk="elevated"),
    TestCard("radarDynamicRiskThreshold", "4000008400001017", "visa"),
    TestCard("adaptive3dsChallenge", "4000008405600003", "visa", authentication="optional"),
)
_LATER = (
    TestCard("bypassPending", "4000000000000077", "visa", is_available_at_once=True),
    TestCard("bypassPendingInternational", "4000003720000278", "visa", country="IE", is_available_at_once=True),
    TestCard("pendingRefund", "4000000000007726", "visa", refund="pending"),
    TestCard("refundFail", "4000000000005126", "visa", refund="fails"),
    TestCard("createDispute", "4000000000000259", "visa", dispute="fraudulent"),
    TestCard("createDisputeProductNotReceived", "4000000000002685", "visa", dispute="product_not_received"),
    TestCard("createDisputeInquiry", "4000000000001976", "visa", dispute="inquiry"),
    TestCard("createIssuerFraudRecord", "4000000000005423", "visa", dispute="early_fraud_warning"),
    TestCard("createMultipleDisputes", "4000000404000079", "visa", dispute="several"),
    TestCard("createCe3EligibleDispute", "4000000404000038", "visa", dispute="fraudulent"),
    TestCard("createAutoRepresentmentEligibleDispute", "4000000001000043", "visa", dispute="fraudulent"),
    TestCard("createRapidDisputeResolutionDispute", "4000000404004816", "visa", dispute="fraudulent"),
    TestCard("createCe3BlockDispute", "4000000404005649", "visa", dispute="fraudulent"),
    TestCard("createEthocaAlert", "5105000300000018", "mastercard", dispute="fraudulent"),
)  # fmt: skip
_AUTHENTICATED = (
    TestCard("authenticationRequiredOnSetup", "4000002500003155", "visa", country="FR",
             authentication="unless_set_up"),
    TestCard("authenticationRequired", "4000002760003184", "visa", country="DE", authentication="required"),
    TestCard("authenticationRequiredChargeDeclinedInsufficientFunds", "4000008260003178", "visa", country="GB",
             authentication="required", decline_after_authentication=_FUNDS),
    TestCard("authenticationRequiredSetupForOffSession", "4000003800000446", "visa", country="IT",
             authentication="already_set_up"),
    TestCard("threeDSecure2Required", "4000000000003220", "visa", country="IE", authentication="required"),
    TestCard("", "4000008400000027", "visa", authentication="required"),
    TestCard("", "4000000032200000", "visa", authentication="frictionless"),
    TestCard("", "4000582600000094", "visa", authentication="required"),
    TestCard("", "4000582600000045", "visa", authentication="required"),
    TestCard("", "4000582600000102", "visa", authentication="required"),
    TestCard("", "4000582600000110", "visa", authentication="required"),
    TestCard("threeDSecureRequired", "4000000000003063", "visa", authentication="required"),
    TestCard("threeDSecureRequiredChargeDeclined", "4000008400001629", "visa", authentication="required",
             decline_after_authentication=_GENERIC),
    TestCard("threeDSecureRequiredProcessingError", "4000008400001280", "visa", authentication="required",
             is_authentication_broken=True, decline_after_authentication=("card_declined", "processing_error")),
    TestCard("threeDSecureOptional", "4000000000003055", "visa", authentication="optional"),
    TestCard("threeDSecureOptionalProcessingError", "4000000000003097", "visa", authentication="optional",
             is_authentication_broken=True),
)  # fmt: skip

#: Every published test card.
CARDS = (*_PLAIN, *_FROM_ABROAD, *_DECLINED, *_CHECKED, *_LATER, *_AUTHENTICATED)
_BY_NUMBER = {card.number: card for card in CARDS}
_BY_NAME = {name: card for card in CARDS for name in (card.name, *card.also) if name}


def by_number(number: str) -> TestCard:
    """The card of a number; one that is not published is a plain card of its brand."""
    digits = digits_of(number)
    return _BY_NUMBER.get(digits) or TestCard("", digits, brand_of(digits))


def by_token(token: str) -> TestCard | None:
    """The card of `tok_visa` and its kin."""
    return _BY_NAME.get(token.removeprefix("tok_")) if token.startswith("tok_") else None


def by_payment_method(id: str) -> TestCard | None:
    """The card of `pm_card_visa` and its kin."""
    return _BY_NAME.get(id.removeprefix("pm_card_")) if id.startswith("pm_card_") else None
