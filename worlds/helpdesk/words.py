"""Which words does the product choose from?

Tools publish them in their schemas, models check them in the database.
"""

from typing import Literal

Role = Literal["admin", "lead", "agent"]

Status = Literal["new", "open", "pending", "on_hold", "solved", "closed"]
#: What a person can set; new is only where a ticket begins.
SettableStatus = Literal["open", "pending", "on_hold", "solved", "closed"]
#: What a reply, a note or a macro can leave a ticket in.
NextStatus = Literal["open", "pending", "on_hold", "solved"]
#: A ticket somebody still has to work on, or wait for.
UNSOLVED = ("new", "open", "pending", "on_hold")
#: While a ticket waits for somebody else, the time to its resolution does not run.
WAITING = ("pending", "on_hold")

Priority = Literal["low", "normal", "high", "urgent"]
Channel = Literal["email", "web_form", "chat", "phone"]

Visibility = Literal["public", "internal"]
Sender = Literal["customer", "agent"]

Metric = Literal["first_reply", "resolution"]
ClockStatus = Literal["running", "paused", "met", "breached", "cancelled"]

Score = Literal["good", "bad"]
RatingStatus = Literal["offered", "good", "bad"]

HistoryKind = Literal[
    "created",
    "customer_wrote",
    "replied",
    "note_added",
    "macro_applied",
    "status",
    "priority",
    "assignee",
    "team",
    "subject",
    "tags",
    "merged_into",
    "merged_from",
    "sla_breached",
    "rated",
]

SearchableType = Literal["ticket", "message", "customer", "macro"]
