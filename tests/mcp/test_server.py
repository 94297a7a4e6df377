"""What does a world offer an MCP client, whichever transport brings it?"""

import json

import mcp_types as types
import orjson
import pytest
from mcp import Client

from openenv_api.mcp import prompts
from openenv_api.mcp.guests import Guest
from openenv_api.mcp.server import server_for
from tests.engine.town import town
from tests.mcp.clients import read, refused, settled, text_of
from tests.worlds.lab.tools import ACTS
from worlds.engine import Start, installed
from worlds.engine.hosting import HOSTS, Hosted
from worlds.engine.instance import live_instances


@pytest.fixture(params=["legacy", "2026-07-28"])
def mode(request):
    """Both eras of the protocol: with a handshake, and with requests that stand alone."""
    return request.param


@pytest.fixture
async def guest():
    """A guest in a lab of its own."""
    guest = await _guest("lab")
    yield guest
    guest.leave("the test is over")


async def _guest(world):
    world = installed.get(world) if isinstance(world, str) else world
    guest = Guest(Hosted(world, Start(seed=1), door="mcp"), owns=True)
    await guest.arrive()
    return guest


async def test_it_introduces_itself_as_the_world(guest):
    async with Client(server_for(guest), mode="legacy") as client:
        about = client.server_info
        assert about is not None
        assert (about.name, about.version) == ("lab", "1.0.0")
        assert client.instructions == "Awkward on purpose."
        assert client.server_capabilities.tools
        assert client.server_capabilities.resources
        assert client.server_capabilities.prompts
        assert client.server_capabilities.logging is None


@pytest.mark.parametrize("name", ["crm", "lab"])
async def test_tools_are_listed_byte_for_byte_as_the_world_declares_them(name, mode):
    guest = await _guest(name)
    async with Client(server_for(guest), mode=mode) as client:
        listed = (await client.list_tools()).tools
    guest.leave("the test is over")
    declared = installed.get(name).surface.values()
    assert [(tool.name, tool.description) for tool in listed] == [(tool.name, tool.description) for tool in declared]
    for one, other in zip(listed, declared, strict=True):
        assert json.dumps(one.input_schema) == json.dumps(other.schema)
        assert one.output_schema is None


async def test_nothing_an_agent_is_not_to_have_is_offered(guest):
    async with Client(server_for(guest)) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        uris = {resource.uri for resource in (await client.list_resources()).resources}
    assert not names & {"state", "diff", "grade", "fork", "rewind", "advance", "freeze", "checkpoint", "reset"}
    assert uris == {"seahaven://lab/description", "seahaven://lab/fixtures", "seahaven://lab/schema"}


@pytest.mark.parametrize(
    ("value", "structured", "text"),
    [
        ({"a": None, "b": [1, 2.5, "ü"]}, {"a": None, "b": [1, 2.5, "ü"]}, '{"a":null,"b":[1,2.5,"ü"]}'),
        ([{"id": 1}], {"result": [{"id": 1}]}, '[{"id":1}]'),
        ("said", {"result": "said"}, "said"),
        (7, {"result": 7}, "7"),
        (None, {"result": None}, "null"),
        ({}, {}, "{}"),
    ],
)
async def test_a_result_is_an_object_and_text(guest, mode, value, structured, text):
    ACTS["answer"] = lambda ctx: value
    async with Client(server_for(guest), mode=mode) as client:
        result = await client.call_tool("perform", {"act": "answer"})
    assert result.structured_content == structured
    assert text_of(result) == text
    assert not result.is_error


async def test_a_refusal_is_a_result_the_agent_reads(guest, mode):
    async with Client(server_for(guest), mode=mode) as client:
        result = await client.call_tool("drop_box", {"name": "none"})
        after = await client.call_tool("list_boxes")
    told = {"code": "no_such_box", "message": "There is no box named none", "details": {"name": "none"}}
    assert result.is_error
    assert result.structured_content == told
    assert orjson.loads(text_of(result)) == told
    assert after.structured_content == {"result": []}


async def test_arguments_that_do_not_fit_are_a_refusal_too(guest):
    async with Client(server_for(guest)) as client:
        result = await client.call_tool("make_box", {"name": 5, "colour": "red"})
        nothing = await client.call_tool("make_box")
    assert result.is_error
    assert result.structured_content["code"] == "invalid_arguments"
    assert {each["path"] for each in result.structured_content["details"]["violations"]} == {"name", "colour"}
    assert nothing.structured_content["details"]["violations"][0]["type"] == "missing"


async def test_an_unknown_tool_is_an_error_with_the_nearest_name(guest, mode):
    async with Client(server_for(guest), mode=mode) as client:
        async with refused(types.INVALID_PARAMS) as found:
            await client.call_tool("make_bix", {})
        assert found[0].error.message == "Unknown tool: 'make_bix'. Did you mean 'make_box'?"
        assert guest.hosted.instance.call_count == 0


