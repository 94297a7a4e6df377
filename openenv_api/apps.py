"""What is set up when Django loads the doors?"""

from __future__ import annotations

from django.apps import AppConfig
from django.db.models.signals import post_delete


class DoorsConfig(AppConfig):
    name = "openenv_api"
    verbose_name = "Access"

    def ready(self) -> None:
        from openenv_api import access, keys, recorded, recording
        from openenv_api.products import webhooks

        webhooks.begin()
        recording.begin()
        post_delete.connect(
            lambda instance, **_: recorded.forget_file(instance),
            sender="openenv_api.RecordedEpisode",
            weak=False,
            dispatch_uid="openenv_api.recorded",
        )
        if keys.kept not in access.READERS:
            access.READERS.append(keys.kept)
