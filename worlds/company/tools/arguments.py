"""What do several tools take?"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

EmployeeEmail = Annotated[str, Field(description="Address of an employee, such as theo@larkspur.app.", max_length=254)]
CustomerEmail = Annotated[str, Field(description="Address of a customer, as the CRM has it.", max_length=254)]
TicketId = Annotated[str, Field(description="Id of a helpdesk ticket, such as ticket_4f….", max_length=40)]
MessageId = Annotated[str, Field(description="Id of a mail message, such as msg_4f….", max_length=60)]
ThreadId = Annotated[str, Field(description="Id of a mail thread, such as thr_4f….", max_length=60)]
Text = Annotated[str, Field(description="The text.", max_length=20_000)]