async def test_of_a_bug_the_client_reads_only_its_number(guest, mode, caplog):
    async with Client(server_for(guest), mode=mode) as client:
        async with refused(types.INTERNAL_ERROR) as found:
            await client.call_tool("fail_after_writing", {"how": "bug"})
        assert (await client.call_tool("list_boxes")).structured_content == {"result": []}
    message = found[0].error.message
    assert message.startswith("internal error ")
    assert "secret" not in repr(found[0].error)
    assert f"incident {message.removeprefix('internal error ')}" in caplog.text
    assert "a secret detail" in caplog.text


async def test_an_instance_that_is_over_says_so(guest):
    async with Client(server_for(guest)) as client:
        guest.hosted.end("its owner deleted it")
        async with refused(-32004) as found:
            await client.call_tool("list_boxes")
    assert found[0].error.message == f"instance {guest.hosted.id} is over: its owner deleted it"


async def test_every_list_is_one_page(guest):
    async with Client(server_for(guest)) as client:
        for listing in (client.list_tools, client.list_resources, client.list_prompts):
            assert (await listing()).next_cursor is None
            async with refused(types.INVALID_PARAMS):
                await listing(cursor="2")


async def test_it_can_be_read_what_the_world_is_and_which_fixtures_it_has():
    guest = await _guest("crm")
    async with Client(server_for(guest)) as client:
        description = await read(client, "seahaven://crm/description")
        fixtures = json.loads(await read(client, "seahaven://crm/fixtures"))
    guest.leave("the test is over")
    assert description == installed.get("crm").description
    assert [each["id"] for each in fixtures] == installed.get("crm").fixture_ids()
    assert set(fixtures[0]) == {"id", "description", "now"}


async def test_the_schema_says_what_describe_schema_says_and_no_more(guest):
    async with Client(server_for(guest)) as client:
        await client.call_tool("make_box", {"name": "a secret name"})
        told = (await client.call_tool("describe_schema")).structured_content["tables"]
        text = await read(client, "seahaven://lab/schema")
    assert json.loads(text) == {"nodes": {"main": {"world": "lab", "tables": told}}}
    assert [table["name"] for table in told] == ["boxes", "items"]
    assert "a secret name" not in text
    assert guest.hosted.instance.call_count == 2, "reading a resource is no call"


async def test_the_schema_names_each_node_of_a_composition():
    guest = await _guest(town)
    async with Client(server_for(guest)) as client:
        nodes = json.loads(await read(client, "seahaven://town/schema"))["nodes"]
    guest.leave("the test is over")
    shown = {path: [table["name"] for table in node["tables"]] for path, node in nodes.items()}
    assert shown == {"main": ["boxes", "items"], "bank": [], "north": ["boxes", "items"], "south": ["boxes", "items"]}
    assert nodes["north"]["tables"] == nodes["main"]["tables"]
    assert nodes["bank"] == {"world": "bank", "tables": []}


async def test_an_unknown_resource_is_an_error_with_the_nearest(guest):
    async with Client(server_for(guest)) as client:
        async with refused(types.INVALID_PARAMS) as found:
            await client.read_resource("seahaven://lab/schemas")
        assert "Did you mean 'seahaven://lab/schema'?" in found[0].error.message
        assert (await client.list_resource_templates()).resource_templates == []


async def test_there_are_no_prompts_until_a_world_has_tasks(guest, mode, monkeypatch):
    task = prompts.Prompt("tidy_up", "Leave no box open.", "Close every box.")
    async with Client(server_for(guest), mode=mode) as client:
        assert (await client.list_prompts()).prompts == []
        async with refused(types.INVALID_PARAMS):
            await client.get_prompt("tidy_up")
        monkeypatch.setattr(prompts, "SOURCES", [lambda world: [task] if world.name == "lab" else []])
        assert [(p.name, p.description) for p in (await client.list_prompts()).prompts] == [task[:2]]
        told = await client.get_prompt("tidy_up")
        assert [(message.role, message.content) for message in told.messages] == [
            ("user", types.TextContent(text="Close every box."))
        ]
        async with refused(types.INVALID_PARAMS) as found:
            await client.get_prompt("tidy_upp")
        assert "Did you mean 'tidy_up'?" in found[0].error.message


async def test_a_client_that_leaves_takes_its_instance_along():
    before = len(live_instances()), len(HOSTS)
    guest = await _guest("lab")
    other = Guest(guest.hosted, owns=False)
    other.leave("it was invited")
    assert len(HOSTS) == before[1] + 1
    guest.leave("it is gone")
    guest.leave("it is gone")
    await settled(lambda: (len(live_instances()), len(HOSTS)) == before)
