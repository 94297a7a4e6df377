"""What is set up when Django loads the doors?"""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_delete, post_migrate


class DoorsConfig(AppConfig):
    name = "openenv_api"
    verbose_name = "Access and episodes"

    def ready(self) -> None:
        from openenv_api import access, keys, recorded, recording, roles
        from openenv_api.products import webhooks

        webhooks.begin()
        recording.begin()
        post_delete.connect(
            lambda instance, **_: recorded.forget_file(instance),
            sender="openenv_api.RecordedEpisode",
            weak=False,
            dispatch_uid="openenv_api.recorded",
        )
        post_migrate.connect(roles.give_permissions, sender=self, dispatch_uid="openenv_api.roles")
        if keys.kept not in access.READERS:
            access.READERS.append(keys.kept)
            access.USES.append(keys.note_uses)
