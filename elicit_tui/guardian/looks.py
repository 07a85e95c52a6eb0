"""What gives a secret away by its look: how it begins, how long it is, what stands around it.

What the values themselves look like stands in `elicit_tui.elicitation.shapes`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from elicit_tui.elicitation.shapes import card_number
from elicit_tui.guardian.reading import Place
from elicit_tui.guardian.rule import searching

_BEGINNING: Final = 200
_DIGIT: Final = r"(?:\\d|\[0-9\])"
BEGINS: Final = (
    r"(?:g?sk[-_](?!SK\b)|[fr]k_|gh[pousr]_|github_pat|gl(?:pat|dt|ptt|rt|cbt|oas|ft|agent)-|xox[abeoprs]-"
    r"|xapp-|xai-|AIza|ya29\.|GOCSPX-|npm_|pypi-|hf_|r8_|pplx-|tvly-|lsv2_|shp(?:at|ca|pa|ss)_|whsec_"
    r"|SG\.|lin_api|ntn_|do[opr]_v1|hv[sbr]\.|dapi[0-9a-f]|ATATT|NRAK-|dckr_pat|tskey-|figd_|sbp_"
    r"|AGE-SECRET|EAAA|sq0(?:at|cs)p-|SWMTKN|K10[0-9a-f]{4}|xkeysib-|PMAK-|glsa_|sntry[su]_|nvapi-"
    r"|nsec1|xprv|eyJ|1//|[Bb]earer (?!\s*(?!x+\b)[a-z]{2,}\b))"
)
"""How the keys begin that well-known issuers hand out; an access key's ID (AKIA…) is no secret."""
OPENS: Final = r"(?:otpauth|mongodb|postgres(?:ql)?|mysql|mariadb|rediss?|amqps?|sftp)(?:\+\w+)?://"
"""How addresses begin that hold a login or a secret by their nature."""
_ELIDED: Final = (
    rf"(?<![\w-])(?:{BEGINS}[\w-]{{0,16}}|{OPENS}(?:\w+/)?)"
    r"(?:\.{2,}|…|x{3,}|X{3,}|\*{3,}|$|[)\s\"'`])"
)
_LOGS_IN: Final = (
    r"(?i)[?&;](?:password|passwd|pwd|pass)=[^\s&;]|<password>|[?&]sig="
    r"|\b[\w.]*(?:password|passwd)=\S|:thin:[^\s/]+/[^\s@]+@"
)
_HEADER: Final = (
    r"(?i)(?<![\w-])(?:(?:proxy-)?authorization|x-api-key|api-key|x-auth-token|cookie)\s?:\s*\S"
)
_BEGUN: Final = re.compile(
    r"(?i)(authorization|cookie)?[\"']?\s?[:=]\s?[\"']?(?:basic|bearer|token)?[\"']?\s*$"
    r"|^\s*(?:basic|bearer|token)\s+$"
)
_MASKED: Final = r"(?:^|[\w.@-]\s?[/:|]\s?)[•●]{3,}$|[\w.@-]\s?[/:|]\s?\*{4,}$|^\*{6,}$"
"""A value that nobody is to see, alone or behind a user's name: `admin/****`."""
_LONG_VALUE: Final = (
    r"(?i)\b(?:3[2-9]|[4-9]\d|[125]\d\d)[-\s*_]{0,4}(?:bits?|bytes?|char(?:acter)?s?|digits?)?[-\s*_]{0,4}hex"
    r"|\bthe[\s*_]{1,4}(?:[2-9]\d|1\d\d)[-\s*_]{1,4}(?:characters?|letters|signs)\b"
    r"|\b[3-9]\d[-\s*_]{1,4}character[\s*_]{1,4}(?:thing|string|value|one)\b"
    r"|(?:^|(?:exactly|always|genau|immer|exac?t[ae]?mente?|siempre|sempre) )(?:3[26]|4[0348]|64"
    r"|8[68])[ -]?(?:(?:char(?:acter)?s|letters|zeichen|caract[eè]res)\b(?! or| max)"
    r"|[个個]?字[符元]|位|文字)"
    r"|\b(?:x{4,5}-){1,7}x{4,5}\b"
)
"""How long a value is that nobody chose, or how its groups stand."""
_UNFILLED: Final = (
    r"(?i)(?:\b(?:session|session_id|sid|token|auth|login|sig)|[?&]code)=(?!\w)|\[sudo\][\s*_]+\S+@"
    r"|\bauthorization:(?=[\s*_]{0,3}(?:basic\s?|bearer\s?)?(?:$|[`'\"]|in |of |on ))"
    r"|\b(?!primary|foreign|partition|sort|cache|public|max)(?:[a-z0-9]+_)+"
    r"(?:token|key|secret|password|pwd|pass|pat)(?:=(?!\w)| (?:is )?(?:not |missing|empty|unset))"
)
_BEHIND: Final = r"(?i)\b(?:after|behind|begin[\s*_]{1,4}with|follows)[\s*_`'\"]{1,6}authorization:"
_ENV: Final = r"^\W?\.env\b\W*(?:contents?|file|dump)?$"
_FORMAT: Final = r"^(?:password|secret)$"
_ONE_OF: Final = re.compile(r"\((?:\?:)?(\w+)\|[^()]*\)|\[(.)[^\]]*\]|\\(\W)")
_SIGNS: Final = re.compile(r"\(\?:|[()^]|\\b")
_SECRET_PATTERNS: Final = "|".join(
    (
        r"^\^?-----BEGIN(?! (?:PUBLIC|CERT))",
        # three parts of a JWT, a login inside an address, a base32 seed, keys of a known length
        r"ey[J[\\][^.]*\.\(?(?:\?:)?ey",
        r"://.*:(?:\[\^[^\]]*\]|\.|\\S)[+*]\??\)?@",
        r"\[(?=[^\]]{0,20}[aA]-[zZ])[^\]]{0,20}2-7[^\]]{0,20}\](?:\{(?:4\}|1[6-9]|[2-9]\d)|\+)",
        r"\[5KL\]|\[A-Za-z0-9[/+\\]+=?\]\{40\}|\{24(?:,\d*)?\}\)?\\\..{0,30}\{6\}\)?\\\.",
        # as many words as a wallet's phrase has, or one less before the last
        r"(?:\[a-z\]|\\w|\[A-Za-z\]|\[a-zA-Z\])(?:\{\d,?\d*\}|\+)(?:\\s| |\[ )[^)]*\)"
        r"\{(?:1[124578]|2[0134])(?!\d)",
        # a payment card's digits
        rf"{_DIGIT}\{{4\}}[^a-z)]{{0,12}}\)\{{3\}}[^a-z]{{0,4}}{_DIGIT}\{{(?:1,)?4\}}",
        rf"(?:{_DIGIT}\{{4\}}[^a-z]{{0,8}}){{4}}",
        rf"{_DIGIT}\{{1[2-5],1[69]\}}",
        rf"^\^?4{_DIGIT}\{{12\}}",
    )
)


