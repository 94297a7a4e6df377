"""How is a long list of the CRM read page by page?"""

from functools import partial

from worlds.crm.errors import InvalidCursor
from worlds.engine import paginate as _paginate

paginate = partial(_paginate, refusal=InvalidCursor)
