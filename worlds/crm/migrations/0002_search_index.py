"""The full-text index, a copy of what can be searched, and the triggers that keep it."""

from django.db import migrations

from worlds.engine.searching import Document, SearchIndex


class Migration(migrations.Migration):
    dependencies = [("crm", "0001_initial")]

    operations = [
        SearchIndex(
            Document("lead", "leads", ("first_name", "last_name"), ("email", "title", "company_name", "phone")),
            Document("company", "companies", ("name",), ("domain", "industry", "city", "country")),
            Document("deal", "deals", ("name",), ("next_step",)),
            Document("activity", "activities", ("subject",), ("body",)),
            Document("note", "notes", (), ("body",)),
        )
    ]
