"""Greetings that are huge, hostile or none."""

from __future__ import annotations

from typing import Any

from .wire import ESC

STARTS: dict[str, dict[str, Any]] = {
    "info_huge": {"serverInfo": {"name": "N" * 5_000_000, "version": "V" * 5_000_000}},
    "info_hostile": {"serverInfo": {"name": ESC, "title": ESC, "version": ESC, "websiteUrl": ESC}},
    "info_missing": {"serverInfo": None},
    "info_odd": {"serverInfo": {"name": [ESC], "version": 1}},
    "version_nonsense": {"protocolVersion": ESC},
    "version_number": {"protocolVersion": 20251125},
    "version_huge": {"protocolVersion": "2" * 5_000_000},
    "capabilities_odd": {"capabilities": [ESC]},
    "capabilities_hostile": {"capabilities": {"tools": ESC, "experimental": {ESC: {}}}},
    "instructions_huge": {"instructions": ESC * 300_000},
}
