"""Which refusals are the company's own? Those of its systems come through in their own words."""

from __future__ import annotations

from typing import Any

from worlds.engine import ToolError


class NoSuchEmployee(ToolError):
    def __init__(self, who: str) -> None:
        super().__init__(
            "not_found", f"Nobody works here under {who!r:.100}. List the employees with list_employees.", employee=who
        )


class AlreadyEmployed(ToolError):
    def __init__(self, email: str, employee_id: str) -> None:
        super().__init__(
            "conflict", f"{email} belongs to employee {employee_id} already. Give another address.",
            employee_id=employee_id,
        )  # fmt: skip


class HasLeft(ToolError):
    def __init__(self, name: str) -> None:
        super().__init__("conflict", f"{name} has left. Choose somebody who works here.")


class SamePerson(ToolError):
    def __init__(self) -> None:
        super().__init__("invalid_input", "Nobody hands work over to themselves. Give two employees.", field="to_email")


class UnknownToCrm(ToolError):
    def __init__(self, email: str) -> None:
        super().__init__(
            "not_found",
            f"The CRM knows nobody with the address {email}. Create the lead with crm_create_lead first.",
            email=email,
        )


class NobodyOwns(ToolError):
    def __init__(self, email: str) -> None:
        super().__init__(
            "conflict",
            f"Nobody in the CRM owns the account of {email}, so there is nobody to escalate to. Set an owner with "
            f"crm_update_lead or crm_update_company, or name an employee in to_email.",
            email=email,
        )


class NoMailAccount(ToolError):
    def __init__(self, name: str) -> None:
        super().__init__("conflict", f"{name} has no mailbox that is open, so no mail reaches them.")


class NotFromOutside(ToolError):
    def __init__(self, address: str) -> None:
        super().__init__(
            "conflict", f"{address} is one of ours, and tickets are for customers. Choose a message from outside.",
            address=address,
        )  # fmt: skip


class MessageNotFound(ToolError):
    def __init__(self, message_id: str) -> None:
        super().__init__("not_found", f"There is no message {message_id!r:.60}.", message_id=message_id)


class ThreadWithNobody(ToolError):
    def __init__(self, thread_id: str) -> None:
        super().__init__(
            "conflict",
            f"Nobody in thread {thread_id} is known to the CRM. Create the lead with crm_create_lead first.",
            thread_id=thread_id,
        )


class SomebodyElsesPayment(ToolError):
    def __init__(self, payment_intent: str, email: str) -> None:
        super().__init__(
            "conflict",
            f"{payment_intent} was not paid by {email}. customer_overview lists the payments of a customer.",
            payment_intent=payment_intent,
        )


class PaymentsRefused(ToolError):
    """What the payments' API refused, in its words."""

    def __init__(self, error: dict[str, Any]) -> None:
        told = {name: error[name] for name in ("code", "param", "decline_code") if name in error}
        super().__init__(
            "payments_refused", error["message"], **{f"stripe_{name}": value for name, value in told.items()}
        )
