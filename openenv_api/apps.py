"""What is set up when Django loads the doors?"""

from __future__ import annotations

from django.apps import AppConfig


class DoorsConfig(AppConfig):
    name = "openenv_api"
    verbose_name = "Access"

    def ready(self) -> None:
        from openenv_api import access, keys
        from openenv_api.products import webhooks

        webhooks.begin()
        if keys.kept not in access.READERS:
            access.READERS.append(keys.kept)
