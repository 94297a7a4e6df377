"""How does Django know the console?"""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class ConsoleConfig(AppConfig):
    """The console, and the roles of those who use it."""

    name = "console"
    verbose_name = "Console"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from console.access import make_groups

        post_migrate.connect(make_groups, sender=self, dispatch_uid="console.roles")
