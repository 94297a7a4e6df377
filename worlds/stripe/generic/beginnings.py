"""How does a new object begin, where its caller did not say?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from worlds.stripe.api.call import Call

_HOUR, _DAY = 3600, 86400
Start = Callable[[Call, str, dict[str, Any]], dict[str, Any]]

#: What is always so at first, by object name.
_FIRST: dict[str, dict[str, Any]] = {
    "account": {"type": "custom", "charges_enabled": False, "payouts_enabled": False, "details_submitted": False,
                "country": "US", "default_currency": "usd", "capabilities": {}},
    "apps.install": {"status": "installed", "channel": "public"},
    "bank_account": {"country": "US", "currency": "usd", "status": "new", "bank_name": "STRIPE TEST BANK",
                     "last4": "6789", "routing_number": "110000000"},
    "billing.alert": {"status": "active"},
    "billing.credit_grant": {"category": "promotional"},
    "billing.feedback_option": {"status": "active"},
    "billing.meter": {"status": "active", "customer_mapping": {"type": "by_id", "event_payload_key":
                      "stripe_customer_id"}, "value_settings": {"event_payload_key": "value"}},
    "billing.meter_event_adjustment": {"status": "pending"},
    "billing_portal.configuration": {"active": True, "is_default": False},
    "capability": {"requested": False, "status": "unrequested"},
    "card": {"brand": "Visa", "exp_month": 12, "exp_year": 2034, "funding": "credit", "last4": "4242",
             "country": "US", "cvc_check": "pass"},
    "checkout.session": {"status": "open", "payment_status": "unpaid", "mode": "payment",
                         "payment_method_types": ["card"]},
    "climate.order": {"status": "open", "expected_delivery_year": 2030, "amount_fees": 1500,
                      "amount_subtotal": 50000, "amount_total": 51500, "metric_tons": "1"},
    "coupon": {"valid": True, "times_redeemed": 0, "duration": "once"},
    "credit_note": {"status": "issued", "type": "pre_payment", "number": "CN-01"},
    "customer_balance_transaction": {"type": "adjustment"},
    "customer_cash_balance_transaction": {"type": "funded"},
    "cash_balance": {"settings": {"reconciliation_mode": "automatic", "using_merchant_default": True}},
    "entitlements.feature": {"active": True},
    "file": {"size": 0},
    "financial_connections.account": {"category": "cash", "subcategory": "checking", "status": "active",
                                      "institution_name": "Test Institution", "display_name": "Everyday",
                                      "supported_payment_method_types": ["us_bank_account"]},
    "identity.verification_session": {"status": "requires_input", "type": "document"},
    "invoice": {"status": "draft", "currency": "usd", "collection_method": "charge_automatically",
                "billing_reason": "manual", "auto_advance": False},
    "invoiceitem": {"currency": "usd", "quantity": 1, "proration": False, "discountable": True},
    "issuing.authorization": {"status": "pending", "approved": True, "authorization_method": "online",
                              "currency": "usd", "merchant_currency": "usd"},
    "issuing.card": {"status": "inactive", "brand": "Visa", "last4": "4242", "exp_month": 12, "exp_year": 2030},
    "issuing.cardholder": {"status": "active", "type": "individual"},
    "issuing.dispute": {"status": "unsubmitted", "currency": "usd"},
    "issuing.personalization_design": {"status": "review"},
    "issuing.settlement": {"status": "pending", "network": "visa", "settlement_service": "international"},
    "issuing.transaction": {"type": "capture", "currency": "usd", "merchant_currency": "usd"},
    "payment_link": {"active": True, "currency": "usd"},
    "payment_method_configuration": {"active": True, "is_default": False, "name": "Custom"},
    "payment_method_domain": {"enabled": True, **{wallet: {"status": "active"} for wallet in (
        "amazon_pay", "apple_pay", "google_pay", "klarna", "link", "paypal")}},
    "payment_record": {"reported_by": "self"},
    "plan": {"active": True, "billing_scheme": "per_unit", "interval_count": 1, "usage_type": "licensed"},
    "product_catalog.trial_offer": {"active": True},
    "promotion_code": {"active": True, "times_redeemed": 0},
    "quote": {"status": "draft", "currency": "usd", "collection_method": "charge_automatically"},
    "radar.payment_evaluation": {"recommended_action": "continue"},
    "radar.value_list": {"item_type": "case_sensitive_string"},
    "reporting.report_run": {"status": "pending"},
    "review": {"open": True, "reason": "rule", "opened_reason": "rule"},
    "shipping_rate": {"active": True, "type": "fixed_amount", "tax_behavior": "unspecified"},
    "source": {"status": "pending", "flow": "none", "usage": "reusable", "type": "card"},
    "subscription": {"status": "active", "currency": "usd", "collection_method": "charge_automatically"},
    "subscription_schedule": {"status": "not_started", "end_behavior": "release"},
    "tax.registration": {"status": "active"},
    "tax.settings": {"status": "pending", "defaults": {"provider": "stripe"},
                     "status_details": {"pending": {"missing_fields": ["head_office"]}}},
    "tax.transaction": {"type": "transaction", "currency": "usd"},
    "tax_id": {"verification": {"status": "pending", "verified_address": None, "verified_name": None}},
    "tax_rate": {"active": True},
    "terminal.configuration": {"is_account_default": False},
    "terminal.reader": {"device_type": "simulated_wisepos_e", "status": "online", "ip_address": "0.0.0.0",
                        "device_sw_version": ""},
    "test_helpers.test_clock": {"status": "ready"},
    "three_d_secure.authentication": {"status": "requires_submission"},
    "token": {"type": "card", "used": False},
    "topup": {"status": "pending"},
    "transfer": {"amount_reversed": 0, "reversed": False, "source_type": "card"},
    "treasury.credit_reversal": {"status": "processing", "network": "ach"},
    "treasury.debit_reversal": {"status": "processing", "network": "ach"},
    "treasury.financial_account": {"status": "open", "country": "US", "supported_currencies": ["usd"]},
    "treasury.inbound_transfer": {"status": "processing", "cancelable": True},
    "treasury.outbound_payment": {"status": "processing", "cancelable": True},
    "treasury.outbound_transfer": {"status": "processing", "cancelable": True},
    "treasury.received_credit": {"status": "succeeded"},
    "treasury.received_debit": {"status": "succeeded"},
    "webhook_endpoint": {"status": "enabled"},
    "v2.commerce.product_catalog_import": {"status": "awaiting_upload"},
    "v2.core.account": {"closed": False},
    "v2.core.event_destination": {"status": "enabled"},
    "v2.core.vault.gb_bank_account": {"bank_name": "TEST BANK", "bank_account_type": "checking"},
    "v2.core.vault.us_bank_account": {"bank_name": "STRIPE TEST BANK", "bank_account_type": "checking",
                                      "verification": {"status": "unverified"}},
    "v2.money_management.inbound_transfer": {},
    "v2.money_management.outbound_payment": {"status": "processing", "cancelable": True},
    "v2.money_management.outbound_setup_intent": {"status": "requires_payout_method"},
    "v2.money_management.payout_intent": {"status": "pending"},
    "v2.money_management.recipient_verification": {"status": "verified", "match_result": "match"},
}  # fmt: skip


def _secret(call: Call, id: str) -> str:
    return f"{id}_secret_{call.token(25)}"


def _with_secret(call: Call, id: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"client_secret": _secret(call, id)}


def _last4(param: str) -> Start:
    return lambda call, id, given: {"last4": str(given.get(param) or "6789")[-4:]}


def _funds_flow(call: Call, id: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"expected_arrival_date": call.now_s + 2 * _DAY, "transaction": f"trxn_{id.partition('_')[2]}",
            "hosted_regulatory_receipt_url": f"https://payments.example.com/receipt/{id}"}  # fmt: skip


def _page(where: str, seconds: int | None = None) -> Start:
    def start(call: Call, id: str, given: dict[str, Any]) -> dict[str, Any]:
        url = f"https://{where}/{id or call.token(24)}"
        return {"url": url, "redirect_url": url} | ({"expires_at": call.now_s + seconds} if seconds else {})

    return start


def _own_bank_account(call: Call, id: str, given: dict[str, Any]) -> dict[str, Any]:
    details = given.get("source", given.get("external_account", given.get("bank_account")))
    if not isinstance(details, dict):
        return {}
    found = {key: value for key, value in details.items() if key not in ("object", "account_number", "number", "cvc")}
    number = details.get("account_number", details.get("number"))
    return found | ({"last4": str(number)[-4:]} if number else {})


def _shipped(call: Call, id: str, given: dict[str, Any]) -> dict[str, Any]:
    if "shipping" not in given:
        return {}
    return {
        "shipping": {"status": "pending", "type": "individual", "service": "standard", "eta": call.now_s + 7 * _DAY}
    }


#: What depends on the account, the time or the id.
_MADE: dict[str, Start] = {
    "account_link": _page("connect.example.com/setup", 300),
    "account_session": lambda call, id, given: {"client_secret": f"accs_secret__{call.token(24)}",
                                                "expires_at": call.now_s + _HOUR},
    "bank_account": _own_bank_account,
    "billing_portal.session": _page("billing.example.com/p/session"),
    "card": _own_bank_account,
    "checkout.session": lambda call, id, given: {"url": f"https://checkout.example.com/c/pay/{id}",
                                                 "expires_at": call.now_s + _DAY},
    "customer_session": lambda call, id, given: {"client_secret": f"cuss_secret_{call.token(40)}",
                                                 "expires_at": call.now_s + _HOUR // 2},
    "ephemeral_key": lambda call, id, given: {"secret": f"ek_test_{call.token(40)}", "expires": call.now_s + _HOUR,
                                              "associated_objects": [{"type": "customer",
                                                                      "id": given.get("customer", "")}]},
    "file_link": lambda call, id, given: {"url": f"https://files.example.com/links/{call.token(40)}"},
    "financial_connections.session": _with_secret,
    "fee_refund": lambda call, id, given: {"currency": "usd"},
    "forwarding.request": lambda call, id, given: {"response_details": {"status": 200, "body": "", "headers": []}},
    "identity.verification_session": lambda call, id, given: {
        "client_secret": _secret(call, id), "url": f"https://verify.example.com/start/{call.token(40)}"},
    "invoice": lambda call, id, given: {"period_start": call.now_s, "period_end": call.now_s},
    "issuing.authorization": lambda call, id, given: {"amount": given.get("amount", 0),
                                                      "merchant_amount": given.get("merchant_amount", 0)},
    "issuing.card": _shipped,
    "login_link": _page("connect.example.com/express"),
    "payment_link": lambda call, id, given: {"url": f"https://buy.example.com/test_{call.token(16)}"},
    "payment_record": lambda call, id, given: {"amount": given.get("amount_requested")},
    "radar.payment_evaluation": lambda call, id, given: {"created_at": call.now_s},
    "radar.value_list": lambda call, id, given: {"created_by": "owner@example.com", "list_items": []},
    "radar.value_list_item": lambda call, id, given: {"created_by": "owner@example.com"},
    "source": lambda call, id, given: {"client_secret": f"src_client_secret_{call.token(24)}"},
    "tax.calculation": lambda call, id, given: {"expires_at": call.now_s + 90 * _DAY},
    "tax.registration": lambda call, id, given: {
        "active_from": call.now_s if given.get("active_from") == "now" else given.get("active_from")},
    "terminal.connection_token": lambda call, id, given: {"secret": f"pst_test_{call.token(40)}"},
    "terminal.onboarding_link": _page("terminal.example.com/onboarding"),
    "terminal.reader": lambda call, id, given: {"serial_number": id.removeprefix("tmr_"),
                                                "label": given.get("label") or id},
    "test_helpers.test_clock": lambda call, id, given: {"deletes_after": call.now_s + 30 * _DAY},
    "topup": lambda call, id, given: {"expected_availability_date": call.now_s + 2 * _DAY},
    "treasury.inbound_transfer": _funds_flow,
    "treasury.outbound_payment": _funds_flow,
    "treasury.outbound_transfer": _funds_flow,
    "webhook_endpoint": lambda call, id, given: {"secret": f"whsec_{call.token(32)}"},
    "v2.core.account_link": lambda call, id, given: {"url": f"https://accounts.example.com/r/{call.token(32)}"},
    "v2.core.vault.gb_bank_account": _last4("account_number"),
    "v2.core.vault.us_bank_account": _last4("account_number"),
    "v2.billing.meter_event": lambda call, id, given: {"identifier": call.token(24)},
    "v2.billing.meter_event_session": lambda call, id, given: {"authentication_token": f"token_{call.token(40)}"},
}  # fmt: skip


def beginning(call: Call, name: str, id: str, given: dict[str, Any]) -> dict[str, Any]:
    """The values that a new object has before its parameters are looked at."""
    made = _MADE.get(name)
    first = _FIRST.get(name, {})
    return {**first, **(made(call, id, given) if made else {})}
