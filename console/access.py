"""Who may do what in the console?

A role is a Django group of its name, shared with the admin; a superuser is a curator. On a server that says so with
SEAHAVEN_OPEN_CONSOLE, whoever comes from the machine itself is one without logging in.
"""

from __future__ import annotations

from enum import IntEnum
from ipaddress import ip_address
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth.models import Group
from django.http import HttpRequest


class Role(IntEnum):
    """What somebody may do; each includes those before it."""

    NOBODY = 0
    VIEWER = 1  # see instances, fixtures and what agents did
    OPERATOR = 2  # open instances, call tools, rewind, fork, end
    CURATOR = 3  # draft and freeze fixtures

    @property
    def word(self) -> str:
        return self.name.lower()


ROLES = (Role.VIEWER, Role.OPERATOR, Role.CURATOR)


def role_of(user: Any) -> Role:
    """The role of a user of the control database. Asks it: not for an event loop."""
    if not user.is_authenticated or not user.is_active:
        return Role.NOBODY
    if user.is_superuser:
        return Role.CURATOR
    held = set(user.groups.values_list("name", flat=True))
    return max((role for role in ROLES if role.word in held), default=Role.NOBODY)


def is_open_to(address: str | None) -> bool:
    """May somebody from there use the console without logging in?"""
    if not settings.SEAHAVEN_OPEN_CONSOLE or address is None:
        return False
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def address_of(request: HttpRequest) -> str | None:
    """Where a request comes from; of one that a proxy passed on nobody knows, so it is from nowhere."""
    if request.META.get("HTTP_X_FORWARDED_FOR") or request.META.get("HTTP_FORWARDED"):
        return None
    return request.META.get("REMOTE_ADDR")


async def role_in(request: HttpRequest) -> Role:
    """The role of whoever asks; `request.user` is known from here on without asking the control database."""
    request.user = user = await request.auser()
    if not user.is_authenticated:
        return Role.CURATOR if is_open_to(address_of(request)) else Role.NOBODY
    return await sync_to_async(role_of)(user)


def make_groups(**_: object) -> None:
    """Have a group for every role."""
    for role in ROLES:
        Group.objects.get_or_create(name=role.word)
