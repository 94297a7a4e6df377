import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import worlds.engine.hosting


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Draft",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=worlds.engine.hosting.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("title", models.CharField(help_text="What you call it until it is frozen.", max_length=120)),
                ("world", models.CharField(editable=False, max_length=100)),
                ("parent", models.CharField(blank=True, editable=False, max_length=128)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("changed_at", models.DateTimeField(auto_now_add=True, verbose_name="last edited")),
                ("edits", models.PositiveIntegerField(default=0, editable=False)),
                ("frozen_as", models.CharField(blank=True, editable=False, max_length=128)),
                (
                    "owner",
                    models.ForeignKey(
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-changed_at"],
            },
        ),
    ]
