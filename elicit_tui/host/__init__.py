"""Connections to MCP servers, in both protocol eras; the only room that imports the SDK.

Importing this package loads neither the SDK nor anyio: a server's process is started first.
"""

from elicit_tui.host.connection import Connection
from elicit_tui.host.events import (
    HostEvent,
    ListChanged,
    LogMessage,
    Progress,
    RoundStarted,
    ServerLog,
    ServerStateChanged,
    UrlCompleted,
)
from elicit_tui.host.host import Host
from elicit_tui.host.offers import CallResult, Prompt, PromptArgument, Resource, Tool

__all__ = [
    "CallResult",
    "Connection",
    "Host",
    "HostEvent",
    "ListChanged",
    "LogMessage",
    "Progress",
    "Prompt",
    "PromptArgument",
    "Resource",
    "RoundStarted",
    "ServerLog",
    "ServerStateChanged",
    "Tool",
    "UrlCompleted",
]
