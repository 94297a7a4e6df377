"""What does the helpdesk refuse, and in which words?

Four codes: `not_found`, `invalid_input`, `conflict` and `permission_denied`. Each refusal says what to do instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from worlds.engine import ToolError


class NotFound(ToolError):
    """No record has that id."""

    _LISTED_BY = {
        "agent": "list_agents",
        "customer": "list_customers or search_helpdesk",
        "ticket": "list_tickets or search_helpdesk",
        "macro": "list_macros",
        "team": "get_settings",
    }

    def __init__(self, resource: str, *ids: str) -> None:
        listed = ", ".join(ids)
        super().__init__(
            "not_found",
            f"There is no {resource} with id {listed}. Look ids up with {self._LISTED_BY[resource]}.",
            resource=resource,
            ids=list(ids),
        )


class NumberNotFound(ToolError):
    def __init__(self, number: int) -> None:
        super().__init__(
            "not_found",
            f"There is no ticket #{number}. Look tickets up with list_tickets or search_helpdesk.",
            resource="ticket",
            number=number,
        )


class TagNotFound(ToolError):
    def __init__(self, name: str) -> None:
        super().__init__(
            "not_found", f"No ticket carries the tag {name!r}. Add it with update_ticket.", resource="tag", name=name
        )


class NoPolicy(ToolError):
    def __init__(self, priority: str) -> None:
        super().__init__(
            "not_found",
            f"This account has no service level for {priority} tickets. get_settings lists those there are.",
            resource="sla_policy",
            priority=priority,
        )


class InvalidInput(ToolError):
    """An argument has the right type and no sense; `field` is the argument."""

    def __init__(self, field: str, message: str, **details: Any) -> None:
        super().__init__("invalid_input", message, field=field, **details)


class InvalidEmail(InvalidInput):
    def __init__(self, field: str, email: str) -> None:
        super().__init__(field, f"{email!r} is not an email address. Give one such as ada@example.com.")


class EmptyText(InvalidInput):
    def __init__(self, field: str) -> None:
        super().__init__(field, f"{field} is empty. Give it some text.")


class InvalidCursor(InvalidInput):
    def __init__(self) -> None:
        super().__init__(
            "cursor",
            "This cursor does not belong to this list. Pass next_cursor of the page before, with the same filters and "
            "order, or leave it out to start from the first page.",
        )


class NothingToSearchFor(InvalidInput):
    def __init__(self) -> None:
        super().__init__("query", "The query holds no word to look for. Give at least one letter or digit.")


class ExactlyOne(InvalidInput):
    """Two arguments exclude each other, or none of them was given."""

    def __init__(self, *fields: str) -> None:
        named = f"{', '.join(fields[:-1])} or {fields[-1]}"
        super().__init__(fields[0], f"Give exactly one of {named}.", fields=list(fields))


class SetAndCleared(InvalidInput):
    def __init__(self, field: str) -> None:
        super().__init__(field, f"{field} is both set and cleared. Leave it out of one of the two.")


class WithoutTimeZone(InvalidInput):
    def __init__(self, field: str) -> None:
        super().__init__(field, f"{field} has no time zone. Write it as 2026-06-01T09:00:00Z.")


class OutOfRange(InvalidInput):
    def __init__(self, field: str) -> None:
        super().__init__(field, f"{field} is beyond the calendar. Give a year from 2 to 9998.")


class SameTicket(InvalidInput):
    def __init__(self) -> None:
        super().__init__("duplicate_id", "A ticket cannot be merged with itself. Give the ids of two tickets.")


class SameCustomer(InvalidInput):
    def __init__(self) -> None:
        super().__init__("duplicate_id", "A customer cannot be merged with itself. Give the ids of two customers.")


class TargetsOutOfOrder(InvalidInput):
    def __init__(self, first_reply: int, resolution: int) -> None:
        super().__init__(
            "resolution_minutes",
            f"A ticket cannot be due for resolution ({resolution} minutes) before its first reply "
            f"({first_reply} minutes). Give resolution_minutes at least as many.",
        )


class UnknownPlaceholder(InvalidInput):
    def __init__(self, found: str, known: Sequence[str]) -> None:
        super().__init__(
            "text", f"{found} is no placeholder. These are: {', '.join(known)}.", placeholder=found, known=list(known)
        )


class MacroDoesNothing(InvalidInput):
    def __init__(self) -> None:
        super().__init__(
            "text", "A macro writes something or changes something. Give a text, a status, a priority, a team or tags."
        )


class TagAddedAndRemoved(InvalidInput):
    def __init__(self, name: str) -> None:
        super().__init__("remove_tags", f"The tag {name!r} is both added and removed. Leave it out of one of the two.")


class Conflict(ToolError):
    """The request makes sense, but not for the records as they are."""

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__("conflict", message, **details)


class CustomerEmailTaken(Conflict):
    def __init__(self, email: str, customer_id: str) -> None:
        super().__init__(
            f"{email} belongs to customer {customer_id} already. Use that customer, or join the two with "
            f"merge_customers.",
            customer_id=customer_id,
        )


class AgentEmailTaken(Conflict):
    def __init__(self, email: str, agent_id: str) -> None:
        super().__init__(f"{email} belongs to agent {agent_id} already. Give another address.", agent_id=agent_id)


class MacroTitleTaken(Conflict):
    def __init__(self, title: str, macro_id: str) -> None:
        super().__init__(
            f"There is a macro {title!r} already. Change that one, or give another title.", macro_id=macro_id
        )


class AssigneeInactive(Conflict):
    def __init__(self, name: str, agent_id: str) -> None:
        super().__init__(
            f"{name} is deactivated and cannot be given tickets. Choose an active agent.", agent_id=agent_id
        )


class TicketClosed(Conflict):
    def __init__(self, number: int, merged_into: int | None) -> None:
        instead = (
            f"Work on #{merged_into}, which it was merged into."
            if merged_into is not None
            else "Open a new ticket with create_ticket and its id as follow_up_of_id."
        )
        super().__init__(f"Ticket #{number} is closed and stays as it is. {instead}", merged_into_number=merged_into)


class NotClosedYet(Conflict):
    def __init__(self, number: int, status: str) -> None:
        super().__init__(
            f"Ticket #{number} is {status} and needs no follow-up ticket. Go on with it, or leave follow_up_of_id out.",
            status=status,
        )


class ClosedBeforeSolved(Conflict):
    def __init__(self, number: int, status: str) -> None:
        super().__init__(
            f"Ticket #{number} is {status}; only a solved ticket is closed. Set its status to solved first.",
            status=status,
        )


class NobodyToSolveIt(Conflict):
    def __init__(self, number: int) -> None:
        super().__init__(
            f"Ticket #{number} is assigned to nobody, so nobody can have solved it. Set assignee_id with update_ticket."
        )


class SolvedPriorityStays(Conflict):
    def __init__(self, number: int) -> None:
        super().__init__(f"Ticket #{number} is solved, and its priority stays. Set its status to open first.")


class MacroInactive(Conflict):
    def __init__(self, title: str) -> None:
        super().__init__(f"The macro {title!r} is switched off. Choose another, or switch it on with update_macro.")


class RatingNotOffered(Conflict):
    def __init__(self, number: int, status: str) -> None:
        super().__init__(
            f"Ticket #{number} is {status}, and no rating was asked for. Customers rate a ticket once it is solved.",
            status=status,
        )


class AgentAlreadyInactive(Conflict):
    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is deactivated already. Hand over their tickets with reassign_tickets.")


class CannotDeactivateSelf(Conflict):
    def __init__(self) -> None:
        super().__init__("You cannot deactivate yourself. Ask another admin.")


class PermissionDenied(ToolError):
    def __init__(self, action: str, role: str, needed: str) -> None:
        super().__init__(
            "permission_denied",
            f"{action} needs the role {needed}; yours is {role}. Ask somebody who has it.",
            role=role,
        )
