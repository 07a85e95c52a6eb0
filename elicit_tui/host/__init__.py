"""Connections to MCP servers, in both protocol eras; the only room that imports the SDK.

Importing this package loads nothing else, and nothing in it loads the SDK before a connection
is begun: `launch_servers` can start processes first, and both get ready at the same time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from elicit_tui.on_demand import from_modules

if TYPE_CHECKING:
    from elicit_tui.host.connection import Connection
    from elicit_tui.host.events import (
        HostEvent,
        ListChanged,
        LoginAwaited,
        LogMessage,
        Progress,
        ResourceUpdated,
        RoundStarted,
        ServerLog,
        ServerStateChanged,
        TaskStarted,
        UrlCompleted,
    )
    from elicit_tui.host.host import Host
    from elicit_tui.host.launch import Launched, launch_servers
    from elicit_tui.host.offers import (
        CallResult,
        Prompt,
        PromptArgument,
        Resource,
        ResourceTemplate,
        Tool,
    )

__all__ = [
    "CallResult",
    "Connection",
    "Host",
    "HostEvent",
    "Launched",
    "ListChanged",
    "LogMessage",
    "LoginAwaited",
    "Progress",
    "Prompt",
    "PromptArgument",
    "Resource",
    "ResourceTemplate",
    "ResourceUpdated",
    "RoundStarted",
    "ServerLog",
    "ServerStateChanged",
    "TaskStarted",
    "Tool",
    "UrlCompleted",
    "launch_servers",
]

__getattr__ = from_modules(__name__, __all__, ("host", "connection", "events", "offers", "launch"))
