"""Does a project keep what it says itself when Seahaven is added to its settings?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.engine.fresh_project import Project

_ASKED = """
import json, os
from django.conf import settings
print(json.dumps({
    "apps": settings.INSTALLED_APPS, "urls": settings.ROOT_URLCONF, "engines": {
        name: each["ENGINE"] for name, each in settings.DATABASES.items()
    },
    "database": str(settings.DATABASES["default"]["NAME"]), "fixtures": str(settings.SEAHAVEN_FIXTURES_DIR),
    "middleware": settings.MIDDLEWARE, "worlds": settings.WORLDS, "timeout": settings.SEAHAVEN_CALL_TIMEOUT_S,
    "left": sorted(name for name in os.environ if name.startswith("SEAHAVEN_")),
}))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("joined"))


def test_what_a_project_says_itself_stays_and_what_is_missing_is_added(project: Project) -> None:
    project.install("worlds.crm")
    project.environment |= {"DJANGO_SETTINGS_MODULE": "mysite.settings", "SEAHAVEN_CALL_TIMEOUT_S": "7"}
    said = json.loads(project.run("-c", _ASKED))

    assert said["urls"] == "mysite.urls"
    assert Path(said["database"]) == project.root / "db.sqlite3"
    assert said["engines"] == {"default": "django.db.backends.sqlite3", "world": "worlds.engine.db"}
    assert Path(said["fixtures"]) == project.root / "fixtures"
    assert said["apps"][0] == "openenv_api"  # its runserver speaks WebSocket
    assert len(said["apps"]) == len(set(said["apps"]))
    assert {"worlds.engine", "worlds.crm", "django.contrib.admin"} <= set(said["apps"])
    assert said["middleware"][0] == "django.middleware.security.SecurityMiddleware"
    assert (said["worlds"], said["timeout"]) == (["worlds.crm"], 7)
    # A list that is edited must reach the processes that are started from here.
    assert said["left"] == ["SEAHAVEN_CALL_TIMEOUT_S"]
