"""Are frames built as they must be, from JSON that is never decoded?"""

import json
import subprocess
import sys

import pytest

from openenv_api import protocol
from tests.openenv.servers import ROOT


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "text", 'a "quoted" é', [], [1, {"a": None}], {}, {"data": 1}])
def test_a_result_is_handed_on_whole_and_told_in_the_reference_servers_shape(value):
    shaped = json.loads(protocol.tool_result(protocol.encode(value)))
    assert shaped["data"] == value
    assert shaped["structured_content"] == (value if isinstance(value, dict) else {"result": value})
    assert shaped["is_error"] is False
    text = shaped["content"][0]["text"]
    assert text == value if isinstance(value, str) else json.loads(text) == value


def test_metadata_stands_twice_or_inside_only():
    plain = json.loads(protocol.called("t", b"1", {}))
    assert plain["observation"]["metadata"] == {}
    assert "metadata" not in plain
    assert json.loads(protocol.called("t", b"1", {}, always=True))["metadata"] is None
    told = json.loads(protocol.failed("t", "timeout", "late", {"request_id": 1}))
    assert told["metadata"] == told["observation"]["metadata"] == {"request_id": 1}
    assert told["observation"]["error"] == {"error_type": "timeout", "message": "late"}


def test_an_observation_of_a_beginning_names_neither_tools_nor_a_tool():
    assert set(json.loads(protocol.began({"tools": ["a"]}))["observation"]) == {"metadata"}


def test_frames_have_two_keys():
    for frame in (
        protocol.observation(protocol.listed(b"[]", {})),
        protocol.state(b"{}"),
        protocol.mcp(protocol.rpc_result("é", b"{}")),
        protocol.error(protocol.UNKNOWN_TYPE, "no", {"errors": []}),
    ):
        assert set(json.loads(frame)) == {"type", "data"}


def test_without_orjson_the_same_frames_are_built():
    program = (
        "import sys; sys.modules['orjson'] = None\n"
        "from openenv_api import protocol\n"
        "print(protocol.step_frame(protocol.call_action('t', {'a': 'é'})).decode())\n"
        "protocol.decode('{\"a\": 1}')"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == protocol.step_frame(protocol.call_action("t", {"a": "é"})).decode()
