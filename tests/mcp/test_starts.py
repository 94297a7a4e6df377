"""How should a client's instance begin?"""

import pytest

from openenv_api.mcp.starts import BadStart, asked, refuse_start, start_of
from worlds.engine import Start


def test_a_query_and_headers_say_the_same():
    query = asked("fixture=rich&clock_mode=fixed&setup_sql=SELECT+1%3B", {})
    headers = asked("", {"seahaven-fixture": "rich", "seahaven-clock-mode": "fixed", "seahaven-setup-sql": "SELECT 1;"})
    assert query == headers == {"fixture": "rich", "clock_mode": "fixed", "setup_sql": "SELECT 1;"}
    assert asked("", {"host": "x", "accept": "y"}) == {}


@pytest.mark.parametrize(
    ("query", "headers", "said"),
    [
        ("sed=7", {}, "query parameter 'sed' is unknown; did you mean 'seed'?"),
        ("", {"seahaven-sed": "7"}, "header 'seahaven-sed' is unknown; did you mean 'seed'?"),
        ("seed=7", {"seahaven-seed": "7"}, "header 'seahaven-seed' says seed a second time"),
        ("seed=7&seed=8", {}, "query parameter 'seed' says seed a second time"),
        ("&".join(f"x{number}=1" for number in range(70)), {}, "more than 64 parameters"),
    ],
)
def test_what_is_unknown_or_said_twice_is_refused(query, headers, said):
    with pytest.raises(BadStart, match=said.replace("?", r"\?")):
        asked(query, headers)


def test_texts_become_a_start():
    texts = {"seed": "7", "now": "2026-07-01T00:00:00Z", "startup": '{"a": [1]}', "task": "t", "setup_sql": "SELECT 1"}
    expected = Start(None, 7, "2026-07-01T00:00:00Z", None, None, "t", {"a": [1]}, "SELECT 1")
    assert start_of(texts) == expected
    assert start_of({}, "rich").fixture == "rich"
    assert start_of({"fixture": ""}, "rich").fixture is None


@pytest.mark.parametrize("seed", ["", "1.0", "1_0", " 1", "٧", "0x1", "9" * 5000])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(BadStart, match="expected a whole number"):
        start_of({"seed": seed})


def test_an_instance_that_is_there_takes_no_start():
    refuse_start({"instance", "key", "answers"})
    with pytest.raises(BadStart, match="leave out 'seed'"):
        refuse_start(["instance", "seed"])
