"""What does an MCP client read of an error?"""

from __future__ import annotations

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from openenv_api.errors import AtCapacity, CannotBegin, EpisodeOver, refusal_of, refusal_to_begin
from worlds.engine import InstanceClosed
from worlds.engine.hosting import HostFull

#: The instance has ended. The code is of the range that is left to servers.
OVER = -32004


def rpc_error(error: Exception) -> MCPError:
    """Any error; of a bug only its number in the log."""
    if isinstance(error, (InstanceClosed, EpisodeOver)):
        return MCPError(OVER, str(error))
    refusal = refusal_of(error)
    return MCPError(refusal.rpc_code, refusal.message, refusal.extra or None)


def beginning_error(error: Exception) -> MCPError:
    """The same of an instance that could not begin: what does not fit is told, too."""
    if isinstance(error, HostFull):
        return MCPError(AtCapacity.rpc_code, str(error))
    refusal = refusal_to_begin(error)
    code = INVALID_PARAMS if isinstance(refusal, CannotBegin) else refusal.rpc_code
    return MCPError(code, refusal.message, refusal.extra or None)
