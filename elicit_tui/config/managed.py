"""What must fit together in the administrator's file, beyond types and names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from elicit_tui.config.documents import Document
from elicit_tui.config.expansion import REFERENCE
from elicit_tui.config.locks import policy_allowed
from elicit_tui.config.problem import Diagnostic, KeyPath
from elicit_tui.config.servers import NO_ADDRESS, ONE_WAY, WITH_COMMAND
from elicit_tui.config.system_path import NOT_PLAIN, is_plain
from elicit_tui.text.hosts import is_web_address

_EXPANDED = ("env", "http_headers")
_NOT_EXPANDED = "${NAME} works only in env and http_headers of managed configuration"


def managed_faults(document: Document) -> Iterator[Diagnostic]:
    """Every fault of a managed document whose types and names are right."""
    allowed = document.get("allowed_approval_policies")
    policy = document.get("approval_policy")
    unbroken = not {("approval_policy",), ("allowed_approval_policies",)} & document.broken
    if policy is not None and unbroken and not policy_allowed(policy, allowed):
        yield document.problem("is not among allowed_approval_policies", ("approval_policy",))
    for path, table in document.sound_tables("mcp_servers"):
        yield from _launch_faults(document, path, table)
    history = document.get("history", "path")
    if isinstance(history, str) and REFERENCE.search(history):
        yield document.problem(_NOT_EXPANDED, ("history", "path"))
    if document.get("managed", "allow") and document.get("managed", "servers") != "allow":
        yield document.problem(
            '[[managed.allow]] has an effect only with servers = "allow"', ("managed",)
        )
    for path, entry in document.sound_tables("managed", "allow"):
        if ("command" in entry) == ("url" in entry):
            yield document.problem(ONE_WAY, path)
        for key in ("args", "env", "cwd"):
            if key in entry and "url" in entry:
                yield document.problem(WITH_COMMAND, (*path, key))
        if "url" in entry and not is_web_address(entry["url"]):
            yield document.problem(NO_ADDRESS, (*path, "url"))
        yield from _launch_faults(document, path, entry)


def _launch_faults(
    document: Document, path: KeyPath, table: Mapping[str, Any]
) -> Iterator[Diagnostic]:
    for key, value in table.items():
        if key in _EXPANDED:
            continue
        texts = value if isinstance(value, list) else [value]
        if any(isinstance(text, str) and REFERENCE.search(text) for text in texts):
            yield document.problem(_NOT_EXPANDED, (*path, key))
    command = table.get("command")
    if command is not None and not is_plain(command):
        yield document.problem(NOT_PLAIN, (*path, "command"))
    cwd = table.get("cwd")
    if cwd is not None and not Path(cwd).is_absolute():
        yield document.problem("a managed cwd must be absolute", (*path, "cwd"))
