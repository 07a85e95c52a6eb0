"""A server's result as text for a person: neutral, and without effect on a CI system's log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from elicit_tui.host.offers import objects
from elicit_tui.text import ascii_json, ci_safe, neutral, neutral_line


def result_text(result: Mapping[str, Any]) -> str:
    """The result of a tool, a prompt or a resource, block by block."""
    return ci_safe("\n".join(_lines(result)))


def _lines(result: Mapping[str, Any]) -> Iterator[str]:
    for message in objects(result.get("messages")):
        yield f"[{neutral_line(str(message.get('role', '?')), 40)}]"
        content = message.get("content")
        yield _block(content if isinstance(content, Mapping) else {})
    blocks = [*objects(result.get("content")), *objects(result.get("contents"))]
    for block in blocks:
        yield _block(block)
    if not blocks and "messages" not in result and result.get("structuredContent") is not None:
        yield ascii_json(result["structuredContent"], indent=2)


def _block(block: Mapping[str, Any]) -> str:
    """One content block or resource: its text, or one line about what it is."""
    text = block.get("text")
    if isinstance(text, str):
        return neutral(text)
    resource = block.get("resource")
    if isinstance(resource, Mapping):
        return _block(resource)
    kind = neutral_line(str(block.get("type", "resource")), 40)
    about = [kind]
    for key in ("name", "uri", "mimeType"):
        if isinstance(block.get(key), str):
            about.append(neutral_line(block[key]))
    data = block.get("data", block.get("blob"))
    if isinstance(data, str):
        about.append(f"{len(data)} characters of base64")
    return f"[{', '.join(about)}]"
