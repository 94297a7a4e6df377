from django.db import models


class Account(models.Model):
    id = models.TextField(primary_key=True)
    balance = models.IntegerField(default=0)

    class Meta:
        db_table = "accounts"

    def __str__(self) -> str:
        return self.id
