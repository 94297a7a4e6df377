"""How does Seahaven move into a Django project that is there already?

At the end of its settings:

    from seahaven_site.joining import add_seahaven
    add_seahaven(globals(), worlds=[])

To serve, also at the end of its URL configuration:

    urlpatterns = [path("", include("seahaven_site.doors")), *urlpatterns]
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

#: Taken as they are, unless the project says something of its own.
_DEFAULTS = (
    "DATA_UPLOAD_MAX_MEMORY_SIZE",
    "LOGGING",
    "LOGIN_REDIRECT_URL",
    "LOGIN_URL",
    "MESSAGE_STORAGE",
    "REST_FRAMEWORK",
    "SPECTACULAR_SETTINGS",
    "STATIC_URL",
)


def add_seahaven(settings: dict[str, Any], *, worlds: Iterable[str]) -> None:
    """Add what Seahaven needs to a project's settings, given as `globals()`; `worlds` are dotted names of apps.

    Fixtures are kept under BASE_DIR / "fixtures", what is made while running under BASE_DIR / "var"; the environment
    variables of docs/settings.md apply. What the project has set itself stays: its databases, apps and middleware.
    """
    base = Path(settings.get("BASE_DIR", Path.cwd()))
    ours = _our_settings(
        SEAHAVEN_FIXTURES_DIR=str(base / "fixtures"),
        SEAHAVEN_VAR_DIR=str(base / "var"),
        # Nothing at all would mean the worlds that ship.
        SEAHAVEN_WORLDS=",".join(worlds) or ",",
    )
    settings.update({name: value for name, value in ours.items() if name == "WORLDS" or name.startswith("SEAHAVEN_")})
    for name in _DEFAULTS:
        settings.setdefault(name, ours[name])
    settings["INSTALLED_APPS"] = _united(ours["INSTALLED_APPS"], settings.get("INSTALLED_APPS", ()))
    settings["MIDDLEWARE"] = _united(settings.get("MIDDLEWARE", ()), ours["MIDDLEWARE"])
    settings.setdefault("TEMPLATES", ours["TEMPLATES"])
    settings["DATABASES"] = {"default": ours["DATABASES"]["default"], **settings.get("DATABASES", {})}
    settings["DATABASES"]["world"] = ours["DATABASES"]["world"]
    settings["DATABASE_ROUTERS"] = _united(ours["DATABASE_ROUTERS"], settings.get("DATABASE_ROUTERS", ()))
    settings["SILENCED_SYSTEM_CHECKS"] = _united(
        settings.get("SILENCED_SYSTEM_CHECKS", ()), ours["SILENCED_SYSTEM_CHECKS"]
    )
    settings["ALLOWED_HOSTS"] = settings.get("ALLOWED_HOSTS") or ours["ALLOWED_HOSTS"]
    settings["ASGI_APPLICATION"] = ours["ASGI_APPLICATION"]
    settings["APPEND_SLASH"] = False  # OpenEnv's clients follow no redirects
    settings["USE_TZ"] = True


def _our_settings(**defaults: str) -> dict[str, Any]:
    """The settings of Seahaven's own site, with other defaults for variables that the environment does not have."""
    missing = {name: value for name, value in defaults.items() if not os.environ.get(name)}
    os.environ.update(missing)
    sys.modules.pop("seahaven_site.settings", None)
    try:
        return vars(import_module("seahaven_site.settings"))
    finally:
        for name in missing:  # a process that this one starts reads the project's settings again
            del os.environ[name]


def _united(first: Iterable[str], then: Iterable[str]) -> list[str]:
    """Both lists, each word once, those of the first where they stand."""
    return list(dict.fromkeys([*first, *then]))
