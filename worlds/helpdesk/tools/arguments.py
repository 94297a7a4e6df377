"""What do several tools take?"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from worlds.helpdesk.words import NextStatus, Priority

TicketId = Annotated[str, Field(description="Id of a ticket, such as tick_4f….", max_length=40)]
CustomerId = Annotated[str, Field(description="Id of a customer, such as cust_4f….", max_length=40)]
AgentId = Annotated[str, Field(description="Id of an agent, such as agent_4f….", max_length=40)]
MacroId = Annotated[str, Field(description="Id of a macro, such as macro_4f….", max_length=40)]
AssigneeId = Annotated[
    str, Field(description="Id of the agent who is to work on the ticket; must be active.", max_length=40)
]
TeamId = Annotated[str, Field(description="Id of a team, such as billing; get_settings lists them.", max_length=40)]
OfAssignee = Annotated[str, Field(description="Only tickets assigned to this agent.", max_length=40)]
OfTeam = Annotated[str, Field(description="Only tickets of this team.", max_length=40)]

Email = Annotated[str, Field(description="Email address; stored in lower case.", max_length=254)]
Tags = Annotated[list[Annotated[str, Field(max_length=40)]], Field(description="Names of tags.", max_length=20)]
Body = Annotated[str, Field(description="The text, plain.", max_length=20_000)]
Subject = Annotated[str, Field(description="What the ticket is about, in one line.", max_length=200)]
TicketPriority = Annotated[Priority, Field(description="How much it matters; decides which service level applies.")]
ThenStatus = Annotated[NextStatus, Field(description="Status to leave the ticket in. Default: as it is.")]
Moment = Annotated[datetime, Field(description="Instant with time zone, such as 2026-06-01T09:00:00Z.")]

Limit = Annotated[int, Field(description="How many to return at most.", ge=1, le=100)]
Cursor = Annotated[
    str,
    Field(description="next_cursor of the page before, to go on from there; keep filters and order.", max_length=400),
]
Order = Annotated[Literal["newest", "oldest"], Field(description="By time of creation; ties by id.")]

#: `Order` as a column.
BY_CREATION = {"newest": "-created_at", "oldest": "created_at"}
