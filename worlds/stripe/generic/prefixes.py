"""With what does an object's id begin?"""

from __future__ import annotations

#: By object name; an object that is not here begins with its own name.
PREFIXES = {
    "account": "acct_", "apple_pay_domain": "apwc_", "application_fee": "fee_", "apps.install": "appinst_",
    "apps.secret": "appsecret_", "balance_transaction": "txn_", "bank_account": "ba_", "billing.alert": "alrt_",
    "billing.credit_balance_transaction": "cbtxn_", "billing.credit_grant": "credgr_",
    "billing.feedback_option": "fbopt_", "billing.meter": "mtr_test_", "billing.meter_event_summary": "mtrusg_test_",
    "billing_portal.configuration": "bpc_", "billing_portal.session": "bps_", "card": "card_", "charge": "ch_",
    "checkout.session": "cs_test_", "climate.order": "climorder_", "climate.supplier": "climsup_",
    "confirmation_token": "ctoken_", "coupon": "", "credit_note": "cn_", "credit_note_line_item": "cnli_",
    "customer": "cus_", "customer_balance_transaction": "cbtxn_", "customer_cash_balance_transaction": "ccsbtxn_",
    "discount": "di_", "dispute": "du_", "entitlements.active_entitlement": "ent_test_",
    "entitlements.feature": "feat_test_", "ephemeral_key": "ephkey_", "event": "evt_", "fee_refund": "fr_",
    "file": "file_", "file_link": "link_", "financial_connections.account": "fca_",
    "financial_connections.account_owner": "fcaown_", "financial_connections.authorization": "fcauth_",
    "financial_connections.session": "fcsess_", "financial_connections.transaction": "fctxn_",
    "forwarding.request": "fwdreq_", "identity.verification_report": "vr_", "identity.verification_session": "vs_",
    "invoice": "in_", "invoice_payment": "inpay_", "invoice_rendering_template": "inrtem_", "invoiceitem": "ii_",
    "issuing.authorization": "iauth_", "issuing.card": "ic_", "issuing.cardholder": "ich_", "issuing.dispute": "idp_",
    "issuing.personalization_design": "ipcd_", "issuing.physical_bundle": "ics_", "issuing.settlement": "ise_",
    "issuing.token": "intok_", "issuing.transaction": "ipi_", "item": "li_", "line_item": "il_",
    "mandate": "mandate_", "payment_attempt_record": "par_", "payment_intent": "pi_",
    "payment_intent_amount_details_line_item": "uli_", "payment_link": "plink_", "payment_method": "pm_",
    "payment_method_configuration": "pmc_", "payment_method_domain": "pmd_", "payment_record": "pr_",
    "payout": "po_", "person": "person_", "plan": "price_", "price": "price_", "product": "prod_",
    "product_catalog.trial_offer": "tof_", "product_feature": "prodft_", "promotion_code": "promo_", "quote": "qt_",
    "radar.early_fraud_warning": "issfr_", "radar.payment_evaluation": "peval_", "radar.value_list": "rsl_",
    "radar.value_list_item": "rsli_", "refund": "re_", "reporting.report_run": "frr_", "reserve.hold": "rsvhld_",
    "reserve.plan": "rsvpln_", "reserve.release": "rsvrls_", "review": "prv_", "scheduled_query_run": "sqr_",
    "setup_attempt": "setatt_", "setup_intent": "seti_", "shipping_rate": "shr_", "sigma.sigma_api_query": "qry_",
    "source": "src_", "source_mandate_notification": "srcmn_", "source_transaction": "srctxn_",
    "subscription": "sub_", "subscription_item": "si_", "subscription_schedule": "sub_sched_",
    "tax.association": "taxa_", "tax.calculation": "taxcalc_", "tax.calculation_line_item": "tax_li_",
    "tax.location": "taxloc_", "tax.registration": "taxreg_", "tax.transaction": "tax_",
    "tax.transaction_line_item": "tax_li_", "tax_code": "txcd_", "tax_id": "txi_", "tax_rate": "txr_",
    "terminal.configuration": "tmc_", "terminal.location": "tml_", "terminal.reader": "tmr_",
    "terminal.refund": "re_", "test_helpers.test_clock": "clock_", "three_d_secure.authentication": "tdsa_",
    "token": "tok_", "topup": "tu_", "transfer": "tr_", "transfer_reversal": "trr_",
    "treasury.credit_reversal": "credrev_", "treasury.debit_reversal": "debrev_",
    "treasury.financial_account": "fa_", "treasury.inbound_transfer": "ibt_", "treasury.outbound_payment": "obp_",
    "treasury.outbound_transfer": "obt_", "treasury.received_credit": "rc_", "treasury.received_debit": "rd_",
    "treasury.transaction": "trxn_", "treasury.transaction_entry": "trxne_", "webhook_endpoint": "we_",
    "v2.billing.meter_event_session": "mes_test_", "v2.commerce.product_catalog_import": "pcimprt_test_",
    "v2.core.account": "acct_", "v2.core.account_person": "person_", "v2.core.account_person_token": "perstok_",
    "v2.core.account_token": "accttok_", "v2.core.event": "evt_test_", "v2.core.event_destination": "ed_test_",
    "v2.core.vault.gb_bank_account": "gbba_test_", "v2.core.vault.us_bank_account": "usba_test_",
    "v2.money_management.adjustment": "adj_test_", "v2.money_management.financial_account": "fa_test_",
    "v2.money_management.financial_address": "finaddr_test_", "v2.money_management.inbound_transfer": "ibt_test_",
    "v2.money_management.outbound_payment": "obp_test_", "v2.money_management.outbound_setup_intent": "osi_test_",
    "v2.money_management.payout_intent": "poi_test_", "v2.money_management.payout_method": "pom_test_",
    "v2.money_management.received_credit": "rc_test_", "v2.money_management.recipient_verification": "rcpver_test_",
    "v2.money_management.transaction": "trxn_test_", "v2.money_management.transaction_entry": "trxne_test_",
}  # fmt: skip


def prefix_of(object: str) -> str:
    """With what the ids of an object begin."""
    return PREFIXES.get(object, f"{object.rpartition('.')[2]}_")
