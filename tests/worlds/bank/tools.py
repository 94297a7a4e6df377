import time

from tests.worlds.bank.models import Account
from worlds.engine import Ctx, ToolError, tool


class Boom(ToolError):
    def __init__(self, why: str) -> None:
        super().__init__("boom", f"boom: {why}")


@tool
def deposit(ctx: Ctx, amount: int) -> int:
    """Put an amount into the account and answer the new balance."""
    account, _ = Account.objects.get_or_create(id="main")
    account.balance += amount
    account.save()
    return account.balance


@tool
def read_balance(ctx: Ctx) -> dict:
    """Answer the balance of the account."""
    account = Account.objects.filter(id="main").first()
    return {"balance": account.balance if account else 0}


@tool
def boom(ctx: Ctx, why: str = "") -> dict:
    """Refuse."""
    raise Boom(why)


@tool
def slow(ctx: Ctx, s: float) -> dict:
    """Take s seconds."""
    time.sleep(s)
    return {"slept": s}


@tool
def nothing(ctx: Ctx) -> None:
    """Do nothing."""


@tool
def spin(ctx: Ctx) -> None:
    """Never end."""
    while True:
        pass
