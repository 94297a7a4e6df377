"""What is stored of files?"""

from __future__ import annotations

from django.db import models

from worlds.stripe.models.base import Resource, WithMetadata, reference


class File(Resource):
    """An uploaded file, without its bytes."""

    expires_at = models.DateTimeField(null=True)
    filename = models.TextField(null=True)  # noqa: DJ001 - null and "" differ on the wire
    purpose = models.CharField(max_length=40)
    size = models.IntegerField()
    title = models.TextField(null=True)  # noqa: DJ001
    type = models.CharField(max_length=20, null=True)  # noqa: DJ001

    object_name = "file"

    class Meta:
        db_table = "files"
        indexes = [models.Index(fields=["purpose", "x_seq"], name="files_purpose")]


class FileContent(models.Model):
    """The bytes of the file of the same id, apart from it: no diff shows them."""

    id = models.CharField(max_length=255, primary_key=True)
    data = models.BinaryField()

    class Meta:
        db_table = "file_contents"

    def __str__(self) -> str:
        return self.id


class FileLink(WithMetadata):
    """An address at which anybody may read a file, until it expires."""

    expired = models.BooleanField(default=False)
    expires_at = models.DateTimeField(null=True)
    file = reference("stripe.File", null=False, db_index=False)
    x_token = models.CharField(max_length=60, unique=True)

    object_name = "file_link"

    class Meta:
        db_table = "file_links"
        indexes = [models.Index(fields=["file", "x_seq"], name="file_links_file")]
