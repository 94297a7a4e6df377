"""Which words does the API choose from, where the database keeps to them?"""

from typing import Literal

TaxExempt = Literal["exempt", "none", "reverse"]
BillingScheme = Literal["per_unit", "tiered"]
PriceType = Literal["one_time", "recurring"]
TaxBehavior = Literal["exclusive", "inclusive", "unspecified"]
TiersMode = Literal["graduated", "volume"]
