"""How is a long list of mail read page by page?"""

from functools import partial

from worlds.engine import paginate as _paginate
from worlds.mail.errors import InvalidCursor

paginate = partial(_paginate, refusal=InvalidCursor)
