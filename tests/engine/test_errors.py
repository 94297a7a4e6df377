import pytest

from worlds.engine import (
    ArgumentError,
    CallTimeout,
    DbError,
    FixtureError,
    InstanceClosed,
    SeahavenError,
    ToolError,
    UnknownTool,
    WorldBug,
)


def test_refusals_are_for_the_agent_and_bugs_are_not():
    for refusal in (ArgumentError, UnknownTool, DbError, CallTimeout):
        assert issubclass(refusal, ToolError)
        assert not issubclass(refusal, WorldBug)
    for bug in (InstanceClosed, FixtureError):
        assert issubclass(bug, WorldBug)
        assert not issubclass(bug, ToolError)
    assert issubclass(ToolError, SeahavenError)
    assert issubclass(WorldBug, SeahavenError)


def test_a_refusal_is_a_code_a_message_and_details():
    error = ToolError("not_found", "No such lead", key="l_1")
    assert error.to_dict() == {"code": "not_found", "message": "No such lead", "details": {"key": "l_1"}}
    assert str(error) == "No such lead"


@pytest.mark.parametrize(
    ("error", "code", "kind"),
    [
        (ArgumentError("t", [{"path": "a", "message": "wrong", "type": "x"}]), "invalid_arguments", "invalid_args"),
        (UnknownTool("t"), "unknown_tool", "tool_not_found"),
        (DbError(sqlite_message="no such column: secret"), "db_error", "execution_error"),
        (CallTimeout(60), "timeout", "timeout"),
        (ToolError("mine", "No"), "mine", "execution_error"),
    ],
)
def test_each_refusal_has_its_code_and_the_protocols_word(error, code, kind):
    assert (error.code, error.error_type) == (code, kind)


def test_sqlites_own_words_stay_in_attributes():
    error = DbError(sqlite_message="no such column: secret", sqlite_code=1)
    assert "secret" not in str(error.to_dict())
    assert (error.sqlite_message, error.sqlite_code, error.refusals) == ("no such column: secret", 1, [])


def test_every_violation_is_in_the_message():
    violations = [{"path": "a", "message": "wrong", "type": "x"}, {"path": "", "message": "and 3 more", "type": "y"}]
    error = ArgumentError("t", violations)
    assert error.message == "Invalid arguments for t: a: wrong; and 3 more"
    assert error.to_dict()["details"] == {"violations": violations}


def test_a_world_cannot_set_the_protocols_word():
    with pytest.raises(WorldBug, match="Mine sets error_type, which is OpenEnv's word"):

        class Mine(ToolError):
            error_type = "mine"


def test_a_world_words_its_own_refusals():
    class NotFound(ToolError):
        def __init__(self, key: str) -> None:
            super().__init__("not_found", f"No lead {key}", key=key)

    assert NotFound("l_1").to_dict() == {"code": "not_found", "message": "No lead l_1", "details": {"key": "l_1"}}
