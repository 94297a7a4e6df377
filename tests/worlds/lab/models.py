from django.db import models
from django.db.models.functions import Lower, Now, Random
from django.utils import timezone


class Box(models.Model):
    id = models.TextField(primary_key=True)
    name = models.TextField(unique=True)
    price = models.DecimalField(max_digits=10, decimal_places=2, default="0.00")
    is_open = models.BooleanField(default=True)
    facts = models.JSONField(default=dict)
    made_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(auto_now=True)
    db_made_at = models.DateTimeField(db_default=Now())
    luck = models.FloatField(db_default=Random())

    class Meta:
        db_table = "boxes"

    class Roles:
        bookkeeping = ("made_at", "changed_at", "db_made_at", "luck")

    def __str__(self) -> str:
        return self.name


class Item(models.Model):
    id = models.BigAutoField(primary_key=True)
    box = models.ForeignKey(Box, on_delete=models.CASCADE, related_name="items")
    label = models.TextField()
    weight = models.IntegerField(null=True)
    blob = models.BinaryField(default=b"")

    class Meta:
        db_table = "items"

    def __str__(self) -> str:
        return self.label


class Tag(models.Model):
    code = models.TextField(primary_key=True)
    boxes = models.ManyToManyField(Box, related_name="tags")

    class Meta:
        db_table = "tags"

    class Roles:
        natural_key = True

    def __str__(self) -> str:
        return self.code


class CentsField(models.Field):
    """Money as whole cents, which Python sees as text; the type it declares is none of STRICT's."""

    def db_type(self, connection):
        return "bigint(20) unsigned"

    def from_db_value(self, value, expression, connection):
        return None if value is None else f"{value // 100}.{value % 100:02}"

    def get_prep_value(self, value):
        return None if value is None else int(value.replace(".", ""))


class Sample(models.Model):
    """A column of every kind, with generated ones between them."""

    id = models.UUIDField(primary_key=True)
    at = models.DateTimeField(null=True)
    day = models.DateField(null=True)
    hour = models.TimeField(null=True)
    took = models.DurationField(null=True)
    amount = models.DecimalField(max_digits=12, decimal_places=3, null=True)
    code = models.CharField(max_length=10, default="")
    shout = models.GeneratedField(
        expression=Lower("code"), output_field=models.CharField(max_length=10), db_persist=False
    )
    count = models.BigIntegerField(null=True)
    double = models.GeneratedField(
        expression=models.F("count") * 2, output_field=models.BigIntegerField(), db_persist=True
    )
    few = models.PositiveSmallIntegerField(null=True)
    share = models.FloatField(null=True)
    is_ok = models.BooleanField(null=True)
    facts = models.JSONField(null=True)
    blob = models.BinaryField(null=True)
    ref = models.UUIDField(null=True)
    ip = models.GenericIPAddressField(null=True)
    slug = models.SlugField(default="")
    cents = CentsField(null=True)
    added_on = models.DateField(auto_now_add=True)
    touched_at = models.TimeField(auto_now=True)

    class Meta:
        db_table = "samples"

    class Roles:
        bookkeeping = ("added_on", "touched_at")

    def __str__(self) -> str:
        return str(self.id)


class Shelf(models.Model):
    """A row known by two columns."""

    pk = models.CompositePrimaryKey("room", "number")
    number = models.IntegerField()
    room = models.TextField()
    holds = models.ForeignKey(Box, null=True, on_delete=models.SET_NULL)
    note = models.TextField(default="")

    class Meta:
        db_table = "shelves"

    def __str__(self) -> str:
        return f"{self.room} {self.number}"


class Crate(Box):
    """A box with something more, in a table that continues the boxes'."""

    wood = models.TextField()

    class Meta:
        db_table = "crates"
