"""What is active in a text, by Unicode's own properties.

A character is *active* when a terminal obeys it, when it changes how its neighbours are drawn or
ordered, or when it is there and cannot be seen:

- controls (Cc: C0 with ESC and CR, DEL, C1), except line feed and tab;
- line and paragraph separators (U+2028, U+2029);
- format characters (Cf): bidirectional controls and overrides, zero-width characters, the soft
  hyphen, tags, annotation and deprecated formatting; except the prepended number and verse signs
  of Arabic, Syriac and Kaithi, which are drawn;
- everything else that Unicode lets a renderer leave out (Default_Ignorable_Code_Point): variation
  selectors, fillers, the grapheme joiner;
- letters that are drawn as nothing but room, away from their own writing: Braille without a dot,
  the blanks of Egyptian writing, a note without a head;
- lone surrogates, noncharacters, and private use (what these look like, only a font knows);
- a skin tone behind anything but a pictograph: some terminals draw nothing for it;
- a combining mark with nothing to stand on (at the start of a text or line, it would fall on ours),
  and the marks of one base beyond three; beyond six in scripts that pile up marks.

It is *not* active where natural writing needs it:

- U+200C between two letters of a script that joins or stacks (Persian, Urdu, the Indic scripts …),
  or after a virama;
- U+200D there too, after an Arabic letter, and between two pictographs;
- one U+FE0E or U+FE0F after a pictograph, or inside a keycap; U+FE00 to U+FE02 and one ideographic
  variation selector after a Han character; U+FE00 after a Myanmar letter;
- Mongolian selectors and the vowel separator after a Mongolian letter;
- tags inside the three subdivision flags in general use (England, Scotland, Wales).

Letters of right-to-left scripts are letters: they keep their natural direction, and no control that
could force another one is left. Markup (`[bold]`, `[@click=…]`, `*`, `<b>`) is plain characters and
is not touched: whoever draws it must draw it as text (Textual: `markup=False`; Rich: `Text`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import regex

# Of ASCII: line feed, tab and what is printed.
_PLAIN_ASCII: Final = b"\n\t" + bytes(range(ord(" "), ord("~") + 1))
_OTHER_THAN_PLAIN: Final = (
    "[^"
    "\\n\\t -~"
    "\u00a0-\u00ac\u00ae-\u02ff"  # Latin
    "\u0370-\u0377\u037a-\u037f\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u0482\u048a-\u052f"
    "\u1e00-\u1eff"
    "\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u23ff\u2500-\u27bf"  # signs, arrows, boxes
    "\u3000-\u3029\u3030-\u303f\u3041-\u3096\u309b-\u30ff"  # Kana
    "\u3400-\u4dbf\u4e00-\u9ffc\uac00-\ud7a3"  # Han, Hangul
    "\uff01-\uff9f"
    "]"
)
"""The first character that is not certainly harmless by itself."""

_MARK = r"[\p{Mn}\p{Me}--\p{Default_Ignorable_Code_Point}]"
_PILING_UP = (
    "[\u0591-\u05c7\u0610-\u08ff\u0f00-\u109f\u1780-\u17d3\u1a20-\u1cff\ua8e0-\ua9ff\uaa60-\uaa7f]"
)
_INVISIBLE = "\u200c\u200d\ufe00-\ufe0f\u180b-\u180f\U000e0100-\U000e01ef"
_JOINING = (
    r"[[\p{L}\p{M}--\p{Default_Ignorable_Code_Point}]"
    "&&[\u0600-\u0dff\u0f00-\u109f\u1700-\u18af\u1900-\u1cff\ua800-\uabff"
    "\U00010a00-\U00010aff\U00010d00-\U00010d3f\U00010f00-\U00011fff\U0001e900-\U0001e95f]]"
)
_VIRAMA = r"\p{Canonical_Combining_Class=Virama}"
_ARABIC = r"[\p{L}&&[\u0600-\u08ff]]"
_PICTOGRAPH = r"\p{Extended_Pictographic}"
_SKIN = r"\p{Emoji_Modifier}"
_MONGOLIAN = "[\u1820-\u18aa]"
_FLAG_TAGS = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in region)
    for region in ("gbeng", "gbsct", "gbwls")  # ISO 3166-2, as tag letters
)
_SUBDIVISION_FLAG = f"\U0001f3f4(?:{_FLAG_TAGS})\U000e007f"

_ALWAYS = (
    r"[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}"
    r"\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}"
    rf"--[\n\t\p{{Prepended_Concatenation_Mark}}{_INVISIBLE}]]"
)
# Each pattern below begins with the character itself and looks around it from there, so that the
# rest of a text is passed by quickly.
_NON_JOINER = rf"\u200c(?<!{_VIRAMA}\u200c)(?!(?<={_JOINING}\u200c){_JOINING})"
_JOINER = (
    rf"\u200d(?<!(?:{_VIRAMA}|{_ARABIC})\u200d)"
    rf"(?!(?<={_JOINING}\u200d){_JOINING})"
    rf"(?!(?<=(?:{_PICTOGRAPH}\ufe0f?|{_PICTOGRAPH}{_SKIN})\u200d){_PICTOGRAPH})"
)
_SELECTOR = (
    rf"[\ufe0e\ufe0f](?<!{_PICTOGRAPH}.)(?!(?<=[0-9#*].)\u20e3)"
    r"|[\ufe00-\ufe02](?<!\p{Han}.)(?<![\u1000-\u109f\uaa60-\uaa7f]\ufe00)"
    r"|[\ufe03-\ufe0d]"
    r"|[\U000e0100-\U000e01ef](?<!\p{Han}.)"
    rf"|[\u180b-\u180f](?<!{_MONGOLIAN}.)"
)
_TONE = rf"{_SKIN}(?<!{_PICTOGRAPH}\ufe0f?.)"
# A blank of Braille or of Egyptian writing is natural where a sign of that writing touches its run.
_EMPTY_LETTER = (
    r"(?<![\u2800-\u28ff])\u2800++(?![\u2801-\u28ff])"
    r"|(?<![\U00013000-\U00013455])[\U00013441\U00013442]++(?![\U00013000-\U00013455])"
    r"|\U0001d159(?![\U0001d165-\U0001d172])"
)
# What is invisible behind such a mark would come to stand behind our sign for it.
_BASELESS = rf"(?<![^\n\t]){_MARK}[{_INVISIBLE}]*+"

_NATURAL_MARKS: Final = 3
_PILED_MARKS: Final = 6


def is_plain(text: str) -> bool:
    """Whether a text holds nothing but what is certainly harmless by itself; most text does.

    A shortcut only: it saves loading and running the patterns below, and never decides by itself.
    """
    if text.isascii():
        # Of megabytes the rest is left over in a third of the time that a pattern takes.
        return not text.encode().translate(None, _PLAIN_ASCII)
    return _other_than_plain().search(text) is None


@lru_cache(maxsize=1)
def _other_than_plain() -> re.Pattern[str]:
    return re.compile(_OTHER_THAN_PLAIN)


@lru_cache
def _compiled(pattern: str) -> regex.Pattern[str]:
    import regex  # Most text is plain, and a start that meets no other does without.

    return regex.compile(pattern, regex.V1)


def active_pattern() -> regex.Pattern[str]:
    """Finds what is active: single characters, and runs of those that always are.

    It also finds whole subdivision flags, as its group `natural`; those are to be kept.
    """
    return _compiled(
        rf"(?P<natural>{_SUBDIVISION_FLAG})"
        rf"|{_ALWAYS}++|{_NON_JOINER}|{_JOINER}|{_SELECTOR}|{_TONE}|{_BASELESS}"
        rf"|{_EMPTY_LETTER}"
    )


def piled_marks_pattern() -> regex.Pattern[str]:
    """Finds every run that could hold more marks on one base than common scripts write."""
    # Long enough to be too many in any script; `natural_length` counts what is a mark in it.
    return _compiled(rf"[{_MARK}{_INVISIBLE}]{{{_NATURAL_MARKS + 1},}}+")


def natural_length(run: str) -> int:
    """How many characters of a run of marks are natural; what follows them is active."""
    marks = 0
    allowed = _PILED_MARKS
    for position, character in enumerate(run):
        most = _MARKS_ALLOWED[character]
        # What is no mark, such as an invisible character between two of them, is not counted.
        if not most:
            continue
        allowed = min(allowed, most)
        if marks >= allowed:
            return position
        marks += 1
    return len(run)


def visible(run: str) -> str:
    """The marks that stand for active characters: `␛`, `⟨U+202E⟩`."""
    return "".join(map(_VISIBLE.__getitem__, run))


def drawn(run: str) -> str:
    """One visible character for each active one: a control's picture, or the replacement."""
    marks = map(_VISIBLE.__getitem__, run)
    return "".join(mark if len(mark) == 1 else "\ufffd" for mark in marks)


class _MarksAllowed(dict[str, int]):
    """How many marks one base may have when this is among them; 0 for what is no mark."""

    def __missing__(self, character: str) -> int:
        allowed = 0
        if _compiled(_MARK).match(character):
            piles_up = _compiled(_PILING_UP).match(character)
            allowed = _PILED_MARKS if piles_up else _NATURAL_MARKS
        self[character] = allowed
        return allowed


class _Visible(dict[str, str]):
    """The mark of each active character met so far."""

    def __missing__(self, character: str) -> str:
        code = ord(character)
        # The pictures of controls in Unicode: ␀ to ␟ in their order.
        if code < 0x20:
            mark = chr(0x2400 + code)
        elif code == 0x7F:
            mark = "␡"
        else:
            mark = f"⟨U+{code:04X}⟩"
        self[character] = mark
        return mark


_MARKS_ALLOWED: Final = _MarksAllowed()
_VISIBLE: Final = _Visible()
