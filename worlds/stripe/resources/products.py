"""How do products behave?"""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from worlds.stripe.api import changing, listing
from worlds.stripe.api.call import Call
from worlds.stripe.api.errors import StripeError
from worlds.stripe.api.operations import find, loads, operation
from worlds.stripe.models import Price, Product
from worlds.stripe.resources import prices

_PLAIN = (
    "active", "description", "images", "marketing_features", "metadata", "name", "package_dimensions", "shippable",
    "statement_descriptor", "tax_code", "unit_label", "url",
)  # fmt: skip

loads(Product)


@operation("PostProducts")
def create(call: Call) -> Product:
    """Make a product; with `default_price_data` also its price, which comes after it."""
    given = call.params.get("id")
    if given is not None and Product.objects.filter(pk=given).exists():
        raise StripeError("Product already exists.", code="resource_already_exists", param="id")
    values = changing.values(call.params, _PLAIN) | ({"id": given} if given is not None else {})
    product = call.make(Product, "prod_", updated=call.now, **values)
    call.emit("product.created", product)
    if (data := call.params.get("default_price_data")) is not None:
        product.default_price = prices.make(call, product, data)
        product.save(update_fields=["default_price"])
    return product


@operation("GetProductsId")
def retrieve(call: Call) -> Product:
    return find(call, Product, call.path["id"], noun="product")


@operation("PostProductsId")
def update(call: Call) -> Product:
    product = find(call, Product, call.path["id"], noun="product")
    values = changing.values(call.params, _PLAIN, product)
    if "default_price" in call.params:
        values["default_price_id"] = _default_price(call, product)
    previous = changing.change(product, values)
    if previous:
        product.updated = call.now
        product.save(update_fields=["updated"])
        call.emit("product.updated", product, previous)
    return product


def _default_price(call: Call, product: Product) -> str | None:
    wanted = call.params["default_price"]
    if not wanted:
        return None
    price = find(call, Price, wanted, noun="price", param="default_price", in_path=False)
    if price.product_id != product.id:
        raise StripeError(
            f"The price {price.id} belongs to another product, so it cannot be the default of {product.id}.",
            param="default_price",
        )
    return price.id


@operation("DeleteProductsId")
def delete(call: Call) -> Product:
    product = find(call, Product, call.path["id"], noun="product")
    if call.rows(Price).filter(product=product).exists():
        raise StripeError(
            "This product cannot be deleted because it has one or more user-created prices.",
        )
    call.emit("product.deleted", product)
    product.deleted = True
    product.save(update_fields=["deleted"])
    return product


@operation("GetProducts")
def list_all(call: Call) -> dict[str, Any]:
    rows = call.rows(Product).filter(listing.equal(call, "active", "created", "shippable", "url"), deleted=False)
    if "ids" in call.params:
        rows = rows.filter(pk__in=call.params["ids"])
    if "type" in call.params:
        rows = rows.filter(Q() if call.params["type"] == "service" else Q(pk__in=[]))
    return listing.page(call, rows, noun="product")
