"""What can be done with tags?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field

from worlds.crm import records, rules
from worlds.crm.models import Deal, Lead, Tag
from worlds.crm.tools.arguments import Tags
from worlds.crm.words import TaggedType
from worlds.engine import Ctx, tool


def put_tags(record: Lead | Deal, tags: Iterable[Tag]) -> None:
    """Leave a record with exactly these tags, writing only the difference.

    Each is added by itself: several at once are inserted in the order of their hashes, which no replay repeats.
    """
    wanted, present = {tag.id: tag for tag in tags}, {tag.id: tag for tag in record.tags.all()}
    record.tags.remove(*(tag for id, tag in present.items() if id not in wanted))
    for id, tag in wanted.items():
        if id not in present:
            record.tags.add(tag)


@tool
def set_tags(
    ctx: Ctx,
    record_type: Annotated[TaggedType, Field(description="What carries the tags.")],
    record_id: Annotated[str, Field(description="Id of the lead or deal.", max_length=40)],
    tags: Tags,
) -> dict[str, Any]:
    """Replace the tags of a lead or a deal; an empty list takes them all away.

    Tags are words in lower case; one that is new is made.
    """
    names = rules.clean_tags(tags)
    record: Lead | Deal = records.lead(record_id) if record_type == "lead" else records.deal(record_id)
    known = {tag.name: tag for tag in Tag.objects.filter(name__in=names)}
    now = ctx.clock.now()
    for name in names:
        if name not in known:
            known[name] = Tag(id=f"tag_{ctx.ids.token(14)}", name=name, created_at=now)
            known[name].save(force_insert=True)
    put_tags(record, [known[name] for name in names])
    return {"record_type": record_type, "record_id": record.id, "tags": names}
