import copy

import pytest

from tests.engine.town import bank, lab, shop, town
from worlds.engine import Ctx, World, WorldBug
from worlds.engine.composing import tree_of


def world(name, *tools):
    made = World(name, version="1.0.0")
    for tool in tools:
        made.tool(_named(tool))
    return made


def _named(name):
    def fn(ctx: Ctx) -> None: ...

    fn.__name__, fn.__doc__ = name, f"Do {name}."
    return fn


# Declaring


@pytest.mark.parametrize("name", ["Bank", "1st", "a__b", "main", "temp", "", "a-b", 7, None])
def test_a_name_that_is_no_sql_name_is_refused_at_once(name):
    with pytest.raises(WorldBug, match="cannot be a world's name here; use lower case letters"):
        world("host").embed(bank, name=name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"world": 7}, "7 is no world; give a World, or the name of one in settings.WORLDS"),
        ({"tools": "deposit"}, r"tools is a collection of names; write \['deposit'\]"),
        ({"without_tools": "deposit"}, r"without_tools is a collection of names; write \['deposit'\]"),
        ({"tools": ["deposit"], "without_tools": ["boom"]}, "give tools or without_tools, not both"),
        ({"startup": [1]}, "startup must be a mapping of keywords, not list"),
        ({"scope": " "}, "scope is ' '; give it a name, or leave it out"),
        ({"tool_prefix": None}, "tool_prefix is None; it must be text such as 'till_'"),
    ],
)
def test_an_embedding_that_makes_no_sense_is_refused_at_once(options, message):
    host = world("host")
    with pytest.raises(WorldBug, match=f"world host: embed.*{message}"):
        host.embed(**{"world": bank, "name": "till", **options})
    assert not host.embeddings


def test_a_name_is_given_once():
    host = shop(till=bank)
    with pytest.raises(WorldBug, match="'till' is taken; embed the second world under another name="):
        host.embed(lab, name="till")


# Composing


@pytest.mark.parametrize(
    ("host", "message"),
    [
        (lambda: shop(till="bnak"), "world shop: embed till: world 'bnak' is not installed; did you mean 'bank'?"),
        (lambda: _embedding(tools=["deposti"]), "tools names 'deposti', which is no tool of .*did you mean 'deposit'?"),
        (lambda: _embedding(without_tools=["nope"]), "without_tools names 'nope', .*it has deposit, read_balance"),
        (lambda: _embedding(tool_prefix="a."), "embed till: with tool_prefix 'a.': .*'a.deposit'"),
        (
            lambda: _embedding(host=world("host", "till_boom"), tool_prefix="till_"),
            "its tool 'boom' would be 'till_boom', which world host itself has already; give it another tool_prefix=",
        ),
        (lambda: _embedding(startup={"owner": "x"}), "startup 'owner' is no keyword of world bank; it takes: none"),
        (lambda: _embedding(of=lab, startup={"ownr": "x"}), "startup 'ownr' is no keyword .*did you mean 'owner'?"),
    ],
)
def test_what_does_not_fit_together_is_refused_with_the_fix(host, message):
    with pytest.raises(WorldBug, match=message):
        tree_of(host())


def _embedding(host=None, of=bank, **options):
    host = host or world("host")
    host.embed(of, name="till", **options)
    return host


def test_two_embedded_worlds_with_one_tool_need_prefixes():
    host = world("host")
    host.embed(world("one", "look"), name="one")
    host.embed(world("two", "look"), name="two")
    with pytest.raises(WorldBug, match="'look', which embedded world one has already"):
        tree_of(host)


def test_worlds_that_embed_each_other_are_shown_the_loop():
    one, two, three = world("one"), world("two"), world("three")
    one.embed(two, name="two")
    two.embed(three, name="three")
    three.embed(one, name="one")
    with pytest.raises(WorldBug, match="in a loop: one -> two -> three -> one; take one of these"):
        tree_of(one)


def test_more_stores_than_sqlite_can_look_at_are_refused():
    host = world("host")
    for n in range(130):
        host.embed(bank, name=f"bank{n}", tool_prefix=f"b{n}_")
    with pytest.raises(WorldBug, match="embeds 130 worlds, and SQLite looks at 125 beside the first at most"):
        tree_of(host)


