"""The names under which an agent sees the servers' tools and prompts.

`SERVER__TOOL`, at most 46 characters of what models and programs agree on: some agents put a
prefix of their own in front and filter what is longer than 60 (SEP-986 alone allows 128). A name
that cannot stand as it is ends in a digest of the original, so that it is the same in every
session, whatever else is listed.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b32encode
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Final

MOST_CHARACTERS: Final = 46
DIGEST_CHARACTERS: Final = 16
"""Of 5 bits each: nobody finds a second name with the digest of a first one."""
MOST_NAMES: Final = 100_000
"""Of one session: a server that lists other tools each time does not fill the memory."""
SEPARATOR: Final = "__"

_UNUSABLE: Final = re.compile(r"[^A-Za-z0-9_-]")

Origin = tuple[str, str]
"""A server's configured name, and its own name for one of its tools or prompts."""


class PublicNames:
    """Gives each tool, or each prompt, of a session its name above, once and for all.

    As long as the session lives a name means the server and the tool that it was first given to:
    lists that change later neither rename an entry nor hand its name to another one.
    """

    def __init__(self, *, prefix: bool, taken: Collection[str] = ()) -> None:
        """Without `prefix` a name stays as it is, unless two servers share it or it is `taken`."""
        self._prefix = prefix
        self._taken = taken
        self._origins: dict[str, Origin] = {}
        self._names: dict[Origin, str] = {}

    def origin(self, name: str) -> Origin | None:
        """Whose name this is, also where that entry is listed no more; None: nobody's."""
        return self._origins.get(name)

    def of(self, origins: Iterable[Origin]) -> dict[Origin, str]:
        """The name of each of these.

        One is left out whose name, even with its digest, means another entry, and whatever comes
        when `MOST_NAMES` are given.
        """
        names = list(dict.fromkeys(origins))
        new = [tool for tool in names if tool not in self._names]
        # Of all that were ever named, as a name means the same as long as the session lives.
        shared = Counter(name for _, name in {*names, *self._names})
        fitting = {origin: self._fitting(origin, shared[origin[1]] > 1) for origin in new}
        claims = Counter(fitting.values())
        for origin, name in fitting.items():
            if claims[name] > 1 or not self._is_free(name):
                # Which of them comes first must not matter: none of them gets it.
                fitting[origin] = with_digest(origin)
        self._give(fitting)
        return {origin: self._names[origin] for origin in names if origin in self._names}

    def _give(self, names: dict[Origin, str]) -> None:
        claims = Counter(names.values())
        for origin, name in names.items():
            if claims[name] == 1 and self._is_free(name) and len(self._names) < MOST_NAMES:
                self._names[origin] = name
                self._origins[name] = origin

    def _is_free(self, name: str) -> bool:
        return name not in self._origins and name not in self._taken

    def _fitting(self, origin: Origin, shared: bool) -> str:
        server, name = origin
        if not self._prefix and not shared and self._is_free(name) and _fits(name):
            return name
        # With its server before it, which tells whose it is.
        text = SEPARATOR.join(origin)
        # Of `a__b__c` nobody could tell whether it is `b__c` of `a` or `c` of `a__b`.
        ambiguous = SEPARATOR in server or server.endswith(SEPARATOR[0])
        return text if _fits(text) and not ambiguous else with_digest(origin)


def _fits(text: str) -> bool:
    return 0 < len(text) <= MOST_CHARACTERS and not _UNUSABLE.search(text)


def with_digest(origin: Sequence[str]) -> str:
    """The beginning of a name, as far as it can stand, and a digest of the whole."""
    text = _UNUSABLE.sub("_", SEPARATOR.join(origin))
    # With a character between the two that neither can hold.
    whole = hashlib.sha256("\0".join(origin).encode("utf-8", "surrogatepass")).digest()
    digest = b32encode(whole).decode().lower()[:DIGEST_CHARACTERS]
    return f"{text[: MOST_CHARACTERS - DIGEST_CHARACTERS - 1]}-{digest}"
