"""What the data of a result is, and in what two results differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any, Final

from elicit_tui.text import neutral
from elicit_tui.text.hostile_json import SHOWN_CHARACTERS, bounded_json
from elicit_tui.tui.console.diffs import CHANGES, change_lines
from elicit_tui.tui.console.line_changes import unified
from elicit_tui.tui.console.result_tree import SameAsAbove, json_in
from elicit_tui.tui.console.results import EMPTY, as_text, blocks, texts_of
from elicit_tui.tui.console.spans import Line, Role, text_lines

COMPARED_LINES: Final = 30_000
"""Of each result."""
COMPARED_CHARACTERS: Final = 1_000_000
"""Of each result; all that differ are broken into rows."""
COMPARED_VALUES: Final = 100_000
"""Of the data of each result."""
COMPARED_AT_ONCE: Final = 100_000
"""Characters of both results; more of them would keep the screen waiting."""


def at_a_glance(result: Mapping[str, Any]) -> str:
    """The result for reading beside others: as its text, with JSON in one line spread over lines.

    JSON that has lines already is as its author laid it out.
    """
    return _spread_text(result, SHOWN_CHARACTERS)


def _spread_text(result: Mapping[str, Any], characters: int | None = None) -> str:
    return neutral("\n".join(map(_spread, texts_of(result))) or EMPTY, characters)


def _spread(text: str) -> str:
    data = None if "\n" in text.strip() else json_in(text)
    return text if data is None else bounded_json(data)


def readings(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """In which of their data and their text two results differ, where those are two things."""
    found: dict[tuple[str, str], str] = {}
    for name in ("data", "text"):
        read = _READINGS[name]
        found.setdefault((read(before), read(after)), name)
    return [name for (old, new), name in found.items() if old != new]


def difference(
    before: Mapping[str, Any], after: Mapping[str, Any], width: int, reading: str = ""
) -> list[Line]:
    """What another result has that this one had not, line by line: of their data, else their text.

    Where those are the same, of all there is. `reading`: the one to compare alone.
    """
    names = [reading] if reading else [*_READINGS]
    found = ((name, _READINGS[name](before), _READINGS[name](after)) for name in names)
    name, old, new = next((each for each in found if each[1] != each[2]), ("", "", ""))
    if old == new:
        return [((_SAME if _is_same(before, after) else _SAME_SO_FAR, "dim"),)]
    is_json = all(_is_json(name, result) for result in (before, after))
    changes = [*unified(_lines_of(old), _lines_of(new), separated=is_json)]
    roles: dict[str, Role] = {**CHANGES, "@": "accent"}
    lines: list[Line] = []
    if cut := _cut_of(old, new):
        same = not changes
        lines += text_lines(f"{cut}{': they are the same' * same}.", width, "warn")
    for text in changes:
        lines += change_lines(text, width, roles.get(text[:1], "dim"))
    if not cut and old.endswith("\n") != new.endswith("\n"):
        lines += text_lines(_ENDED.format("-" if old.endswith("\n") else "+"), width, "dim")
    return lines


_SAME: Final = "Both results are the same."
_SAME_SO_FAR: Final = "As far as they are compared, at their beginning, both results are the same."


def _is_same(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    try:
        return before == after
    except RecursionError:
        return False  # Nobody knows: it is nested too deeply to be shown, too.


def takes_long(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether whoever compares these two keeps others waiting."""
    lengths = (len(text) for result in (before, after) for text in texts_of(result))
    return sum(lengths) > COMPARED_AT_ONCE


_ENDED: Final = "Only the text marked {} ends with a line break."


def _lines_of(text: str) -> list[str]:
    """Those that are compared: a line's end begins none."""
    return text[:COMPARED_CHARACTERS].removesuffix("\n").split("\n")[:COMPARED_LINES]


def _cut_of(old: str, new: str) -> str:
    """What of two texts is compared, where that is not all of them."""
    if max(text.count("\n", 0, COMPARED_CHARACTERS) for text in (old, new)) >= COMPARED_LINES:
        return f"Only the first {COMPARED_LINES:,} lines of each are compared"
    if max(len(old), len(new)) > COMPARED_CHARACTERS:
        return f"Only the first {COMPARED_CHARACTERS:,} characters of each are compared"
    return ""


def _as_text(result: Mapping[str, Any]) -> str:
    return as_text(result, COMPARED_CHARACTERS + 1)


def _data_of(result: Mapping[str, Any]) -> str:
    data = unpacked(result)
    # In JSON each text would be one long line, with signs for its ends.
    return _spread_text(result) if data is result else _all_json(data)


def _all_json(data: Any) -> str:
    return bounded_json(data, COMPARED_VALUES, COMPARED_CHARACTERS)


def _is_json(name: str, result: Mapping[str, Any]) -> bool:
    """Whether this reading of a result is JSON that was laid out here, all of it."""
    return name == "JSON" or (name == "data" and unpacked(result) is not result)


_READINGS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "data": _data_of,
    "text": _as_text,
    "JSON": _all_json,
}


def unpacked(result: Mapping[str, Any]) -> Any:
    """The data of a result: what is structured, else the JSON of its only text, else all of it.

    What is structured and only says the text once more, under a key, is no data.
    """
    structured, text = result.get("structuredContent"), only_text(result)
    if structured and isinstance(structured, (Mapping, list)) and not _is_text_again(result):
        return structured
    data = json_in(text)
    return result if data is None else data


def _is_text_again(result: Mapping[str, Any]) -> bool:
    structured, text = result.get("structuredContent"), only_text(result)
    return isinstance(structured, Mapping) and text is not None and [*structured.values()] == [text]


def only_text(result: Mapping[str, Any]) -> str | None:
    """The text of a result that has one block and no more; None of any other."""
    found = [text_in(block) for block in blocks(result)]
    return found[0] if len(found) == 1 else None


def text_in(block: Mapping[str, Any]) -> str | None:
    """The text that a block, or the resource in it, is; None where it is none."""
    resource = block.get("resource")
    text = (resource if isinstance(resource, Mapping) else block).get("text")
    return text if isinstance(text, str) else None


def as_it_arrived(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """All of a result for reading below its data: what says the same as that only says so."""
    data, arrived = unpacked(result), dict(result)
    structured = result.get("structuredContent")
    if structured is data or _is_text_again(result):
        arrived["structuredContent"] = SameAsAbove(structured)
    above = {*map(_spelled, _standing_in(data))}
    for name in ("content", "contents"):
        if isinstance(result.get(name), list):
            arrived[name] = [_beside(block, above) for block in result[name]]
    return arrived


def _standing_in(data: Any) -> Iterator[Any]:
    """What a text of a result may say again: its data, or what is wrapped in that."""
    yield data
    if isinstance(data, Mapping) and len(data) == 1:
        (data,) = data.values()
        yield data
    if isinstance(data, list):
        yield from data


def _spelled(data: Any) -> str | None:
    try:
        return json.dumps(data, sort_keys=True)
    except (ValueError, TypeError, RecursionError):
        return None


def _beside(block: Any, above: Container[str | None]) -> Any:
    """A block of content whose text stands above, or as it is."""
    if not isinstance(block, Mapping) or (text := text_in(block)) is None:
        return block
    data = json_in(text)
    spelled = _spelled(text if data is None else data)
    if spelled is None or spelled not in above:
        return block
    resource = block.get("resource")
    if isinstance(resource, Mapping):
        return {**block, "resource": {**resource, "text": SameAsAbove(text)}}
    return {**block, "text": SameAsAbove(text)}
