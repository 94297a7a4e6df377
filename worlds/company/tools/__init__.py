"""Which tools does the office have of its own? Every module here registers those of one subject."""

from worlds.company.tools import correspondence, customers, payments, people, tickets

__all__ = ["correspondence", "customers", "payments", "people", "tickets"]
