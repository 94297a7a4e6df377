"""Under which settings do the tests run? The server's own, with worlds made for testing and a directory apart."""

import os
from pathlib import Path

SHIPPED = "worlds.crm,worlds.helpdesk,worlds.mail,worlds.company,worlds.stripe"
OF_TESTS = "tests.worlds.bank,tests.worlds.lab,tests.worlds.moved"
os.environ["SEAHAVEN_WORLDS"] = os.environ.get("SEAHAVEN_TESTED_WORLDS", f"{SHIPPED},{OF_TESTS}")
os.environ["SEAHAVEN_VAR_DIR"] = str(Path(__file__).resolve().parent.parent / "var" / "test")

from seahaven_site.settings import *  # noqa: E402, F403
from seahaven_site.settings import LOGGING  # noqa: E402

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # quick, and guards nothing here
for _logger in LOGGING["loggers"].values():
    _logger["propagate"] = True  # to pytest's caplog
