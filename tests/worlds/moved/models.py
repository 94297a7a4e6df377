from django.db import models


class Person(models.Model):
    id = models.TextField(primary_key=True)
    name = models.TextField(unique=True)
    born_on = models.DateField(null=True)
    settings = models.JSONField(default=dict)

    class Meta:
        db_table = "people"

    def __str__(self) -> str:
        return self.name


class Visit(models.Model):
    id = models.BigAutoField(primary_key=True)
    person = models.ForeignKey(Person, on_delete=models.CASCADE)
    remark = models.TextField(default="")
    at = models.DateTimeField()

    class Meta:
        db_table = "visits"

    def __str__(self) -> str:
        return f"visit {self.id}"


class Membership(models.Model):
    pk = models.CompositePrimaryKey("club", "person")
    club = models.TextField()
    person = models.ForeignKey(Person, on_delete=models.CASCADE)
    is_paid = models.BooleanField(default=False)

    class Meta:
        db_table = "memberships"

    def __str__(self) -> str:
        return f"a member of {self.club}"


class Greeting(models.Model):
    """One is written by a migration, another by the startup hook of every instance."""

    id = models.TextField(primary_key=True)

    class Meta:
        db_table = "greetings"

    def __str__(self) -> str:
        return self.id
