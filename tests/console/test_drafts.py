"""Can a curator make a fixture by hand, lose nothing, and disturb nobody?"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.admin.utils import unquote
from django.contrib.auth.models import Group, User
from django.test import Client

from console.access import make_groups
from console.drafting import journal as journals
from console.drafting.drafts import DRAFTS
from console.drafting.site import draft_site
from console.models import Draft
from tests.console.conftest import Trouble, picture
from tests.openenv.servers import ROOT, Server, result
from worlds.engine import installed

# A curator's requests, in this process.


class Curator:
    """Somebody at the admin."""

    def __init__(self, name: str, **about: Any) -> None:
        self.user = User.objects.create_user(name, password="sea", **about)
        self.client = Client(headers={"host": "localhost"})
        self.client.force_login(self.user)

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(path, query, follow=True)

    def post(self, path: str, **data: Any) -> Any:
        return self.client.post(path, data, follow=True)

    def begin(self, start: str = "crm/small_startup", now: str = "") -> Draft:
        known = set(Draft.objects.values_list("pk", flat=True))
        answer = self.post("/admin/console/draft/add/", title=f"From {start}", start=start, now=now)
        assert answer.status_code == 200, answer.content
        return Draft.objects.exclude(pk__in=known).get()

    def rows(self, draft: Draft, path: str = "", node: str = "main", **query: Any) -> Any:
        return self.get(f"/admin/drafts/{draft.pk}/{node}/{path}", **query)

    def page(self, draft: Draft, name: str) -> str:
        return str(self.get(f"/admin/console/draft/{draft.pk}/change/{name}/").content.decode())

    def add_tag(self, draft: Draft, name: str, node: str = "main") -> Any:
        where = f"/admin/drafts/{draft.pk}/{node}/crm/tag/add/"
        return self.post(where, id="", name=name, created_at="2026-05-01T08:00:00.123Z")


@pytest.fixture(scope="module")
def var_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where drafts are; images are those that all tests share."""
    folder, images = tmp_path_factory.mktemp("var"), Path(django_settings.SEAHAVEN_VAR_DIR) / "images"
    images.mkdir(parents=True, exist_ok=True)
    (folder / "images").symlink_to(images)
    return folder


@pytest.fixture
def places(settings: Any, tmp_path: Path, var_folder: Path) -> Path:
    """Fixtures of the test's own."""
    for world in ("crm", "company"):
        shutil.copytree(Path(settings.SEAHAVEN_FIXTURES_DIR) / world, tmp_path / "fixtures" / world)
    settings.SEAHAVEN_FIXTURES_DIR = tmp_path / "fixtures"
    settings.SEAHAVEN_VAR_DIR = var_folder
    return tmp_path


@pytest.fixture
def cu(db: None, places: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Curator]:
    """A curator who is staff."""
    from django.db import connection

    monkeypatch.setattr(connection, "close", lambda: None)  # a test's is closed by the test
    make_groups()
    yield curator("cu")
    forget()


def curator(name: str) -> Curator:
    somebody = Curator(name, is_staff=True)
    somebody.user.groups.add(Group.objects.get(name="curator"))
    return somebody


def forget() -> None:
    """What a restart of the server does to open drafts."""
    for opened in list(DRAFTS._open.values()):
        opened.close()
    DRAFTS._open.clear()


def names(draft: Draft) -> set[str]:
    rows = DRAFTS.get(draft.pk).instance().inspect().rows("SELECT name FROM tags")
    return {row["name"] for row in rows}


def test_every_model_of_every_world_has_a_list_and_a_form() -> None:
    site = draft_site()
    shown = {model._meta.label for model in site._registry}
    assert {"crm.Lead", "mail.Message", "stripe.Customer", "helpdesk.Ticket", "company.Employee", "lab.Box"} <= shown
    assert [error for each in site._registry.values() for error in each.check()] == []
    from django.contrib import admin

    assert not {model._meta.app_label for model in admin.site._registry} & {"crm", "mail", "stripe", "helpdesk"}


