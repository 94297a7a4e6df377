"""How is a long list of the helpdesk read page by page?"""

from collections.abc import Mapping
from functools import partial
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from worlds.engine import paginate as _paginate
from worlds.helpdesk.errors import InvalidCursor

M = TypeVar("M", bound=Model)

paginate = partial(_paginate, refusal=InvalidCursor)


def narrowed(rows: QuerySet[M], filters: Mapping[str, Any]) -> QuerySet[M]:
    """The rows that pass every filter; one that is None filters nothing."""
    return rows.filter(**{name: value for name, value in filters.items() if value is not None})
