from django.db import migrations, models
from django.db.models import F, Value
from django.db.models.functions import Concat


def join_names(apps, schema_editor):
    apps.get_model("moved", "Person").objects.update(name=Concat(F("first_name"), Value(" "), F("last_name")))


class Migration(migrations.Migration):
    dependencies = [("moved", "0001_initial")]
    operations = [
        migrations.AlterModelTable("person", "people"),
        migrations.AddField("person", "name", models.TextField(default="")),
        migrations.RunPython(join_names, migrations.RunPython.noop),
        migrations.RemoveField("person", "first_name"),
        migrations.RemoveField("person", "last_name"),
        migrations.AlterField("person", "name", models.TextField(unique=True)),
        migrations.AddField("person", "settings", models.JSONField(default=dict)),
    ]
