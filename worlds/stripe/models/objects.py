"""What is stored of resources that have no table of their own?"""

from __future__ import annotations

from django.db import models

from worlds.stripe.models.base import Resource


class StoredObject(Resource):
    """An object of any published shape: `data` is what the API shows of it, embedded objects as their ids.

    `parent` is the id of what it belongs to where its path says so: the account of a person, the fee of a refund.
    """

    object = models.CharField(max_length=80)
    parent = models.CharField(max_length=255, null=True)  # noqa: DJ001 - most belong to nothing
    deleted = models.BooleanField(default=False)
    data = models.JSONField(default=dict)

    class Meta:
        db_table = "objects"
        indexes = [
            models.Index(fields=["object", "x_seq"], name="objects_object"),
            models.Index(fields=["parent", "object", "x_seq"], name="objects_parent"),
        ]

    @property
    def object_name(self) -> str:  # type: ignore[override]
        """The name of the object it is."""
        return self.object
