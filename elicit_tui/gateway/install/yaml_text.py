"""Changes one server in YAML text and leaves every other character as it is.

A library reads the text and tells where each value stands; what is new is written by it, and put
in between.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from io import StringIO
from itertools import takewhile
from typing import Any

from elicit_tui.gateway.install.json_text import newline


def loads(text: str) -> Any:
    """The plain values of a text. Raises ValueError, also for one that repeats itself by anchors.

    A few anchors can stand for more values than fit into any memory.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.events import AliasEvent

    try:
        if any(isinstance(event, AliasEvent) for event in YAML().parse(StringIO(text))):
            raise ValueError("it uses anchors")
        return YAML(typ="safe", pure=True).load(text)
    except YAMLError as error:
        problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise ValueError(problem) from None


def put(text: str, path: Sequence[str], name: str, entry: Mapping[str, Any], listed: bool) -> str:
    """The text with a server; `listed`: they stand in a list, each with its name.

    Raises KeyError for one of this name that cannot be taken out.
    """
    plain = text.replace("\r\n", "\n")
    node, missing = _walk(plain, path)
    # What stands in its place is taken out: a server of this name, or a key that holds only null.
    index = _index(node, missing[0], listed=False) if missing else _index(node, name, listed)
    if index is not None:
        plain = _cut(plain, node, index)
        node, missing = _walk(plain, path)
    value: Any = [{"name": name, **entry}] if listed else {name: dict(entry)}
    for key in reversed(missing):
        value = {key: value}
    return _in_lines_of(text, _added(plain, node, value))


def taken(text: str, path: Sequence[str], name: str, listed: bool) -> tuple[str, str]:
    """The text without a server, and that as YAML of its own. Raises KeyError."""
    plain = text.replace("\r\n", "\n")
    node, missing = _walk(plain, path)
    index = None if missing else _index(node, name, listed)
    if index is None:
        raise KeyError(name)
    servers: Any = loads(plain)
    for key in path:
        servers = servers[key]
    server = servers[index if listed else name]
    return _in_lines_of(text, _cut(plain, node, index)), _dumped(server)


def without(text: str, path: Sequence[str]) -> str:
    """The text without a whole key. Raises KeyError."""
    plain = text.replace("\r\n", "\n")
    node, missing = _walk(plain, path[:-1])
    index = None if missing else _index(node, path[-1], listed=False)
    if index is None:
        raise KeyError(path[-1])
    if len(node.value) == 1 and len(path) == 1:
        return ""
    return _in_lines_of(text, _cut(plain, node, index))


def _in_lines_of(text: str, changed: str) -> str:
    """The changed text: lines that stay end as they did, others as those of the text."""
    old, new = text.splitlines(keepends=True), changed.splitlines(keepends=True)
    pairs = [*zip(old, new, strict=False)]
    rest = [*zip(reversed(old), reversed(new), strict=False)]
    before = sum(1 for _ in takewhile(_is_one_line, pairs))
    behind = sum(1 for _ in takewhile(_is_one_line, rest[: len(rest) - before]))
    middle = "".join(new[before : len(new) - behind]).replace("\n", newline(text))
    return "".join([*old[:before], middle, *old[len(old) - behind :]])


def _is_one_line(pair: tuple[str, str]) -> bool:
    """Whether two lines are the same, however the first one ends."""
    return pair[0].replace("\r\n", "\n") == pair[1]


def _walk(plain: str, path: Sequence[str]) -> tuple[Any, list[str]]:
    """The node behind these keys, or the last one on the way; and the keys without a value."""
    from ruamel.yaml import YAML

    node: Any = YAML().compose(StringIO(plain))
    for depth, key in enumerate(path):
        index = _index(node, key, listed=False)
        # Null is no value that anything could be put into.
        if index is None or _is_null(node.value[index][1]):
            return node, list(path[depth:])
        node = node.value[index][1]
    return node, []


