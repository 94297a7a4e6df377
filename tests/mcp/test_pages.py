"""Does what the documentation shows of MCP work, and does it name everything there is?"""

import json
import os
import re
import sys

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from openenv_api.management.commands.seahaven_mcp import OPTIONS
from openenv_api.mcp import errors, resources, starts
from tests.openenv.servers import ROOT, Server

PAGE = (ROOT / "docs" / "mcp.md").read_text()
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
CONFIGURATIONS = [
    json.loads(block) for text in (README, PAGE) for block in re.findall(r"```json\n(.*?)```", text, re.S)
]
ENVIRONMENT = {**os.environ, "DJANGO_SETTINGS_MODULE": "seahaven_site.settings", "SEAHAVEN_WORLDS": "worlds.crm"}


@pytest.fixture(scope="module")
def crm():
    with Server(worlds="worlds.crm") as running:
        yield running


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=["README", "mcpServers", "servers"])
async def test_the_configurations_of_chat_clients_work(crm, configuration, tmp_path):
    (servers,) = configuration.values()
    command, url = servers["crm"], servers["crm-of-a-server"]["url"].replace("http://127.0.0.1:8000", crm.url)
    assert command["command"] == "/path/to/seahaven/.venv/bin/python"
    script, *options = command["args"]
    place = {"args": [script.replace("/path/to/seahaven", str(ROOT)), *options], "cwd": tmp_path, "env": ENVIRONMENT}
    found = []
    for server in (StdioServerParameters(command=sys.executable, **place), url):
        async with Client(server) as client:
            query = {"query": "SELECT id FROM leads ORDER BY id LIMIT 5"}
            found.append((await client.call_tool("run_sql", query)).structured_content)
            found.append((await client.call_tool("create_lead", {"email": "ada@example.com"})).structured_content["id"])
    assert found[:2] == found[2:], "one fixture and one seed"


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_walk_throughs_work(crm, capsys, number):
    said = (("create_lead", "True ", '"tables"'), ("'leads': [",), ("('insert', 'leads')",))
    code = BLOCKS[number].replace("http://127.0.0.1:8000", crm.url)
    code = code.replace('".venv/bin/python"', repr(sys.executable)).replace(
        '"manage.py"', repr(str(ROOT / "manage.py"))
    )
    code = code.replace("StdioServerParameters(\n", "StdioServerParameters(env=ENVIRONMENT,\n")
    exec(code, {"ENVIRONMENT": ENVIRONMENT})
    out = capsys.readouterr().out
    for each in said[number]:
        assert each in out


def test_every_way_to_say_how_an_instance_begins_is_in_the_table():
    rows = [line.split("|")[1:4] for line in PAGE.splitlines() if re.match(r"\| (`--\w|\| `)", line)]
    options, names, headers = (
        {name for row in rows for name in re.findall(r"`([^`]+)`", row[column])} for column in range(3)
    )
    assert options == {"--world"} | {f"--{name.replace('_', '-')}" for name in starts.NAMES}
    assert set(OPTIONS) == set(starts.NAMES)
    assert names == {*starts.NAMES, *starts.OTHERS}
    ours = {header for header in headers if header.startswith("Seahaven-")}
    assert {header.lower().removeprefix(starts.PREFIX).replace("-", "_") for header in ours} == names - {"key"}


def test_every_resource_and_code_is_named():
    for name in resources.PAGES:
        assert f"/{name}`" in PAGE
    assert str(errors.OVER) in PAGE
