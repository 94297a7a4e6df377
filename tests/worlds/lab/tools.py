import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from tests.worlds.lab.models import Box, Item, Tag
from worlds.engine import (
    Ctx,
    HttpRequest,
    HttpResponse,
    ToolError,
    describe_schema,
    event_handler,
    http_api,
    instance_startup,
    run_sql,
    tool,
)


class NoSuchBox(ToolError):
    def __init__(self, name: str) -> None:
        super().__init__("no_such_box", f"There is no box named {name}", name=name)


def _box(name: str) -> Box:
    try:
        return Box.objects.get(name=name)
    except Box.DoesNotExist:
        raise NoSuchBox(name) from None


def _shown(box: Box) -> dict[str, Any]:
    return {"id": box.id, "name": box.name, "price": str(box.price), "is_open": box.is_open, "facts": box.facts}


@tool
def make_box(ctx: Ctx, name: str, price: str = "1.50", facts: dict[str, Any] | None = None) -> dict:
    """Make a box."""
    box = Box(id=f"box_{ctx.ids.token(12)}", name=name, price=price, facts=facts or {})
    try:
        with transaction.atomic():
            box.save(force_insert=True)
    except IntegrityError:
        raise ToolError("taken", f"A box named {name} exists") from None
    box.refresh_from_db()
    return _shown(box)


@tool
def list_boxes(ctx: Ctx) -> list[dict]:
    """List the boxes by name."""
    return [_shown(box) for box in Box.objects.order_by("name")]


@tool
def change_box(ctx: Ctx, name: str, price: str | None = None, is_open: bool | None = None) -> dict:
    """Change a box."""
    box = _box(name)
    if price is not None:
        box.price = price
    if is_open is not None:
        box.is_open = is_open
    box.save()
    return _shown(box)


@tool
def drop_box(ctx: Ctx, name: str) -> dict:
    """Throw a box away with what is in it."""
    box = _box(name)
    count, _ = box.delete()
    return {"deleted": count}


@tool
def put_item(ctx: Ctx, box: str, label: str, weight: int | None = None) -> dict:
    """Put an item into a box."""
    item = Item.objects.create(box=_box(box), label=label, weight=weight, blob=ctx.random.randbytes(4))
    return {"id": item.id, "label": item.label}


@tool
def tag_box(ctx: Ctx, box: str, code: str) -> dict:
    """Tag a box."""
    tag, made = Tag.objects.get_or_create(code=code)
    tag.boxes.add(_box(box))
    return {"made": made}


@tool
def draw(ctx: Ctx) -> dict:
    """Draw from every stream and read every clock."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT random(), hex(randomblob(8)), CURRENT_TIMESTAMP, datetime('now'), unixepoch(), julianday()"
        )
        sql = list(cursor.fetchone())
    return {
        "sql": sql,
        "uuid": ctx.ids.uuid(),
        "python": ctx.random.random(),
        "seq": ctx.seq(),
        "ctx_clock": ctx.clock.iso(),
        "django_clock": timezone.now().isoformat(),
    }


#: What a test wants done inside a call, by the name it calls `perform` with.
ACTS: dict[str, Callable[[Ctx], Any]] = {}


@tool
def perform(ctx: Ctx, act: str) -> Any:
    """Do what a test prepared."""
    return ACTS[act](ctx)


@tool(transaction=False)
def perform_freely(ctx: Ctx, act: str) -> Any:
    """Do what a test prepared, without a transaction."""
    return ACTS[act](ctx)


@tool
def fail_after_writing(ctx: Ctx, how: str) -> dict:
    """Write, then fail."""
    ctx.state["tried"] = how
    Box.objects.create(id=ctx.ids.token(8), name=f"doomed {how}")
    if how == "refusal":
        raise ToolError("refused", "no")
    if how == "bug":
        raise ValueError("a secret detail")
    if how == "set":
        return {1, 2}  # type: ignore[return-value]
    if how == "queryset":
        return {"boxes": Box.objects.all()}  # worlds.E208: what the engine makes of it is tried
    if how == "dangling":
        Item.objects.create(box_id="nobody", label="lost")
    return {}


@tool(transaction=False)
def write_twice_and_fail(ctx: Ctx) -> dict:
    """Write without a transaction, then fail."""
    Box.objects.create(id=ctx.ids.token(8), name="first")
    raise ToolError("refused", "after the first")


@tool
def remember(ctx: Ctx, what: str) -> dict:
    """Remember something outside the database."""
    ctx.state.setdefault("memory", []).append(what)
    return {"memory": ctx.state["memory"]}


@tool
def shout(ctx: Ctx, text: str) -> str:
    """Write to standard output in every way there is."""
    print(text)
    print(text, flush=True)
    os.write(1, f"{text}\n".encode())
    subprocess.run(["echo", text], check=True)
    return text


@tool
def listen(ctx: Ctx) -> str:
    """Read standard input to its end."""
    return sys.stdin.read()


@event_handler
def close_box(ctx: Ctx, payload: dict) -> None:
    box = _box(payload["name"])
    box.is_open = False
    box.facts = {**box.facts, "closed_at": ctx.clock.iso()}
    box.save()
    if payload.get("again_after_s"):
        ctx.schedule(timedelta(seconds=payload["again_after_s"]), close_box, payload)


@event_handler
def break_down(ctx: Ctx, payload: None) -> None:
    Box.objects.create(id="broken", name="broken")
    raise ValueError("the handler is broken")


@tool
def close_later(ctx: Ctx, name: str, after_s: int, again_after_s: int = 0, fail: bool = False) -> dict:
    """Close a box later."""
    event = ctx.schedule(timedelta(seconds=after_s), close_box, {"name": name, "again_after_s": again_after_s})
    if fail:
        raise ToolError("refused", "changed my mind")
    return {"event": event}


@tool
def break_later(ctx: Ctx, after_s: int) -> dict:
    """Schedule an event that fails."""
    return {"event": ctx.schedule(timedelta(seconds=after_s), "break_down")}


@tool
def forget_event(ctx: Ctx, event: int) -> dict:
    """Cross an event off."""
    return {"was_there": ctx.unschedule(event)}


@instance_startup
def open_shop(ctx: Ctx, *, owner: str = "", fail: bool = False) -> None:
    if owner:
        ctx.state["owner"] = owner
        Box.objects.create(id=f"box_{ctx.ids.token(12)}", name=f"{owner}'s box")
    if fail:
        raise ToolError("refused", "the shop stays shut")


@http_api
def serve(ctx: Ctx, request: HttpRequest) -> HttpResponse:
    """The lab's own HTTP API: list boxes, make one, break, or answer what it was sent."""
    if request.path == "/boxes" and request.method == "GET":
        return HttpResponse.of_json([_shown(box) for box in Box.objects.order_by("name")])
    if request.path == "/boxes":
        name = request.json()["name"]
        if Box.objects.filter(name=name).exists():
            return HttpResponse.of_json({"taken": name}, 409, (("x-request-id", ctx.ids.token(6)),))
        Box.objects.create(id=f"box_{ctx.ids.token(12)}", name=name)
        return HttpResponse.of_json({"name": name, "made_at": ctx.clock.iso()}, 201)
    if request.path == "/bug":
        Box.objects.create(id=ctx.ids.token(8), name="never")
        raise ValueError("a secret detail")
    return HttpResponse(200, (("content-type", "application/octet-stream"),), request.body)


tool(run_sql(("boxes", "items"), max_rows=100))
tool(run_sql(("boxes",), read_only=False, name="write_sql"))
tool(describe_schema(("boxes", "items")))
