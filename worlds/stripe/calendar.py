"""How does time pass by the calendar?"""

from __future__ import annotations

import calendar
from datetime import datetime


def months_after(start: datetime, months: int) -> datetime:
    """The same day and time so many months later; the last day of a month that has no such day."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    day = min(start.day, calendar.monthrange(year, month + 1)[1])
    return start.replace(year=year, month=month + 1, day=day)
