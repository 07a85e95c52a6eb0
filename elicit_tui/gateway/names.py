"""The names under which an agent sees the servers' tools and prompts.

`SERVER__TOOL`, at most 46 characters of what models and programs agree on: some agents put a
prefix of their own in front and filter what is longer than 60 (SEP-986 alone allows 128). A name
that had to be changed ends in a short digest of the original, so that it is the same in every
session, whatever else is listed.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final

MOST_CHARACTERS: Final = 46
DIGEST_CHARACTERS: Final = 6
SEPARATOR: Final = "__"

_UNUSABLE: Final = re.compile(r"[^A-Za-z0-9_-]")

Origin = tuple[str, str]
"""A server's configured name, and its own name for one of its tools or prompts."""


def public_names(
    origins: Iterable[Origin], *, prefix: bool, taken: Collection[str] = ()
) -> dict[Origin, str]:
    """The name of each tool or prompt above; no two are the same, and none is `taken`.

    Without `prefix` a name stays as it is, unless two servers share it or it is one of ours.
    """
    wanted = list(dict.fromkeys(origins))
    shared = Counter(name for _, name in wanted)
    plain = {
        origin: origin[1]
        if not prefix and shared[origin[1]] == 1 and origin[1] not in taken
        else SEPARATOR.join(origin)
        for origin in wanted
    }
    fitting = {origin: _fitting(origin, text) for origin, text in plain.items()}
    claims = Counter(fitting.values())
    return {
        origin: name
        if claims[name] == 1 and name not in taken
        else _with_digest(origin, plain[origin])
        for origin, name in fitting.items()
    }


def _fitting(origin: Origin, text: str) -> str:
    if len(text) <= MOST_CHARACTERS and text and not _UNUSABLE.search(text):
        return text
    return _with_digest(origin, text)


def _with_digest(origin: Origin, text: str) -> str:
    digest = hashlib.sha256("\0".join(origin).encode("utf-8", "surrogatepass")).hexdigest()
    room = MOST_CHARACTERS - DIGEST_CHARACTERS - 1
    return f"{_UNUSABLE.sub('_', text)[:room]}-{digest[:DIGEST_CHARACTERS]}"
