"""Are episodes kept when they end, whatever ends them, and never in the way of one?"""

import gzip
import os
import re
import shutil
import subprocess
import sys
import time
from datetime import timedelta

import httpx
import orjson
import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from openenv_api import recorded, recording
from openenv_api.models import RecordedEpisode
from openenv_api.recording import Recorder, is_chosen
from tests.openenv.servers import ROOT, Server, result
from worlds.engine import EpisodeError, episode_documents, installed, replaying
from worlds.engine.hosting import HOSTS, Hosted, new_id
from worlds.engine.startup import Start

WORLDS = "tests.worlds.bank,tests.worlds.lab"


@pytest.fixture(scope="module")
def var_dir(tmp_path_factory):
    """A var folder with a control database that is ready, with the superuser `root` and the staff of each role."""
    folder = tmp_path_factory.mktemp("var")
    environment = {
        **os.environ, "DJANGO_SETTINGS_MODULE": "seahaven_site.settings", "SEAHAVEN_WORLDS": WORLDS,
        "SEAHAVEN_VAR_DIR": str(folder),
    }  # fmt: skip
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "migrate", "--verbosity", "0"], cwd=ROOT, env=environment, check=True)
    people = """
from django.contrib.auth.models import Group, User
for name, role in {"vi": "viewer", "op": "operator", "cu": "curator"}.items():
    User.objects.create_user(name, password="sea", is_staff=True).groups.add(Group.objects.get(name=role))
User.objects.create_user("nobody", password="sea", is_staff=True)
User.objects.create_superuser("root", password="sea")
"""
    subprocess.run([*manage, "shell", "--command", people], cwd=ROOT, env=environment, check=True, capture_output=True)
    return folder


@pytest.fixture
def fresh(var_dir, tmp_path):
    """A copy of it, for one test."""
    return shutil.copytree(var_dir, tmp_path / "var")


def rows_of(folder):
    """What the control database says was recorded, the first to end first."""
    import sqlite3

    with sqlite3.connect(folder / "control.sqlite3") as database:
        database.row_factory = sqlite3.Row
        found = [dict(row) for row in database.execute("SELECT * FROM openenv_api_recordedepisode ORDER BY ended_at")]
    database.close()
    return found


def until(condition, within_s=10):
    end = time.monotonic() + within_s
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come to be"
        time.sleep(0.05)
    return found


def document_in(folder, row):
    return gzip.decompress((folder / "episodes" / row["file"]).read_bytes())


class Admin:
    """Somebody in the admin, without a browser."""

    def __init__(self, server, name="root"):
        self.http = httpx.Client(base_url=server.url, follow_redirects=True, timeout=30, trust_env=False)
        self.http.get("/admin/login/")
        answer = self.post("/admin/login/", username=name, password="sea", next="/admin/")
        assert "/login/" not in str(answer.url)

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.http.close()

    def get(self, path, **params):
        return self.http.get(path, params=params or None)

    def post(self, path, **data):
        return self.http.post(path, data={**data, "csrfmiddlewaretoken": self.http.cookies["csrftoken"]})


LIST = "/admin/openenv_api/recordedepisode/"


# What is kept.


def test_nothing_is_kept_unless_it_is_asked_for(fresh):
    with Server(var_dir=fresh) as server:
        with server.socket() as client:
            client.reset(seed=1)
            client.step("deposit", amount=5)
        assert server.stop() == 0
    assert rows_of(fresh) == []
    assert not (fresh / "episodes").exists()


