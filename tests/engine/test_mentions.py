import pytest

from worlds.engine import World, mentions
from worlds.engine.composing import tree_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Use `search` or list_leads first.", ["search", "list_leads"]),
        ("`list_leads(limit=5)` lists.", ["list_leads"]),
        ("Search and list leads.", []),
        ("See docs/list_leads.md or a.list_leads.", []),
        ("A my_list_leads2 is one word, `SELECT * FROM list_leads` is none.", ["my_list_leads2"]),
        ("Call list_leads, then get_lead.", ["list_leads", "get_lead"]),
    ],
)
def test_names_of_tools_are_what_is_in_backticks_or_written_like_one(text, words):
    assert list(mentions.mentioned(text)) == words


def test_only_the_names_that_are_known_are_changed_and_the_rest_of_the_text_stays():
    names = {"list_leads": "crm_list_leads", "search": "crm_search"}
    text = "Search with `search(words)`, then list_leads; not list_leads2 nor search."
    assert mentions.renamed(text, names) == (
        "Search with `crm_search(words)`, then crm_list_leads; not list_leads2 nor search."
    )


def described(*tools):
    """A world with tools of these (name, description)."""
    world = World("described", version="1")
    for name, description in tools:

        def act(ctx, list_all: bool = False) -> None: ...

        world.tool(act, name=name, description=description)
    return world


def test_in_a_composition_descriptions_name_tools_as_the_agent_can_call_them():
    inner = described(("list_leads", "List leads; get_lead reads one."), ("get_lead", "See `list_leads`."))
    host = World("host", version="1")
    host.embed(inner, name="crm", tool_prefix="crm_")
    said = {name: route.tool.description for name, route in tree_of(host).surface.items()}
    assert said == {"crm_list_leads": "List leads; crm_get_lead reads one.", "crm_get_lead": "See `crm_list_leads`."}
    assert inner.tools["get_lead"].description == "See `list_leads`."


def test_a_tool_that_is_left_out_and_an_argument_of_the_same_name_keep_their_names():
    inner = described(("list_all", "List; list_all=True lists all, get_lead one."), ("get_lead", "Get."))
    host = World("host", version="1")
    host.embed(inner, name="crm", tool_prefix="crm_", without_tools=["get_lead"])
    (route,) = tree_of(host).surface.values()
    assert route.tool.description == "List; list_all=True lists all, get_lead one."


def test_descriptions_of_arguments_are_changed_and_the_arguments_are_not():
    schema = {"properties": {"id": {"description": "As list_leads gives it.", "default": "list_leads"}}}
    mentions.rename_in(schema, {"list_leads": "crm_list_leads"})
    assert schema == {"properties": {"id": {"description": "As crm_list_leads gives it.", "default": "list_leads"}}}
