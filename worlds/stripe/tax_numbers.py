"""Which tax numbers can there be, who checks them, and what comes of it?"""

from __future__ import annotations

import re
from datetime import timedelta

from worlds.stripe.api.errors import StripeError

#: How long an authority takes to answer.
CHECK_TAKES = timedelta(seconds=5)
#: Kinds of number that an authority is asked about.
CHECKED = frozenset(["au_abn", "eu_vat", "gb_vat"])
#: Published numbers for tests, which stand for what comes of the check; None: it never ends.
OUTCOMES: dict[str, str | None] = {"000000000": "verified", "111111111": "unverified", "222222222": None}
_MEMBERS = "AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI"
#: How numbers of a kind are written, where that is checked; blanks, points and dashes count for nothing.
_WRITTEN = {
    "au_abn": r"\d{11}", "br_cnpj": r"\d{14}", "br_cpf": r"\d{11}", "ca_bn": r"\d{9}(RC\d{4})?",
    "ca_gst_hst": r"\d{9}RT\d{4}", "ca_qst": r"\d{10}TQ\d{4}", "ch_vat": r"CHE\d{9}(MWST|TVA|IVA)?",
    "cl_tin": r"\d{7,8}[\dK]", "es_cif": r"[A-Z]\d{7}[A-Z\d]", "eu_oss_vat": r"EU\d{9}",
    "eu_vat": rf"({_MEMBERS})[A-Z\d+*]{{8,12}}", "gb_vat": r"(GB|XI)?(\d{9}|\d{12}|(GD|HA)\d{3})",
    "hk_br": r"\d{8}", "id_npwp": r"\d{15,16}", "il_vat": r"\d{9}", "in_gst": r"\d{2}[A-Z]{5}\d{4}[A-Z][A-Z\d]Z[A-Z\d]",
    "jp_cn": r"\d{13}", "jp_trn": r"T\d{13}", "kr_brn": r"\d{10}", "li_uid": r"CHE\d{9}",
    "mx_rfc": r"[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}", "no_vat": r"\d{9}MVA", "nz_gst": r"\d{8,9}",
    "ru_inn": r"(\d{10}|\d{12})", "sa_vat": r"\d{15}", "sg_gst": r"[A-Z\d]{9,10}", "sg_uen": r"[A-Z\d]{9,10}",
    "th_vat": r"\d{13}", "tw_vat": r"\d{8}", "us_ein": r"\d{9}", "za_vat": r"4\d{9}",
}  # fmt: skip
_IGNORED = re.compile(r"[\s.\-/]")


def require_written(type: str, value: str) -> None:
    """Refuse what is no number of its kind; the published ones for tests pass.

    Raises: StripeError.
    """
    pattern = _WRITTEN.get(type)
    plain = _IGNORED.sub("", value).upper()
    if plain in OUTCOMES and type in CHECKED:
        return
    if not plain or (pattern is not None and not re.fullmatch(pattern, plain)):
        raise StripeError(f"Invalid value for {type}.", code="tax_id_invalid", param="value")


def country_of(type: str, value: str) -> str | None:
    """The country that gives out a number."""
    if type == "eu_vat":
        prefix = value[:2].upper()
        return {"EL": "GR", "XI": "GB"}.get(prefix, prefix) if prefix.isalpha() else None
    return None if type == "eu_oss_vat" else type[:2].upper()


def outcome(value: str) -> str | None:
    """What comes of the check of a well-written number; None for one whose check never ends."""
    return OUTCOMES.get(_IGNORED.sub("", value), "verified")
