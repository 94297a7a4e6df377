from django.db import models
from django.db.models.functions import Now, Random
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
