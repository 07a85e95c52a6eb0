"""Messages of an agent for tests of the front."""

from __future__ import annotations

import json
from typing import Any

from tests.gateway.http_world import MODERN_META

TOOL = {"name": "find", "inputSchema": {"type": "object"}, "x-own": 1.10}


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def line(message: Any) -> bytes:
    return json.dumps(message).encode() + b"\n"


def asks(method: str, number: Any = 2, /, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def modern(method: str, number: Any = 2, /, **params: Any) -> dict[str, Any]:
    return asks(method, number, **params, _meta=MODERN_META)