def test_only_curators_who_are_staff_enter_and_each_sees_only_their_own(cu: Curator) -> None:
    draft = cu.begin()
    assert "small_startup" in cu.rows(draft).content.decode()
    for somebody in (Curator("staff", is_staff=True), Curator("visitor")):
        assert "crm/lead" not in somebody.rows(draft).content.decode()
        assert "Preview" not in somebody.page(draft, "preview")
    other = curator("other")
    assert other.rows(draft).status_code == 404
    assert other.get(f"/admin/console/draft/{draft.pk}/change/preview/").status_code == 404
    assert draft.title not in other.get("/admin/console/draft/").content.decode()
    root = Curator("root", is_staff=True, is_superuser=True)
    assert root.rows(draft).status_code == 200
    stranger = Client(headers={"host": "localhost"})
    assert "/admin/login/" in stranger.get(f"/admin/drafts/{draft.pk}/main/")["Location"]


def test_two_drafts_at_once_never_mix(cu: Curator) -> None:
    other = curator("other")
    mine, theirs = cu.begin(), other.begin()
    cu.add_tag(mine, "mine")
    other.add_tag(theirs, "theirs")
    cu.add_tag(mine, "mine too")
    assert {"mine", "mine too"} <= names(mine)
    assert not {"theirs"} & names(mine)
    assert names(theirs) & {"mine", "mine too", "theirs"} == {"theirs"}


def test_what_is_not_touched_stays_to_the_byte(cu: Curator) -> None:
    draft = cu.begin()
    instance = DRAFTS.get(draft.pk).instance()
    with instance.bulk():
        from worlds.crm.models import Note

        note = Note.objects.first()
        assert note is not None
        Note.objects.filter(pk=note.pk).update(body="  first\nsecond\n", created_at="2026-05-01T08:00:00.123Z")
        key = note.pk
    form = cu.rows(draft, f"crm/note/{key.replace('_', '_5F')}/change/")
    initial = form.context["adminform"].form.initial
    data = {name: "" if value is None else value for name, value in initial.items()}
    data |= {"body": "  first\r\nsecond\r\n", "created_at": "2026-05-01T08:00:00.123Z"}
    cu.post(form.request["PATH_INFO"], **data)
    assert DRAFTS.get(draft.pk).edits == []


def test_a_new_row_gets_an_id_like_the_others_and_the_drafts_time(cu: Curator) -> None:
    draft = cu.begin()
    where = f"/admin/drafts/{draft.pk}/main/crm/tag/add/"
    assert cu.post(where, id="", name="vip", created_at="").status_code == 200
    (edit,) = DRAFTS.get(draft.pk).edits
    row = edit.records[0]["after"]
    assert re.fullmatch(r"tag_[0-9A-Za-z]{14}", row["id"])
    assert row["created_at"] == DRAFTS.get(draft.pk).instance().clock.iso()
    assert (edit.by, edit.acts[0].action, edit.acts[0].name) == ("cu", "add", "vip")


def test_a_draft_outlives_the_server_and_the_half_line_of_a_crash(cu: Curator) -> None:
    draft = cu.begin()
    cu.add_tag(draft, "vip")
    cu.add_tag(draft, "gone")
    before = DRAFTS.get(draft.pk).instance().change_log()
    file = journals.file_of(draft.pk)
    with file.open("ab") as opened:
        opened.write(b'{"kind":"edit","at":"20')
    forget()
    assert DRAFTS.get(draft.pk).instance().change_log() == before
    cu.add_tag(draft, "after")
    forget()
    assert {"vip", "gone", "after"} <= names(draft)
    assert all(json.loads(line) for line in file.read_text().splitlines())


