"""Elicitation params that break the rules, by the name of the raw server's tool."""

from __future__ import annotations

from typing import Any

SCHEMA = {"type": "object", "properties": {"value": {"type": "string"}}}
GOOD = {"message": "Well formed", "requestedSchema": SCHEMA}

MALFORMED: dict[str, Any] = {
    "no_message": {"requestedSchema": SCHEMA},
    "message_is_a_number": {"message": 5, "requestedSchema": SCHEMA},
    "no_schema": {"message": "m"},
    "schema_is_a_list": {"message": "m", "requestedSchema": []},
    "schema_without_properties": {"message": "m", "requestedSchema": {"type": "object"}},
    "unknown_mode": {"mode": "telepathy", **GOOD},
    "mode_is_a_number": {"mode": 1, **GOOD},
    "url_is_a_number": {"mode": "url", "message": "m", "url": 5, "elicitationId": "e"},
    "properties_are_no_schemas": {
        "message": "m",
        "requestedSchema": {"type": "object", "properties": {"a": 5}},
    },
    "properties_is_a_list": {"message": "m", "requestedSchema": {"properties": []}},
    "params_is_a_list": [1, 2],
    "params_is_null": None,
}
