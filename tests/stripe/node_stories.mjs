// Whole stories with the official Node SDK. Usage: node node_stories.mjs HOST PORT KEY; prints one JSON object.
import Stripe from "stripe";

const [host, port, key] = process.argv.slice(2);
const stripe = new Stripe(key, { host, port: Number(port), protocol: "http", maxNetworkRetries: 0, telemetry: false });
const card = { payment_method_types: ["card"] };
const told = {};

async function refusal(promise) {
  try {
    await promise;
  } catch (error) {
    return { type: error.type, code: error.code, decline_code: error.decline_code, status: error.statusCode, param: error.param };
  }
  return null;
}

// Sign-up, with a saved card that is charged while the customer is away.
const customer = await stripe.customers.create({ name: "Ada", email: "ada@example.com", metadata: { seats: 3 } });
const setup = await stripe.setupIntents.create({ customer: customer.id, payment_method: "pm_card_visa", confirm: true, ...card });
const paid = await stripe.paymentIntents.create({
  amount: 4900, currency: "usd", customer: customer.id, payment_method: setup.payment_method,
  off_session: true, confirm: true, expand: ["latest_charge.balance_transaction"], ...card,
});
told.signUp = { seats: customer.metadata.seats, setup: setup.status, paid: paid.status, fee: paid.latest_charge.balance_transaction.fee };

// A decline, which leaves its traces.
told.decline = await refusal(stripe.paymentIntents.create({
  amount: 700, currency: "usd", payment_method: "pm_card_visa_chargeDeclinedInsufficientFunds", confirm: true, ...card,
}));
told.failed = (await stripe.charges.list({ limit: 1 })).data[0].status;

// 3D Secure, answered on the bank's page.
const asked = await stripe.paymentIntents.create({
  amount: 5000, currency: "eur", payment_method: "pm_card_authenticationRequired", confirm: true,
  return_url: "https://shop.example.com/done", ...card,
});
const answer = await fetch(asked.next_action.redirect_to_url.url, {
  method: "POST", redirect: "manual", body: new URLSearchParams({ outcome: "success" }),
});
told.secure = {
  before: asked.status, redirect: answer.headers.get("location").includes("redirect_status=succeeded"),
  after: (await stripe.paymentIntents.retrieve(asked.id)).status,
};

// A refund.
const refund = await stripe.refunds.create({ payment_intent: paid.id, amount: 900 });
told.refund = { status: refund.status, left: await refusal(stripe.refunds.create({ payment_intent: paid.id, amount: 4001 })) };

// Pages, both ways.
const made = [];
for (let number = 0; number < 120; number += 1) made.push((await stripe.customers.create({ email: `b${number}@example.com` })).id);
const seen = [];
for await (const each of stripe.customers.list({ limit: 50 })) seen.push(each.id);
const back = await stripe.customers.list({ limit: 100, ending_before: made[0] }).autoPagingToArray({ limit: 200 });
told.pages = { all: seen.join() === [...made.toReversed(), customer.id].join(), back: back.length };

// Search.
const found = await stripe.customers.search({ query: "email:'b7@example.com'" });
told.search = found.data.map((each) => each.email);

// The same request again.
const once = { idempotencyKey: "order-7" };
const first = await stripe.products.create({ name: "Pro" }, once);
const again = await stripe.products.create({ name: "Pro" }, once);
told.idempotency = {
  same: first.id === again.id, key: again.lastResponse.headers["idempotency-key"],
  replayed: again.lastResponse.headers["idempotent-replayed"],
  other: await refusal(stripe.products.create({ name: "Max" }, once)),
};

// A file.
const file = await stripe.files.create({
  purpose: "dispute_evidence", file: { data: Buffer.from("%PDF-1.4 a receipt"), name: "receipt.pdf", type: "application/pdf" },
});
told.file = { size: file.size, name: file.filename };

// A marketplace: a seller is onboarded on the page they are sent to, and gets a share of a payment.
const seller = await stripe.accounts.create({ type: "express", country: "US", email: "seller@example.com" });
const share = (extra) => stripe.paymentIntents.create({
  amount: 10000, currency: "usd", payment_method: "pm_card_visa", confirm: true, ...card,
  transfer_data: { destination: seller.id }, application_fee_amount: 1000, ...extra,
});
const early = await refusal(share());
const link = await stripe.accountLinks.create({
  account: seller.id, type: "account_onboarding", refresh_url: "https://shop.example.com/again", return_url: "https://shop.example.com/done",
});
await fetch(link.url, { method: "POST", redirect: "manual", body: new URLSearchParams({ "individual.first_name": "Ada" }) });
const shared = await share({ expand: ["latest_charge.transfer"] });
const theirs = { stripeAccount: seller.id };
told.marketplace = {
  early: early.code, enabled: (await stripe.accounts.retrieve(seller.id)).charges_enabled,
  transfer: shared.latest_charge.transfer.amount, balance: (await stripe.balance.retrieve({}, theirs)).pending[0].amount,
  customers: (await stripe.customers.list({}, theirs)).data.length,
};

// Errors by class.
told.errors = {
  missing: await refusal(stripe.customers.retrieve("cus_nobody")),
  invalid: await refusal(stripe.prices.create({ currency: "usd", unit_amount: "many", product: first.id })),
  key: await refusal(new Stripe("nonsense", { host, port: Number(port), protocol: "http" }).customers.list()),
};
console.log(JSON.stringify(told));