def test_edits_at_the_same_moment_take_turns_and_none_is_lost(places: Path) -> None:
    from worlds.crm.models import Tag

    DRAFTS.begin("at-once", installed.get("crm"), "small_startup", now=None)
    draft = DRAFTS.get("at-once")

    def add(number: int) -> None:
        tag = Tag(id=f"tag_{number}", name=f"{number}", created_at="2026-05-01T08:00:00Z")
        draft.edit(f"curator {number}", "main", lambda acts: tag.save(force_insert=True))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(add, range(24)))
    log = draft.instance().change_log()
    assert {record["by"] for record in log} == {f"curator {number}" for number in range(24)}
    forget()
    assert DRAFTS.get("at-once").instance().change_log() == log
    DRAFTS.remove("at-once")
    forget()


def test_the_last_edit_is_taken_back(cu: Curator) -> None:
    draft = cu.begin()
    parent = names(draft)
    cu.add_tag(draft, "vip")
    cu.add_tag(draft, "wrong")
    answer = cu.post(f"/admin/console/draft/{draft.pk}/change/undo/").content.decode()
    assert "add wrong" in answer
    assert names(draft) == parent | {"vip"}
    forget()
    assert names(draft) == parent | {"vip"}
    assert cu.get(f"/admin/console/draft/{draft.pk}/change/undo/").status_code == 405