def _is_null(node: Any) -> bool:
    return str(node.tag).endswith(":null")


def _index(node: Any, name: str, listed: bool) -> int | None:
    """Which entry of a mapping has this key, or of a list this name."""
    if node is None or not isinstance(node.value, list):
        return None
    for index, entry in enumerate(node.value):
        if not listed and entry[0].value == name:
            return index
        pairs = [(key.value, value.value) for key, value in entry.value] if listed else []
        if ("name", name) in pairs:
            return index
    return None


def _dumped(value: Any) -> str:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    stream = StringIO()
    yaml.dump(value, stream)
    return stream.getvalue()


def _indented(value: Any, column: int) -> str:
    """A value in lines that begin at this column."""
    lines = _dumped(value).splitlines()
    if isinstance(value, list):
        lines = [line.removeprefix("  ") for line in lines]
    return "".join(f"{' ' * column}{line}\n" for line in lines)


def _added(plain: str, node: Any, value: Any) -> str:
    """The text with what a value holds as the last entry of a mapping or list."""
    if node is None:
        head = plain if not plain.strip() or plain.endswith("\n") else f"{plain}\n"
        return head + _indented(value, 0)
    # A block of lines; all else stands between brackets.
    if not node.flow_style:
        end = _end(plain, node)
        head = plain[:end] if plain[:end].endswith("\n") else f"{plain[:end]}\n"
        return head + _indented(value, node.start_mark.column) + plain[end:]
    if not node.value:
        return _in_place_of_brackets(plain, node, value)
    closing = node.end_mark.index - 1
    head = plain[:closing].rstrip()
    comma = "" if head.endswith(",") else ","
    return f"{head}{comma} {json.dumps(value)[1:-1]}{plain[closing:]}"


def _in_place_of_brackets(plain: str, node: Any, value: Any) -> str:
    """The text with a block of lines where an empty mapping or list stood as `{}` or `[]`."""
    start = node.start_mark.index
    line = plain[plain.rfind("\n", 0, start) + 1 : start]
    # Below its key, or where the brackets had a line of their own.
    column = len(line) - len(line.lstrip()) + (2 if line.strip() else 0)
    line_break = "\n" if line.strip() else ""
    head, tail = plain[:start].rstrip(" "), plain[node.end_mark.index :].lstrip(" ")
    return head + line_break + _indented(value, column) + tail.removeprefix("\n")


def _cut(plain: str, node: Any, index: int) -> str:
    """The text without one entry. Raises KeyError for one between braces."""
    if node.flow_style:
        raise KeyError(index)
    # Of a mapping key and value, of a list the entry itself.
    entry = node.value[index]
    first, last = entry if isinstance(entry, tuple) else (entry, entry)
    start = plain.rfind("\n", 0, first.start_mark.index) + 1
    end = _end(plain, last)
    column, is_mapping = node.start_mark.column, isinstance(entry, tuple)
    remainder = ""
    # A key without a value would mean null, which no agent expects. A mapping at the left edge is
    # the document itself, which may be empty.
    if len(node.value) == 1 and not (is_mapping and column == 0):
        remainder = f"{' ' * max(2, column)}{'{}' if is_mapping else '[]'}\n"
    return plain[:start] + remainder + plain[end:]


def _end(plain: str, node: Any) -> int:
    """Where the lines of a value end: behind its last one that is neither blank nor a comment."""
    end: int = node.end_mark.index
    # Only a block may have lines that belong to what follows: blank ones and comments.
    block = not node.flow_style if isinstance(node.value, list) else node.style in ("|", ">")
    if not block:
        after = plain.find("\n", end)
        return len(plain) if after < 0 else after + 1
    kept = plain[:end].splitlines(keepends=True)
    while kept and (not kept[-1].strip() or kept[-1].lstrip().startswith("#")):
        kept.pop()
    return len("".join(kept))
