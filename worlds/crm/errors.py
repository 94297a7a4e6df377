"""What does the CRM refuse, and in which words?

Four codes: `not_found`, `invalid_input`, `conflict` and `permission_denied`. Each refusal says what to do instead.
"""

from __future__ import annotations

from typing import Any

from worlds.engine import ToolError


class NotFound(ToolError):
    """No record has that id."""

    _LISTED_BY = {
        "user": "list_users",
        "company": "list_companies or search_crm",
        "lead": "list_leads or search_crm",
        "deal": "list_deals or search_crm",
        "task": "list_tasks",
        "stage": "pipeline_report",
    }

    def __init__(self, resource: str, *ids: str) -> None:
        listed = ", ".join(ids)
        super().__init__(
            "not_found",
            f"There is no {resource} with id {listed}. Look ids up with {self._LISTED_BY[resource]}.",
            resource=resource,
            ids=list(ids),
        )


class TagNotFound(ToolError):
    def __init__(self, name: str) -> None:
        super().__init__(
            "not_found", f"No record carries the tag {name!r}. Add it with set_tags.", resource="tag", name=name
        )


class InvalidInput(ToolError):
    """An argument has the right type and no sense; `field` is the argument."""

    def __init__(self, field: str, message: str, **details: Any) -> None:
        super().__init__("invalid_input", message, field=field, **details)


class InvalidEmail(InvalidInput):
    def __init__(self, email: str) -> None:
        super().__init__("email", f"{email!r} is not an email address. Give one such as ada@example.com.")


class InvalidDomain(InvalidInput):
    def __init__(self, domain: str) -> None:
        super().__init__("domain", f"{domain!r} is not a domain. Give the bare name, such as example.com.")


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


class AtLeastOne(InvalidInput):
    def __init__(self, *fields: str) -> None:
        named = f"{', '.join(fields[:-1])} or {fields[-1]}"
        super().__init__(fields[0], f"Give at least one of {named}.", fields=list(fields))


class InTheFuture(InvalidInput):
    def __init__(self, field: str, now: str) -> None:
        super().__init__(
            field, f"{field} lies in the future; it is {now} now. Plan what is to come with create_task.", now=now
        )


class WithoutTimeZone(InvalidInput):
    def __init__(self, field: str) -> None:
        super().__init__(field, f"{field} has no time zone. Write it as 2026-06-01T09:00:00Z.")


class OutOfRange(InvalidInput):
    def __init__(self, field: str) -> None:
        super().__init__(field, f"{field} is beyond the calendar. Give a year from 2 to 9998.")


class SetAndCleared(InvalidInput):
    def __init__(self, field: str) -> None:
        super().__init__(field, f"{field} is both set and cleared. Leave it out of one of the two.")


class SameLead(InvalidInput):
    def __init__(self) -> None:
        super().__init__("duplicate_id", "A lead cannot be merged with itself. Give the ids of two leads.")


class CompanyUnknown(InvalidInput):
    def __init__(self, lead: str) -> None:
        super().__init__("company_id", f"{lead} has no company yet. Give company_id, or company_name to create one.")


class LostReasonMissing(InvalidInput):
    def __init__(self) -> None:
        super().__init__("lost_reason", "A deal is closed as lost for a reason. Give lost_reason.")


class LostReasonNotWanted(InvalidInput):
    def __init__(self, stage: str) -> None:
        super().__init__(
            "lost_reason", f"Only a lost deal has a lost_reason, and {stage} is not a lost stage. Leave it out."
        )


class AmountMissing(InvalidInput):
    def __init__(self) -> None:
        super().__init__(
            "amount_cents", "A deal is won at a price. Set amount_cents with update_deal, then move it to this stage."
        )


class StageNotOpen(InvalidInput):
    def __init__(self, stage: str) -> None:
        super().__init__(
            "stage_id", f"A new deal begins at an open stage, and {stage} is a closed one. Choose another."
        )


class Conflict(ToolError):
    """The request makes sense, but not for the records as they are."""

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__("conflict", message, **details)


class LeadEmailTaken(Conflict):
    def __init__(self, email: str, lead_id: str) -> None:
        super().__init__(
            f"{email} belongs to lead {lead_id} already. Update that lead, or merge the two with merge_leads.",
            lead_id=lead_id,
        )


class UserEmailTaken(Conflict):
    def __init__(self, email: str, user_id: str) -> None:
        super().__init__(f"{email} belongs to user {user_id} already. Give another address.", user_id=user_id)


class DomainTaken(Conflict):
    def __init__(self, domain: str, company_id: str) -> None:
        super().__init__(
            f"{domain} belongs to company {company_id} already. Use that company, or give another domain.",
            company_id=company_id,
        )


class OwnerInactive(Conflict):
    def __init__(self, name: str, user_id: str) -> None:
        super().__init__(f"{name} is deactivated and cannot be given records. Choose an active user.", user_id=user_id)


class LeadAlreadyConverted(Conflict):
    def __init__(self, lead: str, company_id: str | None) -> None:
        super().__init__(
            f"{lead} is converted already. Add deals to the company with create_deal.", company_id=company_id
        )


class ConvertedStatusStays(Conflict):
    def __init__(self, lead: str) -> None:
        super().__init__(f"{lead} is converted, and its status stays so. Leave status out.")


class LeadUnqualified(Conflict):
    def __init__(self, lead: str) -> None:
        super().__init__(
            f"{lead} is unqualified. If that has changed, set status to qualified with update_lead and convert it then."
        )


class WouldLoseConversion(Conflict):
    def __init__(self, duplicate_id: str) -> None:
        super().__init__(
            f"Lead {duplicate_id} is converted and would be lost. Keep that one and merge the other into it."
        )


class EmailOptedOut(Conflict):
    def __init__(self, lead: str) -> None:
        super().__init__(f"{lead} has asked not to be emailed. Call or meet instead.")


class DealClosed(Conflict):
    def __init__(self, deal: str, stage_id: str) -> None:
        super().__init__(
            f"{deal} is closed ({stage_id}). To work on it again, call move_deal with an open stage and reopen=true.",
            stage_id=stage_id,
        )


class TaskAlreadyDone(Conflict):
    def __init__(self, subject: str, done_at: str | None) -> None:
        super().__init__(
            f"The task {subject!r} was completed at {done_at}. There is nothing left to do.", done_at=done_at
        )


class UserAlreadyInactive(Conflict):
    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is deactivated already. Hand over what they own with bulk_reassign.")


class CannotDeactivateSelf(Conflict):
    def __init__(self) -> None:
        super().__init__("You cannot deactivate yourself. Ask another admin.")


class PipelineEmpty(Conflict):
    def __init__(self) -> None:
        super().__init__(
            "The pipeline has no open stage, so there is nowhere to put a deal. Ask an admin to set it up."
        )


class PermissionDenied(ToolError):
    def __init__(self, action: str, role: str, needed: str) -> None:
        super().__init__(
            "permission_denied",
            f"{action} needs the role {needed}; yours is {role}. Ask somebody who has it.",
            role=role,
        )
