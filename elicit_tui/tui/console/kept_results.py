"""What came back of calls, as a later run may have it: what is long lies in a file of its own.

A secret is masked as `history.content` says; what holds an argument that is not kept is not kept
either. Looking for secrets in what is long takes seconds: never on the loop's thread.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, quote_plus

from elicit_tui import paths
from elicit_tui.elicitation.keeping import kept_result
from elicit_tui.text import ascii_json
from elicit_tui.text.hostile_json import is_larger_than, parts_of

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import ContentPolicy

LARGEST_BESIDE_ITS_CALL: Final = 40_000
"""Characters of JSON; what is longer has a file of its own."""
LARGEST_PARTS: Final = 50_000
"""Values of a result, 20 characters of a text as one: what has more is not kept."""
COUNTED_PARTS: Final = 4 * LARGEST_PARTS
"""Of a larger one no more are counted; the screen waits for it."""
LARGEST_FILE: Final = 4_000_000
"""Bytes of such a file."""
LARGEST_OF_ALL: Final = 20_000_000
"""Bytes of all these files; the oldest go until the others fit."""
AT_MOST: Final = f"{20 * LARGEST_PARTS:,} characters, or {LARGEST_PARTS:,} values"
TOO_LARGE: Final = f"what came back is too large to be kept (at most {AT_MOST})"
TELLS: Final = "what came back is not kept, as it holds an argument that is not"
DATA: Final = "what came back is not kept, as it holds a picture or other data"
NO_ROOM: Final = "what came back is kept no longer, as results of newer calls have its room"
UNREADABLE: Final = "what came back cannot be read any more"
_NAME: Final = re.compile(r"result-[0-9a-f]{12}\.json")


def folder() -> Path:
    """Where results lie that are too long to stand beside their calls."""
    return paths.state_directory() / "call-results"


def may_be_kept(
    result: Any, withheld: Mapping[str, Any], policy: ContentPolicy
) -> tuple[dict[str, Any] | None, str]:
    """What came back, as it may be kept; else None, and why it is not.

    `withheld`: the arguments of its call that are not kept.
    """
    if not result or not isinstance(result, dict):
        return None, ""
    if is_too_large(result):
        return None, TOO_LARGE
    if tells(result, withheld):
        return None, TELLS
    kept = kept_result(result, policy)
    if [*_data(kept)] != [*_data(result)]:
        return None, DATA  # Masked, a picture would be none, and saved be spoilt.
    return kept, ""


def is_too_large(result: Any) -> bool:
    """Whether a result is larger than any that is kept; looks at no more than it takes to know."""
    return is_larger_than(result, LARGEST_PARTS)


def how_large(result: Any) -> str:
    """The size of a result that is too large, as it counts, and what is kept at most."""
    counted, most = 20 * parts_of(result, COUNTED_PARTS), 20 * LARGEST_PARTS
    if counted <= most:
        return f"Written down it takes more than the {LARGEST_FILE:,} bytes that are kept at most."
    more, counted = "more than " * (counted > 4 * most), min(counted, 4 * most)
    what = f"{more}{counted:,} characters, its data included, and 20 for each value"
    return f"It counts as {what}; at most {most:,} are kept."


def written_down(result: dict[str, Any] | None, why_not: str) -> dict[str, Any]:
    """What of a result stands beside its call; a long one is written to a file. Raises OSError."""
    if result is None:
        return {"no_result": why_not} if why_not else {}
    spelled = ascii_json(result).encode()
    if len(spelled) <= LARGEST_BESIDE_ITS_CALL:
        return {"result": result}
    if len(spelled) > LARGEST_FILE:
        return {"no_result": TOO_LARGE}
    file = paths.new_private_file(folder(), "result", ".json", spelled)
    return {"result_file": file.name, "result_bytes": len(spelled)}


def named_file(written: Mapping[str, Any]) -> str:
    """The file with what came back of a call, by its name; empty where it has none of ours."""
    name = str(written.get("result_file") or "")
    return name if _NAME.fullmatch(name) else ""


def read_result(name: str) -> dict[str, Any] | None:
    """What such a file holds; None where that cannot be read."""
    try:
        with (folder() / name).open("rb") as stream:
            return dict(json.loads(stream.read(LARGEST_FILE + 1)))
    except (OSError, ValueError, TypeError, RecursionError):
        return None


def make_room(calls: Iterable[Any]) -> None:
    """Of these calls, the oldest first, the newest keep their files, as many as there is room for.

    What the others had is said to be gone.
    """
    room = LARGEST_OF_ALL
    for call in reversed([call for call in calls if isinstance(call, dict) and named_file(call)]):
        room -= int(call.get("result_bytes") or 0)
        if room < 0:
            del call["result_file"]
            call["no_result"] = NO_ROOM


def remove_files_but_those_of(calls: Iterable[Any]) -> None:
    """Remove what no call names, or names no longer. Raises OSError."""
    named = {named_file(call) for call in calls if isinstance(call, dict)}
    for file in folder().glob("result-*.json"):
        if file.name not in named:
            file.unlink(missing_ok=True)


def tells(value: Any, withheld: Mapping[str, Any]) -> bool:
    """Whether something of a value holds what is withheld, however it is spelled there."""
    spelled = {word for _, leaf in _named_leaves(withheld) for word in _spellings(leaf)}
    texts = (text for key, leaf in _named_leaves(value) for text in (key, leaf))
    return any(word in text for text in texts for word in spelled)


def _spellings(text: str) -> Iterator[str]:
    """How a server may write a text back: as it is, as HTML, in a URL, as JSON, in that again."""
    yield from (text, html.escape(text), quote(text, safe=""), quote_plus(text))
    for is_ascii in (True, False):
        once = json.dumps(text, ensure_ascii=is_ascii)[1:-1]
        yield from (once, json.dumps(once, ensure_ascii=is_ascii)[1:-1])


def _named_leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Each text and number inside, with the key under which it stands."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _named_leaves(item, str(key))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _named_leaves(item, name)
    elif value not in ("", None, True, False):
        yield name, value if isinstance(value, str) else ascii_json(value)


def _data(result: Any) -> Iterator[Any]:
    """The binary parts of a result, as they stand in it."""
    if isinstance(result, (Mapping, list)):
        for item in result.values() if isinstance(result, Mapping) else result:
            yield from _data(item)
    if isinstance(result, Mapping):
        yield from (result[key] for key in ("data", "blob") if isinstance(result.get(key), str))
