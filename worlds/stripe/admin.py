"""Which lists of Stripe World does the admin show?"""

from worlds.engine.admin import WorldAdmin, register
from worlds.stripe.models import Charge, Customer, PaymentIntent, PaymentMethod, Price, Product, Refund


@register(Customer)
class CustomerAdmin(WorldAdmin):
    list_display = ("id", "name", "email", "balance", "delinquent", "created")
    id_prefix = "cus_"


@register(Product)
class ProductAdmin(WorldAdmin):
    list_display = ("id", "name", "active", "created")
    id_prefix = "prod_"


@register(Price)
class PriceAdmin(WorldAdmin):
    list_display = ("id", "product", "unit_amount", "currency", "active", "created")
    id_prefix = "price_"


@register(PaymentMethod)
class PaymentMethodAdmin(WorldAdmin):
    list_display = ("id", "type", "customer", "created")
    id_prefix = "pm_"


@register(PaymentIntent)
class PaymentIntentAdmin(WorldAdmin):
    list_display = ("id", "amount", "currency", "status", "customer", "created")
    id_prefix = "pi_"


@register(Charge)
class ChargeAdmin(WorldAdmin):
    list_display = ("id", "amount", "currency", "status", "customer", "created")
    id_prefix = "ch_"


@register(Refund)
class RefundAdmin(WorldAdmin):
    list_display = ("id", "amount", "currency", "status", "charge", "created")
    id_prefix = "re_"
