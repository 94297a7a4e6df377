"""Can an operator make and revoke keys in the browser, and give people their roles?"""

import re
import time

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission, User
from django.test import override_settings

from openenv_api import access, keys
from openenv_api.access import Scope, hash_of
from openenv_api.keys import kept
from openenv_api.models import ApiKey
from openenv_api.roles import PERMISSIONS, give_permissions

pytestmark = pytest.mark.django_db
LIST = "/admin/openenv_api/apikey/"
ADD = f"{LIST}add/"


@pytest.fixture
def browser(admin_client):
    with override_settings(ALLOWED_HOSTS=["testserver"]):
        yield admin_client


@pytest.fixture(autouse=True)
def _open_database(monkeypatch):
    from django.db import connection

    monkeypatch.setattr(connection, "close", lambda: None)  # a test's is closed by the test


def test_a_key_is_shown_once_and_kept_as_a_hash(browser):
    answer = browser.post(ADD, {"name": "grader", "scope": "evaluator"})
    page = answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    (key,) = re.findall(r"seahaven_evaluator_[\w-]{43}", page)
    record = ApiKey.objects.get(name="grader")
    assert (record.hash, key.startswith(record.start)) == (hash_of(key), True)
    assert kept() == {hash_of(key): Scope.EVALUATOR}
    assert key not in browser.get(f"/admin/openenv_api/apikey/{record.pk}/change/").content.decode()
    assert key not in browser.get(LIST).content.decode()
    assert record.made_by == "admin"


def test_a_second_key_of_a_name_is_refused_in_the_form(browser):
    browser.post(ADD, {"name": "grader", "scope": "agent"})
    again = browser.post(ADD, {"name": "grader", "scope": "admin"})
    assert again.status_code == 200
    assert "There is a key &#x27;grader&#x27; already" in again.content.decode()
    assert ApiKey.objects.count() == 1


def test_a_revoked_key_is_good_for_nothing_and_its_name_is_free(browser):
    browser.post(ADD, {"name": "grader", "scope": "agent"})
    record = ApiKey.objects.get()
    browser.post(LIST, {"action": "revoke", "_selected_action": [record.pk]})
    assert kept() == {}
    record.refresh_from_db()
    assert record.revoked_at is not None
    browser.post(ADD, {"name": "grader", "scope": "agent"})
    assert len(kept()) == 1


def test_the_scope_of_a_key_does_not_change(browser):
    browser.post(ADD, {"name": "grader", "scope": "agent"})
    record = ApiKey.objects.get()
    browser.post(f"/admin/openenv_api/apikey/{record.pk}/change/", {"name": "reader", "scope": "admin"})
    record.refresh_from_db()
    assert (record.name, record.scope) == ("reader", "agent")


def test_a_key_is_revoked_on_its_page_once_that_is_confirmed(browser):
    browser.post(ADD, {"name": "grader", "scope": "agent"})
    record = ApiKey.objects.get()
    at = f"{LIST}{record.pk}/"
    assert f"{at}revoke/" in browser.get(f"{at}change/").content.decode()
    asked = browser.get(f"{at}revoke/").content.decode()
    assert "was never used" in asked
    assert kept() != {}, "to be asked changes nothing"
    answer = browser.post(f"{at}revoke/", follow=True).content.decode()
    assert "The key grader is good for nothing from now on." in answer
    assert kept() == {}
    assert f"{at}revoke/" not in browser.get(f"{at}change/").content.decode()
    assert "Revoked." in browser.get(f"{at}history/").content.decode()


def test_only_a_revoked_key_is_deleted(browser):
    for name in ("old", "new"):
        browser.post(ADD, {"name": name, "scope": "agent"})
    old, new = ApiKey.objects.order_by("id")
    browser.post(LIST, {"action": "revoke", "_selected_action": [old.pk]})
    assert browser.post(f"{LIST}{new.pk}/delete/", {"post": "yes"}).status_code == 403
    both = {"_selected_action": [old.pk, new.pk], "post": "yes"}
    browser.post(LIST, {"action": "delete_selected", **both})
    assert ApiKey.objects.count() == 2, "there is no such action"
    answer = browser.post(LIST, {"action": "delete_revoked", **both}, follow=True).content.decode()
    assert "1 deleted. 1 still in use" in answer
    assert list(ApiKey.objects.values_list("name", flat=True)) == ["new"]


def test_keys_are_filtered_by_whether_they_are_good(browser):
    for name in ("old", "new"):
        browser.post(ADD, {"name": name, "scope": "agent"})
    browser.post(LIST, {"action": "revoke", "_selected_action": [ApiKey.objects.get(name="old").pk]})
    good, revoked = (browser.get(LIST, {"state": state}).content.decode() for state in ("good", "revoked"))
    assert (">new</a>" in good, ">old</a>" in good) == (True, False)
    assert (">new</a>" in revoked, ">old</a>" in revoked) == (False, True)


def test_a_key_that_is_shown_is_noted_as_used_once_in_a_while(db):
    key = keys.create("trainer", "agent")
    noted: list[set[str]] = []
    known = access.Keys()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(access, "USES", [noted.append])
        patch.setattr(access, "USES_NOTED_AFTER_S", 0.05)
        patch.setattr(access, "READERS", [kept])
        patch.setattr(known, "_read_first", known._read)
        for _ in range(5):
            assert known.scope_of(key) is Scope.AGENT
        assert known.scope_of("seahaven_agent_none_of_ours") is None
        time.sleep(0.3)
    assert noted == [{hash_of(key)}]
    keys.note_uses(noted[0])
    assert ApiKey.objects.get().used_at is not None


def test_a_role_is_given_to_somebody_on_their_page(browser):
    somebody = User.objects.create_user("ada", password="sea")
    at = f"/admin/auth/user/{somebody.pk}/change/"
    page = browser.get(at).content.decode()
    assert all(f">{role}</option>" in page for role in PERMISSIONS)
    operator = Group.objects.get(name="operator")
    browser.post(at, {
        "username": "ada", "is_active": "on", "is_staff": "on", "groups": [operator.pk],
        "date_joined_0": "2026-06-01", "date_joined_1": "09:00:00",
    })  # fmt: skip
    somebody.refresh_from_db()
    assert somebody.has_perm("openenv_api.replay_recordedepisode")
    assert not User.objects.get(pk=somebody.pk).has_perm("auth.view_user")
    assert "operator" in browser.get("/admin/auth/user/").content.decode()


def test_roles_keep_what_an_operator_gave_them_besides():
    viewer = Group.objects.get(name="viewer")
    besides = Permission.objects.get(codename="view_user", content_type__app_label="auth")
    viewer.permissions.add(besides)
    give_permissions(apps.get_app_config("openenv_api"), "default")
    names = set(viewer.permissions.values_list("codename", flat=True))
    assert {"view_user", "view_recordedepisode"} <= names
    assert "delete_recordedepisode" not in names
