"""Whom could an address belong to?"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.mail import acting, errors, rules
from worlds.mail.models import Mailbox
from worlds.mail.tools.arguments import InMailbox, Limit

#: Colleagues, and whoever this mailbox wrote to or had mail from; names are known of those who wrote.
_KNOWN = """
    WITH met (address, name, met_at, folder) AS (
        SELECT from_address, from_name, received_at, folder FROM messages WHERE mailbox_id = :mailbox
         UNION ALL
        SELECT value, '', received_at, folder FROM messages, json_each(to_addresses)
         WHERE mailbox_id = :mailbox AND direction = 'sent'
         UNION ALL
        SELECT value, '', received_at, folder FROM messages, json_each(cc_addresses)
         WHERE mailbox_id = :mailbox AND direction = 'sent'
    ), known AS (
        SELECT address, max(name) AS name, count(*) AS message_count, max(met_at) AS last_message_at
          FROM met WHERE folder NOT IN ('trash', 'spam') GROUP BY address
    )
    SELECT address, coalesce(mailboxes.name, known.name) AS name, message_count, last_message_at,
           mailboxes.id IS NOT NULL AS is_colleague
      FROM known LEFT JOIN mailboxes USING (address)
     WHERE address <> :own AND coalesce(mailboxes.is_active, 1)
       AND substr(address, 1, instr(address, '@') - 1) NOT IN (SELECT value FROM json_each(:robots))
       AND (address LIKE :pattern ESCAPE '!' OR coalesce(mailboxes.name, known.name) LIKE :pattern ESCAPE '!')
     UNION ALL
    SELECT address, name, 0, NULL, 1 FROM mailboxes
     WHERE address <> :own AND is_active AND address NOT IN (SELECT address FROM known)
       AND (address LIKE :pattern ESCAPE '!' OR name LIKE :pattern ESCAPE '!')
     ORDER BY message_count DESC, address LIMIT :limit
"""


@tool
def suggest_addresses(
    ctx: Ctx,
    query: Annotated[str, Field(description="Part of a name or an address.", max_length=100)],
    mailbox: InMailbox | None = None,
    limit: Limit = 10,
) -> dict[str, Any]:
    """Suggest whom to write to: colleagues, and people this mailbox has mail from or to, the most frequent first."""
    text = " ".join(query.replace("\0", " ").split())
    if not text:
        raise errors.EmptyText("query")
    owner: Mailbox = acting.mailbox(ctx, mailbox)
    escaped = text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    given = {"mailbox": owner.id, "own": owner.address, "pattern": f"%{escaped}%", "limit": limit}
    rows = ctx.db.rows(_KNOWN, {**given, "robots": json.dumps(rules.ROBOTS)})
    return {"suggestions": [{**row, "is_colleague": bool(row["is_colleague"])} for row in rows]}