def test_the_agent_meets_the_hosts_tools_then_each_embedded_worlds_in_order():
    host = world("host", "greet")
    host.embed(shop(till=bank), name="shop", tool_prefix="s_", tools=["till_deposit", "till_boom"])
    host.embed(bank, name="bank", tool_prefix="bank_", without_tools=["spin", "slow", "nothing"], scope="own")
    surface = tree_of(host).surface
    assert list(surface) == ["greet", "s_till_deposit", "s_till_boom", "bank_deposit", "bank_read_balance", "bank_boom"]
    assert surface["s_till_deposit"].paths == ("main", "shop", "shop/till")
    assert surface["s_till_deposit"].names == ("s_till_deposit", "till_deposit", "deposit")


def test_an_embedded_tool_is_published_as_its_own_world_publishes_it():
    before = bank.tools["deposit"].listing()
    after = tree_of(shop(till=bank)).surface["till_deposit"].tool.listing()
    assert after == before | {"name": "till_deposit"}


def test_a_tool_registered_later_appears():
    inner, host = world("inner", "look"), world("host")
    host.embed(inner, name="inner")
    assert list(tree_of(host).surface) == ["look"]
    inner.tool(_named("listen"))
    assert list(tree_of(host).surface) == ["look", "listen"]


# Stores and scopes


def paths(host):
    return {path: (branch.world.name, branch.scope, branch.aliases) for path, branch in tree_of(host).branches.items()}


def test_a_world_embedded_twice_has_two_stores():
    assert list(paths(town)) == ["main", "bank", "north", "south"]


def test_a_copy_of_a_world_is_another_world():
    host = shop(one=bank, two=copy.copy(bank))
    assert list(paths(host)) == ["main", "one", "two"]


def diamond(left=None, right=None):
    ledger, host = world("ledger", "post"), world("host")
    for name, scope in (("left", left), ("right", right)):
        arm = world(name)
        arm.embed(ledger, name="books", scope=scope)
        host.embed(arm, name=name, tool_prefix=f"{name}_")
    return host


def test_a_world_reached_on_two_routes_is_one_with_an_alias():
    assert paths(diamond()) == {
        "main": ("host", None, ()),
        "left": ("left", None, ()),
        "right": ("right", None, ()),
        "left/books": ("ledger", None, ("right/books",)),
    }
    surface = tree_of(diamond()).surface
    assert {surface[name].owner for name in ("left_post", "right_post")} == {"left/books"}


def test_a_scope_separates_what_two_routes_would_share():
    assert list(paths(diamond(right="apart"))) == ["main", "left", "right", "left/books", "right/books"]
    assert paths(diamond(right="apart"))["right/books"] == ("ledger", "apart", ())


def test_one_scope_shares_what_two_names_would_separate():
    host = world("host")
    host.embed(bank, name="one", tool_prefix="one_", scope="money")
    host.embed(bank, name="two", tool_prefix="two_", scope="money")
    assert paths(host) == {"main": ("host", None, ()), "one": ("bank", "money", ("two",))}


def test_regions_keep_what_their_worlds_embed_apart_too():
    region, host = world("region"), world("host")
    region.embed(bank, name="bank", tool_prefix="bank_")
    host.embed(region, name="eu", tool_prefix="eu_")
    host.embed(region, name="us", tool_prefix="us_")
    assert list(paths(host)) == ["main", "eu", "us", "eu/bank", "us/bank"]


def test_routes_to_one_store_cannot_fix_one_keyword_two_ways():
    host = world("host")
    host.embed(lab, name="one", tool_prefix="one_", scope="s", startup={"owner": "Ada"})
    host.embed(lab, name="two", tool_prefix="two_", scope="s", startup={"owner": "Bea"})
    with pytest.raises(WorldBug, match="'owner' is 'Bea', and another route to the same store fixes 'Ada'; make them"):
        tree_of(host)


def test_the_shortest_way_names_a_shared_store():
    host = world("host")
    deep = shop(till=bank)
    host.embed(deep, name="deep", tool_prefix="deep_")
    host.embed(bank, name="bank", tool_prefix="bank_")
    assert paths(host)["bank"] == ("bank", None, ("deep/till",))
