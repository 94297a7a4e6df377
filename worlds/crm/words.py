"""Which words does the product choose from?

Tools publish them in their schemas, models check them in the database.
"""

from typing import Literal

Role = Literal["admin", "manager", "rep"]

EditableLeadStatus = Literal["new", "working", "qualified", "unqualified"]
LeadStatus = Literal["new", "working", "qualified", "unqualified", "converted"]
#: A lead somebody still has to work on.
OPEN_LEAD_STATUSES = ("new", "working", "qualified")
LeadSource = Literal["website", "referral", "event", "outbound", "partner", "import", "other"]

StageKind = Literal["open", "won", "lost"]
LostReason = Literal["price", "competitor", "no_budget", "no_decision", "timing", "missing_feature", "other"]

LoggedKind = Literal["call", "email", "meeting"]
ActivityKind = Literal["call", "email", "meeting", "task"]
Direction = Literal["outbound", "inbound"]
ActivityOutcome = Literal["connected", "left_voicemail", "no_answer", "replied", "bounced", "held", "no_show"]

#: Records that have an owner, and records that can carry tags.
OwnedType = Literal["lead", "company", "deal", "task"]
TaggedType = Literal["lead", "deal"]
SearchableType = Literal["lead", "company", "deal", "activity", "note"]
