"""The full-text index, a copy of what can be searched, and the triggers that keep it."""

from django.db import migrations

from worlds.engine.searching import Document, SearchIndex


class Migration(migrations.Migration):
    dependencies = [("helpdesk", "0001_initial")]

    operations = [
        SearchIndex(
            Document("ticket", "tickets", ("subject",), ()),
            Document("message", "messages", (), ("body",)),
            Document("customer", "customers", ("name",), ("email", "company_name", "phone", "about")),
            Document("macro", "macros", ("title",), ("text",)),
        )
    ]
