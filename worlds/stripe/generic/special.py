"""Which operations are unlike all others, and what do they do?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from worlds.engine import HttpResponse
from worlds.stripe.api import errors
from worlds.stripe.api.call import Call
from worlds.stripe.generic import keeping, stored
from worlds.stripe.generic.forming import Forming
from worlds.stripe.generic.planning import Plan
from worlds.stripe.models.objects import StoredObject

Run = Callable[[Call, Plan], dict[str, Any] | HttpResponse]
#: By the operation's id.
RUNS: dict[str, Run] = {}


def runs(*ids: str) -> Callable[[Run], Run]:
    def register(fn: Run) -> Run:
        RUNS.update(dict.fromkeys(ids, fn))
        return fn

    return register


@runs("PostInvoicesCreatePreview", "GetCreditNotesPreview")
def _preview(call: Call, plan: Plan) -> dict[str, Any]:
    """What would be made, without making it."""
    name = plan.names[0]
    id = call.new_id({"invoice": "upcoming_in_"}.get(name, "cn_"))
    values = keeping.beginning(call, name, id, call.params) | keeping.values_of(call, name)
    return Forming(call.now).object(name, {**values, "id": id, "created": call.now_s})


@runs("GetCreditNotesPreviewLines")
def _preview_lines(call: Call, plan: Plan) -> dict[str, Any]:
    return {"object": "list", "data": [], "has_more": False, "url": call.operation.path}


@runs("GetQuotesQuotePdf")
def _pdf(call: Call, plan: Plan) -> HttpResponse:
    quote = stored.load(call, ("quote",), call.path["quote"])
    number = (quote or {}).get("number") or call.path["quote"]
    return pdf(f"Quote {number}")


def pdf(text: str) -> HttpResponse:
    """An answer that is a document of one line."""
    return HttpResponse(200, (("content-type", "application/pdf"),), _one_page(text))


def _one_page(text: str) -> bytes:
    """A page of one line, as PDF."""
    line = text.encode("ascii", "replace").translate(None, b"()\\")
    content = b"BT /F1 24 Tf 72 720 Td (" + line + b") Tj ET"
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1) + table +
            b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(parts) + 1, len(out)))  # fmt: skip


@runs("GetAppsSecretsFind")
def _find_secret(call: Call, plan: Plan) -> dict[str, Any]:
    return stored.shown(call, _secret(call, "name"))


@runs("PostAppsSecretsDelete")
def _delete_secret(call: Call, plan: Plan) -> dict[str, Any]:
    row = _secret(call, "name")
    row.deleted = True
    row.save(update_fields=["deleted"])
    return {**row.data, "deleted": True}


@runs("PostAppsSecrets")
def _set_secret(call: Call, plan: Plan) -> dict[str, Any]:
    """A secret of a name and scope takes the place of the one before it."""
    _secrets(call).update(deleted=True)
    return keeping.create(call, plan)


def _secrets(call: Call) -> Any:
    scope = call.params["scope"]
    found = call.rows(StoredObject).filter(object="apps.secret", deleted=False, data__name=call.params["name"])
    return found.filter(**{f"data__scope__{key}": value for key, value in scope.items()})


def _secret(call: Call, param: str) -> StoredObject:
    row: StoredObject | None = _secrets(call).order_by("-x_seq").first()
    if row is None:
        raise errors.no_such("secret", call.params[param], param=param)
    return row


@runs("GetTaxAssociationsFind")
def _tax_association(call: Call, plan: Plan) -> dict[str, Any]:
    wanted = call.params["payment_intent"]
    row = call.rows(StoredObject).filter(object="tax.association", data__payment_intent=wanted).first()
    if row is None:
        raise errors.no_such("tax association", wanted, param="payment_intent")
    return stored.shown(call, row)


@runs("PostV2BillingMeterEventStream")
def _stream(call: Call, plan: Plan) -> HttpResponse:
    return HttpResponse(200, (("content-type", "application/json"),), b"{}")


@runs("PostV2CoreEventDestinationsIdPing")
def _ping(call: Call, plan: Plan) -> dict[str, Any]:
    return keeping.create(call, plan, more={"type": "v2.core.event_destination.ping"})


@runs("GetBillingCreditBalanceSummary")
def _credit_summary(call: Call, plan: Plan) -> dict[str, Any]:
    values = {"customer": call.params.get("customer", ""), "balances": []}
    return Forming(call.now).object(plan.names[0], values)
