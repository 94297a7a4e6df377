"""What may somebody of a role do with episodes that were recorded?

The roles are the console's, groups of these names; here each is given its permissions, which the admin goes by. API
keys and users are for superusers.
"""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission

SEES = ("view_recordedepisode",)
DISPOSES = (*SEES, "replay_recordedepisode", "delete_recordedepisode")
PERMISSIONS = {"viewer": SEES, "operator": DISPOSES, "curator": DISPOSES}


def give_permissions(sender: AppConfig, using: str, **_: Any) -> None:
    """Have the groups hold what belongs to their roles; what an operator gave them besides stays."""
    create_permissions(sender, verbosity=0, using=using)  # Django's own handler for it may come later
    for role, names in PERMISSIONS.items():
        group, _made = Group.objects.using(using).get_or_create(name=role)
        group.permissions.add(
            *Permission.objects.using(using).filter(content_type__app_label=sender.label, codename__in=names)
        )
