"""The vocabularies made ready: folded, in entries, each with letters it cannot do without.

Reading and folding the language files takes a fifth of a second, too long before a first form.
`vocabulary/index.json` holds the result; it is used while it belongs to the files beside it and
made anew in memory otherwise, so that a changed vocabulary always counts.

`python -m elicit_tui.guardian.index` writes it.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import re
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same library under its older name
    import tomli as tomllib

FOLDER: Final = Path(__file__).parent / "vocabulary"
INDEX: Final = FOLDER / "index.json"
GRAM: Final = 3
"""Letters looked up at once; a shorter necessary text is looked up whole."""
_FORM: Final = 2
OF_ONE_LANGUAGE: Final = ("unnamed", "asking")
"""Tables whose lists work together, so that each language has concepts of its own."""
_MOST_LITERALS: Final = 400
_GAP: Final = r"[^.?!\n]{0,50}?"
_NARROW_GAP: Final = r"[^。？！\n]{0,14}?"
_BLANK: Final = r"[\W_]{0,3}"
_ANY_BLANK: Final = r"\s{0,2}"
_BREAK: Final = r"[\W_]{1,3}"
_WORD: Final = r"[^\W_]{1,40}"

Entry = tuple[bool, str, tuple[str, ...]]
"""Whether its script has blanks; the expression; texts of which one must be there (none: any)."""


def load_toml(name: str) -> dict[str, Any]:
    """One data file of the vocabulary folder."""
    return tomllib.loads((FOLDER / name).read_text("utf-8"))


def _digest() -> str:
    digest = hashlib.sha256(str(_FORM).encode())
    for path in sorted(FOLDER.glob("*.toml")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@lru_cache(maxsize=1)
def index() -> Mapping[str, Any]:
    """The index that belongs to the vocabularies beside it."""
    try:
        stored = json.loads(INDEX.read_text("utf-8"))
    except (OSError, ValueError):
        stored = {}
    digest = _digest()
    if isinstance(stored, dict) and stored.get("digest") == digest:
        return stored
    return build(digest)


def build(digest: str | None = None) -> dict[str, Any]:
    """The index made from the language files. A file that is broken stops the guardian."""
    from elicit_tui.guardian.folding import fold

    concepts: dict[str, list[Entry]] = {}
    languages: list[str] = []
    plain: dict[str, list[str]] = {}
    senses: list[tuple[str, str]] = []
    for path in sorted(FOLDER.glob("*.toml")):
        vocabulary = load_toml(path.name)
        if "code" not in vocabulary:
            continue
        has_blanks = bool(vocabulary["spaces"])
        if all(table in vocabulary for table in OF_ONE_LANGUAGE):
            languages.append(vocabulary["code"])
        for table, lists in vocabulary.items():
            if not isinstance(lists, dict):
                continue
            for name, listed in lists.items():
                if name == "senses":
                    senses.extend(
                        (spaced(fold(entry["word"])), spaced(fold(entry["context"])))
                        for entry in listed
                    )
                    continue
                own = f"{table}-{vocabulary['code']}" if table in OF_ONE_LANGUAGE else table
                made = concepts.setdefault(f"{own}.{name}", [])
                for entry in listed:
                    made.extend(_entries(fold(entry), has_blanks))
                if name == "disguised":
                    plain.setdefault(f"{table}.{name}", []).extend(map(fold, listed))
    return {
        "digest": digest or _digest(),
        "concepts": {name: list(dict.fromkeys(made)) for name, made in concepts.items()},
        "languages": languages,
        "plain": plain,
        "senses": senses,
    }


def _entries(folded: str, has_blanks: bool) -> Iterator[Entry]:
    for alternative in _alternatives(folded):
        expression = spaced(alternative) if has_blanks else unspaced(alternative)
        yield has_blanks, expression, _necessary(expression)


def spaced(entry: str) -> str:
    """An entry of a script with blanks as an expression that takes linear time.

    Between two words of any kind the separator must be there: if it could be missing, a run of
    letters could be cut into words in very many ways.
    """
    entry = re.sub(r"\[[^\]]*\]", lambda match: match[0].replace(" ", r"\s"), entry)
    entry = entry.replace(r"(?: \w+)*", r"(?: \w+){0,6}")
    entry = entry.replace(r" \w+", rf"{_BREAK}{_WORD}").replace(r"\w+ ", rf"{_WORD}{_BREAK}")
    entry = entry.replace(r"\w*", r"[^\W\d_]{0,30}").replace(r"\w+", _WORD)
    return entry.replace(" ", _BLANK).replace("…", _GAP).replace("...", _GAP)


def unspaced(entry: str) -> str:
    """An entry of a script without blanks; where it has one, the text may have one too."""
    entry = entry.replace(" ?", _ANY_BLANK).replace(" ", _ANY_BLANK)
    return entry.replace("…", _NARROW_GAP).replace("...", _NARROW_GAP)


def _alternatives(entry: str) -> list[str]:
    """The options of an entry that is one group of them; otherwise the entry itself."""
    if not entry.startswith("(?:") or not entry.endswith(")"):
        return [entry]
    cuts = [3]
    depth = 0
    position = 0
    while position < len(entry):
        character = entry[position]
        if character == "\\":
            position += 1
        elif character == "[":
            position = entry.index("]", position + 2)
        elif character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if depth == 0 and position < len(entry) - 1:
                return [entry]
        elif character == "|" and depth == 1:
            cuts.append(position + 1)
        position += 1
    cuts.append(len(entry))
    return [entry[start : end - 1] for start, end in pairwise(cuts)]


def _necessary(expression: str) -> tuple[str, ...]:
    parser: Any = importlib.import_module(
        "re._parser" if sys.version_info >= (3, 11) else "sre_parse"
    )
    found = _required(parser.parse(expression))
    return tuple(sorted(found)) if found and len(found) <= _MOST_LITERALS else ()


def _required(tree: Any) -> frozenset[str] | None:
    """Texts of which every match has at least one, the longest that can be had."""
    best: frozenset[str] | None = None
    run = ""
    candidates: list[frozenset[str]] = []
    for operator, argument in tree:
        name = str(operator)
        if name == "LITERAL":
            run += chr(argument)
            continue
        if run:
            candidates.append(frozenset((run,)))
            run = ""
        inner: frozenset[str] | None = None
        if name == "SUBPATTERN":
            inner = _required(argument[-1])
        elif name == "BRANCH":
            options = [_required(option) for option in argument[1]]
            if all(options):
                inner = frozenset().union(*(option for option in options if option))
        elif name in ("MAX_REPEAT", "MIN_REPEAT") and argument[0] >= 1:
            inner = _required(argument[2])
        if inner:
            candidates.append(inner)
    if run:
        candidates.append(frozenset((run,)))
    for candidate in candidates:
        if best is None or _worth(candidate) > _worth(best):
            best = candidate
    return best


def _worth(texts: frozenset[str]) -> tuple[int, int]:
    return min(min(map(len, texts)), 5), -len(texts)


if __name__ == "__main__":
    INDEX.write_text(
        json.dumps(build(), ensure_ascii=True, separators=(",", ":"), sort_keys=True) + "\n",
        "utf-8",
    )
