"""Patterns of a schema that only a secret's value can match: a key's, a card's, a phrase's.

What the values themselves look like stands in `elicit_tui.elicitation.shapes`.
"""

from __future__ import annotations

import re
from typing import Final

_EXAMINED: Final = 20_000
_WORDS: Final = re.compile(
    r"(?:\[a-z\]|\\w|\[A-Za-z\]|\[a-zA-Z\])(?:\{\d,?\d*\}|\+)(?:\\s| |\[ )[^)]*\)\{(\d+)"
)
_PHRASE_LENGTHS: Final = frozenset((12, 15, 18, 21, 24))
_DIGIT: Final = r"(?:\\d|\[0-9\])"
_OPENING: Final = re.compile(r"^\^?(?:\\b)?(?:\((?:\?:)?)*")
_SECRET_PATTERNS: Final = re.compile(
    "|".join(
        (
            # how known keys begin
            r"^(?:sk[-_]|rk_|gh(?:[pousr]_|[\[(])|github_pat|glpat|xox|AKIA|ASIA|\(?A[KS]IA|AIza|ya29|npm_|pypi-|hf_"
            r"|shpat|whsec|SG\\?\.|lin_api|ntn_|dop_v1|hv[sb]\\?\.|bearer|nsec1|xprv)",
            r"^-----BEGIN(?! (?:PUBLIC|CERT))",
            # three parts of a JWT, a login inside an address, a base32 seed, a wallet's key
            r"ey[J[\\][^.]*\.\(?(?:\?:)?ey",
            r"^eyJ",
            r"://.*:(?:\[\^[^\]]*\]|\.|\\S)[+*]\??\)?@",
            r"\[A-Z2-7\](?:\{(?:1[6-9]|[2-9]\d)|\+)",
            r"\[5KL\]",
            # a payment card's digits
            rf"{_DIGIT}\{{4\}}[^a-z)]{{0,12}}\)\{{3\}}[^a-z]{{0,4}}{_DIGIT}\{{(?:1,)?4\}}",
            rf"(?:{_DIGIT}\{{4\}}[^a-z]{{0,8}}){{4}}",
            rf"{_DIGIT}\{{1[2-5],1[69]\}}",
            rf"^4{_DIGIT}\{{12\}}",
        )
    )
)


def pattern_of_secret(pattern: str) -> bool:
    """Whether a pattern describes a seed phrase, a card number or a key of a known shape."""
    if _SECRET_PATTERNS.search(_OPENING.sub("", pattern[:_EXAMINED])):
        return True
    words = _WORDS.search(pattern)
    return words is not None and {int(words[1]), int(words[1]) + 1} & _PHRASE_LENGTHS != set()