def test_an_edit_that_cannot_be_kept_is_not_made(cu: Curator, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = cu.begin()
    parent = names(draft)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        answer = cu.add_tag(draft, "vip")
    assert "No space left on device; nothing was changed" in answer.content.decode()
    assert names(draft) == parent


def test_a_parent_that_changed_is_named_and_the_edits_move_to_it(cu: Curator, places: Path) -> None:
    draft = cu.begin()
    cu.add_tag(draft, "vip")
    forget()
    world = installed.get("crm")
    with world.instance("small_startup", seed=0) as inst:
        inst.call("create_company", name="Analytical Engines", domain="engines.com")
        inst.freeze("small_startup", "changed", replace=True, parent="empty")
    told = cu.rows(draft).content.decode()
    assert "has changed since this draft began" in told
    assert str(journals.file_of(draft.pk)) in told
    moved = cu.post(f"/admin/console/draft/{draft.pk}/change/rebase/").content.decode()
    assert "every edit fits" in moved
    assert "vip" in names(draft)
    forget()
    assert DRAFTS.get(draft.pk).instance().inspect().one("SELECT id FROM companies WHERE domain = 'engines.com'")
    shutil.rmtree(places / "fixtures" / "crm" / "small_startup")
    forget()
    gone = cu.rows(draft)
    assert gone.status_code == 409
    assert "cannot be read" in gone.content.decode()
    assert len(journals.read(draft.pk).edits) == 1


def test_an_edit_that_does_not_fit_the_changed_parent_is_named(cu: Curator) -> None:
    draft = cu.begin()
    cu.add_tag(draft, "vip")
    forget()
    with installed.get("crm").instance("small_startup", seed=0) as inst:
        with inst.bulk():
            from worlds.crm.models import Tag

            Tag.objects.create(id="tag_other", name="vip", created_at="2026-05-01T08:00:00Z")
        inst.freeze("small_startup", "changed", replace=True, parent="empty")
    told = cu.post(f"/admin/console/draft/{draft.pk}/change/rebase/").content.decode()
    assert "Edit 1 of 1, by cu" in told
    assert "does not fit any more" in told
    assert len(journals.read(draft.pk).edits) == 1


def test_the_worlds_inside_a_world_are_edited_each_in_its_own_store(cu: Curator) -> None:
    draft = cu.begin("company/small_startup")
    index = cu.rows(draft).content.decode()
    for node in ("crm", "helpdesk", "mail", "payments"):
        assert f"/admin/drafts/{draft.pk}/{node}/" in index
    assert cu.rows(draft, "crm/tag/").status_code == 403
    cu.add_tag(draft, "vip", node="crm")
    forget()
    found = DRAFTS.get(draft.pk).instance().inspect().one("SELECT count(*) AS n FROM crm.tags WHERE name = 'vip'")
    assert found == {"n": 1}
    assert "<b>tags</b> 1 added" in cu.page(draft, "preview")


def test_many_rows_are_set_at_once_and_what_does_not_fit_is_refused(cu: Curator) -> None:
    draft = cu.begin()
    where = f"/admin/drafts/{draft.pk}/main/crm/lead/"
    keys = [row["id"] for row in DRAFTS.get(draft.pk).instance().inspect().rows("SELECT id FROM leads LIMIT 3")]
    chosen = {"action": "set_value", "_selected_action": keys}
    assert "New value" in cu.post(where, **chosen).content.decode()
    wrong = cu.post(where, **chosen, apply="1", field="status", value="lost").content.decode()
    assert "It is one of: new," in wrong
    assert "There is no user" in cu.post(where, **chosen, apply="1", field="owner", value="nobody").content.decode()
    done = cu.post(where, **chosen, apply="1", field="do_not_email", value="true").content.decode()
    assert "Set do not email of 3 rows" in done
    (edit,) = DRAFTS.get(draft.pk).edits
    assert {act.key for act in edit.acts} == set(keys)
    history = cu.rows(draft, f"crm/lead/{keys[0].replace('_', '_5F')}/history/").content.decode()
    assert "Changed Do not email" in history
    assert "do_not_email" in history


def test_what_the_database_refuses_changes_nothing_and_is_said(cu: Curator) -> None:
    draft = cu.begin("crm/", now="2026-06-01T09:00:00Z")
    cu.add_tag(draft, "vip")
    again = cu.add_tag(draft, "vip").content.decode()
    assert "already exists" in again
    assert len(DRAFTS.get(draft.pk).edits) == 1


def test_a_blank_draft_needs_a_time(cu: Curator) -> None:
    told = cu.post("/admin/console/draft/add/", title="Nothing", start="crm/", now="").content.decode()
    assert "A blank world has no time of its own" in told
    told = cu.post("/admin/console/draft/add/", title="Old", start="crm/small_startup", now="2020-01-01T00:00:00Z")
    assert "before" in told.content.decode()
    assert not Draft.objects.exists()


def test_a_draft_that_does_not_hold_is_not_frozen(cu: Curator, places: Path) -> None:
    draft = cu.begin("crm/", now="2026-06-01T09:00:00Z")
    instance = DRAFTS.get(draft.pk).instance()
    with instance.bulk() as ctx:
        ctx.db.execute("INSERT INTO tags VALUES ('tag_1', ?, '2026-05-01T08:00:00.000Z')", "x" * 50)
    told = cu.page(draft, "validate")
    assert "tag_1: name: Ensure this value has at most 40 characters" in told
    page = f"/admin/console/draft/{draft.pk}/change/freeze/"
    refused = cu.post(page, id="bad", description="Too long a name.").content.decode()
    assert "Nothing was frozen" in refused
    assert not (places / "fixtures" / "crm" / "bad").exists()
    assert "a fixture of this id already" in cu.post(page, id="small_startup", description="x").content.decode()
    assert "is not a fixture id" in cu.post(page, id="../x", description="x").content.decode()


def test_a_deleted_draft_leaves_its_journal_aside(cu: Curator) -> None:
    draft = cu.begin()
    cu.add_tag(draft, "vip")
    file = journals.file_of(draft.pk)
    cu.post(f"/admin/console/draft/{draft.pk}/delete/", post="yes")
    assert not Draft.objects.exists()
    assert not file.exists()
    assert (file.parent / "deleted" / file.name).is_file()


# The real server, and a browser.

PEOPLE = """
from django.contrib.auth.models import Group, User
for name in ("cu", "other"):
    user = User.objects.create_user(name, password="sea", is_staff=True)
    user.groups.add(Group.objects.get(name="curator"))
User.objects.create_user("visitor", password="sea")
"""


class Site:
    """A server whose fixtures and drafts are a test's own, to be started again and again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for fixture in ("small_startup", "empty"):
            shutil.copytree(ROOT / "fixtures" / "crm" / fixture, folder / "fixtures" / "crm" / fixture)
        environment = {
            **os.environ, "DJANGO_SETTINGS_MODULE": "seahaven_site.settings", "SEAHAVEN_WORLDS": "worlds.crm",
            "SEAHAVEN_VAR_DIR": str(folder / "var"),
        }  # fmt: skip
        for command in (["migrate", "--verbosity", "0"], ["shell", "--command", PEOPLE]):
            subprocess.run(
                [sys.executable, "manage.py", *command], cwd=ROOT, env=environment, check=True, capture_output=True
            )

    def server(self) -> Server:
        folders = {"var_dir": self.folder / "var", "fixtures_dir": self.folder / "fixtures"}
        return Server(worlds="worlds.crm", log_level="WARNING", **folders)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return Site(tmp_path_factory.mktemp("site"))


def log_in(page: Any, url: str, name: str) -> None:
    page.goto(f"{url}/admin/login/?next=/admin/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill("sea")
    page.get_by_role("button", name="Log in").click()


def new_draft(page: Any, url: str, title: str) -> str:
    """Begin one; answers the address of its rows."""
    page.goto(f"{url}/admin/console/draft/add/")
    page.get_by_label("Title").fill(title)
    page.get_by_label("Begin with").select_option("crm/small_startup")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("heading", name="Rows of crm").wait_for()
    return str(page.url)


def open_first(page: Any, rows: str, model: str, search: str) -> None:
    page.goto(f"{rows}crm/{model}/")
    page.locator("#searchbar").fill(search)
    page.locator("#searchbar").press("Enter")
    page.wait_for_url("**q=**")
    page.locator("#result_list tbody th a").first.click()


def test_a_curator_makes_a_fixture_that_openenv_serves(site: Site, chromium: Any) -> None:
    with site.server() as server:
        context = chromium.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        page.set_default_timeout(10_000)
        trouble = Trouble()
        trouble.listen(page, server.address)
        log_in(page, server.url, "visitor")
        page.get_by_text("for a staff account").wait_for()
        log_in(page, server.url, "cu")
        rows = new_draft(page, server.url, "Quarter end")

        # Edit a row, found by a search.
        open_first(page, rows, "lead", "kumar")
        lead = unquote(page.url.split("/")[-3])
        page.get_by_label("First name:").fill("Augusta")
        page.get_by_role("button", name="Save and continue editing").click()
        page.locator(".messagelist").get_by_text("was changed successfully").wait_for()
        page.get_by_role("link", name="History", exact=True).click()
        page.get_by_role("cell", name="Augusta").wait_for()
        page.get_by_text("Changed First name.").wait_for()

        # Add one with a line of its own rows.
        page.goto(f"{rows}crm/deal/add/")
        page.get_by_label("Name:", exact=True).fill("Difference engine")
        page.locator("#id_stage").select_option(label="Proposal")
        page.get_by_label("Amount cents:").fill("125000")
        page.get_by_label("Probability:").fill("40")
        page.get_by_role("button", name="Add another Stage change").click()
        page.locator("#id_stage_changes-0-to_stage").select_option(label="Proposal")
        page.get_by_role("button", name="Save", exact=True).click()
        page.locator(".messagelist").get_by_text("was added successfully").wait_for()

        # Delete one; filter; change many.
        open_first(page, rows, "note", "")
        page.get_by_role("link", name="Delete", exact=True).click()
        page.get_by_role("button", name="Yes, I’m sure").click()
        page.locator(".messagelist").get_by_text("was deleted successfully").wait_for()
        page.goto(f"{rows}crm/lead/")
        page.locator("#changelist-filter").get_by_role("link", name="qualified", exact=True).click()
        page.wait_for_url("**status__exact=qualified")
        shown = page.locator("#result_list tbody tr").count()
        assert 0 < shown < 40
        page.get_by_label("Select all objects on this page for an action").check()
        page.get_by_label("Action:").select_option("set_value")
        page.get_by_role("button", name="Run the selected action").or_(page.get_by_role("button", name="Go")).click()
        page.get_by_label("Field").select_option("do_not_email")
        page.get_by_label("New value").fill("true")
        page.get_by_role("button", name="Set it").click()
        page.locator(".messagelist").get_by_text(f"of {shown} rows").wait_for()

        # See what changed, check it, freeze it.
        page.get_by_role("link", name="Preview").click()
        for told in ("deals 1 added", "notes 0 added, 0 changed, 1 deleted", "deal_stage_changes 1 added"):
            page.get_by_role("listitem").filter(has_text=told).wait_for()
        page.get_by_role("cell", name="Augusta").wait_for()
        page.get_by_role("link", name="Validate").click()
        page.get_by_text("Everything holds").wait_for()
        page.get_by_role("link", name="Freeze", exact=True).click()
        page.get_by_label("Fixture id").fill("quarter_end")
        page.get_by_label("Description").fill("A startup as its quarter ends, with one deal about to be signed.")
        page.get_by_role("button", name="Freeze").click()
        page.get_by_text("Frozen as quarter_end").wait_for()
        context.close()
        assert trouble == []

        with server.socket() as trainer:
            assert trainer.reset(fixture="quarter_end", seed=1)["data"]["metadata"]["world"] == "crm"
            assert result(trainer.step("get_lead", lead_id=lead))["first_name"] == "Augusta"
        assert (site.folder / "fixtures" / "crm" / "quarter_end" / "fixture.yaml").is_file()
        log = server.log()
        assert "Traceback" not in log, log


LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "narrow": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}


def test_every_page_of_a_draft_is_accessible_and_fits(site: Site, chromium: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with site.server() as server:
        context = chromium.new_context()
        page = context.new_page()
        log_in(page, server.url, "cu")
        rows = new_draft(page, server.url, "To look at")
        open_first(page, rows, "deal", "")
        page.get_by_label("Next step:").fill("Call them")
        page.get_by_role("button", name="Save and continue editing").click()
        deal, home = page.url, f"{server.url}/admin/console/draft/{rows.split('/')[-3]}/"
        known = context.storage_state()
        context.close()
        places = {
            "draft-rows": rows,
            "draft-list": f"{rows}crm/lead/",
            "draft-add": f"{rows}crm/lead/add/",
            "draft-row": deal,
            "draft-row-history": deal.replace("/change/", "/history/"),
            "draft": f"{home}change/",
            "draft-preview": f"{home}change/preview/",
            "draft-validate": f"{home}change/validate/",
            "draft-freeze": f"{home}change/freeze/",
            "draft-history": f"{home}history/",
            "drafts": f"{server.url}/admin/console/draft/",
        }
        for how, look in LOOKS.items():
            context = chromium.new_context(storage_state=known, **look)
            page = context.new_page()
            for name, where in places.items():
                if name == "draft-validate" and how == "narrow":
                    continue  # it looks as preview does, and takes seconds
                assert page.goto(where).status == 200, where
                page.wait_for_load_state("load")
                faults = [
                    (where, fault["id"], fault["nodes"][0]["html"][:200])
                    for fault in axe.run(page).response["violations"]
                    if fault["impact"] in ("serious", "critical")
                ]
                assert faults == []
                wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                assert page.evaluate(wider) <= 0, where
                picture(page, f"{name}-{how}")
            context.close()


def test_a_killed_server_finds_the_draft_as_it_was(site: Site, chromium: Any) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.set_default_timeout(10_000)
    with site.server() as server:
        log_in(page, server.url, "other")
        rows = new_draft(page, server.url, "To be killed")
        page.goto(f"{rows}crm/tag/add/")
        page.get_by_label("Name:").fill("survivor")
        page.get_by_role("button", name="Save", exact=True).click()
        page.locator(".messagelist").get_by_text("was added successfully").wait_for()
        assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    with site.server() as server:
        page.goto(f"{server.url}{rows[rows.index('/admin/') :]}crm/tag/?q=survivor")
        page.locator("#result_list").get_by_role("link", name="survivor").wait_for()
        context.close()
