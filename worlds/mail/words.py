"""Which words does the product choose from?

Tools publish them in their schemas, models check them in the database.
"""

from typing import Literal

MailboxKind = Literal["personal", "shared"]
Direction = Literal["received", "sent"]

Folder = Literal["inbox", "sent", "archive", "snoozed", "trash", "spam"]
#: Where a message can be moved to; sent mail goes back to sent, and snoozing is a verb of its own.
TargetFolder = Literal["inbox", "archive", "trash", "spam"]
#: What a list can show; "all" is everything but trash and spam.
ListedFolder = Literal["inbox", "sent", "archive", "snoozed", "trash", "spam", "all"]
#: Mail nobody means to see; lists and searches leave it out unless it is asked for.
DISCARDED = ("trash", "spam")

#: What a message says of its own making, in the words of its header.
AutoSubmitted = Literal["no", "auto-generated", "auto-replied"]
AbsenceStatus = Literal["planned", "active", "ended"]
