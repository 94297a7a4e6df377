from django.db import transaction

from tests.worlds.moved.models import Greeting, Membership, Person, Visit
from worlds.engine import Ctx, instance_startup, tool


@tool
def visit(ctx: Ctx, name: str) -> dict:
    """Let a person in, a new one too."""
    person, _ = Person.objects.get_or_create(name=name, defaults={"id": ctx.ids.token(8)})
    return {"visit": Visit.objects.create(person=person, at=ctx.clock.now()).pk}


@tool
def forget_visit(ctx: Ctx, visit: int) -> dict:
    """Strike a visit from the book."""
    return {"deleted": Visit.objects.filter(pk=visit).delete()[0]}


@tool
def join(ctx: Ctx, name: str, club: str) -> None:
    """Make a person a member of a club."""
    with transaction.atomic():
        Membership.objects.create(club=club, person=Person.objects.get(name=name))


@tool
def pay(ctx: Ctx, name: str, club: str) -> None:
    """Note that a member has paid."""
    Membership.objects.filter(club=club, person__name=name).update(is_paid=True)


@instance_startup
def greet(ctx: Ctx, *, greeting: str = "hello") -> None:
    Greeting.objects.get_or_create(id=greeting)
