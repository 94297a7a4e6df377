"""Does pytest give the tests of a world an instance, and say clearly why it cannot?"""

import pytest

pytest_plugins = ["pytester"]
OPEN = """
import pytest

pytestmark = pytest.mark.seahaven(None, seed=1, world="bank")
"""


@pytest.fixture
def outcome(pytester, monkeypatch):
    """Runs tests in a process of their own; answers its result and what it printed."""
    monkeypatch.setenv("SEAHAVEN_TESTED_WORLDS", "tests.worlds.bank,tests.worlds.lab,tests.worlds.moved")
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "tests.settings")
    pytester.makeini("[pytest]\nfilterwarnings = error")

    def run(tests, *options):
        pytester.makepyfile(tests)
        return pytester.runpytest_subprocess(
            "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:asyncio", "-p", "no:schemathesis", *options
        )

    return run


def test_each_test_has_an_instance_of_its_own_begun_as_the_nearest_marker_says(outcome):
    result = outcome(
        OPEN
        + """
def test_it_is_used(instance):
    assert instance.call("deposit", amount=3) == 3
    assert (instance.world.name, instance.caller_seed) == ("bank", 1)

def test_it_is_fresh(instance, request):
    assert instance.call("read_balance") == {"balance": 0}
    request.config.stash["kept"] = instance

def test_it_was_destroyed(request, instance):
    assert not instance.closed

@pytest.mark.seahaven(None, seed=7, now="2027-01-01T00:00:00Z", clock_mode="fixed", world="bank")
class TestNearer:
    def test_the_class_says_more_than_the_module(self, instance):
        assert (instance.caller_seed, instance.clock.iso()) == (7, "2027-01-01T00:00:00.000Z")

    @pytest.mark.seahaven(fixture=None, seed=8, world="lab")
    def test_the_test_says_most(self, instance):
        assert (instance.caller_seed, instance.world.name) == (8, "lab")

def test_none_is_left():
    from worlds.engine.instance import live_instances
    assert live_instances() == []
"""
    )
    result.assert_outcomes(passed=6)


def test_the_world_is_named_on_the_command_line_or_in_the_settings_of_pytest(outcome, pytester):
    test = "import pytest\n\n@pytest.mark.seahaven(None)\ndef test_it(world, instance):\n    assert world.name == 'lab'"
    outcome(test, "--seahaven-world", "lab").assert_outcomes(passed=1)
    outcome(test, "-o", "seahaven_world=lab").assert_outcomes(passed=1)
    result = outcome(test)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*which world is tested? bank, lab, moved installed; say --seahaven-world NAME*"])
    result = outcome(test, "--seahaven-world", "lob")
    result.stdout.fnmatch_lines(["*did you mean 'lab'*"])


WRONG = {
    "": "needs to know where to begin: @pytest.mark.seahaven(",
    "@pytest.mark.seahaven(seed=1)": "names no fixture; write @pytest.mark.seahaven(",
    "@pytest.mark.seahaven('a', 'b')": "names 2 fixtures, 'a', 'b'",
    "@pytest.mark.seahaven('a', fixture=None)": "names 2 fixtures, 'a', None",
    "@pytest.mark.seahaven(None, sede=1)": "has no 'sede'; it takes: world, seed",
    "@pytest.mark.seahaven(None)\n@pytest.mark.seahaven('a')": "has two markers `seahaven`; keep one",
    "@pytest.mark.seahaven('nope', world='bank')": "world bank has no fixture 'nope'",
}


def test_a_marker_that_does_not_fit_is_told_with_the_edit(outcome):
    tests = [f"{marker}\ndef test_{number}(instance):\n    raise SystemError\n" for number, marker in enumerate(WRONG)]
    result = outcome("\n\n".join(["import pytest", *tests]))
    result.assert_outcomes(errors=len(WRONG))
    said = result.stdout.str()
    assert "SystemError" not in said
    for number, says in enumerate(WRONG.values()):
        (report,) = (part for part in said.split("____ ERROR at setup of ") if part.startswith(f"test_{number} "))
        assert says in report


def test_a_contract_is_one_line(outcome):
    result = outcome(
        """
from seahaven.testing import contract

TestContract = contract("bank", skip={"slow": "it waits", "spin": "it never ends"})
""",
        "-v",
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*TestContract::test_every_promise_is_kept?blank? PASSED*"])
