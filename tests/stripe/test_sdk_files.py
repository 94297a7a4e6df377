"""Does the official client upload files, and find what happened?"""

from __future__ import annotations

import io
from typing import Any
from urllib.request import Request, urlopen

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def test_a_file_is_uploaded_linked_and_read_again(sdk: Any) -> None:
    upload = io.BytesIO(PNG)
    upload.name = "logo.png"
    file = sdk.v1.files.create({"purpose": "business_logo", "file": upload})
    link = sdk.v1.file_links.create({"file": file.id})

    assert (file.type, file.size) == ("png", len(PNG))
    with urlopen(link.url) as answer:
        assert (answer.read(), answer.headers["content-type"]) == (PNG, "image/png")
    with urlopen(Request(file.url, headers={"Authorization": "Bearer sk_test_1"})) as answer:
        assert answer.read() == PNG
    assert [row.id for row in sdk.v1.files.retrieve(file.id).links.auto_paging_iter()] == [link.id]


def test_a_sale_is_prepared_with_coupons_rates_and_plans(sdk: Any) -> None:
    coupon = sdk.v1.coupons.create({"percent_off": 12.5, "duration": "repeating", "duration_in_months": 3})
    code = sdk.v1.promotion_codes.create({"promotion": {"type": "coupon", "coupon": coupon.id}, "code": "SPRING"})
    rate = sdk.v1.tax_rates.create({"display_name": "VAT", "percentage": 19, "inclusive": True})
    shipping = sdk.v1.shipping_rates.create(
        {"display_name": "Ground", "type": "fixed_amount", "fixed_amount": {"amount": 500, "currency": "usd"}}
    )
    plan = sdk.v1.plans.create({"currency": "usd", "interval": "month", "amount": 900, "product": {"name": "Pro"}})

    assert sdk.v1.promotion_codes.list({"code": "spring"}).data[0].id == code.id
    assert (sdk.v1.tax_rates.retrieve(rate.id).percentage, sdk.v1.prices.retrieve(plan.id).unit_amount) == (19, 900)
    assert sdk.v1.shipping_rates.update(shipping.id, {"active": False}).active is False
    assert sdk.v1.coupons.delete(coupon.id).deleted
    types = [event.type for event in sdk.v1.events.list({"types": ["coupon.*", "promotion_code.*"]}).auto_paging_iter()]
    assert types == ["coupon.deleted", "promotion_code.updated", "promotion_code.created", "coupon.created"]
