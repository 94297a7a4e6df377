"""What counts as an action?"""

import pytest

from openenv_api import actions
from openenv_api.errors import InvalidFrame


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"tool_name": "t"}, ("t", {}, None)),
        ({"type": "call_tool", "tool_name": "t", "arguments": {"a": 1}}, ("t", {"a": 1}, None)),
        ({"tool_name": "t", "metadata": {"request_id": 3}}, ("t", {}, 3)),
        ({"type": "list_tools"}, (None, {}, None)),
        ({"type": "list_tools", "metadata": {"request_id": "r"}}, (None, {}, "r")),
    ],
)
def test_an_action_is_read(data, expected):
    assert tuple(actions.read(data)) == expected


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({}, ["tool_name"]),
        ({"tool_name": None}, ["tool_name"]),
        ({"tool_name": "t", "arguments": None}, ["arguments"]),
        ({"tool_name": "t", "metadata": []}, ["metadata"]),
        ({"tool_name": "t", "extra": 1}, ["extra"]),
        ({"type": "list_tools", "arguments": {}}, ["arguments"]),
        ({"type": "fly", "tool_name": "t"}, ["type"]),
        ([], []),
        (None, []),
    ],
)
def test_what_is_none_is_refused_with_its_place(data, place):
    with pytest.raises(InvalidFrame, match="Invalid action") as caught:
        actions.read(data)
    assert place in [each["loc"] for each in caught.value.extra["errors"]]