def test_every_way_to_end_is_recorded_with_a_document_that_replays(fresh):
    with Server(
        var_dir=fresh, record_episodes=1, instance_idle_s=1, call_timeout_s=1, resume_grace_s=0, open_console=1
    ) as server:
        with server.socket() as client:
            client.reset(seed=1, task={"goal": "save"})
            client.step("deposit", amount=5)
            client.step("boom", why="so")
            client.reset(seed=2)  # the first one ends
            client.step("read_balance")
            client.send({"type": "close"})
            client.ends()
        with server.socket() as client:
            client.reset(seed=3)
            client.abort()
        _, deleted, _ = server.post("/api/v1/instances", {"world": "bank", "seed": 4})
        httpx.delete(f"{server.url}/api/v1/instances/{deleted['id']}", trust_env=False)
        _, idle, _ = server.post("/api/v1/instances", {"world": "bank", "seed": 5})
        with server.socket() as client:
            client.reset(seed=6)
            client.step("spin")
        until(lambda: len(rows_of(fresh)) == 6)
        with server.socket() as client:
            client.reset(seed=7)
            client.step("deposit", amount=7)
            assert server.stop() == 0
    rows = {row["seed"]: row for row in rows_of(fresh)}
    ends = {seed: row["ended_because"] for seed, row in rows.items()}
    assert ends["1"] == "another one began"
    assert ends["2"] == "it was closed"
    assert ends["3"] == "its connection dropped"
    assert ends["4"] == "it was deleted"
    assert ends["5"] == "nobody used it for 1 s"
    assert ends["6"] == "a call in it took longer than 1 s"
    assert "7" in ends
    assert {rows[seed]["door"] for seed in "45"} == {"rest"}
    assert {rows[seed]["door"] for seed in "12367"} == {"openenv"}
    first = rows["1"]
    assert (first["world"], first["fixture"], first["call_count"], first["refusals"]) == ("bank", "", 2, 1)
    assert (first["tools"], first["rows_changed"]) == ("deposit boom", 1)
    assert first["begun_at"] < first["ended_at"]
    for seed, row in rows.items():
        if seed == "6":  # its log is not to be trusted, and it says so
            assert row["file"] == ""
            assert "longer than 1 s" in row["missing_because"]
            continue
        text = document_in(fresh, row)
        assert (len(text), row["stored"]) == (row["size"], (fresh / "episodes" / row["file"]).stat().st_size)
        document = episode_documents.read(text)
        assert (document.seed, document.episode_id) == (int(seed), row["episode_id"])
        assert replaying.replay(document, installed.get("bank")).divergences == []


