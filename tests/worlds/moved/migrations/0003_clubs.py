import django.db.models.deletion
from django.db import migrations, models


def welcome(apps, schema_editor):
    apps.get_model("moved", "Greeting").objects.create(id="welcome")


class Migration(migrations.Migration):
    dependencies = [("moved", "0002_one_name")]
    operations = [
        migrations.AddField("visit", "remark", models.TextField(default="")),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "club", "person", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("club", models.TextField()),
                ("is_paid", models.BooleanField(default=False)),
                ("person", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="moved.person")),
            ],
            options={"db_table": "memberships"},
        ),
        migrations.CreateModel(
            name="Greeting",
            fields=[("id", models.TextField(primary_key=True, serialize=False))],
            options={"db_table": "greetings"},
        ),
        migrations.RunPython(welcome, migrations.RunPython.noop),
    ]
