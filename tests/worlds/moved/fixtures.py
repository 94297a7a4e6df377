from typing import Any

from tests.worlds.moved.models import Person
from worlds.engine import recipe


# Declared before its parent: what is built first is decided by need, not by order.
@recipe(parent="a_visitor")
def two_visitors(inst: Any) -> None:
    """Two people have been here."""
    inst.call("visit", name="Grace")


@recipe
def a_visitor(inst: Any) -> None:
    """One person has been here.

    She is no member of any club.
    """
    inst.call("visit", name="Ada")


@recipe(committed=False)
def a_crowd(inst: Any) -> None:
    """More people than anybody wants to read in a review."""
    with inst.bulk() as ctx:
        Person.objects.bulk_create(Person(id=f"p{n:05}", name=f"Person {n} {ctx.ids.token(4)}") for n in range(1200))
