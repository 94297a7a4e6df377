"""Are the published test cards and accounts the ones that are known here?"""

from datetime import UTC, datetime

import pytest

from worlds.stripe import bank_accounts, card_numbers, cards
from worlds.stripe.api.errors import StripeError

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def test_every_card_is_of_the_brand_its_number_says_and_passes_luhn() -> None:
    for card in cards.CARDS:
        assert card_numbers.passes_luhn(card.number), card
        assert card_numbers.brand_of(card.number) == card.brand, card


def test_no_number_and_no_name_is_there_twice() -> None:
    numbers = [card.number for card in cards.CARDS]
    names = [name for card in cards.CARDS for name in (card.name, *card.also) if name]
    assert len(set(numbers)) == len(numbers)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("number", "name", "decline"),
    [
        ("4000000000000002", "visa_chargeDeclined", ("card_declined", "generic_decline")),
        ("4000000000009995", "visa_chargeDeclinedInsufficientFunds", ("card_declined", "insufficient_funds")),
        ("4000000000009987", "visa_chargeDeclinedLostCard", ("card_declined", "lost_card")),
        ("4000000000009979", "visa_chargeDeclinedStolenCard", ("card_declined", "stolen_card")),
        ("4000000000006975", "visa_chargeDeclinedVelocityLimitExceeded", ("card_declined", "card_velocity_exceeded")),
        ("4000000000000069", "chargeDeclinedExpiredCard", ("expired_card", None)),
        ("4000000000000127", "chargeDeclinedIncorrectCvc", ("incorrect_cvc", None)),
        ("4000000000000119", "chargeDeclinedProcessingError", ("processing_error", None)),
        ("4100000000000019", "radarBlock", ("card_declined", "fraudulent")),
    ],
)
def test_a_card_that_declines_does_so_by_number_by_token_and_by_payment_method(
    number: str, name: str, decline: tuple[str, str | None]
) -> None:
    card = cards.by_number(number)
    assert card.decline == decline
    assert cards.by_token(f"tok_{name}") is card
    assert cards.by_payment_method(f"pm_card_{name}") is card


def test_a_number_that_is_not_published_is_a_plain_card_of_its_brand() -> None:
    card = cards.by_number("4111 1111 1111 1111")
    assert (card.brand, card.decline, card.authentication, card.last4) == ("visa", None, "never", "1111")


def test_a_name_that_is_not_published_is_none() -> None:
    assert cards.by_token("tok_card_visa") is None
    assert cards.by_payment_method("pm_card_nobody") is None
    assert cards.by_payment_method("pm_1ABC") is None


@pytest.mark.parametrize(
    ("number", "code"),
    [("4242424242424241", "incorrect_number"), ("not a number", "invalid_number"), ("4242", "invalid_number")],
)
def test_a_number_that_cannot_be_is_refused(number: str, code: str) -> None:
    with pytest.raises(StripeError) as caught:
        card_numbers.require_number(number)
    assert (caught.value.code, caught.value.status, caught.value.kind) == (code, 402, "card_error")


@pytest.mark.parametrize(
    ("month", "year", "code"),
    [(13, 2030, "invalid_expiry_month"), (5, 2026, "invalid_expiry_month"), (12, 1995, "invalid_expiry_year")],
)
def test_an_expiry_that_is_over_or_cannot_be_is_refused(month: int, year: int, code: str) -> None:
    with pytest.raises(StripeError) as caught:
        card_numbers.require_expiry(month, year, NOW)
    assert caught.value.code == code


def test_a_year_of_two_digits_is_of_this_century() -> None:
    assert card_numbers.require_expiry(12, 34, NOW) == (12, 2034)


def test_every_iban_fits_its_check_digits() -> None:
    ibans = [account.number for account in bank_accounts.ACCOUNTS if account.rail == "sepa_debit"]
    assert len(ibans) == 152
    assert all(bank_accounts.is_iban(iban) for iban in ibans)


@pytest.mark.parametrize(
    ("id", "rail", "outcome", "failure"),
    [
        ("pm_usBankAccount_success", "us_bank_account", "succeeds", None),
        ("pm_usBankAccount_insufficientFunds", "us_bank_account", "fails", "insufficient_funds"),
        ("pm_usBankAccount_processing", "us_bank_account", "stays_processing", None),
        ("pm_sepaDebit_disputed_de", "sepa_debit", "is_disputed", None),
        ("pm_bacsDebit_debitNotAuthorized", "bacs_debit", "fails", "debit_not_authorized"),
        ("pm_auBecsDebit_noAccount", "au_becs_debit", "fails", "no_account"),
    ],
)
def test_a_published_account_is_known_by_its_name(id: str, rail: str, outcome: str, failure: str | None) -> None:
    account = bank_accounts.by_payment_method(id)
    assert account is not None
    assert (account.rail, account.outcome, account.failure) == (rail, outcome, failure)
    assert bank_accounts.by_number(rail, account.number) is account