def test_an_mcp_client_on_pipes_is_recorded_too(fresh):
    environment = {
        **os.environ, "DJANGO_SETTINGS_MODULE": "seahaven_site.settings", "SEAHAVEN_WORLDS": WORLDS,
        "SEAHAVEN_VAR_DIR": str(fresh), "SEAHAVEN_RECORD_EPISODES": "1",
    }  # fmt: skip
    lines: list[dict[str, object]] = [
        {"method": "initialize", "id": 1, "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}},
        {"method": "notifications/initialized"},
        {"method": "tools/call", "id": 2, "params": {"name": "deposit", "arguments": {"amount": 3}}},
    ]  # fmt: skip
    told = b"".join(orjson.dumps({"jsonrpc": "2.0", **line}) + b"\n" for line in lines)
    command = [sys.executable, "manage.py", "seahaven_mcp", "--world", "bank", "--seed", "9"]
    subprocess.run(command, cwd=ROOT, env=environment, input=told, check=True, capture_output=True, timeout=60)
    (row,) = rows_of(fresh)
    assert (row["door"], row["seed"], row["tools"]) == ("mcp", "9", "deposit")
    assert episode_documents.read(document_in(fresh, row)).call_count == 1


def test_who_opened_it_is_told_by_the_name_of_the_key(fresh):
    environment = {
        **os.environ, "DJANGO_SETTINGS_MODULE": "seahaven_site.settings", "SEAHAVEN_WORLDS": WORLDS,
        "SEAHAVEN_VAR_DIR": str(fresh),
    }  # fmt: skip
    command = [sys.executable, "manage.py", "seahaven_key", "create", "trainer 7", "--scope", "admin"]
    key = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout.strip()
    of_settings = "a-key-of-the-settings"
    with Server(var_dir=fresh, record_episodes=1, api_keys=f"admin:{of_settings}") as server:
        for secret in (key, of_settings):
            headers = {"Authorization": f"Bearer {secret}"}
            _, opened, _ = server.post("/api/v1/instances", {"world": "bank"}, **headers)
            httpx.delete(f"{server.url}/api/v1/instances/{opened['id']}", headers=headers, trust_env=False)
        until(lambda: len(rows_of(fresh)) == 2)
        assert [row["key_name"] for row in rows_of(fresh)] == ["trainer 7", "of the settings"]
        assert until(lambda: used_at(fresh)), "when a key was used last is noted"


def used_at(folder):
    import sqlite3

    database = sqlite3.connect(folder / "control.sqlite3")
    (found,) = database.execute("SELECT used_at FROM openenv_api_apikey").fetchone()
    database.close()
    return found


def test_recording_changes_nothing_of_an_episode(fresh):
    answers = []
    for share in (0, 1):
        with Server(var_dir=fresh, record_episodes=share) as server, server.socket() as client:
            client.reset(seed=1, now="2026-06-01T09:00:00Z", episode_id="the-same")
            client.step("deposit", amount=5)
            answers.append((result(client.step("read_balance")), client.state()))
    assert answers[0] == answers[1]


def test_a_killed_server_loses_only_what_had_not_ended(fresh):
    server = Server(var_dir=fresh, record_episodes=1)
    with server.socket() as client:
        client.reset(seed=1)
        client.step("deposit", amount=5)
        client.reset(seed=2)
        until(lambda: len(rows_of(fresh)) == 1)
        server.stop(how=9)
    (row,) = rows_of(fresh)
    assert row["seed"] == "1"
    assert episode_documents.read(document_in(fresh, row)).call_count == 1


# The share, the queue.


def test_the_share_is_chosen_by_the_id_alone(settings):
    ids = [new_id() for _ in range(4000)]
    settings.SEAHAVEN_RECORD_EPISODES = 0.25
    chosen = [each for each in ids if is_chosen(each)]
    assert 800 < len(chosen) < 1200
    assert chosen == [each for each in ids if is_chosen(each)]
    settings.SEAHAVEN_RECORD_EPISODES = 0.5
    assert set(chosen) < {each for each in ids if is_chosen(each)}, "who records more keeps what was chosen"
    settings.SEAHAVEN_RECORD_EPISODES = 1
    assert all(map(is_chosen, [*ids, "ffffffff-ffff-4fff-bfff-ffffffffffff"]))
    settings.SEAHAVEN_RECORD_EPISODES = 0
    assert not any(map(is_chosen, [*ids, "00000000-0000-4000-8000-000000000000"]))


async def test_only_what_is_chosen_is_exported(settings, monkeypatch):
    put: list[object] = []
    monkeypatch.setattr(recording.RECORDER, "put", put.append)
    for share, count in ((0, 0), (1, 1)):
        settings.SEAHAVEN_RECORD_EPISODES = share
        hosted = await Hosted(installed.get("bank"), Start(seed=1), door="rest").begin()
        hosted.end("the test is over")
        HOSTS.settle_ends(5)
        assert hosted.instance is not None
        assert hosted.instance.closed
        assert len(put) == count


def test_what_finds_the_queue_full_is_dropped_and_counted(settings, monkeypatch, caplog):
    settings.SEAHAVEN_RECORD_EPISODES = 1
    full = Recorder()
    monkeypatch.setattr(recording, "RECORDER", full)
    monkeypatch.setattr(recording, "QUEUE_BYTES", 0)
    with installed.get("bank").instance() as inst:
        hosted = Hosted(installed.get("bank"), door="rest")
        hosted.instance = inst
        for _ in range(3):
            recording.look(hosted, True)
    assert full.dropped == 3
    assert len([r for r in caplog.records if "Episodes end faster than they are written" in r.message]) == 1


# What is in the control database.


@pytest.fixture
def library(settings, tmp_path, db):
    """Makes recorded episodes: the first to be made ended first."""
    settings.SEAHAVEN_VAR_DIR = tmp_path

    def make(seed, **fields):
        with installed.get("bank").instance(seed=seed, now="2026-06-01T09:00:00Z", clock_mode="fixed") as inst:
            inst.call("deposit", amount=seed)
            document = inst.export_json()
            ended_at = timezone.now() - timedelta(days=100 - seed)
            file, stored = recorded.write(inst.id, ended_at, document)
            return RecordedEpisode.objects.create(**{
                "instance_id": inst.id, "episode_id": inst.episode_id, "world": "bank", "world_version": "1.0.0",
                "seed": str(seed), "door": "rest", "ended_at": ended_at, "ended_because": "x", "call_count": 1,
                "refusals": 0, "tools": "deposit", "rows_changed": 1, "size": len(document), "stored": stored,
                "file": file, **fields,
            })  # fmt: skip

    return make


def files():
    return {str(path.relative_to(recorded.folder())) for path in recorded.folder().glob("*/*")}


@pytest.mark.parametrize("limit", ["count", "size"])
def test_the_oldest_give_way_and_their_files_with_them(library, settings, limit, django_capture_on_commit_callbacks):
    made = [library(seed) for seed in range(1, 6)]
    settings.SEAHAVEN_RECORD_KEEP = 2 if limit == "count" else 0
    settings.SEAHAVEN_RECORD_KEEP_MIB = 0 if limit == "count" else (made[3].stored + made[4].stored + 1) / 1024 / 1024
    with django_capture_on_commit_callbacks(execute=True):
        assert recorded.prune() == 3
    assert [row.seed for row in RecordedEpisode.objects.all()] == ["5", "4"]
    assert files() == {made[3].file, made[4].file}
    assert len(list(recorded.folder().iterdir())) == 2, "a day without episodes has no folder"


def test_no_limit_keeps_all(library, settings):
    for seed in range(1, 4):
        library(seed)
    settings.SEAHAVEN_RECORD_KEEP = settings.SEAHAVEN_RECORD_KEEP_MIB = 0
    assert recorded.prune() == 0


def test_a_document_without_a_row_is_taken_in_and_a_draft_is_not(library):
    left = library(3)
    RecordedEpisode.objects.all().delete()
    path = recorded.folder() / left.file
    draft = path.with_name(f".{path.name}.draft")
    damaged = path.with_name("damaged.json.gz")
    draft.write_bytes(b"half")
    damaged.write_bytes(b"no gzip")
    assert recorded.adopt() == 0, "it may be on its way"
    for each in (path, draft, damaged):
        os.utime(each, (time.time() - 100,) * 2)
    assert recorded.adopt() == 1
    assert recorded.adopt() == 0
    again = RecordedEpisode.objects.get()
    for name in ("instance_id", "episode_id", "world", "seed", "call_count", "tools", "rows_changed", "size", "file"):
        assert getattr(again, name) == getattr(left, name), name
    assert not draft.exists()


def test_a_document_that_is_gone_is_said_to_be(library):
    episode = library(1)
    (recorded.folder() / episode.file).unlink()
    with pytest.raises(EpisodeError, match=re.escape(f"The file {episode.file} of this episode is gone")):
        recorded.document_of(episode)
    (recorded.folder() / episode.file).write_bytes(b"no gzip")
    with pytest.raises(EpisodeError, match="cannot be read"):
        recorded.document_of(episode)


def grader(state):
    """The reward: how many rows were changed, and nothing for the third."""
    return "none" if state["seed"] == 3 else len(state["state"]["db"]["log"]) / 2


def test_a_grader_gives_the_rewards(library, capsys):
    for seed in (1, 2):
        library(seed)
    call_command("seahaven_episodes", "grade", f"{__name__}:grader")
    assert set(RecordedEpisode.objects.values_list("reward", flat=True)) == {0.5}
    assert "2 graded, 0 not." in capsys.readouterr().out
    odd = library(3)
    with pytest.raises(CommandError, match="not every episode could be graded"):
        call_command("seahaven_episodes", "grade", f"{__name__}:grader")
    told = capsys.readouterr()
    assert f"{odd.instance_id}: the grade 'none' is no number" in told.err
    assert "0 graded, 1 not." in told.out, "those that have a reward keep it"


def test_a_recorded_file_is_replayed_as_it_is(library, capsys):
    episode = library(2)
    call_command("seahaven_replay", str(recorded.folder() / episode.file))
    assert "equal: 1 moves in bank/blank with seed 2" in capsys.readouterr().out


# The admin, on the real server.


@pytest.fixture(scope="module")
def library_server(var_dir, tmp_path_factory):
    """A server with six recorded episodes; the last has 120 calls."""
    folder = shutil.copytree(var_dir, tmp_path_factory.mktemp("recorded") / "var")
    with Server(var_dir=folder, record_episodes=1, log_level="WARNING") as server:
        for seed in range(1, 7):
            with server.socket() as client:
                client.reset(seed=seed, task={"goal": "<b>save</b>"})
                for amount in range(1, 120 if seed == 6 else seed):
                    client.step("deposit", amount=amount)
                client.step("boom", why="x" * 300)
                if seed == 2:
                    client.step("read_balance")
        until(lambda: len(rows_of(folder)) == 6)
        yield server, {row["seed"]: row | {"path": folder / "episodes" / row["file"]} for row in rows_of(folder)}
        log = server.log()
        assert " ERROR " not in log, log
        assert "StreamingHttpResponse" not in log, "what is downloaded is not put together in memory"


@pytest.fixture
def browser(library_server):
    server, _ = library_server
    with Admin(server) as somebody:
        yield somebody


def shown(page):
    """The ids of the episodes in the list, in its order."""
    boxes = re.findall(r'name="_selected_action" value="(\d+)"', page.text)
    return boxes or re.findall(r"/recordedepisode/(\d+)/change/", page.text)


def test_episodes_are_found_by_id_and_by_tool(library_server, browser):
    _, rows = library_server
    assert len(set(shown(browser.get(LIST)))) == 6
    assert shown(browser.get(LIST, q=rows["4"]["instance_id"])) == [str(rows["4"]["id"])]
    assert shown(browser.get(LIST, q=rows["5"]["episode_id"])) == [str(rows["5"]["id"])]
    assert shown(browser.get(LIST, q="read_balance")) == [str(rows["2"]["id"])]
    assert shown(browser.get(LIST, refused="no")) == []
    assert len(shown(browser.get(LIST, world="bank", door="openenv"))) == 6


def test_an_episode_is_read_call_by_call(library_server, browser):
    _, rows = library_server
    at = f"{LIST}{rows['6']['id']}/change/"
    first = browser.get(at).text
    assert "120 moves" in first
    assert len(re.findall(r'<li id="move-\d+"', first)) == 50
    assert "Page 1 of 3" in first
    assert "&lt;b&gt;save" in first
    assert "<b>save" not in first
    last = browser.get(at, page=3).text
    assert 'id="move-119" class="failed"' in last
    refused = browser.get(at, refused="on").text
    assert "1 of 120 moves" in refused
    assert "2 of 3 moves" in browser.get(f"{LIST}{rows['3']['id']}/change/", tool="deposit", page=9).text


def test_what_is_downloaded_is_the_document(library_server, browser):
    _, rows = library_server
    for seed in "46":
        answer = browser.get(f"{LIST}{rows[seed]['id']}/episode.json")
        assert f"episode-{rows[seed]['instance_id']}.json" in answer.headers["content-disposition"]
        document = episode_documents.read(answer.content)
        assert document.seed == int(seed)
        state = browser.get(f"{LIST}{rows[seed]['id']}/state.json").json()
        assert state == document.state()


def test_many_are_downloaded_as_json_lines(library_server, browser):
    _, rows = library_server
    browser.get(LIST)
    answer = browser.post(LIST, action="download", _selected_action=[rows[seed]["id"] for seed in "135"])
    assert "episodes-" in answer.headers["content-disposition"]
    documents = [episode_documents.read(line) for line in answer.content.splitlines()]
    assert [document.seed for document in documents] == [1, 3, 5]


def test_an_episode_is_replayed_into_an_instance_that_lives(library_server, browser):
    server, rows = library_server
    browser.get(LIST)
    answer = browser.post(f"{LIST}{rows['4']['id']}/replay/")
    (instance_id,) = re.findall(r"/console/instances/([0-9a-f-]{36})/", str(answer.url))
    _, state, _ = server.get(f"/api/v1/instances/{instance_id}")
    assert (state["call_count"], state["seed"], state["door"]) == (4, 4, "console")
    assert "It went the same way: 4 moves are equal." in answer.text
    followed = browser.get(f"{LIST}{rows['4']['id']}/replay/")
    assert "begun by its button" in followed.text, "a link that is followed opens nothing"


@pytest.mark.parametrize(
    ("name", "sees", "disposes"),
    [("vi", True, False), ("op", True, True), ("cu", True, True), ("nobody", False, False)],
)
def test_roles_say_who_sees_and_who_disposes(library_server, name, sees, disposes):
    server, rows = library_server
    with Admin(server, name) as somebody:
        at = f"{LIST}{rows['3']['id']}/"
        assert somebody.get(LIST).status_code == (200 if sees else 403)
        page = somebody.get(f"{at}change/")
        assert page.status_code == (200 if sees else 403)
        assert ("Replay into a new instance" in page.text) == disposes
        assert somebody.get(f"{at}episode.json").status_code == (200 if sees else 403)
        assert somebody.get(f"{at}delete/").status_code == (200 if disposes else 403)
        assert somebody.post(f"{at}replay/").status_code == (200 if disposes else 403)
        assert somebody.get("/admin/auth/user/").status_code == 403
        assert somebody.get("/admin/openenv_api/apikey/").status_code == 403
        index = somebody.get("/admin/")
        assert index.status_code == 200
        assert "Each role includes those before it" in index.text


def test_nobody_changes_or_adds_one_by_hand(library_server, browser):
    _, rows = library_server
    at = f"{LIST}{rows['3']['id']}/change/"
    before = browser.get(at).text
    assert browser.get(f"{LIST}add/").status_code == 403
    browser.post(at, call_count=99)
    assert re.findall(r"<dd>3</dd>", before) == re.findall(r"<dd>3</dd>", browser.get(at).text)


def test_deleting_takes_the_file_too(library_server, browser):
    _, rows = library_server
    row = rows["1"]
    browser.get(LIST)
    answer = browser.post(LIST, action="delete_selected", _selected_action=[row["id"]], post="yes")
    assert answer.status_code == 200
    assert shown(browser.get(LIST, q=row["instance_id"])) == []
    assert not row["path"].exists()
