"""Can an operator make and revoke keys in the browser?"""

import re

import pytest
from django.test import override_settings

from openenv_api.access import Scope, hash_of
from openenv_api.keys import kept
from openenv_api.models import ApiKey

pytestmark = pytest.mark.django_db
ADD = "/admin/openenv_api/apikey/add/"


@pytest.fixture
def browser(admin_client):
    with override_settings(ALLOWED_HOSTS=["testserver"]):
        yield admin_client


@pytest.fixture(autouse=True)
def _open_database(monkeypatch):
    from django.db import connection

    monkeypatch.setattr(connection, "close", lambda: None)  # a test's is closed by the test


def test_a_key_is_shown_once_and_kept_as_a_hash(browser):
    page = browser.post(ADD, {"name": "grader", "scope": "evaluator"}, follow=True).content.decode()
    (key,) = re.findall(r"seahaven_evaluator_[\w-]{43}", page)
    record = ApiKey.objects.get(name="grader")
    assert (record.hash, key.startswith(record.start)) == (hash_of(key), True)
    assert kept() == {hash_of(key): Scope.EVALUATOR}
    assert key not in browser.get(f"/admin/openenv_api/apikey/{record.pk}/change/").content.decode()
    assert key not in browser.get("/admin/openenv_api/apikey/").content.decode()


def test_a_second_key_of_a_name_is_refused_in_the_form(browser):
    browser.post(ADD, {"name": "grader", "scope": "agent"})
    again = browser.post(ADD, {"name": "grader", "scope": "admin"})
    assert again.status_code == 200
    assert "There is a key &#x27;grader&#x27; already" in again.content.decode()
    assert ApiKey.objects.count() == 1


def test_a_revoked_key_is_good_for_nothing_and_its_name_is_free(browser):
    browser.post(ADD, {"name": "grader", "scope": "agent"})
    record = ApiKey.objects.get()
    browser.post("/admin/openenv_api/apikey/", {"action": "revoke", "_selected_action": [record.pk]})
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
