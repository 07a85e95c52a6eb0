"""What we tell a server that we can do (spec: client/elicitation, "Capabilities").

The SDK advertises both modes as soon as an elicitation callback is there; here the request that
leaves is rewritten to say what the owner's configuration says, and nothing else.
"""

from __future__ import annotations

from typing import Any

from mcp_types import CLIENT_CAPABILITIES_META_KEY, JSONRPCRequest


def capabilities(modes: tuple[str, ...]) -> dict[str, Any]:
    """Our capabilities: the elicitation modes, or none at all."""
    return {"elicitation": {mode: {} for mode in modes}} if modes else {}


def advertise(message: JSONRPCRequest, modes: tuple[str, ...]) -> None:
    """Rewrite the capabilities in `initialize`, or in the modern era's `_meta`, in place."""
    params = message.params
    if params is None:
        return
    if message.method == "initialize":
        params["capabilities"] = capabilities(modes)
    meta = params.get("_meta")
    if isinstance(meta, dict) and CLIENT_CAPABILITIES_META_KEY in meta:
        params["_meta"] = {**meta, CLIENT_CAPABILITIES_META_KEY: capabilities(modes)}
