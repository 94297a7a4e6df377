"""Are keys made, kept and revoked as an operator would expect?"""

import os
import subprocess
import sys
import time

import pytest

from openenv_api.access import hash_of
from tests.openenv.servers import ROOT, Server
from tests.rest.api import Api


@pytest.fixture(scope="module")
def var_dir(tmp_path_factory):
    """A control database of its own, migrated."""
    folder = tmp_path_factory.mktemp("var")
    assert manage(folder, "migrate", "--verbosity", "0").returncode == 0
    return folder


def manage(var_dir, *arguments, **variables):
    environment = {**os.environ, "SEAHAVEN_WORLDS": "tests.worlds.bank", "SEAHAVEN_VAR_DIR": str(var_dir), **variables}
    environment["DJANGO_SETTINGS_MODULE"] = "seahaven_site.settings"
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_a_key_is_shown_once_kept_as_a_hash_and_revoked(var_dir):
    made = manage(var_dir, "seahaven_key", "create", "grader", "--scope", "evaluator")
    key = made.stdout.strip()
    assert key.startswith("seahaven_evaluator_")
    assert "not shown again" in made.stderr
    listed = manage(var_dir, "seahaven_key", "list").stdout
    assert ("grader\tevaluator" in listed, key in listed, key[:20] in listed) == (True, False, True)
    stored = (var_dir / "control.sqlite3").read_bytes()
    assert key.encode() not in stored
    assert hash_of(key).encode() in stored
    again = manage(var_dir, "seahaven_key", "create", "grader")
    assert again.returncode == 1
    assert "There is a key 'grader' already" in again.stderr
    with Server(worlds="tests.worlds.bank", var_dir=var_dir) as server:
        api = Api(server, key)
        assert Api(server).get("/worlds").status == 401
        assert api.opened().get("/state").status == 200
        with server.socket(f"/t/{key}/ws") as socket:
            assert socket.reset()["type"] == "observation"
        # A server that runs notices what another process did.
        other = manage(var_dir, "seahaven_key", "create", "agent").stdout.strip()
        assert becomes(lambda: Api(server, other).get("/worlds").status, 200)
        assert manage(var_dir, "seahaven_key", "revoke", "grader").returncode == 0
        assert becomes(lambda: api.get("/worlds").status, 401)
        assert manage(var_dir, "seahaven_key", "revoke", "agent").returncode == 0
        assert becomes(lambda: Api(server).get("/worlds").status, 200)
    assert "revoked" in manage(var_dir, "seahaven_key", "list").stdout
    assert manage(var_dir, "seahaven_key", "create", "grader").returncode == 0  # the name is free again
    missing = manage(var_dir, "seahaven_key", "revoke", "nobody")
    assert (missing.returncode, "there are: grader" in missing.stderr) == (1, True)
    assert manage(var_dir, "seahaven_key", "revoke", "grader").returncode == 0


def becomes(look, wanted, within_s=10):
    until = time.monotonic() + within_s
    while look() != wanted:
        if time.monotonic() > until:
            return False
        time.sleep(0.2)
    return True


def test_a_database_that_was_never_migrated_has_no_keys_and_says_how_to_migrate(tmp_path):
    done = manage(tmp_path, "seahaven_key", "create", "x")
    assert done.returncode == 1
    assert "run `manage.py migrate` first" in done.stderr
    with Server(worlds="tests.worlds.bank", var_dir=tmp_path) as server:
        assert Api(server).get("/worlds").status == 200


def test_a_server_that_others_reach_refuses_to_start_without_keys(var_dir):
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        done = manage(var_dir, "seahaven_serve", "--port", "0", "--host", host)
        assert done.returncode == 1
        for way_out in ("seahaven_key create", "SEAHAVEN_API_KEYS", "--insecure"):
            assert way_out in done.stderr
        assert "Traceback" not in done.stderr
    with Server("--host", "0.0.0.0", worlds="tests.worlds.bank", api_keys="admin:0123456789abcdef") as server:
        assert Api(server).get("/worlds").status == 401
    with Server("--host", "0.0.0.0", "--insecure", worlds="tests.worlds.bank") as server:
        assert Api(server).get("/worlds").status == 200


@pytest.mark.parametrize(
    ("keys", "hint"),
    [
        ("evaluator:short", "16 characters or more"),
        ("0123456789abcdef", "scope:key"),
        ("boss:0123456789abcdef", "the scopes are agent, evaluator, admin"),
    ],
)
def test_keys_in_the_settings_that_are_none_stop_the_start(var_dir, keys, hint):
    done = manage(var_dir, "seahaven_serve", "--port", "0", SEAHAVEN_API_KEYS=keys)
    assert done.returncode == 1
    assert hint in done.stderr
    assert "Traceback" not in done.stderr


def test_a_key_may_be_given_to_the_server_as_its_hash():
    key = "a-key-that-only-its-client-knows"
    with Server(worlds="tests.worlds.bank", api_keys=f"agent:sha256${hash_of(key)}") as server:
        assert Api(server, key).get("/worlds").status == 200
        assert Api(server, f"sha256${hash_of(key)}").get("/worlds").status == 401
        assert Api(server, hash_of(key)).get("/worlds").status == 401
