"""Which tools does the office have of its own? Every module here registers those of one subject."""

from worlds.company.tools import correspondence, customers, people, tickets

__all__ = ["correspondence", "customers", "people", "tickets"]
