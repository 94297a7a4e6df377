"""How is an amount of money of a currency counted, bounded and written?"""

from __future__ import annotations

from worlds.stripe.api.errors import StripeError

ZERO_DECIMAL = frozenset(
    ["bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "ugx", "vnd", "vuv", "xaf", "xof", "xpf"],
)
THREE_DECIMAL = frozenset(["bhd", "jod", "kwd", "omr", "tnd"])
#: What may be charged in, in the order in which it is listed.
SUPPORTED = (
    "usd", "aed", "afn", "all", "amd", "ang", "aoa", "ars", "aud", "awg", "azn", "bam", "bbd", "bdt", "bgn", "bhd",
    "bif", "bmd", "bnd", "bob", "brl", "bsd", "bwp", "byn", "bzd", "cad", "cdf", "chf", "clp", "cny", "cop", "crc",
    "cve", "czk", "djf", "dkk", "dop", "dzd", "egp", "etb", "eur", "fjd", "fkp", "gbp", "gel", "gip", "gmd", "gnf",
    "gtq", "gyd", "hkd", "hnl", "htg", "huf", "idr", "ils", "inr", "isk", "jmd", "jod", "jpy", "kes", "kgs", "khr",
    "kmf", "krw", "kwd", "kyd", "kzt", "lak", "lbp", "lkr", "lrd", "lsl", "mad", "mdl", "mga", "mkd", "mmk", "mnt",
    "mop", "mur", "mvr", "mwk", "mxn", "myr", "mzn", "nad", "ngn", "nio", "nok", "npr", "nzd", "omr", "pab", "pen",
    "pgk", "php", "pkr", "pln", "pyg", "qar", "ron", "rsd", "rub", "rwf", "sar", "sbd", "scr", "sek", "sgd", "shp",
    "sle", "sos", "srd", "std", "szl", "thb", "tjs", "tnd", "top", "try", "ttd", "twd", "tzs", "uah", "ugx",
    "usdc", "uyu", "uzs", "vnd", "vuv", "wst", "xaf", "xcd", "xcg", "xof", "xpf", "yer", "zar", "zmw",
)  # fmt: skip
#: The smallest charge, where it is not fifty of the currency's small units.
_SMALLEST = {
    "aed": 200, "bgn": 100, "czk": 1500, "dkk": 250, "gbp": 30, "hkd": 400, "huf": 17500, "krw": 700, "mxn": 1000,
    "myr": 200, "nok": 300, "pln": 200, "ron": 200, "sek": 300, "thb": 1000, "vnd": 13000, "bhd": 200, "jod": 350,
    "kwd": 150, "omr": 190, "tnd": 1500,
}  # fmt: skip
_LARGEST = 99_999_999
_SIGNS = {
    "usd": "$", "eur": "€", "gbp": "£", "jpy": "¥", "aud": "A$", "cad": "CA$", "nzd": "NZ$", "inr": "₹", "krw": "₩",
    "brl": "R$", "mxn": "MX$", "hkd": "HK$", "ils": "₪", "vnd": "₫",
}  # fmt: skip


def digits(currency: str) -> int:
    """How many digits follow the point."""
    return 0 if currency in ZERO_DECIMAL else 3 if currency in THREE_DECIMAL else 2


def written(amount: int, currency: str) -> str:
    """`$12.50`, `¥500`, and `CHF 3.00` where there is no sign."""
    places = digits(currency)
    sign = _SIGNS.get(currency, f"{currency.upper()} ")
    minus = "-" if amount < 0 else ""
    return f"{minus}{sign}{abs(amount) / 10**places:,.{places}f}"


def smallest(currency: str) -> int:
    """The smallest amount that may be charged."""
    return _SMALLEST.get(currency, 50)


def require_amount(amount: int, param: str = "amount") -> None:
    """Refuse an amount that is none.

    Raises: StripeError.
    """
    if amount < 1:
        raise StripeError(
            "This value must be greater than or equal to 1." if amount == 0 else f"Invalid positive integer: {amount}",
            code="parameter_invalid_integer",
            param=param,
        )


def require_chargeable(amount: int, currency: str, param: str = "amount") -> None:
    """Refuse what no card is charged: too little, too much, or what the currency cannot say.

    Raises: StripeError.
    """
    if currency not in SUPPORTED:
        raise StripeError(
            f"Invalid currency: {currency}. Stripe currently supports these currencies: {', '.join(SUPPORTED)}",
            param="currency",
        )
    if amount < 1:
        raise StripeError(
            "The amount must be greater than or equal to the minimum charge amount allowed for your account and the "
            "currency set. To save a payment method for later without a payment now, use a SetupIntent instead.",
            code="parameter_invalid_integer",
            param=param,
        )
    if amount < smallest(currency):
        raise StripeError(
            f"Amount must be at least {written(smallest(currency), currency)} {currency}",
            code="amount_too_small",
            param=param,
        )
    if amount > _LARGEST:
        raise StripeError(
            f"Amount must be no more than {written(_LARGEST, currency)} {currency}",
            code="amount_too_large",
            param=param,
        )
    if currency in THREE_DECIMAL and amount % 10:
        raise StripeError(
            f"Amounts in {currency} must end in 0: its last decimal place is not used.",
            code="parameter_invalid_integer",
            param=param,
        )
