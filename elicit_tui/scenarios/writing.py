"""Writes a scenario from an answers file, such as one that `--record` wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from elicit_tui.elicitation.request import fits
from elicit_tui.elicitation.settings import Rule
from elicit_tui.elicitation.toml_spelling import dotted, toml_value
from elicit_tui.errors import UsageError


def scenario_from_answers(
    rules: Sequence[Rule], server: str, tool: str, arguments: Mapping[str, Any]
) -> str:
    """The TOML of one scenario that answers as these entries do. Raises UsageError.

    An entry that is for another server or tool is left out.
    """
    meant = [rule for rule in rules if fits(rule.server, server) and fits(rule.tool, tool)]
    if not meant:
        raise UsageError(f"No entry of the answers file is for {tool} of {server}.")
    head = [
        "[[scenario]]",
        f"name = {toml_value(tool)}",
        f"server = {toml_value(server)}",
        f"call = {toml_value(tool)}",
    ]
    if arguments:
        head.append(f"arguments = {toml_value(arguments)}")
    head.append(f"expect = {{ questions = {len(meant)} }}")
    blocks = ["\n".join(head), *("\n".join(_answer(rule)) for rule in meant)]
    return "\n\n".join(blocks)


def _answer(rule: Rule) -> Iterator[str]:
    if rule.action == "ask":
        raise UsageError(f"Entry {rule.position} asks, and a scenario asks nobody.")
    yield "[[scenario.answers]]"
    if rule.message is not None:
        yield f"message = {toml_value(rule.message)}"
    if rule.action != "accept":
        yield f"action = {toml_value(rule.action)}"
    if rule.use_defaults:
        yield "use_defaults = true"
    if rule.despite:
        yield f"despite = {toml_value(rule.despite)}"
    if rule.content is not None:
        pairs = ", ".join(f"{dotted(key)} = {toml_value(v)}" for key, v in rule.content.items())
        yield f"content = {{ {pairs} }}" if pairs else "content = {}"