def _is_of_secret(pattern: Place) -> bool:
    """Whether a pattern describes a seed phrase, a card number or a key of a known shape."""
    text = pattern.text
    one_way = _ONE_OF.sub(lambda match: match[1] or match[2] or match[3], text[:_BEGINNING])
    return bool(re.match(BEGINS, _SIGNS.sub("", one_way)) or re.search(_SECRET_PATTERNS, text))


class _Look(NamedTuple):
    """What a text of some roles shows where a secret belongs."""

    frame: str
    roles: Sequence[str]
    shows: Callable[[Place], object]
    in_open: bool = True
    """Whether it counts only where anything can be typed."""


def _like(pattern: str, needs: str = "") -> Callable[[Place], object]:
    search = searching(pattern, needs)
    return lambda place: search(place.plain)


def _is_begun(place: Place) -> bool:
    """Whether a secret's value is what is left to write: "user=lena; pw="."""
    begun = _BEGUN.search(place.plain)
    named = (hit for clause in place.clauses[-1:] for hit in clause.of("sure", "maybe", "name"))
    ends = any(hit.end == len(place.clauses[-1].words) for hit in named)
    return begun is not None and (begun[1] is not None or ends)


_VALUES: Final = ("default", "example")
_HEADED: Final = ("description", *_VALUES)
_TOLD: Final = ("message", "title", *_HEADED)
_CARD_TOLD: Final = ("title", "description", "example")
_LOOKS: Final = (
    _Look("cut-short", _TOLD, _like(_ELIDED)),
    _Look("masked", _HEADED, _like(_MASKED, "[•●*]")),
    _Look("begun", _VALUES, _is_begun),
    _Look("env-file", ("title",), _like(_ENV), in_open=False),
    _Look("unfilled", _TOLD, _like(_UNFILLED, "[=_:]")),
    _Look("unfilled", _TOLD, _like(_BEHIND, ":"), in_open=False),
    _Look("long-value", ("message", "title", "description"), _like(_LONG_VALUE, r"\d|[xX]{4}")),
    _Look("login-inside", _TOLD, _like(_LOGS_IN, "[=<@]"), in_open=False),
    _Look("login-inside", _TOLD, lambda place: place.shape == "password_in_url", in_open=False),
    _Look("login-inside", _HEADED, _like(_HEADER, ":"), in_open=False),
    _Look("format-of-secret", ("format",), _like(_FORMAT), in_open=False),
    _Look("card-number", _CARD_TOLD, lambda place: card_number(place.plain), in_open=False),
    _Look("pattern-of-secret", ("pattern",), _is_of_secret, in_open=False),
)


def looks(places: Sequence[Place], *, is_open: bool) -> Iterator[tuple[str, Place]]:
    """The frames of what a field's texts show, each with the first place that does."""
    harmless = any(place.says("unless") for place in places if place.role != "message")
    told = {place.role for place in places}
    for frame, roles, shows, in_open in (one for one in _LOOKS if not told.isdisjoint(one.roles)):
        if (is_open or not in_open) and not (harmless and frame == "long-value"):
            shown = (place for place in places if place.role in roles and shows(place))
            yield from ((frame, place) for place in [*shown][:1])
