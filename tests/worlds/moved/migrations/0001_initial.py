import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.CreateModel(
            name="Person",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("first_name", models.TextField()),
                ("last_name", models.TextField()),
                ("born_on", models.DateField(null=True)),
            ],
            options={"db_table": "persons"},
        ),
        migrations.CreateModel(
            name="Visit",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("person", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="moved.person")),
                ("at", models.DateTimeField()),
            ],
            options={"db_table": "visits"},
        ),
    ]
