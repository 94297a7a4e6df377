"""What does every stored resource have?"""

from __future__ import annotations

from typing import Any

from django.db import models


class Resource(models.Model):
    """A row of a resource: columns have the API's own names, those that begin with `x_` are never shown.

    `x_seq` is the order of creation, which lists go by; `x_account` the account it belongs to, "" for the platform.
    """

    id = models.CharField(max_length=255, primary_key=True)
    x_seq = models.BigIntegerField()
    x_account = models.CharField(max_length=40, default="", blank=True)
    created = models.DateTimeField()

    class Meta:
        abstract = True

    class Roles:
        bookkeeping = ("x_seq", "created")
        distinct = ("x_seq",)  # each is a number of ctx.seq()

    #: The object's name in the API.
    object_name = ""

    def __str__(self) -> str:
        return self.id


class WithMetadata(Resource):
    """A resource that carries the caller's own keys and values."""

    metadata = models.JSONField(default=dict)

    class Meta:
        abstract = True


class reference(models.ForeignKey[Any, Any]):  # noqa: N801 - used as a field, read as a word
    """A column that holds another resource's id, named as the API names it: `customer`, not `customer_id`.

    Nothing is looked up by those with `db_index=False`: an index costs each open account memory, and each write time.
    """

    def __init__(self, to: str, **options: Any) -> None:
        super().__init__(to, **{"on_delete": models.PROTECT, "null": True, "related_name": "+", **options})

    def get_attname_column(self) -> Any:
        attname, _ = super().get_attname_column()
        return attname, self.db_column or self.name
