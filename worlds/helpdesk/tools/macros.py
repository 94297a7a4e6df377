"""What can be done with macros?"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from worlds.engine import Ctx, tool
from worlds.helpdesk import errors, records, rules
from worlds.helpdesk.acting import require_role
from worlds.helpdesk.applying import apply
from worlds.helpdesk.editing import change, given
from worlds.helpdesk.models import Macro
from worlds.helpdesk.pagination import narrowed, paginate
from worlds.helpdesk.tools.arguments import Cursor, Limit, MacroId, TeamId, TicketId
from worlds.helpdesk.words import NextStatus, Priority, Visibility

Title = Annotated[str, Field(description="What agents choose it by; no two macros share one.", max_length=100)]
Text = Annotated[
    str,
    Field(
        description="What it writes, '' for nothing. {{customer.first_name}}, {{customer.name}}, {{customer.email}}, "
        "{{ticket.number}}, {{ticket.subject}}, {{agent.first_name}}, {{agent.name}} and {{company.name}} are filled "
        "in.",
        max_length=10_000,
    ),
]
ShownTo = Annotated[Visibility, Field(description="public: the text is a reply; internal: it is a note.")]
SetsStatus = Annotated[NextStatus, Field(description="Status it leaves the ticket in.")]
SetsPriority = Annotated[Priority, Field(description="Priority it gives the ticket.")]
AddsTags = Annotated[list[Annotated[str, Field(max_length=40)]], Field(description="Tags it adds.", max_length=20)]
RemovesTags = Annotated[
    list[Annotated[str, Field(max_length=40)]], Field(description="Tags it takes away.", max_length=20)
]


@tool
def list_macros(
    ctx: Ctx,
    is_active: Annotated[bool | None, Field(description="true: only those in use; false: only those off.")] = None,
    limit: Limit = 20,
    cursor: Cursor | None = None,
) -> dict[str, Any]:
    """List the macros, oldest first: what each writes, and what it changes along with it."""
    filters = {"is_active": is_active}
    return paginate(
        "macros",
        narrowed(Macro.objects.all(), filters),
        tool="list_macros",
        order="created_at",
        limit=limit,
        cursor=cursor,
        filters=filters,
        render=Macro.as_dict,
    )


@tool
def create_macro(
    ctx: Ctx,
    title: Title,
    text: Text = "",
    visibility: ShownTo = "public",
    status: SetsStatus | None = None,
    priority: SetsPriority | None = None,
    team_id: TeamId | None = None,
    add_tags: AddsTags | None = None,
    remove_tags: RemovesTags | None = None,
) -> dict[str, Any]:
    """Create a macro. Leads and admins only."""
    require_role(ctx, "Creating macros", "admin", "lead")
    records.require(team=team_id)
    now = ctx.clock.now()
    macro = Macro(
        id=f"macro_{ctx.ids.token(14)}",
        title=_free_title(title),
        text=text.strip(),
        visibility=visibility,
        status=status or "",
        priority=priority or "",
        team_id=team_id,
        add_tags=rules.clean_tags(add_tags or [], "add_tags"),
        remove_tags=rules.clean_tags(remove_tags or [], "remove_tags"),
        created_at=now,
        updated_at=now,
    )
    _check(macro)
    macro.save(force_insert=True)
    return macro.as_dict()


@tool
def update_macro(
    ctx: Ctx,
    macro_id: MacroId,
    title: Title | None = None,
    text: Text | None = None,
    visibility: ShownTo | None = None,
    status: SetsStatus | None = None,
    priority: SetsPriority | None = None,
    team_id: TeamId | None = None,
    add_tags: AddsTags | None = None,
    remove_tags: RemovesTags | None = None,
    is_active: Annotated[bool | None, Field(description="false: switched off; true: in use again.")] = None,
    clear: Annotated[
        list[Literal["status", "priority", "team_id"]] | None, Field(description="Changes it is to make no more.")
    ] = None,
) -> dict[str, Any]:
    """Change the given fields of a macro; the others stay as they are. Leads and admins only.

    What it wrote before stays as it was written.
    """
    require_role(ctx, "Changing macros", "admin", "lead")
    macro = records.macro(macro_id)
    records.require(team=team_id)
    fields = {
        "title": _free_title(title, of=macro) if title is not None else None,
        "text": text,
        "visibility": visibility,
        "status": status,
        "priority": priority,
        "team_id": team_id,
        "add_tags": rules.clean_tags(add_tags, "add_tags") if add_tags is not None else None,
        "remove_tags": rules.clean_tags(remove_tags, "remove_tags") if remove_tags is not None else None,
        "is_active": is_active,
    }
    changes = given(fields, clear)
    for name in ("status", "priority"):
        changes |= {name: ""} if changes.get(name, "") is None else {}
    change(macro, changes, ctx.clock.now())
    _check(macro)
    return macro.as_dict()


def _free_title(title: str, *, of: Macro | None = None) -> str:
    """A title that no other macro has."""
    title = rules.clean_text(title, "title")
    other = Macro.objects.filter(title=title).first()
    if other is not None and other != of:
        raise errors.MacroTitleTaken(title, other.id)
    return title


def _check(macro: Macro) -> None:
    """Does a macro do something, and can it be done?"""
    rules.check_placeholders(macro.text)
    if not (macro.text or macro.status or macro.priority or macro.team_id or macro.add_tags or macro.remove_tags):
        raise errors.MacroDoesNothing
    for name in macro.add_tags:
        if name in macro.remove_tags:
            raise errors.TagAddedAndRemoved(name)


@tool
def apply_macro(ctx: Ctx, ticket_id: TicketId, macro_id: MacroId) -> dict[str, Any]:
    """Apply a macro to a ticket: write its text in your name and make its changes. Without text, message is null."""
    return apply(ctx, records.workable(ticket_id), records.macro(macro_id))
