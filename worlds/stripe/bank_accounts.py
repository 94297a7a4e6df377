"""How does each of Stripe's test bank accounts behave?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["succeeds", "fails", "is_disputed", "stays_processing"]


@dataclass(frozen=True, slots=True)
class TestBankAccount:
    """One published test account: `name` is what follows `pm_usBankAccount_` and its kin, "" for none.

    `failure` is the code of a payment that fails; a delayed one takes minutes longer than the others.
    """

    rail: str
    name: str
    number: str
    outcome: Outcome = "succeeds"
    failure: str | None = None
    is_delayed: bool = False
    #: Do the small amounts that would verify it never arrive?
    fails_microdeposits: bool = False
    #: Is the mandate over once a payment failed, or from the beginning?
    ends_mandate: bool = False
    refuses_mandate: bool = False

    @property
    def last4(self) -> str:
        return self.number[-4:]


ROUTING_NUMBER, SORT_CODE, BSB_NUMBER = "110000000", "108800", "000000"
_PREFIXES = {
    "us_bank_account": "pm_usBankAccount_",
    "sepa_debit": "pm_sepaDebit_",
    "bacs_debit": "pm_bacsDebit_",
    "au_becs_debit": "pm_auBecsDebit_",
    "acss_debit": "pm_acssDebit_",
}
_US, _SEPA, _BACS, _BECS, _ACSS = _PREFIXES


def _fails(
    rail: str, name: str, number: str, code: str, *, delayed: bool = False, ends: bool = False
) -> TestBankAccount:
    return TestBankAccount(rail, name, number, "fails", code, is_delayed=delayed, ends_mandate=ends)


_OF_THE_US = (
    TestBankAccount(_US, "success", "000123456789"),
    _fails(_US, "accountClosed", "000111111113", "account_closed", ends=True),
    _fails(_US, "riskLevelHighest", "000000004954", "payment_method_provider_decline"),
    _fails(_US, "noAccount", "000111111116", "no_account", ends=True),
    _fails(_US, "insufficientFunds", "000222222227", "insufficient_funds"),
    _fails(_US, "debitNotAuthorized", "000333333335", "debit_not_authorized", ends=True),
    _fails(_US, "invalidCurrency", "000444444440", "invalid_currency"),
    TestBankAccount(_US, "failMicrodeposits", "000666666661", fails_microdeposits=True),
    TestBankAccount(_US, "dispute", "000555555559", "is_disputed"),
    TestBankAccount(_US, "processing", "000000000009", "stays_processing"),
    _fails(_US, "weeklyLimitExceeded", "000777777771", "charge_exceeds_source_limit"),
    _fails(_US, "", "000888888885", "account_closed", ends=True),
)
_OF_BRITAIN = (
    TestBankAccount(_BACS, "success", "00012345"),
    TestBankAccount(_BACS, "successDelayed", "90012345", is_delayed=True),
    _fails(_BACS, "debitNotAuthorized", "33333335", "debit_not_authorized", ends=True),
    _fails(_BACS, "debitNotAuthorizedDelayed", "93333335", "debit_not_authorized", delayed=True, ends=True),
    _fails(_BACS, "insufficientFunds", "22222227", "insufficient_funds"),
    _fails(_BACS, "insufficientFundsDelayed", "92222227", "insufficient_funds", delayed=True),
    TestBankAccount(_BACS, "dispute", "55555559", "is_disputed", is_delayed=True),
    TestBankAccount(_BACS, "mandateRefused", "00033333", refuses_mandate=True),
    _fails(_BACS, "exceedsWeeklyLimit", "34343434", "charge_exceeds_source_limit"),
    _fails(_BACS, "exceedsTransactionLimit", "12121212", "charge_exceeds_transaction_limit"),
)
#: Bacs refuses this one before there is a payment method.
INVALID_BACS_NUMBER = "00044444"
_OF_AUSTRALIA = (
    TestBankAccount(_BECS, "success", "000123456"),
    TestBankAccount(_BECS, "successDelayed", "900123456", is_delayed=True),
    _fails(_BECS, "accountClosed", "111111113", "account_closed", ends=True),
    _fails(_BECS, "noAccount", "111111116", "no_account", ends=True),
    _fails(_BECS, "referToCustomer", "222222227", "refer_to_customer"),
    _fails(_BECS, "referToCustomerDelayed", "922222227", "refer_to_customer", delayed=True),
    _fails(_BECS, "debitNotAuthorized", "333333335", "debit_not_authorized", ends=True),
    TestBankAccount(_BECS, "dispute", "666666660", "is_disputed"),
    _fails(_BECS, "exceedsWeeklyLimit", "343434343", "charge_exceeds_source_limit"),
    _fails(_BECS, "exceedsTransactionLimit", "121212121", "charge_exceeds_transaction_limit"),
)
_OF_CANADA = (
    TestBankAccount(_ACSS, "success", "000123456789"),
    TestBankAccount(_ACSS, "successDelayed", "900123456789", is_delayed=True),
    _fails(_ACSS, "insufficientFunds", "000222222227", "insufficient_funds"),
    _fails(_ACSS, "insufficientFundsDelayed", "900222222227", "insufficient_funds", delayed=True),
    TestBankAccount(_ACSS, "dispute", "000555555559", "is_disputed"),
    TestBankAccount(_ACSS, "failMicrodeposits", "000666666661", fails_microdeposits=True),
)
#: How the eight accounts of each country behave, in the order of their numbers below.
_SEPA_KINDS: tuple[tuple[str, Outcome, str | None, bool], ...] = (
    ("success", "succeeds", None, False),
    ("successDelayed", "succeeds", None, True),
    ("failed", "fails", "payment_method_provider_decline", False),
    ("failedDelayed", "fails", "payment_method_provider_decline", True),
    ("disputed", "is_disputed", None, False),
    ("exceedsWeeklyVolumeLimit", "fails", "charge_exceeds_source_limit", False),
    ("exceedsWeeklyTransactionLimit", "fails", "charge_exceeds_weekly_limit", False),
    ("insufficientFunds", "fails", "insufficient_funds", False),
)
_IBAN_TABLE = """
AT611904300234573201 AT321904300235473204 AT861904300235473202 AT051904300235473205
AT591904300235473203 AT981904300000343434 AT601904300000121212 AT981904300002222227
BE62510007547061 BE78510007547064 BE68539007547034 BE51510007547065
BE08510007547063 BE90510000343434 BE52510000121212 BE90510002222227
HR7624020064583467589 HR6323600002337876649 HR2725000096983499248 HR6723600004878117427
HR8724840081455523553 HR7424020060000343434 HR3624020060000121212 HR7424020060002222227
EE382200221020145685 EE222200221020145682 EE762200221020145680 EE922200221020145683
EE492200221020145681 EE672200000000343434 EE292200000000121212 EE672200000002222227
FI2112345600000785 FI3712345600000788 FI9112345600000786 FI1012345600000789
FI6412345600000787 FI6712345600343434 FI2912345600121212 FI6712345602222227
FR1420041010050500013M02606 FR3020041010050500013M02609 FR8420041010050500013M02607 FR7920041010050500013M02600
FR5720041010050500013M02608 FR9720041010050000000343434 FR5920041010050000000121212 FR9720041010050000002222227
DE89370400440532013000 DE08370400440532013003 DE62370400440532013001 DE78370400440532013004
DE35370400440532013002 DE65370400440000343434 DE27370400440000121212 DE65370400440002222227
GI60MPFS599327643783385 GI08RRNW626436291644533 GI41SAFA461293238477751 GI50LROG772261344693297
GI26KJBC361883934534696 GI14NWBK000000000343434 GI73NWBK000000000121212 GI14NWBK000000002222227
IE29AIBK93115212345678 IE24AIBK93115212345671 IE02AIBK93115212345679 IE94AIBK93115212345672
IE51AIBK93115212345670 IE10AIBK93115200343434 IE69AIBK93115200121212 IE10AIBK93115202222227
LI0508800636123378777 LI4408800387787111369 LI1208800143823175626 LI4908800356441975566
LI7708800125525347723 LI2408800000000343434 LI8308800000000121212 LI2408800000002222227
LT121000011101001000 LT281000011101001003 LT821000011101001001 LT981000011101001004
LT551000011101001002 LT591000000000343434 LT211000000000121212 LT591000000002222227
LU280019400644750000 LU440019400644750003 LU980019400644750001 LU170019400644750004
LU710019400644750002 LU900010000000343434 LU520010000000121212 LU900010000002222227
NL39RABO0300065264 NL55RABO0300065267 NL91ABNA0417164300 NL28RABO0300065268
NL82RABO0300065266 NL27RABO0000343434 NL86RABO0000121212 NL27RABO0002222227
NO9386011117947 NO8886011117940 NO6686011117948 NO6186011117941
NO3986011117949 NO0586010343434 NO6486010121212 NO0586012222227
PT50000201231234567890154 PT66000201231234567890157 PT23000201231234567890155 PT39000201231234567890158
PT93000201231234567890156 PT05000201230000000343434 PT64000201230000000121212 PT05000201230000002222227
ES0700120345030000067890 ES2300120345030000067893 ES9121000418450200051332 ES9300120345030000067894
ES5000120345030000067892 ES1700120345000000343434 ES7600120345000000121212 ES1700120345000002222227
SE3550000000054910000003 SE5150000000054910000006 SE0850000000054910000004 SE2450000000054910000007
SE7850000000054910000005 SE2850000000000000343434 SE8750000000000000121212 SE2850000000000002222227
CH9300762011623852957 CH8656663438253651553 CH5362200119938136497 CH1843597160341964438
CH1260378413965193069 CH1800762000000343434 CH7700762000000121212 CH1800762000002222227
GB82WEST12345698765432 GB98WEST12345698765435 GB55WEST12345698765433 GB71WEST12345698765436
GB28WEST12345698765434 GB70WEST12345600343434 GB32WEST12345600121212 GB70WEST12345602222227
"""
_IBANS = _IBAN_TABLE.split()
_OF_SEPA = tuple(
    TestBankAccount(_SEPA, f"{name}_{iban[:2].lower()}", iban, outcome, failure, is_delayed)
    for iban, (name, outcome, failure, is_delayed) in zip(
        _IBANS, _SEPA_KINDS * (len(_IBANS) // len(_SEPA_KINDS)), strict=True
    )
)

#: Every published test account.
ACCOUNTS = (*_OF_THE_US, *_OF_BRITAIN, *_OF_AUSTRALIA, *_OF_CANADA, *_OF_SEPA)
_BY_NUMBER = {(account.rail, account.number): account for account in ACCOUNTS}
_BY_NAME = {_PREFIXES[account.rail] + account.name: account for account in ACCOUNTS if account.name}


def by_number(rail: str, number: str) -> TestBankAccount:
    """The account of a number on a rail; one that is not published is a plain account."""
    return _BY_NUMBER.get((rail, number)) or TestBankAccount(rail, "", number)


def by_payment_method(id: str) -> TestBankAccount | None:
    """The account of `pm_usBankAccount_success` and its kin; `pm_usBankAccount` is the first."""
    return _BY_NAME.get(id) or _BY_NAME.get(f"{id}_success")


def is_iban(number: str) -> bool:
    """Do the two check digits of an IBAN fit?"""
    if not (15 <= len(number) <= 34 and number.isascii() and number.isalnum() and number[:2].isalpha()):
        return False
    turned = number[4:] + number[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1


def is_routing_number(number: str) -> bool:
    """Is it nine digits, the last one that the others demand?"""
    if len(number) != 9 or not (number.isascii() and number.isdigit()):
        return False
    return sum(int(digit) * weight for digit, weight in zip(number, (3, 7, 1) * 3, strict=True)) % 10 == 0
