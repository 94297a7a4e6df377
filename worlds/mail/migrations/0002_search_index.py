"""The full-text index, a copy of what can be searched, and the triggers that keep it."""

from django.db import migrations

from worlds.engine.searching import Document, SearchIndex


class Migration(migrations.Migration):
    dependencies = [("mail", "0001_initial")]

    operations = [
        SearchIndex(
            Document(
                "message",
                "messages",
                ("subject",),
                ("from_name", "from_address", "to_addresses", "cc_addresses", "body"),
            ),
        )
    ]
