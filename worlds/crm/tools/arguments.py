"""What do several tools take?"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field

UserId = Annotated[str, Field(description="Id of a user, such as user_4f….", max_length=40)]
CompanyId = Annotated[str, Field(description="Id of a company, such as comp_4f….", max_length=40)]
LeadId = Annotated[str, Field(description="Id of a lead, such as lead_4f….", max_length=40)]
DealId = Annotated[str, Field(description="Id of a deal, such as deal_4f….", max_length=40)]
StageId = Annotated[
    str, Field(description="Id of a pipeline stage, such as proposal; pipeline_report lists them.", max_length=40)
]
OwnerId = Annotated[
    str,
    Field(
        description="Id of the user who is to own the record; must be active. Default: the acting user.", max_length=40
    ),
]
NewOwnerId = Annotated[
    str, Field(description="Id of the user who is to own the record; must be active.", max_length=40)
]
OfOwner = Annotated[str, Field(description="Only records owned by this user.", max_length=40)]
OnLead = Annotated[str, Field(description="Id of the lead this is about.", max_length=40)]
OnCompany = Annotated[str, Field(description="Id of the company this is about.", max_length=40)]
OnDeal = Annotated[str, Field(description="Id of the deal this is about.", max_length=40)]

Email = Annotated[str, Field(description="Email address; stored in lower case.", max_length=254)]
Tags = Annotated[list[Annotated[str, Field(max_length=40)]], Field(description="Names of tags.", max_length=20)]
AmountCents = Annotated[
    int, Field(description="Value of the deal in US cents: 125000 is $1,250.00.", ge=0, le=1_000_000_000_000)
]
Probability = Annotated[int, Field(description="Chance of winning, in percent.", ge=0, le=100)]
CloseOn = Annotated[date, Field(description="Date on which the deal is expected to close, YYYY-MM-DD.")]
Moment = Annotated[datetime, Field(description="Instant with time zone, such as 2026-06-01T09:00:00Z.")]

Limit = Annotated[int, Field(description="How many to return at most.", ge=1, le=100)]
Cursor = Annotated[
    str,
    Field(description="next_cursor of the page before, to go on from there; keep filters and order.", max_length=400),
]
Order = Annotated[Literal["newest", "oldest"], Field(description="By time of creation; ties by id.")]

#: `Order` as a column.
BY_CREATION = {"newest": "-created_at", "oldest": "created_at"}
