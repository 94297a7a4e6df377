"""Which fixtures are there? Those of the account, built on demand since they hold nothing else."""

from __future__ import annotations

from worlds.engine import Instance, recipe


@recipe(embedded={"stripe": "empty"}, committed=False)
def empty(inst: Instance) -> None:
    """An account on its first day, ready to take money: no products, no customers, no payments yet."""


@recipe(embedded={"stripe": "small_startup"}, committed=False)
def small_startup(inst: Instance) -> None:
    """Larkspur's account: 41 customers, six products and three months of card payments, with the loose ends that the
    fixture of the `stripe` world names.
    """
